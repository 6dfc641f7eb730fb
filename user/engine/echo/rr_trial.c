// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/rr_trial.c - a run of requests, alone or alternating with a socket's.
 */
#include "engine/echo/rr_trial.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_ether.h>

#include "engine/self/environ.h"
#include "engine/self/meter.h"
#include "lib/array.h"
#include "lib/dist.h"
#include "lib/hist.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/stat.h"
#include "lib/unit.h"
#include "model/rr_sizes.h"
#include "proto/frame.h"
#include "result/metrics.h"
#include "sys/host/caps.h"
#include "sys/net/nic.h"

const struct opt rr_options[] = {
	{ 0, "DEST", OPT_STR, offsetof(struct rr_opts, stream.dest), NULL,
	  "host that answers: an IPv4 or IPv6 address, or a name", .argument = true },
	OPT_GROUP_AT(offsetof(struct rr_opts, stream), stream_version_options),
	{ 'I', "interface", OPT_IFACE, offsetof(struct rr_opts, stream.ifname), "IFACE",
	  "send through this interface, instead of the route's" },
	{ 'e', "engine", OPT_CHOICE, offsetof(struct rr_opts, engine), "ENGINE",
	  "afxdp; bounce: the driver's hook sends each answer back as the next request; "
	  "stack: use a socket", .choices = rr_engine_names },
	{ 'c', "count", OPT_COUNT, offsetof(struct rr_opts, stream.count), "N",
	  "requests to send; 0: until the duration is over, or ^C" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct rr_opts, stream.duration_ns), "TIME",
	  "duration; 0: until the count is reached, or ^C" },
	{ 'r', "rate", OPT_RATE, offsetof(struct rr_opts, stream.rate), "RATE",
	  "requests per second (1kpps), or max: send the next as soon as an answer arrives" },
	{ 0, "outstanding", OPT_U32, offsetof(struct rr_opts, outstanding), "N",
	  "maximum number of outstanding requests; 0: 1, or with a rate as many as required",
	  .max = RR_MAX_OUTSTANDING },
	{ 0, "stamp-every", OPT_U32, offsetof(struct rr_opts, stream.stamp_every), "N",
	  "bounce: time one request in N, to save clock reads; all are counted", .min = 1 },
	{ 's', "frame-bytes", OPT_U32, offsetof(struct rr_opts, stream.frame_bytes), "SIZE",
	  "frame with FCS, as RFC 2544 counts; IPv6 and VLAN need more",
	  .max = FRAME_MAX_BYTES },
	{ 0, "sizes", OPT_STR, offsetof(struct rr_opts, sizes), "LIST",
	  "frame sizes to test in turn: 64,512,mtu; or doubling: 64-mtu; count and "
	  "duration apply to each size, default 1 s" },
	{ 'w', "wait", OPT_DURATION, offsetof(struct rr_opts, wait_ns), "TIME",
	  "time after which a request counts as unanswered", .min = 1000000 },
	{ 'i', "interval", OPT_DURATION, offsetof(struct rr_opts, interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	{ 0, "against-stack", OPT_FLAG, offsetof(struct rr_opts, against_stack), NULL,
	  "alternate with a socket-based run to isolate the local stack's share" },
	{ 0, "no-loss", OPT_FLAG, offsetof(struct rr_opts, no_loss), NULL,
	  "exit with 1 if a request was not answered" },
	{ 0, "busy-poll", OPT_FLAG, offsetof(struct rr_opts, stream.busy_poll), NULL,
	  "afxdp: run the queues' driver in the waiting thread" },
	{ 0, "zero-copy", OPT_FLAG, offsetof(struct rr_opts, stream.zero_copy), NULL,
	  "afxdp: require zero-copy; the stack may miss other traffic above 25 kpps" },
	{ 0, "src-ip", OPT_STR, offsetof(struct rr_opts, stream.src_ip), "ADDR",
	  "source address, instead of the route's" },
	{ 0, "dst-mac", OPT_MAC, offsetof(struct rr_opts, stream.dst_mac), "MAC",
	  "destination MAC, instead of resolving it by route and neighbour" },
	{ 0, "vlan", OPT_U16, offsetof(struct rr_opts, stream.vlan), "ID",
	  "afxdp: 802.1Q tag; 0: none", .max = 4094 },
	{ 0, "dscp", OPT_U16, offsetof(struct rr_opts, stream.dscp), "N",
	  "differentiated services code point", .max = 63 },
	{ 't', "ttl", OPT_U16, offsetof(struct rr_opts, stream.ttl), "N",
	  "IPv4 time to live, IPv6 hop limit", .min = 1, .max = 255 },
	{ 0, "xdp-mode", OPT_CHOICE, offsetof(struct rr_opts, xdp_mode), "MODE",
	  "attach mode of the receiving program", .choices = xdp_mode_names },
	OPT_END
};

#define PAIRS	5		/* number of turns, where count or duration bounds them */
#define MAX_PAIRS 1024	/* of an endless run, the last ones are kept */
#define VLAN_BYTES 4
#define TURN_NS	NSEC_PER_SEC	/* where ^C does */

static int check_sizes(struct rr_opts *opts, struct err *e)
{
	uint32_t sizes[RR_MAX_SIZES];
	size_t nr;

	if (!opts->stream.count && !opts->stream.duration_ns)
		opts->stream.duration_ns = TURN_NS;
	/* Rejects malformed sizes here; sizes above the interface's MTU once that is known. */
	return rr_sizes_parse(opts->sizes, FRAME_MAX_BYTES, sizes, &nr, e);
}

int rr_opts_check(struct rr_opts *opts, const struct opt_given *given, struct err *e)
{
	bool paced;
	int err;

	if (opts->flood || (opts->engine == RR_BOUNCE && !opt_was_given(given, "rate")))
		opts->stream.rate = (struct unit_rate){ .kind = UNIT_RATE_MAX };
	paced = opts->stream.rate.kind != UNIT_RATE_MAX;
	/* A count given alone is the only limit; so is a duration. */
	if (opt_was_given(given, "count") && !opt_was_given(given, "duration"))
		opts->stream.duration_ns = 0;
	if (opt_was_given(given, "duration") && !opt_was_given(given, "count"))
		opts->stream.count = 0;
	if (!opts->outstanding)
		opts->outstanding = paced ? RR_MAX_OUTSTANDING : 1;
	opts->stream.has_size = opt_was_given(given, "frame-bytes");
	if (opts->sizes) {
		err = check_sizes(opts, e);
		if (err)
			return err;
	}
	return stream_check(&opts->stream, e);
}

struct trial {
	const struct rr_opts *opts;
	struct result *res;
	struct rr *rr, *stack;		/* stack: with --against-stack */
	struct err *e;
	int err;
	uint64_t row_elapsed_ns;
};

static bool is_done(void *ctx)
{
	struct trial *trial = ctx;

	trial->err = rr_check(trial->rr, trial->e);
	return trial->err || rr_done(trial->rr);
}

static void tick(void *ctx, uint64_t elapsed_ns)
{
	struct trial *trial = ctx;

	rr_report_row(trial->rr, trial->res, elapsed_ns, elapsed_ns - trial->row_elapsed_ns);
	trial->row_elapsed_ns = elapsed_ns;
}

static int run_alone(struct trial *trial, struct err *e)
{
	const struct stream_opts *stream = &trial->opts->stream;
	struct loop loop = {
		.interval_ns = trial->opts->interval_ns, .expected_ns = stream->duration_ns,
		.done = is_done, .tick = tick, .ctx = trial,
	};
	struct err stop_error;
	int err;

	err = rr_start(trial->rr, stream->count, stream->duration_ns, e);
	if (err)
		return err;
	loop_run(&loop);
	err = rr_stop(trial->rr, &stop_error);
	loop_close(&loop);
	/* A missing interface explains more than the system call that failed because of it. */
	if (err && !trial->err) {
		trial->err = err;
		*e = stop_error;
	}
	return trial->err;
}

/* One turn; *ret_rate is its transaction rate. */
static int take_turn(struct trial *trial, struct rr *rr, const char *part, uint64_t start_ns,
		     double *ret_rate, struct err *e)
{
	const struct stream_opts *stream = &trial->opts->stream;
	uint64_t turn_ns = stream->duration_ns / (2 * PAIRS);
	uint64_t count = (stream->count + PAIRS - 1) / PAIRS;
	struct trial one = { .opts = trial->opts, .rr = rr, .e = e };
	struct loop loop = { .done = is_done, .ctx = &one };
	struct rr_count before, after;
	uint64_t running_ns;
	int err;

	if (!turn_ns && !count)
		turn_ns = TURN_NS;
	rr_read(rr, &before);
	err = rr_start(rr, count, turn_ns, e);
	if (err)
		return err;
	loop_run(&loop);
	err = rr_stop(rr, e);
	rr_read(rr, &after);
	running_ns = after.running_ns - before.running_ns;
	*ret_rate = running_ns ? (double)(after.distinct - before.distinct) * NSEC_PER_SEC /
				 (double)running_ns : 0;
	if (trial->opts->interval_ns)
		rr_report_row(rr, result_part(trial->res, PART_OTHER, part), loop_mono_ns() - start_ns,
			      running_ns);
	return one.err ? one.err : err;
}

static int run_in_turn(struct trial *trial, double *ratios, size_t *ret_nr, struct err *e)
{
	const struct stream_opts *stream = &trial->opts->stream;
	bool bound = stream->count || stream->duration_ns;
	uint64_t start_ns = loop_mono_ns();
	double ours, theirs;
	size_t nr = 0;
	int err = 0;

	while (!err && !loop_signal() && !(bound && nr >= PAIRS)) {
		err = take_turn(trial, trial->rr, "driver", start_ns, &ours, e);
		if (!err)
			err = take_turn(trial, trial->stack, "stack", start_ns, &theirs, e);
		/* A pair that ^C interrupted cannot be compared. */
		if (!err && theirs > 0 && !loop_signal())
			ratios[nr++ % MAX_PAIRS] = ours / theirs;
	}
	*ret_nr = nr < MAX_PAIRS ? nr : MAX_PAIRS;
	return err;
}

static void read_rtt(const struct rr *rr, struct dist *ret_rtt)
{
	struct hist_rec rtt, ignored;

	rr_read_hists(rr, &rtt, &ignored);
	dist_of_hist(ret_rtt, &rtt);
}

static void report_difference(const struct trial *trial, double *ratios, size_t nr)
{
	const struct stat_sample sample = { ratios, nr };
	struct dist ours, theirs;
	double median;

	read_rtt(trial->rr, &ours);
	read_rtt(trial->stack, &theirs);
	if (!ours.count || !theirs.count)
		return;
	result_metric_real(trial->res, "stack_share_min_ns", theirs.ns[DIST_MIN] - ours.ns[DIST_MIN]);
	result_metric_real(trial->res, "stack_share_p50_ns",
			   dist_reported(&theirs, DIST_P50) - dist_reported(&ours, DIST_P50));
	if (nr && !stat_median(&sample, &median))
		result_metric_real(trial->res, "transactions_over_stack", median);
}

static void enter_path(struct result *res, const char *path, const struct hist_rec *hist,
		       double driver_p50_ns)
{
	struct dist times;
	double p50_ns;

	dist_of_hist(&times, hist);
	p50_ns = dist_reported(&times, DIST_P50);
	result_entry_open(res);
	result_entry_str(res, "round_trip", path);
	result_entry_u64(res, "min_ns", hist_min_ns(hist));
	result_entry_real(res, "p50_ns", p50_ns);
	result_entry_real(res, "p99_ns", dist_reported(&times, DIST_P99));
	result_entry_real(res, "more_p50_ns", p50_ns - driver_p50_ns);
	result_entry_close(res);
}

/* Where the time is spent: the same requests, timed at increasing distance from the wire. */
static void report_paths(const struct trial *trial)
{
	struct hist_rec driver, user, stack, ignored;
	struct dist times;
	double p50_ns;

	rr_read_hists(trial->rr, &driver, &user);
	rr_read_hists(trial->stack, &stack, &ignored);
	dist_of_hist(&times, &driver);
	p50_ns = dist_reported(&times, DIST_P50);
	enter_path(trial->res, "driver, wire and far end", &driver, p50_ns);
	if (user.count)
		enter_path(trial->res, "plus this process, bypassing the stack", &user, p50_ns);
	enter_path(trial->res, "plus this host's stack, through a socket", &stack, p50_ns);
}

static void judge(const struct trial *trial, const struct rr *rr, struct result *res)
{
	struct rr_count count;

	rr_read(rr, &count);
	if (trial->opts->no_loss)
		result_none(res, count.sent - count.distinct, count.sent, "requests not answered",
			    "no requests were sent");
	else
		result_came(res, count.sent, count.answers, "requests were answered");
}

static void report(const struct trial *trial, bool icmp, double *ratios, size_t nr)
{
	const struct stream_opts *stream = &trial->opts->stream;
	struct result *res = trial->stack ? result_part(trial->res, PART_OTHER, "driver") : trial->res;
	struct rr_count count;

	rr_report(trial->rr, res);
	judge(trial, trial->rr, res);
	if (trial->stack) {
		rr_report(trial->stack, result_part(trial->res, PART_OTHER, "stack"));
		judge(trial, trial->stack, result_part(trial->res, PART_OTHER, "stack"));
		report_difference(trial, ratios, nr);
		report_paths(trial);
	}
	rr_read(trial->rr, &count);
	if (trial->opts->engine == RR_BOUNCE && count.given_up && count.answers)
		result_note(trial->res, "requests were given up: lost on the path, or above the reflector's "
			    "--source-rate, which is 1 Mpps unless given (max: no limit)");
	if (!count.sent || count.answers)
		return;
	if (trial->opts->engine == RR_BOUNCE)
		result_note(trial->res, "no answer arrived: on a veth, XDP transmission requires "
			    "an XDP program at the far end, too: ethgauge reflect IFACE");
	else if (icmp)
		result_note(trial->res, "no answer arrived: is '%s' up, and does it answer pings?",
			    stream->dest);
	else
		result_note(trial->res, "no answer arrived: is there a responder on port %u? "
			    "ethgauge reflect IFACE --port %u", stream->port, stream->port);
}

static int open_both(struct trial *trial, const struct stream_plan *plan, bool icmp, struct err *e)
{
	const struct rr_opts *opts = trial->opts;
	struct rr_cfg cfg = {
		.engine = (enum rr_engine)opts->engine, .ifname = opts->stream.ifname,
		.frame = plan->frame, .icmp = icmp, .pps = plan->pps,
		.outstanding = opts->outstanding, .timeout_ns = opts->wait_ns,
		.mode = (enum xdp_mode)opts->xdp_mode, .busy_poll = opts->stream.busy_poll,
		.zero_copy = opts->stream.zero_copy, .stamp_every = opts->stream.stamp_every,
	};
	struct result *res = trial->res;
	int err;

	cfg.frame.src_port = 0;		/* choose one at random */
	if (opts->against_stack)
		res = result_part(trial->res, PART_OTHER, "driver");
	err = rr_open(&trial->rr, &cfg, res, e);
	if (err || !opts->against_stack)
		return err;
	cfg.engine = RR_STACK;
	return rr_open(&trial->stack, &cfg, result_part(trial->res, PART_OTHER, "stack"), e);
}

/* Figures of one size; @has_row: they become a row of the table. */
struct size_figures {
	bool has_row;
	struct rr_count count;
	struct dist rtt;
};

static void read_size(const struct trial *trial, struct size_figures *ret)
{
	rr_read(trial->rr, &ret->count);
	read_rtt(trial->rr, &ret->rtt);
	ret->has_row = !trial->stack;	/* two engines are reported as two parts */
}

/*
 * Runs one size and reports it into @res, what all sizes share into @top. @last: none is opened
 * after it.
 */
static int run_size(const struct rr_opts *opts, bool icmp, bool last, struct result *top,
		    struct result *res, struct size_figures *ret_figures, struct err *e)
{
	struct meter_receiver receiver = { .lost_packets = NAN };
	struct trial trial = { .opts = opts, .res = res, .e = e };
	double ratios[MAX_PAIRS];
	struct meter *meter;
	struct stream_plan plan;
	size_t nr = 0;
	int err;

	err = stream_prepare(&opts->stream, &plan, e);
	if (!err && plan.frame.dst_mac[0] & 1)
		err = err_usage(e, "'%s' is not a unicast address", opts->stream.dest);
	if (err)
		return err;
	result_env_str(top, "interface", opts->stream.ifname);
	environ_iface(top, opts->stream.ifname);
	stream_describe(&plan.frame, top);
	err = open_both(&trial, &plan, icmp, e);
	if (err)
		goto out;
	environ_clock(top, STAMP_MONOTONIC);
	if (last)
		caps_drop(0);
	else
		caps_limit(CAPS_BPF | CAPS_NET_ADMIN | CAPS_NET_RAW | CAPS_LIMITS | CAPS_USER);
	log_info("sending requests to '%s' through '%s', frames of %u bytes", opts->stream.dest,
		 opts->stream.ifname, opts->stream.frame_bytes);
	meter = meter_start(opts->stream.ifname);
	err = trial.stack ? run_in_turn(&trial, ratios, &nr, e) : run_alone(&trial, e);
	meter_stop(meter);
	report(&trial, icmp, ratios, nr);
	read_size(&trial, ret_figures);
	if (ret_figures->has_row)
		receiver.lost_packets = (double)rr_lost(&ret_figures->count);
	meter_report(meter, NULL, &receiver, res);
	meter_free(meter);
out:
	rr_close(trial.stack);
	rr_close(trial.rr);
	return err;
}

static void enter_size(struct result *res, const struct size_figures *size, uint32_t frame_bytes)
{
	static const enum dist_stat stats[] = { DIST_MIN, DIST_P50, DIST_P99, DIST_MAX };
	size_t i;

	result_entry_open(res);
	result_entry_u64(res, "frame_bytes", frame_bytes);
	result_entry_u64(res, "lost_packets", rr_lost(&size->count));
	for (i = 0; i < ARRAY_SIZE(stats); i++)
		result_entry_real(res, metric_of("rtt", stats[i])->key, dist_reported(&size->rtt, stats[i]));
	result_entry_real(res, "transactions_per_s", rr_transactions_per_s(&size->count));
	result_entry_u64(res, "sent_packets", size->count.sent);
	result_entry_close(res);
}

/* Limits the sizes to what this interface can send. */
static int find_sizes(struct rr_opts *opts, uint32_t *sizes, size_t *ret_nr, struct err *e)
{
	uint32_t most, head_bytes = ETH_HLEN + UNIT_FCS_BYTES + (opts->stream.vlan ? VLAN_BYTES : 0);
	struct nic_facts nic;
	size_t i;
	int err;

	if (nic_read(opts->stream.ifname, &nic))
		return nic_unknown(opts->stream.ifname, e);
	most = nic.mtu + head_bytes;
	err = rr_sizes_parse(opts->sizes, most, sizes, ret_nr, e);
	for (i = 0; !err && i < *ret_nr; i++) {
		opts->stream.frame_bytes = sizes[i];
		opts->stream.has_size = true;
		err = stream_check(&opts->stream, e);
		if (!err && sizes[i] > most)
			err = err_usage(e, OPTION("sizes") ": %u exceeds '%s': its MTU is %u, a frame of %u "
					"bytes", sizes[i], opts->stream.ifname, nic.mtu, most);
	}
	return err;
}

static int run_sizes(struct rr_opts *opts, bool icmp, struct result *res, struct err *e)
{
	uint32_t sizes[RR_MAX_SIZES];
	struct size_figures size;
	struct result *part;
	size_t nr = 0, i;
	char name[32];
	int err;

	err = find_sizes(opts, sizes, &nr, e);
	result_config_none(res, "frame-bytes");
	for (i = 0; !err && i < nr && !loop_signal(); i++) {
		size.has_row = false;
		snprintf(name, sizeof(name), "frames of %u bytes", sizes[i]);
		part = result_part(res, PART_OTHER, name);
		opts->stream.frame_bytes = sizes[i];
		err = run_size(opts, icmp, i + 1 == nr, res, part, &size, e);
		if (size.has_row)
			enter_size(res, &size, sizes[i]);
	}
	return err;
}

int rr_trial_run(const struct rr_opts *given, bool icmp, struct result *res, struct err *e)
{
	struct stream_target target;
	struct rr_opts opts = *given;
	struct size_figures size;
	int err;

	err = stream_find_target(&opts.stream, &target, res, e);
	if (err)
		return err;
	return opts.sizes ? run_sizes(&opts, icmp, res, e) : run_size(&opts, icmp, true, res, res, &size, e);
}
