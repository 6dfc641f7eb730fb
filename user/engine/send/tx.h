/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/tx.h - send a list of streams; two engines behind one interface.
 *
 * Thread i of n is pinned to one CPU, uses queue first_queue + i and sends streams i, i + n,
 * ... of the mix, each with a sequence of its own: nothing is shared. Everything happens in
 * the network namespace of the thread that calls tx_open().
 */
#ifndef ENGINE_SEND_TX_H
#define ENGINE_SEND_TX_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"
#include "abi/stamp.h"
#include "engine/receive/receiver.h"
#include "engine/self/meter.h"
#include "lib/err.h"
#include "result/result.h"
#include "sys/afxdp/afxdp.h"

enum tx_engine {
	TX_ENGINE_AUTO,		/* live where the kernel and the driver have it, else afxdp */
	TX_ENGINE_LIVE,		/* BPF_PROG_TEST_RUN with live frames */
	TX_ENGINE_AFXDP,	/* AF_XDP transmit ring */
};

/* Choices of --engine, in the order of enum tx_engine. */
extern const char *const tx_engine_names[];

/*
 * A second transmit stamp beside the tag's, by AF_XDP metadata. A copying socket
 * gets the kernel's, a zero-copy one the NIC's.
 */
enum tx_done { TX_DONE_NONE, TX_DONE_SW, TX_DONE_HW };

/* Choices of --tx-stamp, in the order of enum tx_done. */
extern const char *const tx_done_names[];

struct companion;

struct tx_cfg {
	enum tx_engine engine;
	const char *ifname;
	const struct mix *mix;		/* what is sent (model/mix.h) */
	uint32_t threads;		/* at least 1 */
	uint32_t first_queue;
	uint64_t duration_ns;		/* 0: no limit */
	uint32_t batch;			/* frames handed to the driver at once; 0: chosen by rate */
	enum stamp_clock clock;		/* of the times in tags */
	uint16_t run;			/* in tags; 0: chosen at random (tx_choose_run()) */
	enum tx_done done;		/* afxdp: who else stamps each packet, when it is sent */
	bool zero_copy_only;		/* afxdp: fail rather than copy */
	bool busy_poll;			/* afxdp: run the queue's driver in the sending thread */
	bool into_stack;		/* live: received by this host instead of sent */
	struct companion **keep_companion;	/* for the next sender, until the caller closes it; NULL: none
						 * follows */
};

/* From the start to the first slot: time for every thread to be there. A duration begins then. */
#define TX_LEAD_NS 2000000

/* After a duration's end: for slots before it that were missed. */
#define TX_LATE_NS 50000000

/* The number of the run as tags have it: chosen if it was not, and with the clock's bit. */
void tx_choose_run(struct tx_cfg *cfg);

struct mix_count;

struct tx_count {
	uint64_t sent_packets;
	uint64_t refused_packets;	/* made, and not taken by the driver */
	uint64_t first_mono_ns, last_mono_ns;
	uint64_t late_sum_ns, late_max_ns;	/* paced: behind the slot */
	uint64_t paced_packets;			/* that late_sum_ns is the sum of */
	uint64_t sent_bytes;			/* with FCS, where sizes differ; 0: all are one size */
};

#define TX_BYTES_UNKNOWN UINT64_MAX

struct tx;

/* Opens all descriptors; sends nothing yet. Fills @res's environment: engine, mode, queues. */
int tx_open(struct tx **ret_tx, const struct tx_cfg *cfg, struct result *res, struct err *e);

/* Starts the threads. Capabilities may be dropped before it, but for tx_keep_caps(). */
int tx_start(struct tx *tx, struct err *e);
unsigned int tx_keep_caps(const struct tx *tx);

/* True when all threads have ended: count or duration reached, or an error. */
bool tx_done(const struct tx *tx);

/* Asks the threads to stop and joins them; the first error of one, if any. */
int tx_stop(struct tx *tx, struct err *e);

/* Sum over the threads, while they run or after. */
void tx_read(const struct tx *tx, struct tx_count *ret_count);

/* Of thread @i alone. */
void tx_read_thread(const struct tx *tx, uint32_t i, struct tx_count *ret_count);

/* Of stream @flow of cfg.mix, whichever thread sends it; what the driver refused is in it. */
void tx_read_flow(const struct tx *tx, uint32_t flow, struct mix_count *ret_count);

/* @count in the form that receivers take. */
struct rx_sent tx_sent_of(const struct tx *tx, const struct tx_count *count);

/* How late packets left, over all threads; empty where nothing is paced. */
void tx_read_late(const struct tx *tx, struct hist_rec *ret_hist);

/* What a run came to, for who judges by it. */
struct tx_figures {
	uint64_t sent_packets, refused_packets;
	double sent_pps;
	double late_max_ns;		/* of a packet after its slot; NAN: nothing was paced at a rate */
	enum bottleneck_pace pace;	/* regular or not; unpaced: no rate to compare with */
};

/* Its threads, for the meter. */
struct meter_sender tx_metered(const struct tx *tx, const struct tx_figures *figures);

/* -EIO if the driver refused all packets that were made, which no other error tells of. */
int tx_check_taken(const struct tx *tx, struct err *e);

/* Stops what still runs and frees; takes NULL. */
void tx_close(struct tx *tx);

/* True if it ends by itself with cfg.duration_ns, behind the last slot before that. */
bool tx_ends(const struct tx *tx);

/* Bytes with FCS so far, of the packets in @count. */
uint64_t tx_bytes(const struct tx *tx, const struct tx_count *count);

/* Sent, rates and pacing of a whole run into @res, and a row for each stream where there are many. */
struct tx_figures tx_report(const struct tx *tx, const struct tx_count *count, struct result *res);

/*
 * The same of frames of @frame_bytes, in the mean, that were to be sent at @offered_pps (0: no rate),
 * @due_packets of them (0: unknown). The result is irregular, and marked as such or as not: below
 * 99.9 % of that rate or number, or if more than 0.1 % of the packets left late (@late, NULL: unknown)
 * and were made up for in bursts.
 */
struct tx_figures tx_report_sent(double frame_bytes, double offered_pps, uint64_t due_packets,
				 const struct tx_count *count, const struct hist_rec *late, struct result *res);

/* How many of them were so late that a burst made up for it: by 1 ms and by a slot at least. */
uint64_t tx_count_late(const struct hist_rec *late, double offered_pps);

/*
 * Percentiles of how late the packets left, nothing where none was paced; and with
 * cfg.done how long they took to be sent.
 */
void tx_report_late(const struct tx *tx, struct result *res);

#endif
