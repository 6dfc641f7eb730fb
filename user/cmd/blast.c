// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/blast.c - send packets at a rate, or as fast as possible.
 */
#include <errno.h>
#include <stdio.h>

#include <math.h>

#include "cmd/cmd.h"
#include "engine/account/trial.h"
#include "engine/lab/lab.h"
#include "engine/self/environ.h"
#include "engine/self/meter.h"
#include "engine/self/pick_iface.h"
#include "engine/send/blast_check.h"
#include "engine/send/flow.h"
#include "engine/send/stream.h"
#include "engine/send/tx.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "model/mix.h"
#include "model/save.h"
#include "proto/packet_spec.h"
#include "sys/host/caps.h"
#include "sys/net/nic.h"

/* Without --rate, where the host's other traffic leaves: as iperf3 -u does. */
#define MODEST_BPS 1e6

/* A working driver has accepted a packet by then. */
#define NOTHING_SENT_NS (500 * 1000 * 1000ull)

struct blast_opts {
	struct stream_opts stream;
	struct flow_opts flow;
	struct trial_opts trial;
	uint64_t interval_ns;
	const char *save;
	bool has_rate;			/* never set by itself: --rate was given */
};

static const struct blast_opts defaults = {
	.stream = {
		STREAM_DEFAULTS,
		.port = 9,		/* discard, RFC 863 */
		.duration_ns = 10 * NSEC_PER_SEC,
	},
	.flow = { FLOW_DEFAULTS },
	.trial = { TRIAL_DEFAULTS },
	.interval_ns = NSEC_PER_SEC,
};

static const struct opt options[] = {
	{ 0, "INTERFACE", OPT_IFACE, offsetof(struct blast_opts, stream.ifname), NULL,
	  "interface to send through, instead of the route's", .argument = true,
	  .omitted_without = "pcap streams profile" },
	{ 0, "DEST", OPT_STR, offsetof(struct blast_opts, stream.dest), NULL,
	  "host to send to, an IPv4 or IPv6 address or a name; or, after INTERFACE, a packet description; "
	  "not with --pcap", .argument = true, .optional = true },
	OPT_GROUP_AT(offsetof(struct blast_opts, stream), stream_options),
	{ 0, "threads", OPT_U32, offsetof(struct blast_opts, stream.threads), "N",
	  "sending threads, each with its own CPU, queue and stream", .min = 1, .max = 1024 },
	{ 0, "stamp-every", OPT_U32, offsetof(struct blast_opts, stream.stamp_every), "N",
	  "write a timestamp into one packet in N; all have a sequence number", .min = 1 },
	{ 0, "tx-stamp", OPT_CHOICE, offsetof(struct blast_opts, stream.tx_stamp), "WHERE",
	  "afxdp: also record when each packet was sent, timestamped by the kernel or the NIC",
	  .choices = tx_done_names },
	{ 0, "no-tag", OPT_FLAG, offsetof(struct blast_opts, stream.no_tag), NULL,
	  "send without probe tag: sink can only count these packets" },
	{ 0, "payload", OPT_CHOICE, offsetof(struct blast_opts, stream.payload), "PAYLOAD",
	  "bytes after the probe tag: zeros, or the pattern that sink --verify-payload verifies",
	  .choices = stream_payload_names },
	{ 0, "zero-copy", OPT_FLAG, offsetof(struct blast_opts, stream.zero_copy), NULL,
	  "afxdp: require zero-copy mode, fail where the driver would copy" },
	{ 0, "busy-poll", OPT_FLAG, offsetof(struct blast_opts, stream.busy_poll), NULL,
	  "afxdp: run the driver's queue in the sending thread (kernel 5.11)" },
	{ 0, "ports", OPT_U32, offsetof(struct blast_opts, stream.ports), "N",
	  "number of destination ports, counted up from --port", .min = 1, .max = 65535 },
	{ 0, "src-ports", OPT_U32, offsetof(struct blast_opts, stream.src_ports), "N",
	  "number of source ports, counted up from --src-port", .min = 1, .max = 65535 },
	{ 0, "dests", OPT_U32, offsetof(struct blast_opts, stream.dests), "N",
	  "number of destination addresses, counted up from DEST; all use its next hop", .min = 1 },
	{ 0, "src-ips", OPT_U32, offsetof(struct blast_opts, stream.sources), "N",
	  "number of source addresses, counted up from the first", .min = 1 },
	{ 0, "random", OPT_FLAG, offsetof(struct blast_opts, stream.random), NULL,
	  "choose ports and addresses at random" },
	{ 0, "seed", OPT_COUNT, offsetof(struct blast_opts, stream.seed), "N",
	  "seed of --random and of random field values" },
	{ 0, "into-stack", OPT_FLAG, offsetof(struct blast_opts, stream.into_stack), NULL,
	  "live: deliver packets to this host's stack, as if received on INTERFACE" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct blast_opts, interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	OPT_GROUP_AT(offsetof(struct blast_opts, flow), flow_options),
	OPT_GROUP_AT(offsetof(struct blast_opts, flow.replay), replay_options),
	OPT_GROUP_AT(offsetof(struct blast_opts, trial), trial_options),
	{ 0, "save", OPT_STR, offsetof(struct blast_opts, save), "FILE",
	  "send nothing: write --count packets to this pcap file" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_AT_LEAST_ONE, "DEST pcap streams profile" },
	STREAM_RULES,
	FLOW_RULES,
	{ OPT_REQUIRES, "burst on ramp-to poisson", "threads=1" },
	{ OPT_EXCLUDES, "streams profile",
	  "stamp-every tx-stamp no-tag seed random ports src-ports dests src-ips" },
	REPLAY_RULES,
	{ OPT_EXCLUDES, "pcap",
	  "threads no-tag save streams profile copies tx-stamp burst every on off poisson ramp-to ramp-time "
	  "ports src-ports dests src-ips random seed sink" },
	{ OPT_REQUIRES, "stamp-every", "tag", .when = "pcap" },
	TRIAL_RULES,
	{ OPT_REQUIRES, "zero-copy busy-poll tx-stamp=sw tx-stamp=hw", "engine=afxdp|auto" },
	{ OPT_REQUIRES, "into-stack", "engine=live|auto" },
	{ OPT_EXCLUDES, "into-stack", "gateway" },
	/* The kernel timestamps only packets that it copies. */
	{ OPT_EXCLUDES, "tx-stamp=sw", "zero-copy" },
	{ OPT_EXCLUDES, "no-tag", "stream run stamp-every clock tx-stamp payload=pattern" },
	{ OPT_EXCLUDES, "pcap", "payload=pattern" },
	{ OPT_EXCLUDES, "tx-stamp=sw tx-stamp=hw", "burst on ramp-to poisson" },
	{ OPT_EXCLUDES, "save", "sink" },
	{ OPT_REQUIRES, "save", "count streams profile" },
	/* In a file each stream has its own tag options. */
	{ OPT_REQUIRES, "count", "save", .when = "streams profile" },
	OPT_RULE_END
};

/* Without --frame-bytes: the size that the packets came to. */
static void take_size(struct blast_opts *opts)
{
	if (opts->stream.has_size || !flow_is_dest(&opts->flow))
		return;
	snprintf(opts->flow.size_text, sizeof(opts->flow.size_text), "%u", opts->stream.frame_bytes);
	opts->flow.sizes = opts->flow.size_text;
}

static int blast_check(void *args, const struct opt_given *given, struct err *e)
{
	struct blast_opts *opts = args;
	const struct blast_what what = { &opts->stream, &opts->flow };
	int err;

	opts->has_rate = opt_was_given(given, "rate");
	/* With --count only, the default duration does not apply. */
	if (opts->stream.count && !opt_was_given(given, "duration"))
		opts->stream.duration_ns = 0;
	if (opts->stream.zero_copy || opts->stream.busy_poll ||
	    opts->stream.tx_stamp)
		opts->stream.engine = TX_ENGINE_AFXDP;
	opts->trial.verify_payload = opts->stream.payload == STREAM_PAYLOAD_PATTERN;
	err = trial_check(&opts->trial, e);
	if (!err)
		err = blast_check_what(&what, given, e);
	if (!err)
		take_size(opts);
	return err;
}

struct blast_run {
	const struct blast_opts *opts;
	struct tx *tx;
	struct trial *trial;		/* NULL: no receiver in this process */
	struct flow *flow;
	struct tx_cfg cfg;
	struct result *res;
	struct err *e;
	int err;
	int ifindex;
	uint64_t grace_ns;		/* beyond the duration */
	uint64_t start_mono_ns;
	struct tx_count row_count;
	uint64_t row_elapsed_ns;
	uint64_t row_bytes;
	struct loop loop;
	bool is_over;			/* all that arrives has arrived */
};

static int check_run(struct blast_run *run)
{
	const char *ifname = run->opts->stream.ifname;

	if (nic_check_there(ifname, run->ifindex, run->e))
		return err_hint(run->e, "the counts up to then are in the result");
	if (loop_mono_ns() < run->start_mono_ns + NOTHING_SENT_NS)
		return 0;
	return tx_check_taken(run->tx, run->e);
}

static bool is_sent(void *ctx)
{
	struct blast_run *run = ctx;

	run->err = check_run(run);
	return run->err || tx_done(run->tx);
}

/* L1 bytes of @packets since the last row; @now: totals so far. */
static double row_l1_bytes(struct blast_run *run, const struct tx_count *now, int64_t packets)
{
	uint64_t all = tx_bytes(run->tx, now);
	int64_t bytes = (int64_t)(all - run->row_bytes);

	run->row_bytes = all;
	return (double)(bytes + packets * UNIT_GAP_BYTES);
}

static void tick(void *ctx, uint64_t elapsed_ns)
{
	struct blast_run *run = ctx;
	double seconds = (double)(elapsed_ns - run->row_elapsed_ns) / NSEC_PER_SEC;
	struct tx_count now;
	int64_t packets;

	tx_read(run->tx, &now);
	/* Below 0 where the driver refused what counted as sent so far. */
	packets = (int64_t)(now.sent_packets - run->row_count.sent_packets);
	result_row_open(run->res, elapsed_ns);
	result_row_s64(run->res, "sent_packets", packets);
	result_row_real(run->res, "sent_pps", (double)packets / seconds);
	result_row_real(run->res, "sent_l1_bps", 8 * row_l1_bytes(run, &now, packets) / seconds);
	result_row_u64(run->res, "not_sent_packets",
		       now.refused_packets - run->row_count.refused_packets);
	if (run->trial)
		trial_put_row(run->trial, run->tx, run->is_over ? &now : NULL, run->res, elapsed_ns);
	result_row_close(run->res);
	run->row_count = now;
	run->row_elapsed_ns = elapsed_ns;
}

static int send_all(struct blast_run *run)
{
	struct err stop_error;
	int err;

	run->loop = (struct loop){
		.duration_ns = run->cfg.duration_ns ? run->cfg.duration_ns + run->grace_ns : 0,
		.interval_ns = run->opts->interval_ns, .expected_ns = run->cfg.duration_ns,
		.done = is_sent, .tick = tick, .ctx = run,
	};
	run->start_mono_ns = loop_mono_ns();
	err = tx_start(run->tx, run->e);
	if (err)
		return err;
	loop_run(&run->loop);
	err = tx_stop(run->tx, &stop_error);
	if (err && !run->err && check_run(run) == 0) {
		*run->e = stop_error;
		return err;
	}
	/* A short run may end before the periodic check was due. */
	return run->e->no ? run->e->no : tx_check_taken(run->tx, run->e);
}

static void report_driver(const char *ifname, const struct nic_counters *before,
			  struct result *res)
{
	struct nic_counters after;

	if (nic_read_counters(ifname, &after))
		return;
	result_metric_u64(res, "driver_tx_packets", after.tx_packets - before->tx_packets);
	result_metric_u64(res, "driver_tx_dropped", after.tx_dropped - before->tx_dropped);
}

static int prepare(struct blast_run *run)
{
	const struct blast_opts *opts = run->opts;
	int err = flow_prepare(&opts->flow, &opts->stream, &run->flow, &run->cfg, run->e);

	if (err)
		return err;
	flow_describe(run->flow, run->res);
	if (!opts->stream.no_tag && flow_is_dest(&opts->flow) && !mix_is_tagged(run->cfg.mix))
		result_note(run->res, "these packets carry no probe tag, for which they have no place or no "
			    "room: sink can only count them%s",
			    opts->stream.payload == STREAM_PAYLOAD_PATTERN ?
			    ", and their payload has no pattern" : "");
	return 0;
}

/* Write the streams' packets to a file, up to the given count or duration. */
static int save(const struct blast_opts *opts, const struct tx_cfg *cfg, struct result *res,
		struct err *e)
{
	uint64_t count = opts->stream.count;
	struct source *source;
	int err;

	err = mix_source_open(&source, cfg->mix, 0, 1, e);
	if (err)
		return err;
	err = save_source(source, opts->stream.run, count, count ? 0 : cfg->duration_ns, opts->save,
			  res, e);
	mix_source_close(source);
	return err;
}

static void say_what(const struct blast_opts *opts)
{
	const char *to = "to ", *what = opts->stream.dest;

	if (opts->flow.replay.path) {
		to = "";
		what = opts->flow.replay.path;
	} else if (flow_is_file(&opts->flow)) {
		to = opts->flow.path ? "the streams of " : "the profile ";
		what = opts->flow.path ? opts->flow.path : opts->flow.profile;
	} else if (packet_spec_is_text(what)) {
		to = "";
	}
	log_info("sending %s'%s' through '%s'", to, what, opts->stream.ifname);
}

/* The receiver first: some drivers transmit only while the peer has a program attached. */
static int open_ends(struct blast_run *run)
{
	int err = 0;

	tx_choose_run(&run->cfg);
	if (run->opts->trial.sink)
		err = trial_open(&run->trial, &run->opts->trial, &run->cfg, run->res, run->e);
	return err ? err : tx_open(&run->tx, &run->cfg, run->res, run->e);
}

/* Keep @err in @e; without one, @next, which @found describes. */
static int first_error(int err, int next, const struct err *found, struct err *e)
{
	if (err || !next)
		return err;
	*e = *found;
	return next;
}

static int run_flow(const struct blast_opts *opts, struct result *res, struct err *e)
{
	struct blast_run run = { .opts = opts, .res = res, .e = e };
	struct nic_counters before = { 0 };
	struct meter_receiver receiver;
	struct rx_figures got = { .lost_packets = NAN };
	struct meter_sender sender;
	struct tx_figures made;
	struct err trial_error;
	struct tx_count count;
	struct nic_facts nic;
	struct meter *meter = NULL;
	const struct tx_cfg *cfg = &run.cfg;
	int err;

	environ_iface(res, opts->stream.ifname);
	err = prepare(&run);
	if (err)
		return err;
	if (opts->save)
		err = save(opts, cfg, res, e);
	else
		err = open_ends(&run);
	if (err || opts->save)
		goto out;
	if (nic_read(opts->stream.ifname, &nic) == 0)
		run.ifindex = nic.ifindex;
	nic_read_counters(opts->stream.ifname, &before);
	run.grace_ns = tx_ends(run.tx) ? 2 * TX_LEAD_NS + TX_LATE_NS : 0;
	if (mix_is_tagged(cfg->mix))
		environ_clock(res, cfg->clock);
	if (run.trial)
		trial_begin(run.trial, res);
	caps_drop(tx_keep_caps(run.tx) | (run.trial ? trial_keep_caps(run.trial) : 0));
	say_what(opts);
	meter = meter_start(opts->stream.ifname);
	err = send_all(&run);
	meter_stop(meter);
	tx_read(run.tx, &count);
	if (run.trial)
		err = first_error(err, trial_settle(run.trial, run.tx, &count, &trial_error), &trial_error, e);
	run.is_over = true;
	if (run.loop.start_mono_ns)
		loop_close(&run.loop);
	made = tx_report(run.tx, &count, res);
	tx_report_late(run.tx, res);
	report_driver(opts->stream.ifname, &before, res);
	if (run.trial)
		err = first_error(err, trial_report(run.trial, run.tx, &count, res, &got, &trial_error),
				  &trial_error, e);
	receiver = (struct meter_receiver){
		.lost_packets = got.lost_packets, .socket_full_packets = got.socket_full_packets,
	};
	sender = tx_metered(run.tx, &made);
	meter_report(meter, &sender, run.trial ? &receiver : NULL, res);
out:
	meter_free(meter);
	tx_close(run.tx);
	trial_close(run.trial);
	flow_free(run.flow);
	return err;
}

/*
 * As fast as possible is for test networks: where the default route leads, all of this host's
 * connections would suffer. Labs have one, too, and lead nowhere.
 */
static void limit_rate(struct blast_opts *opts, struct result *res)
{
	const char *ifname = opts->stream.ifname;
	bool is_live = !opts->save && !opts->stream.into_stack && flow_is_dest(&opts->flow);

	if (opts->has_rate || !is_live || !pick_iface_is_default(ifname) || lab_is_here())
		return;
	opts->stream.rate = (struct unit_rate){ .kind = UNIT_RATE_BPS, .value = MODEST_BPS };
	log_warn("sending at 1 Mbit/s, as '%s' carries this host's default route; as fast as possible: --rate max",
		 ifname);
	result_note(res, "sent at 1 Mbit/s, as '%s' carries this host's default route and no --rate was given",
		    ifname);
}

static int blast_run(const void *args, struct result *res, struct err *e)
{
	struct blast_opts opts = *(const struct blast_opts *)args;
	struct stream_target target;
	int err = stream_find_target(&opts.stream, &target, res, e);

	if (err)
		return err;
	limit_rate(&opts, res);
	take_size(&opts);
	result_config_str(res, "frame-bytes", opts.flow.sizes ? opts.flow.sizes : "");
	return run_flow(&opts, res, e);
}

const struct cmd cmd_blast = {
	.name = "blast",
	.summary = "send packets at a rate, or as fast as possible",
	.description =
"Sends UDP packets through one interface with one of two engines. live makes the\n"
"packets inside the kernel, right before the driver's transmit function; it requires\n"
"kernel 5.18 and a driver that transmits XDP frames. afxdp sends through an AF_XDP\n"
"ring from user space. auto uses live where it works, and reports why if not.\n\n"
"Each packet carries a tag with stream, sequence number and timestamp, from which sink\n"
"computes loss, order and delay. A rate in bit/s is on the wire (L1: frame, FCS,\n"
"preamble and gap) unless --rate-layer changes it. Without --rate it sends as fast as\n"
"possible; through the interface of the default route at 1 Mbit/s. Without --count it\n"
"sends for 10 seconds. The result's bottleneck shows whether this machine limited the\n"
"rate, or the path.\n\n"
"DEST may be a packet description instead: layers with their fields, and values that\n"
"change from packet to packet. --streams sends many streams of different kinds.\n\n"
"With --pcap it sends the packets of a capture file: with their original timing,\n"
"faster, at a rate or as fast as possible, and with rewritten headers on request.\n\n"
"With --sink it also receives, in the same run, and accounts for every lost packet:\n"
"where on this host it was dropped, and why.",
	.examples =
"  # as fast as one CPU can, 10 seconds\n"
"  sudo ethgauge blast eth1 198.18.0.2\n"
"  # a million 1518-byte frames at 1 Gbit/s on the wire, through AF_XDP\n"
"  sudo ethgauge blast eth1 198.18.0.2 -c 1M -s 1518 -r 1Gbit -e afxdp\n"
"  # with the time that each packet takes until the driver has sent it\n"
"  sudo ethgauge blast eth1 198.18.0.2 -c 1M -r 10kpps --tx-stamp sw\n"
"  # two queues, two CPUs, VLAN 7, IPv6\n"
"  sudo ethgauge blast eth1 2001:2::2 --threads 2 --vlan 7\n"
"  # a packet description: all hosts of a network, a thousand ports\n"
"  sudo ethgauge blast eth1 'vlan(7)/ip4(198.18.1.0/24)/udp(dport=5000-5999)'\n"
"  # account for each packet, between the two ends of a lab\n"
"  sudo ethgauge lab up\n"
"  sudo ethgauge lab exec a ethgauge blast eg0 198.18.0.2 -c 1M --sink eg0@lab-b\n"
"  # a capture file at twice its speed, with addresses of another network\n"
"  sudo ethgauge blast eth1 --pcap call.pcapng.gz --speed 2 \\\n"
"      --map-ip 10.0.0.0/8=198.18.0.0/15 --dst-mac 02:00:00:00:00:01\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_NET_RAW,
	.check = blast_check,
	.run = blast_run,
};
