// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_ring.c - a sending thread's AF_XDP ring, and what came back from it.
 */
#include "engine/send/tx_ring.h"

#include <errno.h>

#include "lib/log.h"
#include "lib/loop.h"
#include "sys/afxdp/afxdp_socket.h"
#include "sys/hook/bpf.h"
#include "sys/net/nic.h"

#define BATCH_ZERO_COPY	64
#define FINISH_NS	NSEC_PER_SEC	/* for the last frames to be sent */
#define POLL_NS		5000000
#define CARRIER_NS	(5 * NSEC_PER_SEC)	/* some drivers restart the link for zero-copy */

#define PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static int no_queue(const struct tx_thread *thread, const struct nic_facts *nic, struct err *e)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;

	err_usage(e, "%u threads from queue %u on need queue %u, and '%s' has %u", cfg->threads,
		  cfg->first_queue, thread->queue, cfg->ifname, nic->tx_queues);
	return err_hint(e, "take others by " OPTION("queue") " and " OPTION("threads") "; or "
			"more: ethtool -L %s",
			cfg->ifname);
}

static int open_as(struct tx_ring *ring, const struct tx_thread *thread, bool zero_copy,
		   struct err *e)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	const struct afxdp_cfg open = {
		.ifname = cfg->ifname, .queue = thread->queue, .buf_bytes = ring->buf_bytes,
		.zero_copy = zero_copy, .busy_poll = cfg->busy_poll,
		.on_sent = ring->on_sent, .ctx = ring->sent_ctx,
	};
	uint64_t until_ns = 0;
	struct nic_facts nic;
	int err;

	ring->zero_copy = zero_copy;
	do {
		err = afxdp_open(&ring->afxdp, &open, e);
	} while (afxdp_try_again(err, &until_ns, e));
	/* Asked only now: what a driver tells of its queues may be less than it has. */
	if (err == -EINVAL && !nic_read(cfg->ifname, &nic) && thread->queue >= nic.tx_queues)
		return no_queue(thread, &nic, e);
	return err;
}

int tx_ring_open(struct tx_ring *ring, const struct tx_thread *thread, enum tx_ring_mode mode,
		 uint32_t copy_batch, struct err *e)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	uint32_t most;
	int err;

	bpf_log_init();
	bpf_raise_memlock();
	err = open_as(ring, thread, mode != TX_RING_COPY, e);
	if (err && err != -EBUSY && e->kind != ERR_USAGE && mode == TX_RING_ANY) {
		if (cfg->zero_copy_only) {
			err_machine(e, err, "the driver of '%s' has no AF_XDP zero-copy for queue %u",
				    cfg->ifname, thread->queue);
			return err_hint(e, "without " OPTION("zero-copy") " the kernel copies each frame");
		}
		log_debug("%s", e->msg);
		*e = (struct err){ 0 };
		err = open_as(ring, thread, false, e);
	}
	if (err)
		return err;
	ring->batch = thread->batch ? thread->batch :
		      ring->zero_copy ? BATCH_ZERO_COPY : copy_batch;
	/* More than one kick takes would wait in the ring with their stamps in them. */
	most = ring->zero_copy ? AFXDP_NR_FRAMES : AFXDP_BATCH;
	if (ring->batch > most)
		ring->batch = most;
	return 0;
}

void tx_ring_describe(const struct tx_ring *ring, const struct tx *tx, struct result *res)
{
	uint64_t until_ns = loop_mono_ns() + CARRIER_NS;
	struct nic_facts nic;

	while (ring->zero_copy && !nic_read(tx->cfg.ifname, &nic) && !nic.running &&
	       loop_mono_ns() < until_ns && !loop_signal())
		loop_sleep_until(loop_mono_ns() + 2 * POLL_NS);
	result_env_str(res, "af_xdp_mode", ring->zero_copy ? "zero-copy" : "copy");
	result_env_str(res, "af_xdp_memory", afxdp_memory_name(ring->afxdp));
	result_env_u64(res, "tx_batch", ring->batch);
}

void tx_ring_close(struct tx_ring *ring)
{
	afxdp_close(ring->afxdp);
}

static int send_error(const struct tx_thread *thread, int no, struct err *e)
{
	const struct tx *tx = thread->tx;

	err_set(e, no, "sending through queue %u of '%s' failed", thread->queue, tx->cfg.ifname);
	if (tx_hint_down(tx, no, e))
		return e->no;
	return err_hint(e, "some drivers send zero-copy only while an XDP program is attached; "
			"see: ethgauge doctor %s", tx->cfg.ifname);
}

/* Frames left in the ring would age there, so it does not return before they are taken. */
int tx_ring_flush(struct tx_ring *ring, const struct tx_thread *thread, struct err *e)
{
	int err;

	do {
		err = afxdp_kick(ring->afxdp);
		if (err == -EBUSY)
			PUBLISH(ring->refused, ring->refused + 1);
		PUBLISH(ring->reaped, ring->reaped + afxdp_reap(ring->afxdp));
		if (err && err != -EBUSY && err != -EAGAIN)
			return send_error(thread, err, e);
	} while (err && !atomic_load(&thread->tx->stop));
	return 0;
}

int tx_ring_finish(struct tx_ring *ring, const struct tx_thread *thread, struct err *e)
{
	uint64_t until_ns = loop_mono_ns() + FINISH_NS;
	uint32_t left;
	int err;

	while (afxdp_in_flight(ring->afxdp) && loop_mono_ns() < until_ns) {
		err = tx_ring_flush(ring, thread, e);
		if (err)
			return err;
	}
	/* What never came back was not sent, as far as anybody knows. */
	left = afxdp_in_flight(ring->afxdp);
	PUBLISH(ring->refused, ring->refused + left);
	PUBLISH(ring->reaped, ring->reaped + left);
	return 0;
}

void tx_ring_read(const struct tx_ring *ring, struct tx_count *ret_count)
{
	uint64_t refused = LOOK(ring->refused), reaped = LOOK(ring->reaped);

	ret_count->sent_packets = reaped > refused ? reaped - refused : 0;
	ret_count->refused_packets = refused;
}
