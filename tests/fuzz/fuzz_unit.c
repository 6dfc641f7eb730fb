// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever text comes: a parser takes it or leaves its output alone, and what
 * is shown of a value reads back as the same value.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

#define UNTOUCHED 0x5aa5a5a5deadbeefull
#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct unit_rate no_rate = { .kind = UNIT_RATE_BPS, .value = -1 };
	struct unit_rate rate = no_rate, rate_again;
	uint64_t value = UNTOUCHED, again;
	uint8_t mac[6];
	char shown[128], *text = malloc(size + 1);
	int unit;

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';

	if (unit_parse_count(text, &value))
		must(value == UNTOUCHED);
	else
		must(value <= INT64_MAX);

	value = UNTOUCHED;
	if (unit_parse_duration(text, &value)) {
		must(value == UNTOUCHED);
	} else {
		must(value <= INT64_MAX);
		unit_show_duration(shown, sizeof(shown), value);
		must(!unit_parse_duration(shown, &again));
		/* Beyond 2^53 ns, 104 days, a double has no single nanoseconds. */
		must(again == value || value > 1ull << 53);
		for (unit = UNIT_NONE; unit <= UNIT_CPUS; unit++)
			unit_format_u64(shown, sizeof(shown), (enum unit)unit, value);
	}

	if (unit_parse_rate(text, &rate)) {
		must(rate.kind == no_rate.kind && rate.value == no_rate.value);
	} else if (rate.kind != UNIT_RATE_MAX) {
		must(rate.value > 0);
		unit_show_rate(shown, sizeof(shown), &rate);
		/* Less than a packet in 30 years is cut to nothing when shown. */
		if (rate.value > 1e-9) {
			must(!unit_parse_rate(shown, &rate_again));
			must(rate_again.kind == rate.kind);
			must(fabs(rate_again.value - rate.value) <= rate.value * 1e-6);
		}
	}

	unit_parse_mac(text, mac);
	free(text);
	return 0;
}
