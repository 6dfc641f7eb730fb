// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_live_parts.c - what the engines share that send by live frames.
 */
#include "engine/send/tx_live_parts.h"

#include <errno.h>
#include <sched.h>

#include "lib/unit.h"
#include "sys/hook/live_frames.h"

/* Frames from here on may be refused for their length. */
#define LONG_BYTES	3000

int tx_too_long(const struct tx *tx, uint32_t buf_bytes, struct err *e)
{
	err_machine(e, -EMSGSIZE, "live frames of %u bytes cannot be sent through '%s': they must fit "
		    "into a page", buf_bytes + UNIT_FCS_BYTES, tx->cfg.ifname);
	return err_hint(e, "use " OPTION("engine") " afxdp, or frames of less than some %u bytes",
			LIVE_PAGE_BYTES);
}

int tx_try_live(const struct tx *tx, int prog_fd, const uint8_t *bytes, uint32_t buf_bytes,
		struct err *e)
{
	cpu_set_t before, one;
	int err;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET(tx->threads[0].cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	err = live_run_frames(prog_fd, tx->ifindex, bytes, buf_bytes, 1, 1);
	sched_setaffinity(0, sizeof(before), &before);
	if (!err)
		return 0;
	if (err == -EINVAL && buf_bytes > LONG_BYTES)
		return tx_too_long(tx, buf_bytes, e);
	err_machine(e, err, "live frames of %u bytes cannot be sent through '%s'",
		    buf_bytes + UNIT_FCS_BYTES, tx->cfg.ifname);
	return err_hint(e, "live frames need kernel 5.18: see: ethgauge doctor --has "
			"xdp-live-frames; or use " OPTION("engine") " afxdp");
}

int tx_run_error(const struct tx_thread *thread, int err, struct err *e)
{
	return err_set(e, err, "sending through '%s' failed", thread->tx->cfg.ifname);
}

void tx_tell_refusals(struct result *res, bool watched)
{
	result_env_str(res, "refusals_seen_by", watched ? "tracepoint xdp_devmap_xmit" : "nobody");
	if (!watched)
		result_note(res, "this kernel does not tell which frames the driver refused: compare "
			    "'sent' with the driver's own counter");
}
