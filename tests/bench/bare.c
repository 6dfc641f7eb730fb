// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bare.c - drive bare.bpf.c: the ceiling of the machine, for scripts/bench-run.
 *
 *   bare send IFACE FRAME_BYTES SECONDS THREADS
 *   bare drop IFACE			until SIGINT or SIGTERM, then one JSON object
 *   bare bounce IFACE SECONDS FRAMES	so many under way to bare return and back; for scripts/bench-rr
 *   bare return IFACE			until SIGINT or SIGTERM
 *   bare count IFACE			at tcx, until then; for scripts/bench-watch
 *   bare eat IFACE			at clsact, behind tcx, until the interface goes; likewise
 *
 * No part of the product: it shows what the product's senders could reach if
 * writing, numbering and checking cost nothing. Each thread is pinned to one
 * of the CPUs the process may run on, and enters the kernel once: a signal ends
 * the call, since each further call costs a wait for RCU.
 */
#include <errno.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "bare.h"

#include "bare.skel.h"

/* Debian 12's headers have it, older ones do not. */
#ifndef BPF_F_TEST_XDP_LIVE_FRAMES
#define BPF_F_TEST_XDP_LIVE_FRAMES (1U << 1)
#endif

/* From 6.6 on. */
#define TCX_INGRESS	46
#define TCX_EGRESS	47

#define BATCH		64		/* no faster above */
#define REPEAT		(1u << 30)
#define MAX_THREADS	64
#define MAX_BUF_BYTES	1514
#define FCS_BYTES	4

struct sender {
	pthread_t id;
	int cpu;
	int prog_fd;
	int ifindex;
	size_t buf_bytes;
	volatile sig_atomic_t ended;
	int err;
};

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("bare: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static void on_wake(int signal)
{
	(void)signal;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

static struct bare_bpf *load(int nr_cpus)
{
	struct bare_bpf *skel;

	libbpf_set_print(quiet);
	/* Kernels before 5.11 charge maps to it. */
	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY });
	skel = bare_bpf__open();
	if (!skel)
		die("cannot open the programs: %s", strerror(errno));
	bpf_map__set_max_entries(skel->maps.bare_recs, nr_cpus);
	if (bare_bpf__load(skel))
		die("cannot load the programs: %s", strerror(errno));
	return skel;
}

static int iface_index(const char *ifname)
{
	unsigned int ifindex = if_nametoindex(ifname);

	if (!ifindex)
		die("there is no interface '%s' here", ifname);
	return (int)ifindex;
}

/* An Ethernet frame from and to no one. */
static void fill_frame(unsigned char *frame, size_t bytes)
{
	static const unsigned char head[14] = {
		0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, BARE_TYPE >> 8, BARE_TYPE & 0xff,
	};

	memset(frame, 0, bytes);
	memcpy(frame, head, sizeof(head));
}

static void *send_main(void *arg)
{
	struct sender *sender = arg;
	unsigned char frame[MAX_BUF_BYTES];
	struct xdp_md ctx = {
		.data_end = sender->buf_bytes,
		.ingress_ifindex = (__u32)sender->ifindex,
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sender->buf_bytes,
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = (int)REPEAT,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = BATCH);
	cpu_set_t one;
	int err;

	CPU_ZERO(&one);
	CPU_SET(sender->cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		sender->err = -errno;
	fill_frame(frame, sender->buf_bytes);
	err = sender->err ? 0 : bpf_prog_test_run_opts(sender->prog_fd, &opts);
	if (err && err != -EINTR)
		sender->err = err;
	sender->ended = 1;
	return NULL;
}

static int start_senders(struct sender *senders, const struct sender *model, int nr)
{
	cpu_set_t allowed;
	int cpu, started = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		die("cannot ask for the CPUs: %s", strerror(errno));
	for (cpu = 0; cpu < CPU_SETSIZE && started < nr; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		senders[started] = *model;
		senders[started].cpu = cpu;
		if (pthread_create(&senders[started].id, NULL, send_main, &senders[started]))
			die("cannot start a thread");
		started++;
	}
	return started;
}

static void sleep_for(double seconds, const sigset_t *stop)
{
	struct timespec left = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};

	sigtimedwait(stop, NULL, &left);
}

static int send_frames(const char *ifname, size_t frame_bytes, double seconds, int threads,
		       const sigset_t *stop)
{
	struct sender senders[MAX_THREADS], model = { .buf_bytes = frame_bytes - FCS_BYTES };
	struct sigaction wake = { .sa_handler = on_wake };
	struct bare_bpf *skel = load(libbpf_num_possible_cpus());
	int i, nr;

	model.ifindex = iface_index(ifname);
	model.prog_fd = bpf_program__fd(skel->progs.bare_send);
	sigaction(SIGUSR1, &wake, NULL);
	nr = start_senders(senders, &model, threads);
	if (nr < threads)
		die("%d threads need as many CPUs, and this process may use %d", threads, nr);
	sleep_for(seconds, stop);
	for (i = 0; i < nr; i++) {
		/* Again and again: the first may come just before the system call. */
		while (!senders[i].ended) {
			pthread_kill(senders[i].id, SIGUSR1);
			usleep(500);
		}
		pthread_join(senders[i].id, NULL);
		if (senders[i].err)
			die("sending through '%s' failed: %s", ifname, strerror(-senders[i].err));
	}
	bare_bpf__destroy(skel);
	return 0;
}

static void print_counts(const struct bare_rec *recs, int nr_cpus)
{
	unsigned long long packets = 0, bytes = 0, stamped = 0;
	unsigned long long first_ns = 0, last_ns = 0, fastest_ns = ~0ull;
	int i;

	for (i = 0; i < nr_cpus; i++) {
		packets += recs[i].packets;
		bytes += recs[i].bytes;
		stamped += recs[i].last_packets - recs[i].first_packets;
		if (!recs[i].first_mono_ns)
			continue;
		if (!first_ns || recs[i].first_mono_ns < first_ns)
			first_ns = recs[i].first_mono_ns;
		if (recs[i].last_mono_ns > last_ns)
			last_ns = recs[i].last_mono_ns;
		if (recs[i].not_fastest_ns && ~recs[i].not_fastest_ns < fastest_ns)
			fastest_ns = ~recs[i].not_fastest_ns;
	}
	printf("{\"metrics\": {\"duration_ns\": %llu, \"received_packets\": %llu, "
	       "\"received_bytes\": %llu, \"received_pps\": %.1f, \"fastest_pps\": %.1f}}\n",
	       last_ns - first_ns, packets, bytes + packets * FCS_BYTES,
	       last_ns > first_ns ? (double)stamped * 1e9 / (double)(last_ns - first_ns) : 0.0,
	       (double)BARE_STAMP_EVERY * 1e9 / (double)fastest_ns);
}

static struct bare_rec *map_counts(const struct bare_bpf *skel, int nr_cpus)
{
	struct bare_rec *recs;

	recs = mmap(NULL, (size_t)nr_cpus * sizeof(*recs), PROT_READ, MAP_SHARED,
		    bpf_map__fd(skel->maps.bare_recs), 0);
	if (recs == MAP_FAILED)
		die("cannot map the counters: %s", strerror(errno));
	return recs;
}

/* The kernel takes it away however this process ends. */
static int attach(const struct bpf_program *prog, const char *ifname)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int link_fd = bpf_link_create(bpf_program__fd(prog), iface_index(ifname), BPF_XDP, &opts);

	if (link_fd < 0)
		die("cannot attach XDP to '%s': %s", ifname, strerror(-link_fd));
	fprintf(stderr, "bare: receiving on '%s'\n", ifname);
	return link_fd;
}

static int drop_frames(const char *ifname, const sigset_t *stop)
{
	int nr_cpus = libbpf_num_possible_cpus(), link_fd;
	struct bare_bpf *skel = load(nr_cpus);
	struct bare_rec *recs = map_counts(skel, nr_cpus);

	link_fd = attach(skel->progs.bare_drop, ifname);
	sigwaitinfo(stop, NULL);
	print_counts(recs, nr_cpus);
	close(link_fd);
	bare_bpf__destroy(skel);
	return 0;
}

static int return_frames(const char *ifname, const sigset_t *stop)
{
	struct bare_bpf *skel = load(1);
	int link_fd = attach(skel->progs.bare_return, ifname);

	sigwaitinfo(stop, NULL);
	close(link_fd);
	bare_bpf__destroy(skel);
	return 0;
}

static int bounce_frames(const char *ifname, double seconds, int nr, const sigset_t *stop)
{
	int nr_cpus = libbpf_num_possible_cpus(), link_fd, err;
	unsigned char frame[60];
	struct xdp_md ctx = { .data_end = sizeof(frame) };
	struct bare_bpf *skel = load(nr_cpus);
	struct bare_rec *recs = map_counts(skel, nr_cpus);
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = nr,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = (__u32)nr);

	ctx.ingress_ifindex = (__u32)iface_index(ifname);
	fill_frame(frame, sizeof(frame));
	link_fd = attach(skel->progs.bare_bounce, ifname);
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.bare_send), &opts);
	if (err)
		die("sending through '%s' failed: %s", ifname, strerror(-err));
	sleep_for(seconds, stop);
	skel->bss->ended = 1;
	sleep_for(0.1, stop);
	print_counts(recs, nr_cpus);
	close(link_fd);
	bare_bpf__destroy(skel);
	return 0;
}

/* Both directions at tcx; the kernel takes them away. */
static int count_frames(const char *ifname, const sigset_t *stop)
{
	struct bare_bpf *skel = load(libbpf_num_possible_cpus());
	int hook, link_fd;

	for (hook = TCX_INGRESS; hook <= TCX_EGRESS; hook++) {
		link_fd = bpf_link_create(bpf_program__fd(skel->progs.bare_count),
					  iface_index(ifname), (enum bpf_attach_type)hook, NULL);
		if (link_fd < 0)
			die("cannot attach to tcx of '%s': %s", ifname, strerror(-link_fd));
	}
	fprintf(stderr, "bare: counting on '%s'\n", ifname);
	sigwaitinfo(stop, NULL);
	bare_bpf__destroy(skel);
	return 0;
}

static int eat_frames(const char *ifname)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = iface_index(ifname), .attach_point = BPF_TC_INGRESS);
	struct bare_bpf *skel = load(libbpf_num_possible_cpus());
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = bpf_program__fd(skel->progs.bare_eat));
	int err = bpf_tc_hook_create(&hook);

	if (!err)
		err = bpf_tc_attach(&hook, &opts);
	if (err)
		die("cannot attach to clsact of '%s': %s", ifname, strerror(-err));
	bare_bpf__destroy(skel);
	return 0;
}

int main(int argc, char **argv)
{
	size_t frame_bytes;
	sigset_t stop;
	int threads;

	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	if (argc == 3 && !strcmp(argv[1], "drop"))
		return drop_frames(argv[2], &stop);
	if (argc == 3 && !strcmp(argv[1], "return"))
		return return_frames(argv[2], &stop);
	if (argc == 5 && !strcmp(argv[1], "bounce") && atoi(argv[4]) > 0 && atoi(argv[4]) <= BATCH)
		return bounce_frames(argv[2], atof(argv[3]), atoi(argv[4]), &stop);
	if (argc == 3 && !strcmp(argv[1], "count"))
		return count_frames(argv[2], &stop);
	if (argc == 3 && !strcmp(argv[1], "eat"))
		return eat_frames(argv[2]);
	if (argc != 6 || strcmp(argv[1], "send"))
		die("usage: bare send IFACE FRAME_BYTES SECONDS THREADS, or: bare bounce IFACE "
		    "SECONDS FRAMES, or: bare drop|return|count|eat IFACE");
	frame_bytes = strtoul(argv[3], NULL, 10);
	threads = atoi(argv[5]);
	if (frame_bytes < 64 || frame_bytes > MAX_BUF_BYTES + FCS_BYTES || threads < 1 ||
	    threads > MAX_THREADS)
		die("frames have 64 to %d bytes, and there are 1 to %d threads",
		    MAX_BUF_BYTES + FCS_BYTES, MAX_THREADS);
	return send_frames(argv[2], frame_bytes, atof(argv[4]), threads, &stop);
}
