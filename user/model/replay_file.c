// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/replay_file.c - what a capture file holds, as the records that are sent.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/replay_parts.h"

#define HEAD_STEP_BYTES	(1ull << 20)
#define ETHER_BYTES	14
#define VLAN_BYTES	4

/* What the MTU bounds: all but the Ethernet header and one VLAN tag. */
static uint32_t layer3_bytes(const uint8_t *frame, uint32_t buf_bytes)
{
	uint16_t type = (uint16_t)(frame[12] << 8 | frame[13]);

	if ((type == 0x8100 || type == 0x88a8) && buf_bytes >= ETHER_BYTES + VLAN_BYTES)
		buf_bytes -= VLAN_BYTES;
	return buf_bytes - ETHER_BYTES;
}

/* The packet as it will be sent; false if it cannot be, and it is counted why. */
static bool make_record(struct replay *replay, const struct capture_packet *packet,
			struct replay_record *record)
{
	uint64_t *reason = NULL;

	if (packet->buf_bytes < packet->wire_bytes) {
		reason = &replay->nr_cut;
	} else if (packet->buf_bytes < ETHER_BYTES) {
		reason = &replay->nr_short;
	} else if (packet->buf_bytes > REPLAY_MAX_BYTES) {
		reason = &replay->nr_long;
	} else {
		memcpy(record->bytes, packet->bytes, packet->buf_bytes);
		record->buf_bytes = (uint16_t)rewrite_frame(&replay->cfg.rewrite, record->bytes,
							    packet->buf_bytes);
		record->time_ns = packet->time_ns;
		if (record->buf_bytes > REPLAY_MAX_BYTES ||
		    layer3_bytes(record->bytes, record->buf_bytes) > replay->cfg.mtu)
			reason = &replay->nr_long;
	}
	if (!reason && replay->cfg.tagged) {
		record->tag_offset = rewrite_clear_tag(record->bytes, record->buf_bytes);
		if (!record->tag_offset && !replay->pass)
			replay->nr_untagged++;
	} else if (!reason) {
		record->tag_offset = 0;
	}
	if (reason && !replay->pass)
		++*reason;
	return !reason;
}

int replay_read(struct replay *replay, struct replay_record *record, struct err *e)
{
	struct capture_packet packet;
	int got;

	replay->skipped = 0;
	while ((got = capture_read(replay->capture, &packet, e)) == 1) {
		if (make_record(replay, &packet, record)) {
			record->skipped_before = replay->skipped;
			return 1;
		}
		replay->skipped++;
	}
	if (!got && !replay->pass)
		replay->nr_fallen = capture_nr_fallen(replay->capture);
	return got;
}

size_t replay_record_size(const struct replay_record *record)
{
	return (sizeof(*record) + record->buf_bytes + 7) & ~(size_t)7;
}

int replay_read_head(struct replay *replay, struct err *e)
{
	const struct replay_record *record;
	size_t size = 0;
	int got;

	for (;;) {
		if (size - replay->head_bytes < REPLAY_RECORD_MAX_BYTES) {
			/* Doubling; what is not written to costs no memory. */
			size_t more = size ? 2 * size : HEAD_STEP_BYTES;
			uint8_t *head;

			if (more > REPLAY_HEAD_BYTES)
				return 0;
			head = realloc(replay->head, more);
			if (!head)
				return err_set(e, -ENOMEM, "cannot read '%s' ahead", replay->cfg.path);
			replay->head = head;
			size = more;
		}
		got = replay_read(replay, (struct replay_record *)(replay->head + replay->head_bytes),
				  &replay->end_error);
		if (got != 1)
			break;
		record = (struct replay_record *)(replay->head + replay->head_bytes);
		replay->head_bytes += replay_record_size(record);
		replay->head_packets++;
		if (record->buf_bytes > replay->head_max_bytes)
			replay->head_max_bytes = record->buf_bytes;
	}
	replay->whole = true;
	if (got || replay->head_bytes)
		return 0;
	return err_usage(e, "'%s' has no packet that can be sent%s", replay->cfg.path,
			 replay->skipped ? ": all are cut, or longer than the MTU" : "");
}
