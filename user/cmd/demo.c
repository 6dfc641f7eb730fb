// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/demo.c - the main measurements on a private link, with proof that the counts agree.
 *
 * The lab has no name: it ends with this process in any case, and any number of
 * demos can run in parallel.
 */
#include <math.h>

#include "cmd/cmd.h"
#include "doctor/feature.h"
#include "engine/lab/lab.h"
#include "engine/lab/lab_trial.h"
#include "engine/self/environ.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/host/clock.h"

struct demo_opts {
	bool quick;
	int clock;			/* enum stamp_clock */
};

static const struct demo_opts defaults = { 0 };

static const struct opt options[] = {
	{ 0, "quick", OPT_FLAG, offsetof(struct demo_opts, quick), NULL,
	  "send a tenth of the packets, for slow machines" },
	{ 0, "clock", OPT_CHOICE, offsetof(struct demo_opts, clock), "CLOCK",
	  "clock for timestamps at both ends", .choices = clock_names },
	OPT_END
};

/* Prime counts: a lost or doubly counted batch shows, as no batch divides them. */
static const struct trial {
	const char *name;
	bool probe;			/* reflected: measures the round trip */
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
	{ "paced to 100 kpps: one-way delay", false, TX_ENGINE_LIVE, true, 64,
	  100003, 10007, 100e3 },
};

/* One verdict per count: sender, drivers and receiver must agree. */
static void judge(const struct trial *trial, uint64_t count, const struct lab_trial *run,
		  struct result *res)
{
	unsigned long long made = run->sent.sent_packets;
	struct reflect_rec answers;
	char refused[64];

	snprintf(refused, sizeof(refused), ", %llu refused: the link was full",
		 (unsigned long long)run->sent.refused_packets);
	result_verdict(res, made + run->sent.refused_packets == count,
		       "%s: sent %llu of the %llu asked for%s", trial->name, made,
		       (unsigned long long)count, run->sent.refused_packets ? refused : "");
	result_verdict(res, made == run->a.tx_packets && made == run->b.rx_packets,
		       "    sent %llu = driver of a sent %llu = driver of b received %llu", made,
		       (unsigned long long)run->a.tx_packets,
		       (unsigned long long)run->b.rx_packets);
	if (run->reflector) {
		reflector_read(run->reflector, &answers);
		result_verdict(res, answers.packets[REFLECT_UDP] == made &&
			       run->a.rx_packets == made,
			       "    answered %llu = driver of a received %llu",
			       (unsigned long long)answers.packets[REFLECT_UDP],
			       (unsigned long long)run->a.rx_packets);
	}
	result_verdict(res, run->got.packets == made && run->got.distinct == made &&
		       !run->got.duplicates && !run->got.reordered && !run->got.unknown,
		       "    received %llu: lost %llu of %llu, %llu duplicates, %llu reordered",
		       (unsigned long long)run->got.packets,
		       made - (unsigned long long)run->got.distinct, made,
		       (unsigned long long)run->got.duplicates,
		       (unsigned long long)run->got.reordered);
}

static int run_trial(const struct lab *lab, const struct trial *trial, enum tx_engine engine,
		     const struct demo_opts *opts, struct result *res, struct err *e)
{
	const struct lab_trial_cfg cfg = {
		.lab = lab,
		.probe = trial->probe,
		.engine = engine,
		.tagged = trial->tagged,
		.frame_bytes = trial->frame_bytes,
		.count = opts->quick ? trial->quick_count : trial->count,
		.pps = trial->pps,
		.clock = (enum stamp_clock)opts->clock,
	};
	struct lab_trial run;
	int err;

	log_progress(NAN, NAN, "%s ...", trial->name);
	err = lab_trial_run(&run, &cfg, result_part(res, PART_OTHER, trial->name), e);
	if (!err && !loop_signal())
		judge(trial, cfg.count, &run, res);
	lab_trial_close(&run);
	return err;
}

/* Before kernel 5.18 there are no live frames; AF_XDP sends instead where possible. */
static int has_live_frames(bool *ret_has, struct err *e)
{
	static const char name[] = "xdp-live-frames";
	struct feature_set *set;
	int err;

	err = feature_open(&set, NULL, false, e);
	if (err)
		return err;
	*ret_has = feature_ask(set, (size_t)feature_find(name, sizeof(name) - 1))->state !=
		   FEATURE_ABSENT;
	feature_close(set);
	if (!*ret_has)
		log_warn("this kernel has no live frames (Linux 5.18): AF_XDP sends instead where possible");
	return 0;
}

static int demo_run(const void *args, struct result *res, struct err *e)
{
	const struct demo_opts *opts = args;
	const struct lab_cfg cfg = { 0 };
	enum tx_engine engine;
	struct lab lab;
	bool live;
	size_t i;
	int err;

	err = has_live_frames(&live, e);
	if (err)
		return err;
	err = lab_build(&lab, &cfg, e);
	if (err)
		return err;
	environ_clock(res, (enum stamp_clock)opts->clock);
	/* The first one begins in any case: a signal ends it, and its figures say so. */
	for (i = 0; i < ARRAY_SIZE(trials) && (!i || !loop_signal()); i++) {
		engine = trials[i].engine;
		if (!live && engine == TX_ENGINE_LIVE) {
			if (!trials[i].pps)
				continue;	/* measures the live engine's own rate */
			engine = TX_ENGINE_AFXDP;
		}
		err = run_trial(&lab, &trials[i], engine, opts, res, e);
		if (err)
			break;
	}
	if (loop_signal())
		result_note(res, "ended by a signal: the demo is incomplete");
	if (!err && lab_enter(&lab, LAB_A, e) == 0)
		environ_iface(res, LAB_IFNAME);
	lab_release(&lab);
	return err;
}

const struct cmd cmd_demo = {
	.name = "demo",
	.summary = "run the main measurements on a private test link, in half a minute",
	.description =
"Makes two network namespaces joined by a veth pair, sends probes to a reflector and\n"
"packets to a sink with each engine, and prints rates, loss, delay and order. It then\n"
"checks line by line that the sender's count, the drivers' own counters and the\n"
"receiver's count agree. The namespaces have no name and end with the command, so\n"
"nothing else on the machine is affected.",
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
