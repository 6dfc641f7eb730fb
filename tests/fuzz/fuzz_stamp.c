// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever a reflector answers: it is read or refused; and what is asked for is built to
 * the byte and read back.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/stamp.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void build(struct stamp_form *form, const uint8_t *data)
{
	const struct stamp_ask ask = { .seq = data[3], .sent = data[4], .error = 1 };
	uint8_t bytes[STAMP_MAX_BYTES];
	struct stamp_reply reply;
	uint32_t len;

	form->bytes = (uint32_t)(data[3] << 8 | data[4]);
	if (!stamp_can_build(form))
		return;
	len = stamp_build(form, &ask, bytes);
	must(len == (form->bytes ? form->bytes : stamp_least_bytes(form)));
	if (form->mode == STAMP_TWAMP_LIGHT)
		return;
	must(!stamp_parse(form, bytes, len, &reply));
	must(reply.seq == ask.seq && !reply.malformed && !reply.wrong_tlv_hmac);
	must((reply.tlvs & ~2u) == form->tlvs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stamp_form form = { .key = (const uint8_t *)"key", .key_bytes = 3 };
	struct stamp_reply reply;

	if (size < 5)
		return 0;
	form.mode = (enum stamp_mode)(data[0] % 3);
	form.ptp = data[1] & 1;
	form.tlvs = form.mode == STAMP_TWAMP_LIGHT ? 0 : (data[2] & ~1u) << 1;
	build(&form, data);
	if (!stamp_parse(&form, data + 5, size - 5, &reply)) {
		must(!((reply.unrecognised | reply.malformed | reply.not_intact) & ~reply.tlvs));
		must(!(reply.tlvs & ~((1u << STAMP_TLVS) - 1)));
	}
	return 0;
}
