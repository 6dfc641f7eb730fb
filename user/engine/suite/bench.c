// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/suite/bench.c - trials through a device, each saved.
 */
#include "engine/suite/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/self/environ.h"
#include "engine/self/link_downs.h"
#include "engine/send/companion.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/outfile.h"
#include "lib/unit.h"
#include "sys/net/link.h"
#include "sys/net/netns.h"
#include "sys/net/nic.h"
#include "sys/net/route.h"

#define ATTEMPTS	3		/* minimum number of attempts if disturbed */
#define MOST_ATTEMPTS	20
#define ATTEMPTS_NS	(10 * NSEC_PER_SEC)	/* more attempts only within this time */
#define SAME_RATIO	0.01		/* reached twice: the generator's limit */
#define FAR_RATIO	0.9		/* of the load: one that is reached to less is out of reach, */
#define FAR_NS		(NSEC_PER_SEC / 10)	/* unless a stall of less than this explains it */

struct bench {
	struct bench_cfg cfg;
	struct stream_plan plan;	/* common to all trials, except size, rate and length */
	struct result *res;
	uint64_t link_bps;
	uint32_t mtu;
	char dest[64];			/* target of cfg.stream.dest if it was not given */
	struct bench_trial *trials;
	size_t nr, room;
	int home_ns_fd;
	size_t nr_kept, at;		/* read from an earlier call; used so far */
	uint64_t spent_ns;
	struct link_downs *links;	/* of the sender's interface */
	struct companion *companion;	/* of all trials; NULL: none is needed */
	bool live;			/* a trial was run in this call */
};

/* The receiver, if it is an interface of this host, and what is found of it. */
struct port {
	const char *sink;
	bool has_dest;			/* its address is not needed */
	char ip4[64];			/* "198.18.0.2" */
	uint8_t mac[6];
};

static int enter(const char *netns, struct err *e)
{
	int fd, err = netns_need(netns, &fd, e);

	if (err)
		return err;
	err = netns_enter(fd, e);
	close(fd);
	return err;
}

/* Reads the receiver's addresses; runs in its own thread. */
static int find_port(void *ctx, struct err *e)
{
	struct port *port = ctx;
	const char *at = strchr(port->sink, '@');
	struct link_facts facts;
	struct link_net *net;
	char ifname[16];
	int err;

	snprintf(ifname, sizeof(ifname), "%.*s",
		 at ? (int)(at - port->sink) : (int)sizeof(ifname) - 1, port->sink);
	if (at) {
		err = enter(at + 1, e);
		if (err)
			return err;
	}
	err = link_open(&net, e);
	if (err)
		return err;
	err = link_read(net, ifname, &facts);
	link_close(net);
	if (err == -ENODEV)
		return err_usage(e, "there is no interface '%s'", port->sink);
	if (err)
		return err_set(e, err, "cannot read the interface '%s'", port->sink);
	snprintf(port->ip4, sizeof(port->ip4), "%.*s", (int)strcspn(facts.ip4, "/"), facts.ip4);
	memcpy(port->mac, facts.mac, sizeof(port->mac));
	if (*port->ip4 || port->has_dest)
		return 0;
	err_usage(e, "'%s' has no IPv4 address to send to", port->sink);
	return err_hint(e, "specify it: " OPTION("dest") " ADDRESS, and " OPTION("dst-mac") " if "
			"no host answers ARP for it");
}

/* Both ports are in this namespace: a host does not answer its own ARP. */
static bool is_own_port(const struct bench *bench)
{
	const struct bench_end *end = &bench->cfg.end;

	return !strchr(end->sink, '@') && !end->reflected && !end->far.command;
}

/* No router is between the ports: what is sent to the receiver's own MAC address reaches it. */
static void take_mac(struct bench *bench, const struct port *port)
{
	struct stream_opts *stream = &bench->cfg.stream;
	struct frame_addr dst;

	if (stream->gateway || stream->dst_mac.set || !is_own_port(bench) ||
	    !frame_parse_addr(stream->dest, &dst) || !route_is_direct(stream->ifname, dst.family, &dst.ip6))
		return;
	stream->dst_mac.set = true;
	memcpy(stream->dst_mac.addr, port->mac, sizeof(port->mac));
}

static int hint_way(const struct bench *bench, const struct port *port, struct err *e)
{
	const struct bench_cfg *cfg = &bench->cfg;

	if (!is_own_port(bench) || cfg->stream.gateway || (e->no != -ENETUNREACH && e->no != -EHOSTUNREACH))
		return e->no;
	return err_hint(e, "if a router is between the ports, give " OPTION("gateway") ", its address at '%s'; "
			"if a switch is, " OPTION("dst-mac") ", the MAC address of '%s'", cfg->stream.ifname,
			port->sink);
}

static int add(struct bench *bench, const struct bench_trial *trial, struct err *e)
{
	struct bench_trial *more;

	if (bench->nr == bench->room) {
		more = realloc(bench->trials, (2 * bench->room + 64) * sizeof(*more));
		if (!more)
			return err_set(e, -ENOMEM, "cannot allocate the trials");
		bench->trials = more;
		bench->room = 2 * bench->room + 64;
	}
	bench->trials[bench->nr++] = *trial;
	return 0;
}

static int load_state(struct bench *bench, struct err *e)
{
	const char *path = bench->cfg.state;
	struct bench_trial trial;
	FILE *file = fopen(path, "re");
	int err;

	if (!file)
		return errno == ENOENT ? 0 : err_set(e, -errno, "cannot read '%s'", path);
	err = bench_state_check(file, path, bench->cfg.words, e);
	while (!err && bench_state_next(file, &trial))
		err = add(bench, &trial, e);
	if (!err && !feof(file))
		err = err_usage(e, "'%s' is damaged after trial %zu", path, bench->nr);
	fclose(file);
	bench->nr_kept = bench->nr;
	return err;
}

static int save_state(const struct bench *bench, struct err *e)
{
	struct outfile *out;
	int err;

	if (!bench->cfg.state)
		return 0;
	err = outfile_open(&out, bench->cfg.state, e);
	if (err)
		return err;
	bench_state_write(outfile_stream(out), bench->cfg.words, bench->trials, bench->nr);
	err = outfile_commit(out, e);
	outfile_close(out);
	return err;
}

int bench_open(struct bench **ret_bench, const struct bench_cfg *cfg, struct result *res,
	       struct err *e)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct port port = { cfg->end.sink };
	struct nic_facts nic;
	int err = 0;

	if (!bench)
		return err_set(e, -ENOMEM, "cannot set up the bench");
	bench->cfg = *cfg;
	bench->res = res;
	bench->home_ns_fd = netns_open_own();
	bench->cfg.end.far.netns_fd = bench->home_ns_fd;
	port.has_dest = cfg->stream.dest;
	if (cfg->tx_netns)
		err = enter(cfg->tx_netns, e);
	if (!err && !cfg->end.reflected && !cfg->end.far.command)
		err = netns_run(find_port, &port, e);
	if (!err && !port.has_dest) {
		snprintf(bench->dest, sizeof(bench->dest), "%s", port.ip4);
		bench->cfg.stream.dest = bench->dest;
	}
	if (!err)
		take_mac(bench, &port);
	if (!err)
		err = stream_check(&bench->cfg.stream, e);
	if (!err && stream_prepare(&bench->cfg.stream, &bench->plan, e))
		err = hint_way(bench, &port, e);
	if (!err && cfg->state)
		err = load_state(bench, e);
	if (err) {
		bench_close(bench);
		return err;
	}
	if (!nic_read(cfg->stream.ifname, &nic)) {
		bench->link_bps = nic.speed_bps;
		bench->mtu = nic.mtu;
	}
	bench->plan.tx.keep_companion = &bench->companion;
	environ_iface(res, cfg->stream.ifname);
	link_downs_add(&bench->links, cfg->stream.ifname);
	environ_clock(res, bench->plan.tx.clock);
	stream_describe(&bench->plan.frame, res);
	if (bench->nr_kept)
		result_note(res, "%zu trials were read from '%s'", bench->nr_kept,
			    cfg->state);
	*ret_bench = bench;
	return 0;
}

void bench_close(struct bench *bench)
{
	if (!bench)
		return;
	if (bench->home_ns_fd >= 0)
		close(bench->home_ns_fd);
	link_downs_free(bench->links);
	companion_close(bench->companion);
	free(bench->trials);
	free(bench);
}

int bench_home_ns(const struct bench *bench)
{
	return bench->home_ns_fd;
}

uint64_t bench_link_bps(const struct bench *bench)
{
	return bench->link_bps;
}

int bench_frame(const struct bench *bench, uint32_t frame_bytes, struct frame_spec *ret_frame,
		struct err *e)
{
	struct frame_spec frame = bench->plan.frame;

	frame.frame_bytes = frame_bytes;
	if (frame_bytes < frame_min_bytes(&frame))
		return err_usage(e, "frames of %u bytes are too short for headers and tag: at least %u",
				 frame_bytes, frame_min_bytes(&frame));
	*ret_frame = frame;
	return stream_check_mtu(bench->cfg.stream.ifname, bench->mtu, frame_bytes,
				frame_layer_bytes(&frame, FRAME_L3), e);
}

static bool is_asked(const struct bench_trial *trial, const struct bench_ask *ask)
{
	return !strcmp(trial->kind, ask->kind) && trial->frame_bytes == ask->frame_bytes &&
	       trial->pps == ask->pps && trial->trial_ns == ask->trial_ns && trial->count == ask->count;
}

/* Why a trial is repeated, for the line of the next attempt; "" for the first. */
static void say_attempt(const struct bench_trial *before, uint64_t attempt, char *ret_text, size_t size)
{
	*ret_text = '\0';
	if (!attempt)
		return;
	if (before->irregular)
		snprintf(ret_text, size, ", attempt %" PRIu64 ": in the last, %.1f %% of the load was sent",
			 attempt + 1, 100 * before->sent_pps / before->pps);
	else
		snprintf(ret_text, size, ", attempt %" PRIu64 ": in the last, the generator stalled for %.1f ms",
			 attempt + 1, before->late_max_ns / 1e6);
}

static void report_progress(const struct bench *bench, const struct bench_ask *ask, const char *attempt)
{
	/* This trial is spent already, and the plan is an estimate. */
	double trial_ns = (double)(bench_ask_ns(ask) + (bench->live ? bench->cfg.settle_ns : 0));
	double done_ns = (double)bench->spent_ns - trial_ns;
	double left_ns = fmax((double)bench->cfg.planned_ns - (double)bench->spent_ns, 0) + trial_ns;
	char rate[32];

	log_progress(done_ns / (done_ns + left_ns), left_ns, "trial %zu: %s, %u bytes, %s%s", bench->nr + 1, ask->kind,
		     ask->frame_bytes, unit_format(rate, sizeof(rate), UNIT_PPS, ask->pps), attempt);
}

static int one_attempt(struct bench *bench, const struct bench_ask *ask, const char *attempt,
		       struct bench_trial *trial, struct err *e)
{
	struct loop settling = {
		.duration_ns = bench->cfg.settle_ns, .interval_ns = NSEC_PER_SEC, .tick = log_progress_tick,
	};
	struct result *part;
	bool own;
	int err;

	/* With the pause before it; there is none before the first. */
	bench->spent_ns += bench_ask_ns(ask) + (bench->spent_ns ? bench->cfg.settle_ns : 0);
	if (bench->at < bench->nr_kept) {
		*trial = bench->trials[bench->at++];
		if (is_asked(trial, ask))
			return 0;
		return err_plain(e, -EBADMSG, "'%s' does not match this run from trial %zu on",
				 bench->cfg.state, bench->at);
	}
	report_progress(bench, ask, attempt);
	if (bench->live && bench->cfg.settle_ns)
		loop_run(&settling);
	if (loop_signal())
		return err_set(e, -EINTR, "ended between two trials");
	*trial = (struct bench_trial){ .frame_bytes = ask->frame_bytes, .pps = ask->pps,
				       .trial_ns = ask->trial_ns, .count = ask->count, .event_ns = NAN,
				       .delay = dist_none(), .pdv = dist_none() };
	snprintf(trial->kind, sizeof(trial->kind), "%s", ask->kind);
	own = bench->live;
	part = own ? result_new("bench") : result_part(bench->res, PART_ASIDE, "first trial");
	bench->live = true;
	err = bench_trial_run(&bench->plan, &bench->cfg.end, ask, part, trial, e);
	if (own)
		result_free(part);
	if (!err)
		err = add(bench, trial, e);
	return err ? err : save_state(bench, e);
}

/* Whether @trial is less disturbed than @best, which was disturbed. */
static bool is_better(const struct bench_trial *trial, const struct bench_trial *best)
{
	if (trial->irregular != best->irregular)
		return best->irregular;
	return trial->irregular ? trial->sent_pps > best->sent_pps :
	       !trial->unsteady || trial->lost < best->lost;
}

/*
 * Two in a row fell short by the same amount: a limit, not chance. A burst is too short to judge.
 */
static bool is_limit(const struct bench_trial *before, const struct bench_trial *trial)
{
	return before->irregular && trial->irregular && !trial->count &&
	       fabs(before->sent_pps / trial->sent_pps - 1) < SAME_RATIO;
}

/* Even the best attempt is far from the load. */
static bool is_far(const struct bench_trial *best)
{
	double reached = best->sent_pps / best->pps;

	return best->irregular && !best->count && reached < FAR_RATIO &&
	       (1 - reached) * (double)best->trial_ns > FAR_NS;
}

int bench_run(struct bench *bench, const struct bench_ask *ask, struct bench_trial *ret_trial,
	      struct err *e)
{
	struct bench_trial trial, best = { 0 }, before = { 0 };
	uint64_t attempts = ATTEMPTS_NS / (bench_ask_ns(ask) + 1), i;
	char attempt[80];
	int err;

	attempts = attempts > MOST_ATTEMPTS ? MOST_ATTEMPTS : attempts;
	for (i = 0; i < ATTEMPTS || i < attempts; i++) {
		say_attempt(&before, i, attempt, sizeof(attempt));
		err = one_attempt(bench, ask, attempt, &trial, e);
		if (err)
			return err;
		if (!i || is_better(&trial, &best))
			best = trial;
		if (ask->once || (!trial.irregular && !trial.unsteady) ||
		    (i + 1 >= ATTEMPTS && (is_limit(&before, &trial) || is_far(&best))))
			break;
		before = trial;
		bench->cfg.planned_ns += bench_ask_ns(ask) + bench->cfg.settle_ns;
	}
	*ret_trial = best;
	return 0;
}

void bench_report(const struct bench *bench, struct result *res)
{
	uint64_t irregular = 0, unsteady = 0;
	size_t i;

	for (i = 0; i < bench->nr; i++) {
		const struct bench_trial *trial = &bench->trials[i];

		irregular += trial->irregular;
		unsteady += trial->unsteady;
		bench_state_enter(res, trial);
	}
	link_downs_stop(bench->links);
	link_downs_report(bench->links, res);
	result_metric_u64(res, "bench_trials", bench->nr);
	result_metric_u64(res, "irregular_trials", irregular);
	result_metric_u64(res, "unsteady_trials", unsteady);
	if (irregular)
		result_note(res, "in %" PRIu64 " of %zu trials less than the offered load was "
			    "sent: what they lost is not attributed to the device", irregular, bench->nr);
	if (unsteady)
		result_note(res, "in %" PRIu64 " of %zu trials the generator stalled and then "
			    "sent a burst, which may have caused the loss; see trials "
			    "in the document", unsteady, bench->nr);
}
