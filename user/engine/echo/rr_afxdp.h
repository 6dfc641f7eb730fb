/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/rr_afxdp.h - rr_xdp on the interface and AF_XDP sockets on its queues.
 */
#ifndef ENGINE_ECHO_RR_AFXDP_H
#define ENGINE_ECHO_RR_AFXDP_H

#include "abi/rr.h"
#include "engine/echo/rr_parts.h"
#include "sys/afxdp/afxdp_wire.h"

struct rr_xdp_bpf;

/* State shared by both engines that use the program. */
struct rr_afxdp {
	struct rr_xdp_bpf *skel;
	struct xdp_port *port;
	struct afxdp_wire *wire;
	struct afxdp_lane *lane;
	struct rr_rec *recs;		/* one per CPU */
	struct hist_rec *hists;		/* bounce only, one per CPU */
	struct pdv_rec *pdvs;		/* the same */
	struct rr_token *tokens;
	size_t recs_bytes, hists_bytes, pdvs_bytes, tokens_bytes;
	volatile __u64 *end_mono_ns;	/* read by the program, which stops sending at this time; 0:
					 * immediately */
};

int rr_afxdp_open(struct rr *rr, struct result *res, struct err *e);
void rr_afxdp_close(struct rr *rr);

/* Queues a request of stream rr->stream + @token; false: the ring is full. */
bool rr_afxdp_put(struct rr *rr, uint32_t token, uint32_t number, uint64_t sent_ns);

/* Makes the kernel send what is in the ring. */
int rr_afxdp_flush(struct rr *rr, struct err *e);

/* How rr_xdp_bounce recognises requests and answers. */
void rr_bounce_match(const struct rr *rr, struct rr_match *match);

/* Adds the packets that the program passed to the stack, and the damaged ones. */
void rr_afxdp_read_recs(const struct rr *rr, struct rr_count *count);

#endif
