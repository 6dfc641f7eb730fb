// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_value.c - parse the value of a field: one, a range, a prefix, a list, random
 * (grammar: proto/packet_spec.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "proto/layer.h"
#include "proto/packet_scan.h"
#include "proto/packet_spec.h"

#define MAX_WEIGHT	1000000

static void set_first(struct packet_value *value, struct packet_one first)
{
	int i;

	for (i = 0; i < 8; i++) {
		value->fixed[i] = (uint8_t)(first.high >> (56 - 8 * i));
		value->fixed[8 + i] = (uint8_t)(first.low >> (56 - 8 * i));
	}
	value->values.first = first.low;
}

/* After "A-": the end of the range, and its step. */
static int read_range(struct packet_scan *scan, const struct layer_field *field,
		      struct packet_value *value, struct packet_one first, bool stepped)
{
	struct packet_one last;
	uint64_t step = 1, distance;
	const char *at;
	bool down;
	int err;

	packet_scan_blanks(scan);
	at = scan->at;
	err = packet_one_read(scan, field, &last);
	if (err)
		return err;
	if (last.high != first.high)
		return packet_scan_fail(scan, at, "only the low 64 bits of '%s' can change, "
					"expected an address with the same upper bits",
					field->name);
	down = last.low < first.low;
	if (down && !stepped)
		return packet_scan_fail(scan, at, "the range of random() ends before it begins, "
					"expected the smaller value first");
	if (packet_scan_take(scan, ':')) {
		packet_scan_blanks(scan);
		at = scan->at;
		if (!stepped)
			return packet_scan_fail(scan, at - 1, "random() has no step, expected ',' or ')'");
		if (packet_scan_number(scan, &step) || !step)
			return packet_scan_fail(scan, at, "'%s' is not a step, expected a number from "
						"1 on", packet_scan_show(at).text);
	}
	distance = down ? first.low - last.low : last.low - first.low;
	/* all 2^64 values: 0 */
	value->values.span = distance / step + 1;
	value->values.step = down ? -step : step;
	set_first(value, first);
	return 0;
}

static uint64_t host_mask(uint32_t host_bits)
{
	return host_bits >= 64 ? UINT64_MAX : (1ull << host_bits) - 1;
}

/* After "ADDRESS/". */
static int read_prefix(struct packet_scan *scan, const struct layer_field *field,
		       struct packet_value *value, struct packet_one first)
{
	uint32_t host_bits;
	uint64_t length;
	const char *at;

	packet_scan_blanks(scan);
	at = scan->at;
	if (packet_scan_number(scan, &length) || length > field->bits)
		return packet_scan_fail(scan, at, "'%s' is not a prefix length, expected 0 to %u",
					packet_scan_show(at).text, field->bits);
	host_bits = field->bits - (uint32_t)length;
	if (host_bits > 64)
		return packet_scan_fail(scan, at, "a prefix of /%llu is too short, expected /64 to "
					"/128: only the low 64 bits of '%s' can change",
					(unsigned long long)length, field->name);
	if (first.low & host_mask(host_bits))
		return packet_scan_fail(scan, at, "the address has bits set after its prefix of "
					"/%llu, expected zeros there", (unsigned long long)length);
	value->values.span = host_mask(host_bits) + 1;	/* all 2^64 values: 0 */
	/* Network and broadcast address do not belong to hosts. */
	if (field->type == LAYER_IP4 && host_bits >= 2) {
		first.low++;
		value->values.span -= 2;
	}
	set_first(value, first);
	return 0;
}

static bool has_prefixes(const struct layer_field *field)
{
	return field->type == LAYER_MAC || field->type == LAYER_IP4 || field->type == LAYER_IP6;
}

/* ONE, ONE-ONE, ADDRESS/LENGTH; @stepped: and ONE-ONE:STEP. */
static int read_plain(struct packet_scan *scan, const struct layer_field *field, bool stepped,
		      struct packet_value *value, bool *ret_changes)
{
	struct packet_one first;
	int err;

	err = packet_one_read(scan, field, &first);
	if (err)
		return err;
	*ret_changes = true;
	if (packet_scan_take(scan, '-'))
		return read_range(scan, field, value, first, stepped);
	if (has_prefixes(field) && packet_scan_take(scan, '/'))
		return read_prefix(scan, field, value, first);
	*ret_changes = false;
	set_first(value, first);
	return 0;
}

static int fail_unclosed(const struct packet_scan *scan, const char *what)
{
	return packet_scan_fail(scan, scan->at, "%s'%s' is not understood in %s, expected ',' or "
				"')'", *scan->at ? "" : "the text ends: ",
				packet_scan_show(scan->at).text, what);
}

/* "seed=7", if present. */
static int take_seed(struct packet_scan *scan, struct packet_value *value, bool *ret_taken)
{
	uint64_t seed;
	size_t len;
	const char *at;

	packet_scan_blanks(scan);
	len = packet_scan_name(scan->at);
	if (!packet_scan_is(scan->at, len, "seed"))
		return 0;
	scan->at += len;
	if (!packet_scan_take(scan, '='))
		return packet_scan_fail(scan, scan->at, "'seed' has no value, expected '='");
	packet_scan_blanks(scan);
	at = scan->at;
	if (packet_scan_number(scan, &seed))
		return packet_scan_fail(scan, at, "'%s' is not a seed, expected a number",
					packet_scan_show(at).text);
	value->values.seed = seed;
	value->has_seed = true;
	*ret_taken = true;
	return 0;
}

/* After "random(". */
static int read_random(struct packet_scan *scan, const struct layer_field *field,
		       struct packet_value *value)
{
	bool changes, seeded = false;
	const char *at;
	int err;

	value->kind = FIELD_RANDOM;
	packet_scan_blanks(scan);
	at = scan->at;
	err = take_seed(scan, value, &seeded);
	if (err)
		return err;
	if (seeded || *scan->at == ')') {
		if (field->bits > 64)
			return packet_scan_fail(scan, at, "random() of all of '%s' is too much, "
						"expected a prefix of /64 or longer: only the low "
						"64 bits can change", field->name);
		value->values.span = packet_one_max(field) + 1;
	} else {
		err = read_plain(scan, field, false, value, &changes);
		if (err)
			return err;
		if (!changes)
			return packet_scan_fail(scan, scan->at, "random() of one value is constant, "
						"expected '-' and the last value%s",
						has_prefixes(field) ? ", or '/'" : "");
		if (packet_scan_take(scan, ',')) {
			err = take_seed(scan, value, &seeded);
			if (err)
				return err;
			if (!seeded)
				return packet_scan_fail(scan, scan->at, "'%s' is not understood in "
							"random(), expected 'seed='",
							packet_scan_show(scan->at).text);
		}
	}
	return packet_scan_take(scan, ')') ? 0 : fail_unclosed(scan, "random()");
}

static int add_to_list(struct packet_scan *scan, const char *at, const struct layer_field *field,
		       struct packet_value *value, struct packet_one one)
{
	uint64_t high = packet_one_of(value->fixed, 8).low;

	if (!value->list) {
		value->list = calloc(FIELD_MAX_LIST, sizeof(*value->list));
		if (!value->list)
			return err_set(scan->e, -ENOMEM, "cannot allocate a list");
		set_first(value, one);
		high = one.high;
	}
	if (one.high != high)
		return packet_scan_fail(scan, at, "only the low 64 bits of '%s' can change, "
					"expected an address with the same upper bits",
					field->name);
	if (value->nr_list == FIELD_MAX_LIST)
		return packet_scan_fail(scan, at, "the list is too long, expected at most %u values",
					FIELD_MAX_LIST);
	value->list[value->nr_list++] = one.low;
	return 0;
}

/* A list with one value is fixed. */
static void end_list(struct packet_value *value, enum field_kind kind)
{
	value->values.first = 0;
	value->values.step = 0;
	value->values.span = value->nr_list;
	value->kind = (uint8_t)kind;
	if (value->nr_list > 1)
		return;
	value->kind = FIELD_COUNTER;
	value->values.first = value->list[0];
	free(value->list);
	value->list = NULL;
	value->nr_list = 0;
}

/* After "list(". */
static int read_list(struct packet_scan *scan, const struct layer_field *field,
		     struct packet_value *value)
{
	struct packet_one one;
	const char *at;
	int err;

	do {
		packet_scan_blanks(scan);
		at = scan->at;
		err = packet_one_read(scan, field, &one);
		if (!err)
			err = add_to_list(scan, at, field, value, one);
		if (err)
			return err;
	} while (packet_scan_take(scan, ','));
	if (!packet_scan_take(scan, ')'))
		return fail_unclosed(scan, "list()");
	end_list(value, FIELD_LIST);
	return 0;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	uint32_t rest;

	while (b) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* "*WEIGHT" */
static int read_weight(struct packet_scan *scan, uint32_t *ret_weight)
{
	uint64_t weight;
	const char *at;

	if (!packet_scan_take(scan, '*'))
		return packet_scan_fail(scan, scan->at, "a value of dist() has no weight, expected "
					"'*' and a number");
	packet_scan_blanks(scan);
	at = scan->at;
	if (packet_scan_number(scan, &weight) || !weight || weight > MAX_WEIGHT)
		return packet_scan_fail(scan, at, "'%s' is not a weight, expected 1 to %u",
					packet_scan_show(at).text, MAX_WEIGHT);
	*ret_weight = (uint32_t)weight;
	return 0;
}

/* Puts each value into the list as often as its weight. */
static int spread(struct packet_scan *scan, const char *begin, struct packet_value *value,
		  const uint32_t weights[FIELD_MAX_LIST])
{
	uint64_t list[FIELD_MAX_LIST];
	uint32_t i, n, nr = 0, divisor = 0;
	uint64_t sum = 0;

	for (i = 0; i < value->nr_list; i++) {
		divisor = common_divisor(weights[i], divisor);
		sum += weights[i];
	}
	if (sum / divisor > FIELD_MAX_LIST)
		return packet_scan_fail(scan, begin, "the weights of dist() add up to %llu when "
					"reduced, expected at most %u",
					(unsigned long long)(sum / divisor), FIELD_MAX_LIST);
	for (i = 0; i < value->nr_list; i++) {
		for (n = 0; n < weights[i] / divisor; n++)
			list[nr++] = value->list[i];
	}
	memcpy(value->list, list, nr * sizeof(list[0]));
	value->nr_list = nr;
	return 0;
}

/* After "dist(". */
static int read_dist(struct packet_scan *scan, const struct layer_field *field,
		     struct packet_value *value)
{
	uint32_t weights[FIELD_MAX_LIST];
	const char *at, *begin = scan->at;
	bool seeded = false;
	struct packet_one one;
	int err;

	do {
		if (value->nr_list) {
			err = take_seed(scan, value, &seeded);
			if (err)
				return err;
			if (seeded)
				break;
		}
		packet_scan_blanks(scan);
		at = scan->at;
		err = packet_one_read(scan, field, &one);
		if (!err)
			err = add_to_list(scan, at, field, value, one);
		if (!err)
			err = read_weight(scan, &weights[value->nr_list - 1]);
		if (err)
			return err;
	} while (packet_scan_take(scan, ','));
	if (!packet_scan_take(scan, ')'))
		return fail_unclosed(scan, "dist()");
	err = spread(scan, begin, value, weights);
	if (err)
		return err;
	end_list(value, FIELD_PICK);
	return 0;
}

/* "@N" */
static int read_every(struct packet_scan *scan, struct packet_value *value, bool changes)
{
	const char *at = scan->at;
	uint64_t every;

	if (!packet_scan_take(scan, '@'))
		return 0;
	if (!changes)
		return packet_scan_fail(scan, at, "'@' requires a value that changes, "
					"expected ',' or ')'");
	packet_scan_blanks(scan);
	at = scan->at;
	if (packet_scan_number(scan, &every) || !every || every > UINT32_MAX)
		return packet_scan_fail(scan, at, "'%s' is not a number of packets, expected 1 to %u",
					packet_scan_show(at).text, UINT32_MAX);
	value->values.every = (uint32_t)every;
	return 0;
}

static int read_changing(struct packet_scan *scan, const struct layer_field *field,
			 struct packet_value *value)
{
	static const struct {
		const char *name;
		int (*read)(struct packet_scan *scan, const struct layer_field *field,
			    struct packet_value *value);
	} kinds[] = {
		{ "random", read_random }, { "list", read_list }, { "dist", read_dist },
	};
	struct packet_scan ahead = *scan;
	size_t i, len = packet_scan_name(scan->at);
	bool changes = true;
	int err;

	ahead.at += len;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (packet_scan_is(scan->at, len, kinds[i].name) && packet_scan_take(&ahead, '('))
			break;
	}
	if (i < ARRAY_SIZE(kinds)) {
		scan->at = ahead.at;
		err = kinds[i].read(scan, field, value);
	} else {
		err = read_plain(scan, field, true, value, &changes);
	}
	if (err)
		return err;
	packet_scan_blanks(scan);
	return read_every(scan, value, changes);
}

static bool take_auto(struct packet_scan *scan, const struct layer_field *field)
{
	size_t len = packet_scan_name(scan->at);

	if (field->type == LAYER_TEXT || !packet_scan_is(scan->at, len, "auto"))
		return false;
	scan->at += len;
	return true;
}

static struct packet_value *value_new(const struct packet_scan *scan,
				      const struct layer_field *field)
{
	struct packet_value *value = calloc(1, sizeof(*value));

	if (!value)
		return NULL;
	value->field = field;
	value->column = packet_scan_column(scan, scan->at);
	value->values.span = value->values.step = value->values.every = 1;
	value->wrong_on_purpose = field->fill == FILL_LENGTH || field->fill == FILL_SUM ||
				  field->fill == FILL_HEADER;
	return value;
}

int packet_value_flag(struct packet_scan *scan, const struct layer_field *field,
		      struct packet_value **ret_value)
{
	struct packet_value *value = value_new(scan, field);

	if (!value)
		return err_set(scan->e, -ENOMEM, "cannot allocate a value");
	set_first(value, (struct packet_one){ .low = 1 });
	*ret_value = value;
	return 0;
}

int packet_value_parse(struct packet_scan *scan, const struct layer_field *field, bool raw,
		       struct packet_value **ret_value)
{
	struct packet_value *value;
	int err;

	/* Unquoted text includes its leading spaces. */
	if (!raw || field->type != LAYER_TEXT)
		packet_scan_blanks(scan);
	if (take_auto(scan, field)) {
		*ret_value = NULL;
		return 0;
	}
	value = value_new(scan, field);
	if (!value)
		return err_set(scan->e, -ENOMEM, "cannot allocate a value");
	if (field->type == LAYER_HEX)
		err = packet_bytes_hex(scan, value);
	else if (field->type == LAYER_TEXT)
		err = packet_bytes_text(scan, raw, value);
	else
		err = read_changing(scan, field, value);
	if (err) {
		packet_value_free(value);
		return err;
	}
	*ret_value = value;
	return 0;
}

void packet_value_free(struct packet_value *value)
{
	if (!value)
		return;
	free(value->list);
	free(value->bytes);
	free(value->part);
	free(value);
}
