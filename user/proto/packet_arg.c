// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_arg.c - the arguments of a layer: the field, or the bits of a field, that a value
 * belongs to.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/layer.h"
#include "proto/packet_scan.h"
#include "proto/packet_spec.h"

struct packet_part {
	struct layer_field field;
	uint16_t low;
	char name[40];
};

/* The field that an argument refers to. */
struct target {
	const struct layer_field *field;
	bool is_part;
	uint16_t low, bits;
};

static struct packet_names names_of_fields(const struct layer_def *def)
{
	const struct layer_field *field;
	struct packet_names names = { "" };

	for (field = def->fields; field && field->name; field++)
		packet_names_add(&names, field->name);
	return names;
}

static const struct layer_field *field_at(const struct layer_def *def, const char *at, size_t len)
{
	const struct layer_field *field;

	for (field = def->fields; field && field->name; field++) {
		if (packet_scan_is(at, len, field->name))
			return field;
	}
	return NULL;
}

/* After "FIELD[": "LOW:COUNT]". */
static int read_part(struct packet_scan *scan, struct target *target)
{
	const struct layer_field *field = target->field;
	uint64_t low, bits;
	const char *at;

	packet_scan_blanks(scan);
	at = scan->at;
	if (packet_scan_number(scan, &low) || !packet_scan_take(scan, ':'))
		return packet_scan_fail(scan, at, "'%s' is not a bit range, expected LOW:COUNT, "
					"as in %s[0:8]", packet_scan_show(at).text, field->name);
	packet_scan_blanks(scan);
	if (packet_scan_number(scan, &bits) || !packet_scan_take(scan, ']'))
		return packet_scan_fail(scan, at, "'%s' is not a bit range, expected LOW:COUNT], "
					"as in %s[0:8]", packet_scan_show(at).text, field->name);
	if (!bits || bits > 64 || low >= field->bits || bits > field->bits - low)
		return packet_scan_fail(scan, at, "'%s' has no %llu bits from bit %llu on, "
					"expected at most 64 within its %u", field->name,
					(unsigned long long)bits,
					(unsigned long long)low, field->bits);
	*target = (struct target){ field, true, (uint16_t)low, (uint16_t)bits };
	return 0;
}

/* Fields filled in from others can only be given as a whole. */
static bool has_parts(const struct layer_field *field)
{
	switch (field->fill) {
	case FILL_NEXT:
	case FILL_LENGTH:
	case FILL_HEADER:
	case FILL_PRESENT:
	case FILL_BOTTOM:
	case FILL_SUM:
	case FILL_OPTION:
		return false;
	}
	return field->type != LAYER_HEX && field->type != LAYER_TEXT;
}

/* "FIELD" or "FIELD[LOW:COUNT]" */
static int read_target(struct packet_scan *scan, const struct layer_def *def,
		       struct target *ret_target)
{
	size_t len = packet_scan_name(scan->at);
	struct target target = { .field = field_at(def, scan->at, len) };
	const char *at = scan->at;
	int err;

	if (!target.field)
		return packet_scan_fail(scan, at, "'%s' has no field '%s', expected one of: %s",
					def->name, packet_scan_show_name(at, len).text,
					names_of_fields(def).text);
	scan->at += len;
	if (packet_scan_take(scan, '[')) {
		if (!has_parts(target.field))
			return packet_scan_fail(scan, at, "'%s' can only be given as a whole, "
						"expected '='", target.field->name);
		err = read_part(scan, &target);
		if (err)
			return err;
	}
	*ret_target = target;
	return 0;
}

/* The field, and its bits, that a parsed value belongs to. */
static struct target target_of(const struct packet_layer *layer, const struct packet_value *value)
{
	const struct layer_field *field;
	struct target target = { .field = value->field };
	const char *name = value->field->name;

	if (!value->part)
		return target;
	field = field_at(layer->def, name, strcspn(name, "["));
	return (struct target){ field, true, value->part->low, value->part->field.bits };
}

static bool overlap(const struct target *a, const struct target *b)
{
	return a->low < b->low + b->bits && b->low < a->low + a->bits;
}

/* Rejects duplicates; bits may follow the whole field, which must then not change. */
static int check_twice(const struct packet_scan *scan, const char *at,
		       const struct packet_layer *layer, const struct target *target)
{
	const struct packet_value *value;
	struct target other;

	for (value = layer->values; value; value = value->next) {
		other = target_of(layer, value);
		if (other.field != target->field)
			continue;
		if (other.is_part && target->is_part && !overlap(&other, target))
			continue;
		if (!other.is_part && target->is_part) {
			if (value->kind == FIELD_COUNTER && value->values.span == 1)
				continue;
			return packet_scan_fail(scan, at, "all of '%s' changes already, expected "
						"one value for it or none", target->field->name);
		}
		if (other.is_part && !target->is_part)
			return packet_scan_fail(scan, at, "'%s' is given after some of its bits, "
						"expected the whole field first",
						target->field->name);
		return packet_scan_fail(scan, at, "'%s' of '%s' is given twice, expected it once",
					value->field->name, layer->def->name);
	}
	return 0;
}

static struct packet_part *part_new(const struct target *target)
{
	struct packet_part *part = calloc(1, sizeof(*part));
	const struct layer_field *field = target->field;

	if (!part)
		return NULL;
	snprintf(part->name, sizeof(part->name), "%.24s[%u:%u]", field->name, target->low,
		 target->bits);
	part->low = target->low;
	part->field = (struct layer_field){
		.name = part->name,
		.help = field->help,
		.bit = (uint16_t)(field->bit + field->bits - target->low - target->bits),
		.bits = target->bits,
		.type = LAYER_NUMBER,
		.fill = FILL_DEFAULT,
	};
	return part;
}

static void append_value(struct packet_layer *layer, struct packet_value *value)
{
	struct packet_value **end = &layer->values;

	while (*end)
		end = &(*end)->next;
	*end = value;
}

enum value_form { VALUE_TEXT, VALUE_RAW, VALUE_FLAG };

static int add_value(struct packet_scan *scan, struct packet_layer *layer, const char *at,
		     const struct target *target, enum value_form form)
{
	const struct layer_field *field = target->field;
	struct packet_value *value = NULL;
	struct packet_part *part = NULL;
	int err;

	err = check_twice(scan, at, layer, target);
	if (err)
		return err;
	if (target->is_part) {
		part = part_new(target);
		if (!part)
			return err_set(scan->e, -ENOMEM, "cannot allocate a value");
		field = &part->field;
	}
	if (form == VALUE_FLAG)
		err = packet_value_flag(scan, field, &value);
	else
		err = packet_value_parse(scan, field, form == VALUE_RAW, &value);
	if (err || !value) {
		free(part);
		return err;
	}
	value->column = packet_scan_column(scan, at);
	value->part = part;
	append_value(layer, value);
	return 0;
}

static int fail_no_value(const struct packet_scan *scan, const char *at,
			 const struct layer_field *field)
{
	return packet_scan_fail(scan, at, "'%s' has no value, expected %s=...", field->name,
				field->name);
}

/* A word of the first field may have the same name as another field. */
static bool has_word(const struct layer_field *field, const char *at, size_t len)
{
	const struct layer_word *word;

	for (word = field->words; word && word->name; word++) {
		if (packet_scan_is(at, len, word->name))
			return true;
	}
	return false;
}

/* An argument without '=': a flag, or the first field's value. */
static int read_bare(struct packet_scan *scan, struct packet_layer *layer, bool is_first)
{
	const struct layer_def *def = layer->def;
	const char *at = scan->at;
	size_t len = packet_scan_name(at);
	const struct layer_field *field = field_at(def, at, len);
	struct target target = { .field = def->fields };

	if (!def->fields || !def->fields->name)
		return packet_scan_fail(scan, at, "'%s' has no fields, expected ')'", def->name);
	if (field && field->type == LAYER_FLAG) {
		target.field = field;
		scan->at += len;
		return add_value(scan, layer, at, &target, VALUE_FLAG);
	}
	if (is_first && (!field || has_word(def->fields, at, len)))
		return add_value(scan, layer, at, &target, VALUE_TEXT);
	if (field)
		return fail_no_value(scan, at, field);
	if (len)
		return packet_scan_fail(scan, at, "'%s' is not a flag of '%s', expected field=value, "
					"the field one of: %s", packet_scan_show_name(at, len).text,
					def->name, names_of_fields(def).text);
	return packet_scan_fail(scan, at, "%s'%s' is not a value of the first field, expected field=value, "
				"the field one of: %s", *at ? "" : "the text ends: ",
				packet_scan_show(at).text, names_of_fields(def).text);
}

static int read_arg(struct packet_scan *scan, struct packet_layer *layer, bool is_first)
{
	struct packet_scan ahead = *scan;
	const char *at = scan->at;
	struct target target;
	int err;

	ahead.at += packet_scan_name(at);
	packet_scan_blanks(&ahead);
	if (ahead.at == at || (*ahead.at != '=' && *ahead.at != '['))
		return read_bare(scan, layer, is_first);
	err = read_target(scan, layer->def, &target);
	if (err)
		return err;
	if (!packet_scan_take(scan, '='))
		return fail_no_value(scan, at, target.field);
	return add_value(scan, layer, at, &target, VALUE_TEXT);
}

/* After '('. */
int packet_args_read(struct packet_scan *scan, struct packet_layer *layer)
{
	bool is_first = true;
	int err;

	if (packet_scan_take(scan, ')'))
		return 0;
	do {
		packet_scan_blanks(scan);
		err = read_arg(scan, layer, is_first);
		if (err)
			return err;
		is_first = false;
	} while (packet_scan_take(scan, ','));
	if (packet_scan_take(scan, ')'))
		return 0;
	return packet_scan_fail(scan, scan->at, "%s'%s' is not understood, expected ',' or ')'",
				*scan->at ? "" : "the text ends: ",
				packet_scan_show(scan->at).text);
}

static int fail_rest(const struct packet_scan *scan)
{
	return packet_scan_fail(scan, scan->at, "'%s' is not understood, expected the end of the "
				"value", packet_scan_show(scan->at).text);
}

int packet_spec_set(struct packet_spec *spec, const char *field, const char *value, struct err *e)
{
	struct packet_layer *layer = &spec->layers[spec->nr_layers ? spec->nr_layers - 1 : 0];
	struct packet_scan names = { .text = field, .at = field, .e = e };
	struct packet_scan scan = { .text = value, .at = value, .e = e };
	struct target target;
	int err;

	if (!layer->def)
		return err_usage(e, "there is no layer to set a field of");
	target = (struct target){ .field = layer->def->fields };
	if (!target.field || !target.field->name)
		return err_usage(e, "'%s' has no fields", layer->def->name);
	if (field) {
		err = read_target(&names, layer->def, &target);
		if (!err && *names.at)
			err = fail_rest(&names);
		if (err)
			return err;
	}
	if (!value) {
		if (target.is_part || target.field->type != LAYER_FLAG)
			return err_usage(e, "'%s' has no value", target.field->name);
		return add_value(&scan, layer, NULL, &target, VALUE_FLAG);
	}
	err = add_value(&scan, layer, value, &target, VALUE_RAW);
	if (err)
		return err;
	packet_scan_blanks(&scan);
	return *scan.at ? fail_rest(&scan) : 0;
}
