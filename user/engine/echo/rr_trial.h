/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/rr_trial.h - a run of requests for ping and rr: options, rows, result, and the same
 * through a socket in turn.
 */
#ifndef ENGINE_ECHO_RR_TRIAL_H
#define ENGINE_ECHO_RR_TRIAL_H

#include "engine/echo/rr.h"
#include "engine/send/stream.h"
#include "lib/err.h"
#include "lib/opt.h"
#include "lib/opt_rule.h"
#include "result/result.h"

struct rr_opts {
	struct stream_opts stream;
	int engine;			/* enum rr_engine */
	uint32_t outstanding;		/* 0: 1, or with a rate as many as required */
	uint64_t wait_ns, interval_ns;
	bool flood;			/* ping: as many as required, whatever the rate */
	bool against_stack;
	bool no_loss;
	const char *sizes;		/* NULL: one */
	int xdp_mode;
};

#define RR_DEFAULTS \
	.stream = { STREAM_DEFAULTS, .port = 7 /* echo, RFC 862 */ }, \
	.wait_ns = NSEC_PER_SEC, .interval_ns = NSEC_PER_SEC, \
	.xdp_mode = XDP_MODE_AUTO

/* Table entries whose values are a struct rr_opts. */
#define RR_OPTIONS \
	{ 0, "DEST", OPT_STR, offsetof(struct rr_opts, stream.dest), NULL, \
	  "host that answers: an IPv4 or IPv6 address, or a name", .argument = true }, \
	STREAM_VERSION_OPTIONS(struct rr_opts, stream), \
	{ 'I', "interface", OPT_IFACE, offsetof(struct rr_opts, stream.ifname), "IFACE", \
	  "send through this interface, instead of the route's" }, \
	{ 'e', "engine", OPT_CHOICE, offsetof(struct rr_opts, engine), "ENGINE", \
	  "afxdp; bounce: the driver's hook sends each answer back as the next request; " \
	  "stack: use a socket", .choices = rr_engine_names }, \
	{ 'c', "count", OPT_COUNT, offsetof(struct rr_opts, stream.count), "N", \
	  "requests to send; 0: until the duration is over, or ^C" }, \
	{ 'd', "duration", OPT_DURATION, offsetof(struct rr_opts, stream.duration_ns), "TIME", \
	  "duration; 0: until the count is reached, or ^C" }, \
	{ 'r', "rate", OPT_RATE, offsetof(struct rr_opts, stream.rate), "RATE", \
	  "requests per second (1kpps), or max: send the next as soon as an answer arrives" }, \
	{ 0, "outstanding", OPT_U32, offsetof(struct rr_opts, outstanding), "N", \
	  "maximum number of outstanding requests; 0: 1, or with a rate as many as required", \
	  .max = RR_MAX_OUTSTANDING }, \
	{ 0, "stamp-every", OPT_U32, offsetof(struct rr_opts, stream.stamp_every), "N", \
	  "bounce: time one request in N, to save clock reads; all are counted", .min = 1 }, \
	{ 's', "frame-bytes", OPT_U32, offsetof(struct rr_opts, stream.frame_bytes), "SIZE", \
	  "frame with FCS, as RFC 2544 counts; IPv6 and VLAN need more", \
	  .max = FRAME_MAX_BYTES }, \
	{ 0, "sizes", OPT_STR, offsetof(struct rr_opts, sizes), "LIST", \
	  "frame sizes to test in turn: 64,512,mtu; or doubling: 64-mtu; count and "\
	  "duration apply to each size, default 1 s" }, \
	{ 'w', "wait", OPT_DURATION, offsetof(struct rr_opts, wait_ns), "TIME", \
	  "time after which a request counts as unanswered", .min = 1000000 }, \
	{ 'i', "interval", OPT_DURATION, offsetof(struct rr_opts, interval_ns), "TIME", \
	  "reporting interval, and on a terminal a line for each; 0: none" }, \
	{ 0, "against-stack", OPT_FLAG, offsetof(struct rr_opts, against_stack), NULL, \
	  "alternate with a socket-based run to isolate the local stack's share" }, \
	{ 0, "no-loss", OPT_FLAG, offsetof(struct rr_opts, no_loss), NULL, \
	  "exit with 1 if a request was not answered" }, \
	{ 0, "busy-poll", OPT_FLAG, offsetof(struct rr_opts, stream.busy_poll), NULL, \
	  "afxdp: run the queues' driver in the waiting thread" }, \
	{ 0, "zero-copy", OPT_FLAG, offsetof(struct rr_opts, stream.zero_copy), NULL, \
	  "afxdp: require zero-copy; the stack may miss other traffic above 25 kpps" }, \
	{ 0, "src-ip", OPT_STR, offsetof(struct rr_opts, stream.src_ip), "ADDR", \
	  "source address, instead of the route's" }, \
	{ 0, "dst-mac", OPT_MAC, offsetof(struct rr_opts, stream.dst_mac), "MAC", \
	  "destination MAC, instead of resolving it by route and neighbour" }, \
	{ 0, "vlan", OPT_U16, offsetof(struct rr_opts, stream.vlan), "ID", \
	  "afxdp: 802.1Q tag; 0: none", .max = 4094 }, \
	{ 0, "dscp", OPT_U16, offsetof(struct rr_opts, stream.dscp), "N", \
	  "differentiated services code point", .max = 63 }, \
	{ 't', "ttl", OPT_U16, offsetof(struct rr_opts, stream.ttl), "N", \
	  "IPv4 time to live, IPv6 hop limit", .min = 1, .max = 255 }, \
	{ 0, "xdp-mode", OPT_CHOICE, offsetof(struct rr_opts, xdp_mode), "MODE", \
	  "attach mode of the receiving program", .choices = xdp_mode_names }

#define RR_RULES \
	{ OPT_AT_MOST_ONE, "ipv4 ipv6" }, \
	/* The answer's arrival triggers the next request. */ \
	{ OPT_EXCLUDES, "rate", "engine=bounce" }, \
	{ OPT_REQUIRES, "vlan zero-copy", "engine=afxdp" }, \
	{ OPT_REQUIRES, "stamp-every", "engine=bounce" }, \
	{ OPT_EXCLUDES, "dst-mac", "engine=stack" }, \
	{ OPT_REQUIRES, "against-stack", "engine=afxdp engine=bounce" }, \
	/* The stack builds the headers itself, and does not fill a queue's receive ring. */ \
	{ OPT_EXCLUDES, "against-stack", "zero-copy vlan dst-mac" }, \
	{ OPT_EXCLUDES, "sizes", "frame-bytes against-stack" }

/* Completes the options and checks what rules cannot express; pure. */
int rr_opts_check(struct rr_opts *opts, const struct opt_given *given, struct err *e);

/* @icmp: echo requests; else UDP. */
int rr_trial_run(const struct rr_opts *opts, bool icmp, struct result *res, struct err *e);

#endif
