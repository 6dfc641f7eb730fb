// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/clock.c - the clocks of timestamps, and the conversion from a NIC's clock.
 */
#include "sys/host/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/ptp_clock.h>

#define NSEC		1000000000ull
#define FOLLOW_NS	200000000ull	/* in this time two clocks drift apart by 1 us at 5 ppm */
#define NR_SAMPLES	9		/* of which the fastest is used */

/* enum bpf_func_id has it from 6.1 on. */
#define KTIME_GET_NS		5
#define KTIME_GET_TAI_NS	208

#define NR_CALLS	64		/* helper calls in one run */
#define NR_RUNS		64		/* the kernel reports their mean */
#define NR_MEDIAN	15
#define NR_READS	100

/* The clock of an open /dev/ptpN; see clock_gettime(2), defined in no header. */
#define FD_TO_CLOCKID(fd) ((clockid_t)((~(unsigned int)(fd) << 3) | 3))

const char *const clock_names[] = { "monotonic", "tai", NULL };

static clockid_t id_of(enum stamp_clock clock)
{
	return clock == STAMP_TAI ? CLOCK_TAI : CLOCK_MONOTONIC;
}

static uint64_t read_ns(clockid_t id)
{
	struct timespec now = { 0 };

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NSEC + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(enum stamp_clock clock)
{
	return read_ns(id_of(clock));
}

/* A program that calls the clock's helper @nr_calls times; its descriptor or negative errno. */
static int load_reader(enum stamp_clock clock, unsigned int nr_calls)
{
	const struct bpf_insn call = {
		.code = BPF_JMP | BPF_CALL,
		.imm = clock == STAMP_TAI ? KTIME_GET_TAI_NS : KTIME_GET_NS,
	};
	struct bpf_insn insns[NR_CALLS + 2];
	unsigned int i;

	for (i = 0; i < nr_calls; i++)
		insns[i] = call;
	insns[i++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K };
	insns[i++] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	/* Not XDP: repeated runs of such a program wait for the kernel's dispatcher. */
	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "clock", "GPL", insns, i, NULL);
}

int clock_try_bpf(enum stamp_clock clock)
{
	int fd = load_reader(clock, 1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int clock_check_bpf(enum stamp_clock clock, struct err *e)
{
	int err = clock == STAMP_MONOTONIC ? 0 : clock_try_bpf(clock);

	if (!err)
		return 0;
	err_machine(e, err, "BPF programs of this kernel cannot read clock '%s'",
		    clock_names[clock]);
	return err_hint(e, "requires kernel 6.1, see: ethgauge doctor --has tai-clock; blast's "
			"afxdp engine does not require it");
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare_u64);
	return values[nr / 2];
}

uint64_t clock_user_cost_ns(enum stamp_clock clock)
{
	uint64_t means[NR_MEDIAN], start_ns;
	unsigned int i, k;

	for (i = 0; i < NR_MEDIAN; i++) {
		start_ns = clock_now_ns(clock);
		for (k = 0; k < NR_READS; k++)
			clock_now_ns(clock);
		means[i] = (clock_now_ns(clock) - start_ns + NR_READS / 2) / (NR_READS + 1);
	}
	return median(means, NR_MEDIAN);
}

/* The duration of one run with @nr_calls calls. */
static int time_reader(enum stamp_clock clock, unsigned int nr_calls, uint64_t *ret_ns)
{
	unsigned char frame[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .data_in = frame, .data_size_in = sizeof(frame), .repeat = NR_RUNS);
	uint64_t means[NR_MEDIAN];
	int fd = load_reader(clock, nr_calls), err = fd < 0 ? fd : 0, i;

	for (i = 0; i < NR_MEDIAN && !err; i++) {
		err = bpf_prog_test_run_opts(fd, &opts);
		means[i] = opts.duration;
	}
	if (fd >= 0)
		close(fd);
	if (!err)
		*ret_ns = median(means, NR_MEDIAN);
	return err;
}

uint64_t clock_bpf_cost_ns(enum stamp_clock clock)
{
	uint64_t with_ns, without_ns;

	if (time_reader(clock, NR_CALLS, &with_ns) || time_reader(clock, 0, &without_ns) ||
	    with_ns < without_ns)
		return 0;
	return (with_ns - without_ns + NR_CALLS / 2) / NR_CALLS;
}

int clock_read_quality(struct clock_quality *ret_quality)
{
	struct timex timex = { 0 };

	if (adjtimex(&timex) < 0) {
		*ret_quality = (struct clock_quality){ .max_error_ns = CLOCK_UNKNOWN_ERROR_NS };
		return -errno;
	}
	*ret_quality = (struct clock_quality){
		.synchronised = !(timex.status & STA_UNSYNC),
		.max_error_ns = (uint64_t)timex.maxerror * 1000,
		.estimated_error_ns = (uint64_t)timex.esterror * 1000,
		.tai_offset_s = timex.tai,
	};
	return 0;
}

struct clock_phc {
	int fd;
	clockid_t to;
	struct stamp_line line;
	uint64_t error_ns;
	uint64_t read_mono_ns;		/* when last */
	bool no_offset;			/* the driver has no PTP_SYS_OFFSET_EXTENDED */
};

/* Both clocks at one moment, known with this error. */
struct pair {
	uint64_t from_ns, to_ns, error_ns;
};

/* Reads @id between two readings of @to; the fastest of several. */
static struct pair read_between(clockid_t id, clockid_t to)
{
	struct pair best = { .error_ns = UINT64_MAX };
	int i;

	if (id == to)
		return (struct pair){ 0 };	/* a line through 0 converts nothing */

	for (i = 0; i < NR_SAMPLES; i++) {
		uint64_t before_ns = read_ns(to), ns = read_ns(id), after_ns = read_ns(to);

		/* If the clock was set in between it may have gone backwards. */
		if (after_ns < before_ns || (after_ns - before_ns) / 2 >= best.error_ns)
			continue;
		best.error_ns = (after_ns - before_ns) / 2;
		best.from_ns = ns;
		best.to_ns = before_ns + best.error_ns;
	}
	return best;
}

int clock_utc_offset(uint64_t *ret_offset_ns, uint64_t *ret_error_ns)
{
	struct pair pair = read_between(CLOCK_MONOTONIC, CLOCK_REALTIME);

	if (pair.error_ns == UINT64_MAX)
		return -EAGAIN;
	*ret_offset_ns = pair.to_ns - pair.from_ns;
	*ret_error_ns = pair.error_ns;
	return 0;
}

static uint64_t ptp_ns(const struct ptp_clock_time *time)
{
	return (uint64_t)time->sec * NSEC + time->nsec;
}

/* The driver reads its clock between two readings of CLOCK_REALTIME. */
static int read_offset(int fd, struct pair *ret_pair)
{
	struct ptp_sys_offset_extended offset = { .n_samples = NR_SAMPLES };
	struct pair best = { .error_ns = UINT64_MAX };
	unsigned int i;

	if (ioctl(fd, PTP_SYS_OFFSET_EXTENDED, &offset))
		return -errno;
	for (i = 0; i < NR_SAMPLES; i++) {
		uint64_t before_ns = ptp_ns(&offset.ts[i][0]), after_ns = ptp_ns(&offset.ts[i][2]);

		if (after_ns < before_ns || (after_ns - before_ns) / 2 >= best.error_ns)
			continue;
		best.error_ns = (after_ns - before_ns) / 2;
		best.from_ns = ptp_ns(&offset.ts[i][1]);
		best.to_ns = before_ns + best.error_ns;
	}
	*ret_pair = best;
	return best.error_ns == UINT64_MAX ? -EAGAIN : 0;
}

static int read_pair(struct clock_phc *phc, struct pair *ret_pair)
{
	struct pair pair, real;
	int err;

	if (phc->fd < 0) {
		*ret_pair = pair = read_between(CLOCK_TAI, phc->to);
		return pair.error_ns == UINT64_MAX ? -EAGAIN : 0;
	}
	if (!phc->no_offset) {
		err = read_offset(phc->fd, &pair);
		if (!err) {
			real = read_between(CLOCK_REALTIME, phc->to);
			pair.to_ns += real.to_ns - real.from_ns;
			pair.error_ns += real.error_ns;
			*ret_pair = pair;
			return real.error_ns == UINT64_MAX ? -EAGAIN : 0;
		}
		if (err != -EOPNOTSUPP && err != -ENOTTY)
			return err;
		phc->no_offset = true;
	}
	pair = read_between(FD_TO_CLOCKID(phc->fd), phc->to);
	/* A failed reading is 0. */
	if (pair.error_ns == UINT64_MAX || !pair.from_ns)
		return -EIO;
	*ret_pair = pair;
	return 0;
}

/* Takes two readings some time apart; packets in between would be timed without the drift. */
static void learn_drift(struct clock_phc *phc)
{
	const struct timespec wait = { .tv_nsec = FOLLOW_NS };
	struct pair pair;

	nanosleep(&wait, NULL);
	if (read_pair(phc, &pair))
		return;
	stamp_line_next(&phc->line, pair.from_ns, pair.to_ns);
	phc->read_mono_ns = read_ns(CLOCK_MONOTONIC);
}

int clock_phc_open(struct clock_phc **ret_phc, int index, enum stamp_clock to,
		   struct stamp_line *ret_line, struct err *e)
{
	struct clock_phc *phc;
	struct pair pair;
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/dev/ptp%d", index);
	phc = calloc(1, sizeof(*phc));
	if (!phc)
		return err_set(e, -ENOMEM, "cannot open '%s'", path);
	phc->to = id_of(to);
	phc->fd = index == CLOCK_PHC_TAI ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	err = index != CLOCK_PHC_TAI && phc->fd < 0 ? -errno : read_pair(phc, &pair);
	if (err) {
		clock_phc_close(phc);
		err_machine(e, err, "cannot read the NIC's clock '%s'", path);
		return err_hint(e, "see: ethgauge doctor");
	}
	phc->line = (struct stamp_line){ .from_ns = pair.from_ns, .to_ns = pair.to_ns };
	phc->error_ns = pair.error_ns;
	phc->read_mono_ns = read_ns(CLOCK_MONOTONIC);
	learn_drift(phc);
	*ret_line = phc->line;
	*ret_phc = phc;
	return 0;
}

void clock_phc_close(struct clock_phc *phc)
{
	if (!phc)
		return;
	if (phc->fd >= 0)
		close(phc->fd);
	free(phc);
}

bool clock_phc_follow(struct clock_phc *phc, struct stamp_line *ret_line)
{
	uint64_t now_ns = read_ns(CLOCK_MONOTONIC), led_ns, error_ns;
	struct pair pair;

	if (now_ns - phc->read_mono_ns < FOLLOW_NS || read_pair(phc, &pair))
		return false;
	led_ns = stamp_convert(&phc->line, pair.from_ns);
	error_ns = led_ns > pair.to_ns ? led_ns - pair.to_ns : pair.to_ns - led_ns;
	error_ns += pair.error_ns;
	if (error_ns > phc->error_ns)
		phc->error_ns = error_ns;
	stamp_line_next(&phc->line, pair.from_ns, pair.to_ns);
	phc->read_mono_ns = now_ns;
	*ret_line = phc->line;
	return true;
}

uint64_t clock_phc_error_ns(const struct clock_phc *phc)
{
	return phc->error_ns;
}
