/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/tx_live_parts.h - what the engines share that send by live frames: plain
 * streams (tx_live.c), many (tx_mix.c) and files of packets (tx_replay_live.c).
 */
#ifndef ENGINE_SEND_TX_LIVE_PARTS_H
#define ENGINE_SEND_TX_LIVE_PARTS_H

#include "engine/send/tx_engine.h"

/* What a page holds beside the kernel's own, on every kernel so far. */
#define LIVE_PAGE_BYTES	3500

/*
 * One run of a program that is to send nothing yet, on the first thread's CPU, with a
 * frame of @buf_bytes that begins as @bytes. Finds what cannot work at all.
 */
int tx_try_live(const struct tx *tx, int prog_fd, const uint8_t *bytes, uint32_t buf_bytes,
		struct err *e);

/* Live frames of @buf_bytes are too long. */
int tx_too_long(const struct tx *tx, uint32_t buf_bytes, struct err *e);

/* A run failed by @err. */
int tx_run_error(const struct tx_thread *thread, int err, struct err *e);

/* Into @res who sees what the driver refuses: a tracepoint, or nobody. */
void tx_tell_refusals(struct result *res, bool watched);

#endif
