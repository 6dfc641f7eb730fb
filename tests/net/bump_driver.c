// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bump_driver.c - engine/impair/bump.h on two interfaces, without a verb around it.
 *
 *   bump_driver IN OUT [NAME=NUMBER...]		until SIGINT or SIGTERM, then one JSON object
 *
 * delay spread shape alpha keep_order; places, copies, fragment, of one in
 * every, from phase on; rate queue_bytes queue_packets nr_frames seed; bare: no
 * fate; both: a second one from OUT to IN, which only forwards.
 */
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "engine/impair/bump.h"
#include "lib/hist.h"

#include "bump_driver.h"

#include "bump_driver.skel.h"

static double number(int argc, char **argv, const char *name)
{
	size_t len = strlen(name);
	int i;

	for (i = 3; i < argc; i++) {
		if (!strncmp(argv[i], name, len) && argv[i][len] == '=')
			return strtod(argv[i] + len + 1, NULL);
	}
	return 0;
}

static void __attribute__((noreturn)) die(const char *what, const struct err *e)
{
	fprintf(stderr, "bump_driver: %s: %s\n", what, e->msg);
	exit(1);
}

static struct bump_driver_bpf *attach(const char *ifname, const struct bump_driver_cfg *cfg)
{
	struct bump_driver_bpf *skel = bump_driver_bpf__open();

	if (!skel)
		exit(1);
	memcpy((void *)&skel->rodata->cfg, cfg, sizeof(*cfg));
	if (bump_driver_bpf__load(skel))
		exit(1);
	skel->links.bump_driver = bpf_program__attach_xdp(skel->progs.bump_driver,
							  (int)if_nametoindex(ifname));
	if (!skel->links.bump_driver)
		exit(1);
	return skel;
}

static void print_hist(const char *name, const struct hist_rec *hist)
{
	printf(", \"%s\": {\"count\": %llu, \"min_ns\": %llu, \"p50_ns\": %llu, \"p99_ns\": %llu, "
	       "\"max_ns\": %llu}", name, hist->count, (unsigned long long)hist_min_ns(hist),
	       (unsigned long long)hist_percentile_ns(hist, 0.5),
	       (unsigned long long)hist_percentile_ns(hist, 0.99), hist->max_ns);
}

static void print(const struct bump *bump)
{
	static struct hist_rec intended, achieved, late;
	struct bump_count count;

	bump_read(bump, &count);
	bump_read_hists(bump, &intended, &achieved, &late);
#define SHOW(name) printf("\"" #name "\": %llu, ", (unsigned long long)count.name)
	printf("{");
	SHOW(in_packets), SHOW(in_bytes), SHOW(out_packets), SHOW(out_bytes);
	SHOW(duplicated), SHOW(reordered), SHOW(delayed), SHOW(fragmented);
	SHOW(copies), SHOW(fragments), SHOW(no_fragments), SHOW(no_fate);
	SHOW(queue_drops), SHOW(frame_drops), SHOW(send_drops), SHOW(held), SHOW(flushed);
	printf("\"late_max_ns\": %llu", (unsigned long long)count.late_max_ns);
	print_hist("intended", &intended);
	print_hist("achieved", &achieved);
	print_hist("late", &late);
	printf("}\n");
}

int main(int argc, char **argv)
{
	struct bump_driver_cfg fates = { .every = (uint64_t)number(argc, argv, "every") };
	struct bump *bump = NULL, *back = NULL;
	static struct bump_driver_bpf *skel, *back_skel;
	struct bump_cfg cfg = { 0 };
	struct err e = { 0 };
	sigset_t stop;
	int sig;

#define NUMBER(name) number(argc, argv, name)
	if (argc < 3)
		return 2;
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	fates.phase = (uint64_t)NUMBER("phase");
	fates.bare = (uint64_t)NUMBER("bare");
	fates.fate.places = (uint16_t)NUMBER("places");
	fates.fate.copies = (uint16_t)NUMBER("copies");
	fates.fate.fragment_bytes = (uint16_t)NUMBER("fragment");
	fates.fate.kinds = !!fates.fate.places << IMPAIR_REORDER |
			   !!fates.fate.copies << IMPAIR_DUPLICATE |
			   !!fates.fate.fragment_bytes << IMPAIR_FRAGMENT |
			   (NUMBER("delay") > 0) << IMPAIR_DELAY;
	cfg.delays[0] = (struct bump_delay){
		.shape = (enum bump_shape)NUMBER("shape"), .mean_ns = (uint64_t)NUMBER("delay"),
		.spread_ns = (uint64_t)NUMBER("spread"), .alpha = NUMBER("alpha"),
		.keep_order = NUMBER("keep_order") > 0,
	};
	cfg.seed = (uint64_t)NUMBER("seed");
	cfg.rate_l1_bps = NUMBER("rate");
	cfg.queue_bytes = (uint64_t)NUMBER("queue_bytes");
	cfg.queue_packets = (uint64_t)NUMBER("queue_packets");
	cfg.nr_frames = (uint32_t)NUMBER("nr_frames");
	cfg.in_ifname = argv[1];
	cfg.out_ifname = argv[2];
	skel = attach(argv[1], &fates);
	cfg.xsks_fd = bpf_map__fd(skel->maps.xsks);
	if (bump_open(&bump, &cfg, &e))
		die("open", &e);
	if (NUMBER("both") > 0) {
		back_skel = attach(argv[2], &(struct bump_driver_cfg){ .bare = 1 });
		cfg = (struct bump_cfg){
			.in_ifname = argv[2], .out_ifname = argv[1], .other = bump,
			.xsks_fd = bpf_map__fd(back_skel->maps.xsks),
		};
		if (bump_open(&back, &cfg, &e))
			die("open back", &e);
	}
	if (bump_start(bump, &e) || (back && bump_start(back, &e)))
		die("start", &e);
	fprintf(stderr, "bump_driver: forwarding\n");
	sigwait(&stop, &sig);
	bump_stop(bump);
	if (back)
		bump_stop(back);
	print(bump);
	if (back)
		print(back);
	bump_close(bump);
	bump_close(back);
	bump_driver_bpf__destroy(skel);
	bump_driver_bpf__destroy(back_skel);
	return 0;
}
