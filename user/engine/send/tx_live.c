// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_live.c - packets made inside the kernel: BPF_PROG_TEST_RUN with live frames, so
 * that a packet is made, numbered, stamped and handed to the driver without leaving it.
 *
 * Pacing is done where it is exact: a gap long enough to sleep in is slept away here and its last
 * microseconds are waited for by a program made for that; a shorter one is spun away by the
 * program that runs all the time. Makers (live_parts.h) bring the programs.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "engine/self/environ.h"
#include "engine/send/live_parts.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "sys/hook/bpf.h"
#include "sys/hook/dispatcher.h"
#include "sys/host/caps.h"
#include "sys/net/nic.h"

#define LONG_BYTES	3000		/* frames from here on may be refused for their length */
#define COLD_GAP_NS	1900000		/* after this long the first call takes some 50 us */
#define REHEARSE_EARLY_NS 180000
#define REHEARSE_NS	60000		/* no rehearsal later than this before the slot */

#define REPEAT_BEHIND	256		/* some 10 us in time, less than 1 ms on a path of 3 us a packet */
#define BEHIND_NS	100000		/* a call and an interrupt take less */

#define PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static const struct live_maker *const makers[] = {
	[MIX_PLAIN] = &live_plain, [MIX_MANY] = &live_mix, [MIX_CAPTURE] = &live_capture,
};

int live_too_long(const struct tx *tx, uint32_t buf_bytes, struct err *e)
{
	err_machine(e, -EMSGSIZE, "live frames of %u bytes cannot be sent through '%s': they must fit "
		    "into a page", buf_bytes + UNIT_FCS_BYTES, tx->cfg.ifname);
	return err_hint(e, "use " OPTION("engine") " afxdp, or frames of less than some %u bytes",
			LIVE_PAGE_BYTES);
}

static int run_program(const struct tx_thread *thread, uint32_t repeat)
{
	struct live_part *part = live_part_of(thread);

	return live_run_some(&part->calls, live_fd(live_of(thread), part), thread->tx->ifindex,
			     part->bytes, part->buf_bytes, repeat, part->waits ? 1 : part->batch);
}

/* One run, which sends nothing yet, on the first thread's CPU. Finds what cannot work at all. */
static int try_run(const struct tx *tx, struct err *e)
{
	const struct tx_thread *thread = &tx->threads[0];
	uint32_t buf_bytes = live_part_of(thread)->buf_bytes;
	cpu_set_t before, one;
	int err;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET(thread->cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	err = run_program(thread, 1);
	sched_setaffinity(0, sizeof(before), &before);
	if (!err)
		return 0;
	if (err == -EINVAL && buf_bytes > LONG_BYTES)
		return live_too_long(tx, buf_bytes, e);
	err_machine(e, err, "live frames of %u bytes cannot be sent through '%s'",
		    buf_bytes + UNIT_FCS_BYTES, tx->cfg.ifname);
	return err_hint(e, "live frames need kernel 5.18: see: ethgauge doctor --has "
			"xdp-live-frames; or use " OPTION("engine") " afxdp");
}

static void hold_dispatchers(struct live *live, const struct tx *tx)
{
	uint32_t i;

	for (i = 0; i < tx->cfg.threads; i++) {
		struct live_part *part = &live->parts[i];

		if (!live->dispatchers[part->waits])
			live->dispatchers[part->waits] = dispatcher_hold(live_fd(live, part));
	}
}

static void tell_refusals(struct result *res, bool watched)
{
	result_env_str(res, "refusals_seen_by", watched ? "tracepoint xdp_devmap_xmit" : "none");
	if (!watched)
		result_note(res, "this kernel does not report which frames the driver refused: compare "
			    "'sent' with the driver's own counter");
}

static int live_open(struct tx *tx, struct result *res, struct err *e)
{
	struct live *live = calloc(1, sizeof(*live));
	const struct live_programs *programs;
	int err;

	if (!live)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	tx->state = live;
	live->maker = makers[tx->kind];
	live->parts = calloc(tx->cfg.threads, sizeof(*live->parts));
	if (!live->parts)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	bpf_log_init();
	bpf_raise_memlock();
	err = live->maker->open(live, tx, e);
	if (!err)
		err = try_run(tx, e);
	if (err)
		return err;
	hold_dispatchers(live, tx);
	programs = &live->programs;
	tell_refusals(res, live_watch_refusals(programs->refused, programs->refused_link,
					       programs->failed, programs->failed_link));
	environ_tx_stamp(res, mix_is_tagged(tx->cfg.mix) ? STAMPED_BPF : STAMPED_NOWHERE);
	result_env_u64(res, "tx_batch", live->parts[0].batch);
	return 0;
}

static bool is_finished(const struct tx_thread *thread)
{
	return atomic_load(&thread->tx->stop) || live_of(thread)->maker->is_finished(thread);
}

/* Until shortly before the slot at @due_ns. */
static void wait_slot(const struct tx_thread *thread, uint64_t due_ns)
{
	uint64_t now_ns = loop_mono_ns();

	if (due_ns > now_ns + COLD_GAP_NS) {
		loop_sleep_until(due_ns - REHEARSE_EARLY_NS);
		/* A call that is too early to send anything makes the next one fast. */
		while (loop_mono_ns() + REHEARSE_NS < due_ns && !is_finished(thread))
			run_program(thread, 1);
	} else if (due_ns > now_ns + LIVE_WAKE_EARLY_NS) {
		loop_sleep_until(due_ns - LIVE_WAKE_EARLY_NS);
	}
	while (loop_mono_ns() + LIVE_CALL_EARLY_NS < due_ns && !is_finished(thread))
		;
}

uint32_t live_repeat_paced(const struct live *live, const struct live_part *part)
{
	return live->dispatchers[part->waits] ? LIVE_REPEAT_PACED : LIVE_REPEAT_PACED_DEAR;
}

/* As many runs as one call may take and still end soon after the last packet. */
static uint32_t choose_repeat(const struct tx_thread *thread)
{
	const struct live_part *part = live_part_of(thread);
	const struct live *live = live_of(thread);
	uint64_t left;

	if (part->waits)
		return live->maker->slot_runs ? live->maker->slot_runs : live->maker->repeat(thread);
	if (part->by_clock)
		return part->repeat;
	left = part->limit ? part->limit - *part->made : LIVE_REPEAT_LONG;
	return left < LIVE_REPEAT_LONG ? (uint32_t)left : LIVE_REPEAT_LONG;
}

/* No call fails for it: its frames are refused. It costs no system call while none is. */
static bool is_set_down(const struct tx_thread *thread)
{
	struct live_part *part = live_part_of(thread);
	struct tx_count count = { 0 };

	live_of(thread)->maker->read(thread, &count);
	if (count.refused_packets == part->refused_packets)
		return false;
	part->refused_packets = count.refused_packets;
	return !nic_is_up(thread->tx->cfg.ifname);
}

/*
 * A driver that forwards on the sender's CPU, as virtual ones do, may cost far more for each call than for each
 * packet: one packet at a time is in time up to half of the rate that 64 at a time reach. So a sender that falls
 * further and further behind hands over more at once, and one that is behind makes short calls, to see it soon.
 */
static void learn_batch(const struct tx_thread *thread)
{
	struct live_part *part = live_part_of(thread);
	uint32_t most = live_repeat_paced(live_of(thread), part);
	uint64_t now_ns, next_ns, behind_ns;

	if (!part->by_clock || part->waits || !LOOK(*part->made) || is_finished(thread))
		return;
	now_ns = loop_mono_ns();
	next_ns = live_of(thread)->maker->next_ns(thread);
	behind_ns = next_ns && next_ns < now_ns ? now_ns - next_ns : 0;
	if (behind_ns < BEHIND_NS) {
		part->repeat = part->repeat < most / 2 ? 2 * part->repeat : most;
	} else {
		if (part->behind_ns >= BEHIND_NS && behind_ns > part->behind_ns && !thread->batch &&
		    part->batch < LIVE_BATCH_FAST)
			part->batch = part->batch < LIVE_BATCH_SOME ? LIVE_BATCH_SOME : LIVE_BATCH_FAST;
		part->repeat = REPEAT_BEHIND;
	}
	part->behind_ns = behind_ns;
}

static int send_all(const struct tx_thread *thread, struct err *e)
{
	const struct live_maker *maker = live_of(thread)->maker;
	int err;

	live_part_of(thread)->repeat = REPEAT_BEHIND;

	while (!is_finished(thread)) {
		wait_slot(thread, maker->due_ns(thread));
		if (is_finished(thread))
			break;
		err = run_program(thread, choose_repeat(thread));
		if (err && err != -EINTR)
			return err_set(e, err, "sending through '%s' failed", thread->tx->cfg.ifname);
		learn_batch(thread);
		if (!is_set_down(thread))
			continue;
		err_set(e, -ENETDOWN, "sending through '%s' failed", thread->tx->cfg.ifname);
		tx_hint_down(thread->tx, -ENETDOWN, e);
		return e->no;
	}
	return 0;
}

static int live_run(struct tx_thread *thread, struct err *e)
{
	const struct live_maker *maker = live_of(thread)->maker;
	struct live_part *part = live_part_of(thread);
	int err;

	maker->start(thread, tx_start_ns(thread));
	PUBLISH(part->begin_ns, loop_mono_ns());
	err = send_all(thread, e);
	PUBLISH(part->end_ns, loop_mono_ns());
	return err || !maker->end ? err : maker->end(thread, e);
}

static void live_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct live_part *part = live_part_of(thread);
	uint64_t made = __atomic_load_n(part->made, __ATOMIC_ACQUIRE);
	uint64_t begin_ns = LOOK(part->begin_ns), end_ns = LOOK(part->end_ns);

	live_of(thread)->maker->read(thread, ret_count);
	ret_count->sent_packets = made > ret_count->refused_packets ?
				  made - ret_count->refused_packets : 0;
	if (!part->unclocked || !made)
		return;
	/* Without a clock read in the program, the loop's own ends must do. */
	if (!ret_count->first_mono_ns || begin_ns < ret_count->first_mono_ns)
		ret_count->first_mono_ns = begin_ns;
	if (end_ns)
		ret_count->last_mono_ns = end_ns;
}

static void live_read_flow(const struct tx_thread *thread, uint32_t k, struct mix_count *ret_count)
{
	live_of(thread)->maker->read_flow(thread, k, ret_count);
}

static void live_read_late(const struct tx_thread *thread, struct hist_rec *sum)
{
	if (live_of(thread)->maker->read_late)
		live_of(thread)->maker->read_late(thread, sum);
}

static void live_report(const struct tx *tx, struct result *res)
{
	const struct live *live = tx->state;
	uint32_t most = 0, i;

	for (i = 0; i < tx->cfg.threads; i++)
		most = live->parts[i].batch > most ? live->parts[i].batch : most;
	result_self_u64(res, "tx_batch_frames", most);
}

static void live_close(struct tx *tx)
{
	struct live *live = tx->state;

	if (!live)
		return;
	dispatcher_release(live->dispatchers[0]);
	dispatcher_release(live->dispatchers[1]);
	if (live->state)
		live->maker->close(live);
	free(live->parts);
	free(live);
}

const struct tx_engine_ops tx_live_ops = {
	.name = "live",
	.is_live = true,
	.keep_caps = CAPS_BPF | CAPS_NET_ADMIN,
	.open = live_open,
	.run = live_run,
	.read = live_read,
	.read_flow = live_read_flow,
	.read_late = live_read_late,
	.report = live_report,
	.close = live_close,
};
