// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/demo.c - the whole job on a wire of its own, with the proof that it is right.
 *
 * The lab is never given a name: it vanishes with this process, however that
 * ends, and any number of demos run side by side.
 */
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "engine/environ.h"
#include "engine/lab.h"
#include "engine/reflector.h"
#include "engine/rx.h"
#include "engine/tx.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/nic.h"
#include "sys/route.h"

#define PROBE_PORT	7		/* echo, RFC 862 */
#define SINK_PORT	9		/* discard, RFC 863 */
#define SOURCE_PORT	49152		/* first of the dynamic ports, RFC 6335 */
#define SETTLE_NS	(NSEC_PER_SEC)	/* the most that stragglers are waited for */
#define TRIAL_MAX_NS	(20 * NSEC_PER_SEC)

struct demo_opts {
	bool quick;
};

static const struct demo_opts defaults = { 0 };

static const struct opt options[] = {
	{ 0, "quick", OPT_FLAG, offsetof(struct demo_opts, quick), NULL,
	  "a tenth of the packets, for slow machines" },
	OPT_END
};

/* Prime counts: a batch that is lost or counted twice cannot hide in a round number. */
static const struct trial {
	const char *name;
	bool probe;			/* reflected, and timed there and back */
	enum tx_engine engine;
	bool tagged;
	uint32_t frame_bytes;
	uint64_t count, quick_count;
	double pps;
} trials[] = {
	{ "round trip, 64-byte probes at 20 kpps", true, TX_ENGINE_LIVE, true, 64,
	  20011, 2003, 20e3 },
	{ "live engine, 64-byte frames, tagged", false, TX_ENGINE_LIVE, true, 64,
	  5000011, 500009, 0 },
	{ "live engine, 1518-byte frames, tagged", false, TX_ENGINE_LIVE, true, 1518,
	  3000017, 300007, 0 },
	{ "AF_XDP engine, 64-byte frames, tagged", false, TX_ENGINE_AFXDP, true, 64,
	  1000003, 100003, 0 },
	{ "live engine, paced to 100 kpps: one-way delay", false, TX_ENGINE_LIVE, true, 64,
	  100003, 10007, 100e3 },
};

struct demo {
	struct lab lab;
	const struct trial *trial;
	uint64_t count;
	struct result *part;
	struct tx *tx;
	struct rx *rx;
	struct reflector *reflector;
	struct nic_counters a_before, b_before, a_after, b_after;
};

static int fill_frame(struct frame_spec *spec, const struct trial *trial, struct err *e)
{
	struct route_path path;
	struct nic_facts nic;
	int err;

	*spec = (struct frame_spec){
		.src_port = SOURCE_PORT,
		.dst_port = trial->probe ? PROBE_PORT : SINK_PORT,
		.ttl = 64,
		.frame_bytes = trial->frame_bytes,
		.tagged = trial->tagged,
	};
	frame_parse_addr(lab_b_ip4(LAB_NO_MIDDLE), &spec->dst);
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

/* The receiver's side: a reflector in b and the checker in a, or the sink in b. */
static int open_receiver(struct demo *demo, struct err *e)
{
	const struct reflector_cfg reflector = { .ifname = LAB_IFNAME, .port = PROBE_PORT };
	const struct rx_cfg rx = {
		.ifname = LAB_IFNAME,
		.match = demo->trial->probe ? SINK_MATCH_SOURCE : SINK_MATCH_DEST,
		.port = demo->trial->probe ? PROBE_PORT : SINK_PORT,
		.check = true,
		.streams = 1,
	};
	int err;

	err = lab_enter(&demo->lab, LAB_B, e);
	if (err)
		return err;
	if (demo->trial->probe) {
		err = reflector_open(&demo->reflector, &reflector, demo->part, e);
		if (!err)
			err = lab_enter(&demo->lab, LAB_A, e);
		if (err)
			return err;
	}
	return rx_open(&demo->rx, &rx, demo->part, e);
}

static int read_drivers(struct demo *demo, struct nic_counters *ret_a,
			struct nic_counters *ret_b, struct err *e)
{
	int err;

	err = lab_enter(&demo->lab, LAB_B, e);
	if (err)
		return err;
	err = nic_read_counters(LAB_IFNAME, ret_b);
	if (err)
		return err_set(e, err, "cannot read the counters of '%s'", LAB_IFNAME);
	err = lab_enter(&demo->lab, LAB_A, e);
	if (err)
		return err;
	err = nic_read_counters(LAB_IFNAME, ret_a);
	return err ? err_set(e, err, "cannot read the counters of '%s'", LAB_IFNAME) : 0;
}

static bool is_sent(void *ctx)
{
	const struct demo *demo = ctx;

	return tx_done(demo->tx);
}

static bool is_received(void *ctx)
{
	struct demo *demo = ctx;
	struct rx_count count;

	rx_read(demo->rx, &count);
	return count.packets >= demo->count;
}

static int send_and_wait(struct demo *demo, struct err *e)
{
	const struct loop sending = { .duration_ns = TRIAL_MAX_NS, .done = is_sent, .ctx = demo };
	const struct loop settling = { .duration_ns = SETTLE_NS, .done = is_received, .ctx = demo };
	int err;

	err = tx_start(demo->tx, e);
	if (err)
		return err;
	loop_run(&sending);
	err = tx_stop(demo->tx, e);
	if (err)
		return err;
	loop_run(&settling);
	return 0;
}

/* Line by line: what each witness counted, and that they agree. */
static void judge(const struct demo *demo, const struct tx_count *sent, struct result *res)
{
	uint64_t a_tx = demo->a_after.tx_packets - demo->a_before.tx_packets;
	uint64_t b_rx = demo->b_after.rx_packets - demo->b_before.rx_packets;
	unsigned long long made = sent->sent_packets;
	struct reflect_rec answers;
	struct rx_count got;

	rx_read(demo->rx, &got);
	result_verdict(res, made == demo->count, "%s: sent %llu of the %llu asked for",
		       demo->trial->name, made, (unsigned long long)demo->count);
	result_verdict(res, made == a_tx && a_tx == b_rx,
		       "    sent %llu = driver of a sent %llu = driver of b received %llu", made,
		       (unsigned long long)a_tx, (unsigned long long)b_rx);
	if (demo->reflector) {
		reflector_read(demo->reflector, &answers);
		result_verdict(res, answers.packets[REFLECT_UDP] == made &&
			       demo->a_after.rx_packets - demo->a_before.rx_packets == made,
			       "    answered %llu = driver of a received %llu",
			       (unsigned long long)answers.packets[REFLECT_UDP],
			       (unsigned long long)(demo->a_after.rx_packets -
						    demo->a_before.rx_packets));
	}
	result_verdict(res, got.packets == made && got.distinct == made && !got.duplicates &&
		       !got.reordered && !got.unknown,
		       "    received %llu: lost %llu of %llu, %llu duplicates, %llu reordered",
		       (unsigned long long)got.packets, made - (unsigned long long)got.distinct, made,
		       (unsigned long long)got.duplicates, (unsigned long long)got.reordered);
}

static void close_trial(struct demo *demo)
{
	tx_close(demo->tx);
	rx_close(demo->rx);
	reflector_close(demo->reflector);
	demo->tx = NULL;
	demo->rx = NULL;
	demo->reflector = NULL;
}

static int run_trial(struct demo *demo, struct result *res, struct err *e)
{
	const struct trial *trial = demo->trial;
	struct tx_cfg cfg = {
		.engine = trial->engine,
		.ifname = LAB_IFNAME,
		.threads = 1,
		.count = demo->count,
		.pps = trial->pps,
		.stamp_every = 1,
	};
	struct tx_count sent;
	int err;

	demo->part = result_part(res, trial->name);
	log_info("%s ...", trial->name);
	err = open_receiver(demo, e);
	if (!err)
		err = lab_enter(&demo->lab, LAB_A, e);
	if (!err)
		err = fill_frame(&cfg.frame, trial, e);
	if (!err)
		err = tx_open(&demo->tx, &cfg, demo->part, e);
	if (!err)
		err = read_drivers(demo, &demo->a_before, &demo->b_before, e);
	if (!err)
		err = send_and_wait(demo, e);
	if (!err)
		err = read_drivers(demo, &demo->a_after, &demo->b_after, e);
	if (err)
		goto out;
	tx_read(demo->tx, &sent);
	tx_report(&cfg, &sent, demo->part);
	tx_report_late(demo->tx, demo->part);
	rx_report(demo->rx, demo->part, trial->probe ? "rtt" : "delay", sent.sent_packets, 0);
	if (!loop_signal())
		judge(demo, &sent, res);
out:
	close_trial(demo);
	return err;
}

static int demo_run(const void *args, struct result *res, struct err *e)
{
	const struct demo_opts *opts = args;
	const struct lab_cfg lab = { 0 };
	struct demo demo = { 0 };
	size_t i;
	int err;

	err = lab_build(&demo.lab, &lab, e);
	if (err)
		return err;
	for (i = 0; i < sizeof(trials) / sizeof(trials[0]) && !loop_signal(); i++) {
		demo.trial = &trials[i];
		demo.count = opts->quick ? trials[i].quick_count : trials[i].count;
		err = run_trial(&demo, res, e);
		if (err)
			break;
	}
	if (!err && lab_enter(&demo.lab, LAB_A, e) == 0)
		environ_iface(res, LAB_IFNAME);
	lab_release(&demo.lab);
	return err;
}

const struct cmd cmd_demo = {
	.name = "demo",
	.summary = "the whole job on a wire of its own, in half a minute",
	.description =
"Makes two network namespaces joined by a veth pair, sends probes to a reflector\n"
"and blasts at a sink with each engine, and prints what was measured: rates,\n"
"loss, delay and order. Then, line by line, that the sender's count, the\n"
"drivers' own counters and the receiver's count are one number. The namespaces\n"
"have no name and vanish with the command, so it works beside anything.",
	.examples =
"  sudo ethgauge demo\n"
"  sudo ethgauge demo --json | jq '.verdicts'\n",
	.options = options,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_SYS_ADMIN,
	.default_output = "ethgauge-demo.json",
	.run = demo_run,
};
