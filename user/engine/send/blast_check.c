// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/blast_check.c - which of blast's many options go together.
 */
#include "engine/send/blast_check.h"

#include "engine/send/stream_packet.h"
#include "proto/packet_spec.h"

/* The first of @names, NULL-terminated, that was given. */
static const char *given_of(const char *const *names, const struct opt_given *given)
{
	for (; *names; names++) {
		if (opt_was_given(given, *names))
			return *names;
	}
	return NULL;
}

static int check_replay(const struct blast_what *what, const struct opt_given *given, struct err *e)
{
	/* What the packets of a file bring with them. */
	static const char *const strange[] = {
		"frame-bytes", "port", "src-port", "src-ip", "dscp", "ttl", "threads", "no-tag", "save",
		"streams", "profile", "copies", "tx-stamp", "burst", "every", "on", "off", "gaps", "ramp-to",
		"ramp-time", "ports", "src-ports", "dests", "sources", "random", "seed", "sink",
		NULL,
	};
	static const char *const of_tag[] = { "stream", "stamp-every", "clock", NULL };
	const char *name = given_of(strange, given);

	if (what->stream->dest)
		return err_usage(e, "DEST '%s' beside --pcap: the packets of the file have their own",
				 what->stream->dest);
	if (name)
		return err_usage(e, "--%s is of packets that blast makes, and --pcap sends those of "
				 "a file", name);
	name = given_of(of_tag, given);
	if (name && !what->replay->tag)
		return err_usage(e, "--%s writes into the probe tag: beside --pcap it needs --tag",
				 name);
	if (opt_was_given(given, "rate")) {
		if (opt_was_given(given, "speed"))
			return err_usage(e, "--speed and --rate both say when packets leave: give one");
		what->replay->speed = NULL;
	}
	/* The end of the file is meant as the only limit. */
	if (!opt_was_given(given, "duration"))
		what->stream->duration_ns = 0;
	return replay_check(what->replay, what->stream, e);
}

static int check_file(const struct blast_what *what, const struct opt_given *given, struct err *e)
{
	/* What each stream of a file says for itself. */
	static const char *const strange[] = {
		"frame-bytes", "rate", "rate-layer", "stamp-every", "tx-stamp", "no-tag", "seed", "random",
		"ports", "src-ports", "dests", "sources", "vlan", "vlan-pcp", "src-ip",
		"burst", "every", "on", "off", "gaps", "ramp-to", "ramp-time", NULL,
	};
	const char *of = what->flow->path ? "streams" : "profile", *name = given_of(strange, given);

	if (name)
		return err_usage(e, "--%s is said by each stream of --%s", name, of);
	if (what->stream->count && !what->save)
		return err_usage(e, "--count is said by each stream of --%s, as its duration", of);
	what->flow->has_duration = opt_was_given(given, "duration");
	return stream_check_threads(what->stream, e);
}

static int check_stream(const struct blast_what *what, const struct opt_given *given, struct err *e)
{
	static const char *const of_replay[] = {
		"speed", "loop", "map-ip", "map-port", "strip-vlan", "fix-checksums", "tag",
		NULL,
	};
	const char *name = given_of(of_replay, given);
	int err;

	if (name)
		return err_usage(e, "--%s needs --pcap", name);
	err = flow_check(what->flow, what->stream, e);
	if (err)
		return err;
	if (flow_is_file(what->flow))
		return check_file(what, given, e);
	if (!what->stream->dest)
		return err_usage(e, "DEST is missing");
	if (packet_spec_is_text(what->stream->dest))
		return stream_packet_check(what->stream, given, e);
	return stream_check(what->stream, opt_was_given(given, "frame-bytes"), e);
}

int blast_check_what(const struct blast_what *what, const struct opt_given *given,
		     struct err *e)
{
	if (what->replay->path)
		return check_replay(what, given, e);
	return check_stream(what, given, e);
}
