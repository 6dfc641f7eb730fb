// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx.c - the threads of a sender, whatever engine they run.
 */
#include "engine/send/tx_ring.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "abi/tag.h"
#include "engine/send/companion.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/host/caps.h"
#include "sys/host/clock.h"
#include "sys/host/cpu.h"
#include "sys/net/nic.h"

/* Interrupts the system call that a thread sleeps or runs in. */
#define WAKE_SIGNAL SIGUSR1

#define STOP_LIMIT_NS	(10 * NSEC_PER_SEC)
#define START_LIMIT_NS	(2 * NSEC_PER_SEC)
#define START_POLL_NS	50000
#define REMOVE_NS	(200 * 1000000ull)

const char *const tx_engine_names[] = { "auto", "live", "afxdp", NULL };

const char *const tx_done_names[] = { "tag", "sw", "hw", NULL };

static void on_wake(int signal)
{
	(void)signal;
}

/* Its part of a plain stream, or the capture. */
static void take_part(struct tx_thread *thread, const struct mix_flow *flow)
{
	uint64_t duration_ns = thread->tx->cfg.duration_ns, slots;

	thread->flow = flow;
	thread->limit = flow->limit;
	if (!duration_ns || flow->pace.kind != PACE_EVEN)
		return;
	/* A duration has so many slots, whenever it is that somebody sees that it is over. */
	slots = mix_slots_before(flow, duration_ns);
	if (!thread->limit || slots < thread->limit)
		thread->limit = slots;
}

static int prepare_thread(struct tx *tx, uint32_t i, struct err *e)
{
	const struct tx_cfg *cfg = &tx->cfg;
	struct tx_thread *thread = &tx->threads[i];

	thread->tx = tx;
	thread->index = i;
	thread->queue = cfg->first_queue + i;
	thread->batch = cfg->batch;
	/* Of many streams each has a limit of its own. */
	if (tx->kind != MIX_MANY)
		take_part(thread, &cfg->mix->flows[i]);
	return cpu_pick(i, cfg->threads, &thread->cpu, e);
}

static int open_as(struct tx *tx, const struct tx_engine_ops *ops, struct result *res,
		   struct err *e)
{
	int err = ops->is_live ? clock_check_bpf(tx->cfg.clock, e) : 0;

	if (err)
		return err;
	tx->ops = ops;
	/* Before the engine: some drivers make their rings only now. */
	if (!tx->cfg.into_stack && !(tx->cfg.keep_companion && *tx->cfg.keep_companion))
		tx->companion = companion_open(tx->cfg.ifname, ops->is_live ?
					       COMPANION_FOR_XMIT : COMPANION_FOR_AFXDP, res);
	return ops->open(tx, res, e);
}

static void close_engine(struct tx *tx)
{
	if (tx->ops)
		tx->ops->close(tx);
	if (tx->companion && tx->cfg.keep_companion)
		*tx->cfg.keep_companion = tx->companion;
	else
		companion_close(tx->companion);
	tx->ops = NULL;
	tx->state = NULL;
	tx->companion = NULL;
}

/* Of drivers that live frames harm, or that lose them. */
static bool shuns_live_frames(const struct nic_facts *nic)
{
	const struct nic_xdp_trait *trait = nic_xdp_trait(nic->driver);

	if (!trait || !trait->shuns_live_frames)
		return false;
	log_warn("%s %s; sending through AF_XDP", trait->driver, trait->sentence);
	return true;
}

/*
 * A bridge, macvlan or loopback does not take XDP frames, nor does a veth whose peer has only a generic program and no
 * GRO. Not known before 6.3.
 */
static bool refuses_live_frames(const struct tx *tx)
{
	struct nic_xdp xdp;

	return !tx->cfg.into_stack && !nic_read_xdp(tx->ifindex, &xdp) && !(xdp.bits & NIC_XDP_XMIT);
}

static int open_afxdp(struct tx *tx, struct result *res, struct err *e)
{
	tx->cfg.engine = TX_ENGINE_AFXDP;
	if (tx->kind != MIX_PLAIN && tx->cfg.done)
		return err_usage(e, OPTION("tx-stamp") " requires one plain stream");
	return open_as(tx, &tx_afxdp_ops, res, e);
}

static int fall_back(struct tx *tx, const char *why, struct result *res, struct err *e)
{
	log_warn("%s; sending through AF_XDP", why);
	result_note(res, "%s; sent through AF_XDP", why);
	close_engine(tx);
	return open_afxdp(tx, res, e);
}

static int open_engine(struct tx *tx, const struct nic_facts *nic, struct result *res,
		       struct err *e)
{
	const struct tx_cfg *cfg = &tx->cfg;
	/* Only live frames come into this host's own stack, without the driver. */
	bool choose = cfg->engine == TX_ENGINE_AUTO && !cfg->into_stack;
	const struct nic_xdp_trait *trait = nic_xdp_trait(nic->driver);
	int err;

	/* The live engine never copies, and sends through the queue of its CPU. */
	if (cfg->engine == TX_ENGINE_AFXDP ||
	    (choose && (cfg->zero_copy_only || cfg->first_queue || shuns_live_frames(nic))))
		return open_afxdp(tx, res, e);
	err = open_as(tx, &tx_live_ops, res, e);
	if (!err && choose && refuses_live_frames(tx))
		return fall_back(tx, trait && trait->needs_program_on_peer ?
				 "the driver takes no XDP frames, as the peer has neither a native XDP program "
				 "nor GRO" :
				 "the driver takes no XDP frames", res, e);
	if (!err || !choose || e->kind != ERR_MACHINE)
		return err;
	return fall_back(tx, e->msg, res, e);
}

void tx_choose_run(struct tx_cfg *cfg)
{
	uint16_t chance;

	cfg->run &= TAG_RUNS - 1;
	if (!cfg->run) {
		/* It cannot fail for so few bytes; the clock tells runs apart, too. */
		if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
			chance = (uint16_t)loop_mono_ns();
		cfg->run = 1 + chance % (TAG_RUNS - 1);
	}
	if (cfg->clock == STAMP_TAI)
		cfg->run |= TAG_TAI;
}

int tx_open(struct tx **ret_tx, const struct tx_cfg *cfg, struct result *res, struct err *e)
{
	struct nic_facts nic;
	struct tx *tx;
	uint32_t i;
	int err;

	err = nic_read(cfg->ifname, &nic);
	if (err)
		return nic_unknown(cfg->ifname, e);
	tx = calloc(1, sizeof(*tx));
	if (!tx)
		return err_set(e, -ENOMEM, "cannot open the sender");
	tx->cfg = *cfg;
	tx_choose_run(&tx->cfg);
	tx->kind = mix_kind(cfg->mix, cfg->threads);
	tx->ifindex = nic.ifindex;
	tx->threads = calloc(cfg->threads, sizeof(*tx->threads));
	if (!tx->threads) {
		err = err_set(e, -ENOMEM, "cannot open the sender");
		goto fail;
	}
	for (i = 0; i < cfg->threads; i++) {
		err = prepare_thread(tx, i, e);
		if (err)
			goto fail;
	}
	err = open_engine(tx, &nic, res, e);
	if (err)
		goto fail;
	result_env_str(res, "engine", tx->ops->name);
	*ret_tx = tx;
	return 0;
fail:
	tx_close(tx);
	return err;
}

unsigned int tx_keep_caps(const struct tx *tx)
{
	/* What the NIC did before is set again at the end. */
	return tx->ops->keep_caps | (tx->cfg.done == TX_DONE_HW ? CAPS_NET_ADMIN : 0);
}

uint64_t tx_start_ns(struct tx_thread *thread)
{
	struct tx *tx = thread->tx;
	bool at_once = tx->kind != MIX_MANY && tx->cfg.mix->flows[0].pace.kind == PACE_MAX;
	uint64_t start_ns = 0, mine_ns = loop_mono_ns();

	/*
	 * A slot of a wheel begins there, whatever its width: so streams fall into slots as they
	 * do in mix_source.c, which counts from 0, and leave in the same order.
	 */
	if (!at_once)
		mine_ns = (mine_ns + TX_LEAD_NS) & ~(WHEEL_MAX_WIDTH_NS - 1);
	if (atomic_compare_exchange_strong(&tx->start_ns, &start_ns, mine_ns))
		start_ns = mine_ns;
	atomic_store(&thread->begun, true);
	return start_ns;
}

static void run(struct tx_thread *thread)
{
	cpu_read_thread(&thread->begin);
	thread->tx->ops->run(thread, &thread->err);
	cpu_read_thread(&thread->end);
}

static void *thread_main(void *arg)
{
	struct tx_thread *thread = arg;
	cpu_set_t cpu;

	/* A sleep may end 50 us late by default. */
	prctl(PR_SET_TIMERSLACK, 1ul);
	CPU_ZERO(&cpu);
	CPU_SET(thread->cpu, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		err_set(&thread->err, -errno, "cannot pin a thread to CPU %u", thread->cpu);
	else
		run(thread);
	atomic_store(&thread->ended, true);
	return NULL;
}

/* A duration is the senders' own: it does not begin while they wait for a CPU that others use. */
static void wait_begun(struct tx *tx)
{
	uint64_t give_up_ns = loop_mono_ns() + START_LIMIT_NS;
	uint32_t i;

	for (i = 0; i < tx->cfg.threads; i++) {
		while (!atomic_load(&tx->threads[i].begun) && !atomic_load(&tx->threads[i].ended) &&
		       !loop_signal() && loop_mono_ns() < give_up_ns)
			loop_sleep_until(loop_mono_ns() + START_POLL_NS);
	}
}

int tx_start(struct tx *tx, struct err *e)
{
	struct sigaction wake = { .sa_handler = on_wake };
	sigset_t block, before;
	uint32_t i;
	int err = 0;

	sigaction(WAKE_SIGNAL, &wake, NULL);
	/* ^C is for the main thread; a sending thread is woken by WAKE_SIGNAL alone. */
	sigfillset(&block);
	sigdelset(&block, WAKE_SIGNAL);
	pthread_sigmask(SIG_SETMASK, &block, &before);
	for (i = 0; i < tx->cfg.threads && !err; i++) {
		err = pthread_create(&tx->threads[i].id, NULL, thread_main, &tx->threads[i]);
		tx->threads[i].started = !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err_set(e, -err, "cannot start a sending thread");
	wait_begun(tx);
	return 0;
}

bool tx_done(const struct tx *tx)
{
	uint32_t i;

	for (i = 0; i < tx->cfg.threads; i++) {
		if (!atomic_load(&tx->threads[i].ended))
			return false;
	}
	return true;
}

int tx_stop(struct tx *tx, struct err *e)
{
	uint64_t give_up_ns = loop_mono_ns() + STOP_LIMIT_NS;
	uint32_t i;

	atomic_store(&tx->stop, true);
	for (i = 0; i < tx->cfg.threads; i++) {
		struct tx_thread *thread = &tx->threads[i];

		if (!thread->started)
			continue;
		/* Again and again: the first may come just before the system call. */
		while (!atomic_load(&thread->ended) && loop_mono_ns() < give_up_ns) {
			pthread_kill(thread->id, WAKE_SIGNAL);
			usleep(500);
		}
		if (!atomic_load(&thread->ended))
			return err_plain(e, -ETIMEDOUT, "a sending thread does not end");
		pthread_join(thread->id, NULL);
		thread->started = false;
	}
	for (i = 0; i < tx->cfg.threads; i++) {
		if (tx->threads[i].err.no) {
			*e = tx->threads[i].err;
			return e->no;
		}
	}
	return 0;
}

void tx_read_thread(const struct tx *tx, uint32_t i, struct tx_count *ret_count)
{
	tx->ops->read(&tx->threads[i], ret_count);
}

void tx_read(const struct tx *tx, struct tx_count *ret_count)
{
	struct tx_count sum = { 0 }, one;
	uint32_t i;

	for (i = 0; i < tx->cfg.threads; i++) {
		tx_read_thread(tx, i, &one);
		sum.sent_packets += one.sent_packets;
		sum.refused_packets += one.refused_packets;
		sum.late_sum_ns += one.late_sum_ns;
		sum.paced_packets += one.paced_packets;
		if (one.late_max_ns > sum.late_max_ns)
			sum.late_max_ns = one.late_max_ns;
		if (one.first_mono_ns && (!sum.first_mono_ns || one.first_mono_ns < sum.first_mono_ns))
			sum.first_mono_ns = one.first_mono_ns;
		if (one.last_mono_ns > sum.last_mono_ns)
			sum.last_mono_ns = one.last_mono_ns;
	}
	*ret_count = sum;
}

void tx_read_flow(const struct tx *tx, uint32_t flow, struct mix_count *ret_count)
{
	uint32_t threads = tx->cfg.threads;

	*ret_count = (struct mix_count){ 0 };
	if (tx->kind != MIX_PLAIN)
		tx->ops->read_flow(&tx->threads[flow % threads], flow / threads, ret_count);
}

static uint64_t numbers_of(const void *ctx, uint16_t stream)
{
	const struct tx *tx = ctx;
	struct mix_count flow;
	struct tx_count one;
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < tx->cfg.mix->nr_flows; i++) {
		if (tx->cfg.mix->flows[i].stream != stream)
			continue;
		/* Thread i sends plain stream i, and counts for both. */
		if (tx->kind == MIX_PLAIN) {
			tx_read_thread(tx, i, &one);
			sum += one.sent_packets + one.refused_packets;
		} else {
			tx_read_flow(tx, i, &flow);
			sum += flow.packets;
		}
	}
	return sum;
}

struct rx_sent tx_sent_of(const struct tx *tx, const struct tx_count *count)
{
	return (struct rx_sent){ .packets = count->sent_packets, .numbers = numbers_of, .ctx = tx };
}

void tx_read_late(const struct tx *tx, struct hist_rec *ret_hist)
{
	uint32_t i;

	memset(ret_hist, 0, sizeof(*ret_hist));
	for (i = 0; i < tx->cfg.threads; i++)
		tx->ops->read_late(&tx->threads[i], ret_hist);
}

static void read_thread(const void *ctx, uint32_t i, struct meter_thread *ret_thread)
{
	const struct tx *tx = ctx;
	const struct tx_thread *thread = &tx->threads[i];
	const struct cpu_thread *begin = &thread->begin, *end = &thread->end;
	const struct tx_ring *ring = tx->ops->ring ? tx->ops->ring(thread) : NULL;

	*ret_thread = (struct meter_thread){
		.cpu = thread->cpu, .time_ns = end->mono_ns - begin->mono_ns,
		.run_ns = end->run_ns - begin->run_ns, .wait_ns = end->wait_ns - begin->wait_ns,
	};
	if (ring)
		afxdp_read_use(ring->afxdp, &ret_thread->ring);
}

/* True if every packet has a slot; none of them is sent as soon as it can be. */
static bool is_paced(const struct tx *tx)
{
	const struct mix *mix = tx->cfg.mix;
	uint32_t i;

	for (i = 0; i < mix->nr_flows; i++) {
		if (mix->flows[i].pace.kind == PACE_MAX)
			return false;
	}
	return true;
}

/* A plain stream without slots looks at no clock. */
bool tx_ends(const struct tx *tx)
{
	return tx->kind != MIX_PLAIN || is_paced(tx);
}

struct meter_sender tx_metered(const struct tx *tx, const struct tx_figures *figures)
{
	bool is_judged = figures->pace != BOTTLENECK_UNPACED;

	return (struct meter_sender){
		.ctx = tx, .nr_threads = tx->cfg.threads, .read_thread = read_thread,
		.pace = is_judged ? figures->pace : is_paced(tx) ? BOTTLENECK_PACED : BOTTLENECK_UNPACED,
		.sent_packets = figures->sent_packets, .refused_packets = figures->refused_packets,
	};
}

/* Before the kernel removes an interface it sets it down, some time before on a busy machine. */
static bool is_gone(const struct tx *tx, int no)
{
	uint64_t until_ns = loop_mono_ns() + (no == -ENETDOWN ? REMOVE_NS : 0);

	while (nic_is_there(tx->cfg.ifname, tx->ifindex)) {
		if (loop_mono_ns() >= until_ns)
			return false;
		loop_sleep_until(loop_mono_ns() + REMOVE_NS / 20);
	}
	return true;
}

bool tx_hint_down(const struct tx *tx, int no, struct err *e)
{
	if (is_gone(tx, no))
		err_hint(e, "the interface is gone");
	else if (no == -ENETDOWN)
		err_hint(e, "the interface was set down: ip link set %s up", tx->cfg.ifname);
	else
		return false;
	return true;
}

int tx_check_taken(const struct tx *tx, struct err *e)
{
	struct tx_count count;
	struct nic_facts nic;

	tx_read(tx, &count);
	if (count.sent_packets || !count.refused_packets)
		return 0;
	if (!nic_read(tx->cfg.ifname, &nic) && !nic.running) {
		err_set(e, -ENETDOWN, "'%s' has no carrier any more", tx->cfg.ifname);
		return err_hint(e, "see: ip link show %s", tx->cfg.ifname);
	}
	err_machine(e, -EIO, "the driver of '%s' refused all of %llu packets", tx->cfg.ifname,
		    (unsigned long long)count.refused_packets);
	if (tx->ops->is_live && refuses_live_frames(tx))
		return err_hint(e, "it takes no XDP frames now: use " OPTION("engine") " afxdp, or see: "
				"ethgauge doctor %s", tx->cfg.ifname);
	return err_hint(e, "many drivers send XDP frames only while an XDP program is attached "
			"to the interface or its peer: start the sink first, or see: ethgauge "
			"doctor %s", tx->cfg.ifname);
}

void tx_close(struct tx *tx)
{
	struct err ignored;

	if (!tx)
		return;
	if (tx->threads)
		tx_stop(tx, &ignored);
	close_engine(tx);
	free(tx->threads);
	free(tx);
}
