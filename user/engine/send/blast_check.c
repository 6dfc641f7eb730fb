// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/blast_check.c - which of blast's many options go together.
 */
#include "engine/send/blast_check.h"

#include <math.h>

#include "engine/send/stream_packet.h"
#include "proto/packet_spec.h"

static int check_replay(const struct blast_what *what, const struct opt_given *given,
			struct err *e)
{
	if (opt_was_given(given, "rate"))
		what->flow->replay.speed = NAN;
	/* The end of the file is meant as the only limit. */
	if (!opt_was_given(given, "duration"))
		what->stream->duration_ns = 0;
	return replay_opts_check(&what->flow->replay, what->stream, e);
}

static int check_stream(const struct blast_what *what, const struct opt_given *given, struct err *e)
{
	int err = flow_check(what->flow, what->stream, e);

	what->stream->has_size = opt_was_given(given, "frame-bytes");
	if (err)
		return err;
	if (flow_is_file(what->flow)) {
		what->flow->has_duration = opt_was_given(given, "duration");
		return stream_check_threads(what->stream, e);
	}
	if (packet_spec_is_text(what->stream->dest))
		return stream_packet_check(what->stream, given, e);
	return stream_check(what->stream, e);
}

int blast_check_what(const struct blast_what *what, const struct opt_given *given,
		     struct err *e)
{
	if (what->flow->replay.path)
		return check_replay(what, given, e);
	return check_stream(what, given, e);
}
