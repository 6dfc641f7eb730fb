/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/rx_parts.h - declarations shared by the receiver's files.
 */
#ifndef ENGINE_RECEIVE_RX_PARTS_H
#define ENGINE_RECEIVE_RX_PARTS_H

#include "engine/receive/hw_stamp.h"
#include "engine/receive/rx_order.h"

extern const struct receiver_ops rx_receiver_ops;

struct rx {
	struct receiver receiver;
	struct rx_cfg cfg;
	int ifindex;
	unsigned int nr_cpus;
	struct sink_xdp_bpf *skel;
	struct xdp_port *port;
	struct hw_stamp *stamp;		/* NULL: the XDP program takes the timestamps */
	struct stamp_lines *lines;
	size_t lines_bytes;
	struct sink_rec *recs;
	struct hist_rec *hists;
	struct pdv_rec *pdvs;		/* pdv_streams per CPU, see abi/sink.h */
	uint16_t pdv_streams;
	struct hist_rec *gaps, *gap_errors;	/* NULL unless requested */
	struct seq_slot *seqs;		/* NULL with sink_spin */
	struct sink_cpu *cpus;
	size_t recs_bytes, hists_bytes, pdvs_bytes, gaps_bytes, gap_errors_bytes, seqs_bytes, cpus_bytes;
	struct rx_order order;
	uint64_t skew_ns;		/* longest reading */

	/* at the previous row */
	struct rx_count row_count;
	uint64_t row_lost;
	struct hist_rec row_hist;
	uint64_t row_elapsed_ns;
};

/* @hists of one stream, or of all if @stream is RX_ALL_STREAMS; merged over the CPUs. */
void rx_sum_hists(const struct rx *rx, const struct hist_rec *hists, uint32_t stream,
		  struct hist_rec *ret_hist);

/*
 * PDV of one stream, or of all if @stream is RX_ALL_STREAMS; @delays: of the same. False: its record is
 * shared with other streams.
 */
bool rx_read_pdv(const struct rx *rx, uint32_t stream, const struct hist_rec *delays,
		 struct hist_rec *ret_pdv);

#endif
