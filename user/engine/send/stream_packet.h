/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/stream_packet.h - a stream whose DEST is a packet's description
 * (proto/packet_spec.h).
 */
#ifndef ENGINE_SEND_STREAM_PACKET_H
#define ENGINE_SEND_STREAM_PACKET_H

#include "engine/send/stream.h"

/*
 * The packet, and the options beside it; pure. Sets has_size, and
 * frame_bytes to the packet's own where it was not given.
 */
int stream_packet_check(struct stream_opts *opts, const struct opt_given *given,
			struct err *e);

/*
 * What fills the fields that @spec leaves out, for a stream of @opts: route and
 * neighbour are asked. Where the packet does not say where it goes, opts->dest
 * does, an address.
 */
struct nic_facts;
struct packet_env;
struct packet_spec;
int stream_packet_env(const struct stream_opts *opts, const struct nic_facts *nic,
		      const struct packet_spec *spec, struct packet_env *ret_env, struct err *e);

#endif
