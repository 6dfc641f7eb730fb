/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_host.h - the settings of an end's host that bear on a transport test.
 */
#ifndef ENGINE_TRANSPORT_XFER_HOST_H
#define ENGINE_TRANSPORT_XFER_HOST_H

#include "proto/control.h"
#include "result/result.h"

/* Those of this host, as the namespace of the connected @fd has them; not the proof. */
void xfer_host_read(int fd, struct control_welcome *ret_host);

/* Into the environment: all of the server's, and of the client's those that differ. */
void xfer_host_report(const struct control_welcome *server, const struct control_welcome *client,
		      struct result *res);

#endif
