/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/rr.h - answers to our own requests, as rr_xdp extracts them from received packets.
 */
#ifndef ABI_RR_H
#define ABI_RR_H

#include "abi/abi.h"
#include "abi/jitter.h"

#define RR_HEAD4_BYTES	42	/* Ethernet, IPv4 without options, 8 bytes of UDP or ICMP */
#define RR_HEAD6_BYTES	62

/* Headers from the first byte on, as in the frame; then zeros. */
struct rr_head {
	__u64 words[8];
};

/* How to recognise an answer, and with bounce the next request. */
struct rr_match {
	__u8 peer[16];		/* address of the responder; IPv4 in the first 4 */
	__u8 version;		/* 4 or 6 */
	__u8 icmp;		/* 1: echo reply; 0: UDP */
	__u16 run;		/* of the tag; random, as the stream */
	__be16 id;		/* the identifier; UDP: our port */
	__be16 port;		/* UDP: theirs */
	__u16 stream;		/* of the tag; rr_xdp_bounce: token i has stream + i */
	__u16 check;		/* of a request, with number 0 in an ICMP header */
	__u16 streams;		/* of the tag, from stream on; rr_xdp_bounce: tokens */
	__u16 l4_bytes;		/* of a request and its answer: L4 header and payload */
	__u32 reserved;
	/* From here on, for rr_xdp_bounce only. */
	__u32 stamp_every;	/* time one request in this many per token; 1 and up */
	/* A request; its answer, and the bits of an answer to compare. */
	struct rr_head request, answer, mask;
};
ABI_ASSERT_SIZE(struct rr_match, 232);

/*
 * A bounced packet: a request, its answer, the next request. There is one packet per token, so it
 * has one writer at a time; user space writes when it sends the first one, and one after a loss.
 */
struct rr_token {
	__u64 made;		/* requests so far; the low 32 bits less 1 are the tag's number */
	__u64 limit;		/* of made */
	__u64 answered;
	__u64 stale;		/* answers to earlier requests: dropped */
	__u64 sent_ns;		/* of the last request, CLOCK_MONOTONIC; 0: not timed */
	__u64 came_ns;		/* of the last timed answer, or the very last answer */
	__u64 done;		/* value of made at the last answer; equal: none is outstanding */
	__u64 bytes;		/* of answered packets, without FCS */
	struct jitter_rec jitter;	/* of the timed answers */
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct rr_token, 128);

/*
 * No request is outstanding, and none will be: @made and @done of a token, the latter read first. That
 * they are equal is not enough: a CPU may see the program's writes in another order.
 * @over: the program makes no more requests.
 */
static inline int rr_has_ended(__u64 made, __u64 done, __u64 limit, int over)
{
	return done == made && (over || made >= limit);
}

/* One record per CPU, its only writer. */
struct rr_rec {
	__u64 answers;		/* all received; with bounce only the stale ones */
	__u64 foreign;		/* passed to the stack */
	__u64 bytes;		/* of answers, without FCS */
	__u64 damaged;		/* a checksum is wrong: dropped, and in no other count, as the next */
	__u64 bad_payload;	/* the payload is not the request's, and no checksum is wrong */
	__u64 damaged_bytes;	/* of both, without FCS */
	__u64 unverified;	/* among the answers: no L4 checksum that could be verified */
	__u64 reserved[1];
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct rr_rec, 64);

#endif
