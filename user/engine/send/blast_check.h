/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/blast_check.h - which of blast's many options go together: what is
 * sent is told by options, by a described packet, by a file of streams or by one
 * of packets. Pure.
 */
#ifndef ENGINE_SEND_BLAST_CHECK_H
#define ENGINE_SEND_BLAST_CHECK_H

#include "engine/send/flow.h"
#include "engine/send/stream.h"
#include "lib/err.h"
#include "lib/opt.h"

struct blast_what {
	struct stream_opts *stream;
	struct flow_opts *flow;
};

/* Completes what depends on what was given. */
int blast_check_what(const struct blast_what *what, const struct opt_given *given,
		     struct err *e);

#endif
