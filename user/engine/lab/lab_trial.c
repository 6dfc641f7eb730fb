// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/lab/lab_trial.c - one run over a lab's link, with the drivers' own counters.
 */
#include "engine/lab/lab_trial.h"

#include <errno.h>
#include <string.h>

#include "engine/send/stream.h"
#include "engine/receive/rx_counts.h"
#include "lib/loop.h"
#include "sys/net/route.h"

#define PROBE_PORT	7		/* echo, RFC 862 */
#define SINK_PORT	9		/* discard, RFC 863 */
#define SOURCE_PORT	49152		/* first of the dynamic ports, RFC 6335 */
#define SETTLE_NS	(NSEC_PER_SEC)
#define SLACK_NS	(60 * NSEC_PER_SEC)	/* beside two busy loops 5,000,011 packets took 20 s */

static int fill_frame(struct frame_spec *spec, const struct lab_trial_cfg *cfg, struct err *e)
{
	struct route_path path;
	struct nic_facts nic;
	int err;

	*spec = (struct frame_spec){
		.src_port = SOURCE_PORT,
		.dst_port = cfg->probe ? PROBE_PORT : SINK_PORT,
		.ttl = 64,
		.frame_bytes = cfg->frame_bytes,
		.tagged = cfg->tagged,
	};
	frame_parse_addr(lab_b_ip4(cfg->middle), &spec->dst);
	err = route_find(LAB_IFNAME, AF_INET, &spec->dst.ip4, &path, e);
	if (err)
		return err;
	err = nic_read(LAB_IFNAME, &nic);
	if (err)
		return err_set(e, err, "cannot read '%s'", LAB_IFNAME);
	spec->src.family = AF_INET;
	spec->src.ip4 = path.src.ip4;
	memcpy(spec->src_mac, nic.mac, sizeof(spec->src_mac));
	memcpy(spec->dst_mac, path.dst_mac, sizeof(spec->dst_mac));
	return 0;
}

/*
 * The sink in b, or the receiver in a and a reflector in b. The receiver first: without a program
 * in a, a's veth does not notice the answers (sys/hook/pass.h).
 */
static int open_receiver(struct lab_trial *trial, const struct lab_trial_cfg *cfg,
			 struct result *part, struct err *e)
{
	const struct reflector_cfg reflector = { .ifname = LAB_IFNAME, .port = PROBE_PORT };
	const struct rx_cfg rx = {
		.ifname = LAB_IFNAME,
		.match = cfg->probe ? SINK_MATCH_SOURCE : SINK_MATCH_DEST,
		.port = cfg->probe ? PROBE_PORT : SINK_PORT,
		.check = true,
		.vary = true,
		.streams = 1,
		.clock = cfg->clock,
		.run = trial->run,
		.record_every = !!cfg->record_ring_bytes,
		.record_ring_bytes = cfg->record_ring_bytes,
		.gaps = cfg->gaps,
		.expect_gap_ns = cfg->gaps ? (uint64_t)((double)NSEC_PER_SEC / cfg->pps + 0.5) : 0,
	};
	int err;

	err = lab_enter(cfg->lab, cfg->probe ? LAB_A : LAB_B, e);
	if (!err)
		err = rx_open(&trial->rx, &rx, part, e);
	if (err || !cfg->probe)
		return err;
	err = lab_enter(cfg->lab, LAB_B, e);
	return err ? err : reflector_open(&trial->reflector, &reflector, part, e);
}

static int read_node(const struct lab *lab, enum lab_node node, struct nic_counters *ret,
		     struct err *e)
{
	int err = lab_enter(lab, node, e);

	if (err)
		return err;
	err = nic_read_counters(LAB_IFNAME, ret);
	return err ? err_set(e, err, "cannot read the counters of '%s'", LAB_IFNAME) : 0;
}

/* a last: the thread must stay in it. */
static int read_drivers(const struct lab *lab, struct nic_counters *ret_a,
			struct nic_counters *ret_b, struct err *e)
{
	int err = read_node(lab, LAB_B, ret_b, e);

	return err ? err : read_node(lab, LAB_A, ret_a, e);
}

static void grown(struct nic_counters *now, const struct nic_counters *before)
{
	now->tx_packets -= before->tx_packets;
	now->rx_packets -= before->rx_packets;
	now->tx_bytes -= before->tx_bytes;
	now->rx_bytes -= before->rx_bytes;
	now->tx_dropped -= before->tx_dropped;
	now->rx_dropped -= before->rx_dropped;
	now->tx_errors -= before->tx_errors;
	now->rx_errors -= before->rx_errors;
}

struct wait {
	struct lab_trial *trial;
	const struct lab_trial_cfg *cfg;
	uint64_t sent;
};

static bool is_sent(void *ctx)
{
	const struct wait *wait = ctx;

	return tx_done(wait->trial->tx);
}

static bool is_received(void *ctx)
{
	const struct wait *wait = ctx;
	const struct lab_trial_cfg *cfg = wait->cfg;
	uint64_t due = cfg->due ? cfg->due(cfg->due_ctx, wait->sent) : wait->sent;
	struct rx_count count;

	rx_read(wait->trial->rx, &count);
	return count.packets >= due;
}

static int send_and_wait(struct lab_trial *trial, const struct lab_trial_cfg *cfg, struct err *e)
{
	struct wait wait = { .trial = trial, .cfg = cfg };
	struct tx_count sent;
	struct loop sending = {
		.duration_ns = SLACK_NS + (uint64_t)(cfg->pps ? (double)cfg->count / cfg->pps *
						     NSEC_PER_SEC : 0),
		.done = is_sent, .ctx = &wait,
	};
	struct loop settling = {
		.duration_ns = cfg->settle_ns ? cfg->settle_ns : SETTLE_NS,
		.done = is_received, .ctx = &wait,
	};
	int err;

	trial->meter = meter_start(LAB_IFNAME);
	err = tx_start(trial->tx, e);
	if (err)
		return err;
	loop_run(&sending);
	err = tx_stop(trial->tx, e);
	meter_stop(trial->meter);
	if (err)
		return err;
	tx_read(trial->tx, &sent);
	wait.sent = sent.sent_packets;
	loop_run(&settling);
	return 0;
}

static int open_sender(struct lab_trial *trial, const struct lab_trial_cfg *cfg,
		       struct result *part, struct err *e)
{
	struct stream_plan plan = {
		.tx = {
			.engine = cfg->engine, .ifname = LAB_IFNAME, .threads = 1, .clock = cfg->clock,
			.run = trial->run,
		},
		.count = cfg->count,
		.pps = cfg->pps,
		.stamp_every = 1,
	};
	int err = lab_enter(cfg->lab, LAB_A, e);

	if (!err)
		err = fill_frame(&plan.frame, cfg, e);
	if (!err)
		err = stream_mix(&plan, &trial->mix, e);
	plan.tx.mix = trial->mix;
	return err ? err : tx_open(&trial->tx, &plan.tx, part, e);
}

int lab_trial_run(struct lab_trial *trial, const struct lab_trial_cfg *cfg, struct result *part,
		  struct err *e)
{
	struct meter_receiver receiver = { 0 };
	struct meter_sender sender;
	struct tx_cfg chosen = { .clock = cfg->clock };
	struct rx_sent sent;
	int err;

	memset(trial, 0, sizeof(*trial));
	tx_choose_run(&chosen);
	trial->run = chosen.run;
	err = open_receiver(trial, cfg, part, e);
	if (!err)
		err = open_sender(trial, cfg, part, e);
	if (!err)
		err = read_drivers(cfg->lab, &trial->a_before, &trial->b_before, e);
	if (!err)
		err = send_and_wait(trial, cfg, e);
	if (!err)
		err = read_drivers(cfg->lab, &trial->a, &trial->b, e);
	if (err)
		return err;
	grown(&trial->a, &trial->a_before);
	grown(&trial->b, &trial->b_before);
	tx_read(trial->tx, &trial->sent);
	trial->made = tx_report(trial->tx, &trial->sent, part);
	tx_report_late(trial->tx, part);
	sent = tx_sent_of(trial->tx, &trial->sent);
	rx_report(trial->rx, part, cfg->probe ? "rtt" : "delay", &sent, 0);
	rx_read_all(trial->rx, &sent, &trial->got);
	receiver.lost_packets = (double)rx_lost(&trial->got, trial->sent.sent_packets);
	sender = tx_metered(trial->tx, &trial->made);
	meter_report(trial->meter, &sender, &receiver, part);
	trial->taken_ratio = meter_taken_ratio(trial->meter, &sender);
	return 0;
}

void lab_trial_close(struct lab_trial *trial)
{
	tx_close(trial->tx);
	mix_free(trial->mix);
	rx_close(trial->rx);
	reflector_close(trial->reflector);
	meter_free(trial->meter);
	memset(trial, 0, sizeof(*trial));
}
