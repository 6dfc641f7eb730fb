// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/flow_keys.c - parse the keys of a stream (docs/verbs/streams.md).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/flow_file.h"
#include "proto/flow_yaml.h"

static int read_name(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	const char *text = yaml_text(reader, node, "a name"), *at;

	if (!text)
		return reader->e->no;
	for (at = text; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return yaml_fail(reader, node, "a name must not have control characters");
	}
	if (strlen(text) >= sizeof(flow->name))
		return yaml_fail(reader, node, "a name of %zu bytes, expected at most %zu", strlen(text),
			    sizeof(flow->name) - 1);
	snprintf(flow->name, sizeof(flow->name), "%s", text);
	return 0;
}

/* One value of a layer: FIELD: VALUE; true sets a flag. */
static int read_field(struct yaml_reader *reader, struct fy_node_pair *pair, struct flow_spec *flow)
{
	struct fy_node *node = fy_node_pair_value(pair);
	const char *name = yaml_text(reader, fy_node_pair_key(pair), "a field's name"), *text;
	struct err inner = { 0 };

	if (!name)
		return reader->e->no;
	text = yaml_text(reader, node, "a value");
	if (!text)
		return reader->e->no;
	if (!strcmp(text, "true"))
		text = NULL;
	if (packet_spec_set(flow->packet, name, text, &inner))
		return yaml_fail_inner(reader, node, &inner);
	return 0;
}

/* "udp", "udp: {dport: 9}", or "text: GET /": a layer's first field. */
static int read_layer(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	struct fy_node *name = node, *fields = NULL;
	struct fy_node_pair *pair;
	struct err inner = { 0 };
	const char *text;
	void *at = NULL;
	int err;

	if (fy_node_is_mapping(node) && !fy_node_is_alias(node)) {
		pair = fy_node_mapping_iterate(node, &at);
		if (!pair || fy_node_mapping_iterate(node, &at))
			return yaml_fail(reader, node, "expected one layer, such as: - udp: {dport: 9}");
		name = fy_node_pair_key(pair);
		fields = fy_node_pair_value(pair);
	}
	text = yaml_text(reader, name, "a layer, such as: - udp: {dport: 9}");
	if (!text)
		return reader->e->no;
	if (packet_spec_add(flow->packet, text, &inner))
		return yaml_fail_inner(reader, name, &inner);
	text = fields && fy_node_is_scalar(fields) ? fy_node_get_scalar0(fields) : NULL;
	if (!fields || (fy_node_is_scalar(fields) && (!text || !*text)))
		return 0;
	if (fy_node_is_scalar(fields)) {
		text = yaml_text(reader, fields, "a value");
		if (text && packet_spec_set(flow->packet, NULL, text, &inner))
			return yaml_fail_inner(reader, fields, &inner);
		return text ? 0 : reader->e->no;
	}
	if (!fy_node_is_mapping(fields) || fy_node_is_alias(fields))
		return yaml_fail(reader, fields, "expected the layer's fields, such as {dport: 9}");
	for (at = NULL; (pair = fy_node_mapping_iterate(fields, &at));) {
		err = read_field(reader, pair, flow);
		if (err)
			return err;
	}
	return 0;
}

static int read_packet(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	struct err inner = { 0 };
	struct fy_node *layer;
	const char *text;
	void *at = NULL;
	int err;

	if (!fy_node_is_sequence(node)) {
		text = yaml_text(reader, node, "a packet, such as eth/ip4/udp, or a list of layers");
		if (!text)
			return reader->e->no;
		if (packet_spec_parse(text, &flow->packet, &inner))
			return yaml_fail_inner(reader, node, &inner);
		return 0;
	}
	flow->packet = packet_spec_new();
	if (!flow->packet)
		return err_set(reader->e, -ENOMEM, "cannot allocate a packet");
	while ((layer = fy_node_sequence_iterate(node, &at))) {
		err = read_layer(reader, layer, flow);
		if (err)
			return err;
	}
	return flow->packet->nr_layers ? 0 : yaml_fail(reader, node, "a packet requires at least one layer");
}

/*
 * Converts sizes in the Open Traffic Generator's keys to the text that packet_size_parse() reads.
 */
static int size_text(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow,
		     const char *text)
{
	struct err inner = { 0 };

	if (packet_size_parse(text, flow->seed, &flow->size, &inner))
		return yaml_fail(reader, node, "size '%.60s': %.200s", text, inner.msg);
	flow->has_size = true;
	return 0;
}

static int read_three(struct yaml_reader *reader, struct fy_node *node, const char *const names[3],
		      uint64_t values[3])
{
	struct fy_node_pair *pair;
	const char *name;
	void *at = NULL;
	int i, err;

	if (!fy_node_is_mapping(node) || fy_node_is_alias(node))
		return yaml_fail(reader, node, "expected {%s: N, %s: N}", names[0], names[1]);
	while ((pair = fy_node_mapping_iterate(node, &at))) {
		name = yaml_text(reader, fy_node_pair_key(pair), "a key");
		if (!name)
			return reader->e->no;
		for (i = 0; i < 3 && (!names[i] || strcmp(names[i], name)); i++)
			;
		if (i == 3)
			return yaml_fail(reader, fy_node_pair_key(pair), "'%.40s', expected %s, %s%s%s", name,
				    names[0], names[1], names[2] ? " or " : "", names[2] ? names[2] : "");
		err = yaml_u64(reader, fy_node_pair_value(pair), 1, 1000000, &values[i]);
		if (err)
			return err;
	}
	if (values[0] && values[1])
		return 0;
	return yaml_fail(reader, node, "expected {%s: N, %s: N}", names[0], names[1]);
}

static int read_fixed(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	const char *text = yaml_text(reader, node, "a frame size");

	return text ? size_text(reader, node, flow, text) : reader->e->no;
}

static int read_increment(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const char *const names[] = { "start", "end", "step" };
	uint64_t values[3] = { 0, 0, 1 };
	char text[80];
	int err = read_three(reader, node, names, values);

	snprintf(text, sizeof(text), "%llu-%llu:%llu", (unsigned long long)values[0],
		 (unsigned long long)values[1], (unsigned long long)values[2]);
	return err ? err : size_text(reader, node, flow, text);
}

static int read_random(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const char *const names[] = { "min", "max", NULL };
	uint64_t values[3] = { 0 };
	char text[80];
	int err = read_three(reader, node, names, values);

	snprintf(text, sizeof(text), "random(%llu-%llu)", (unsigned long long)values[0],
		 (unsigned long long)values[1]);
	return err ? err : size_text(reader, node, flow, text);
}

static int read_weights(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const char *const names[] = { "size", "weight", NULL };
	char text[1024] = "";
	struct fy_node *pair;
	size_t used = 0;
	void *at = NULL;
	int err;

	if (!fy_node_is_sequence(node))
		return yaml_fail(reader, node, "expected a list of {size: N, weight: N}");
	while ((pair = fy_node_sequence_iterate(node, &at))) {
		uint64_t values[3] = { 0 };

		err = read_three(reader, pair, names, values);
		if (err)
			return err;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llu*%llu", used ? "," : "",
					 (unsigned long long)values[0], (unsigned long long)values[1]);
		if (used >= sizeof(text) - 32)
			return yaml_fail(reader, pair, "expected at most 64 sizes");
	}
	return size_text(reader, node, flow, text);
}

static int read_size(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const struct yaml_key keys[] = {
		{ "fixed", read_fixed }, { "increment", read_increment }, { "random", read_random },
		{ "weight_pairs", read_weights }, { NULL, NULL },
	};

	if (fy_node_is_mapping(node) && fy_node_mapping_item_count(node) != 1)
		return yaml_fail(reader, node, "expected one of fixed, increment, random and weight_pairs");
	if (fy_node_is_mapping(node))
		return yaml_keys(reader, node, keys, "size", flow);
	return read_fixed(reader, node, flow);
}

/* A stream has one rate. */
static int set_rate(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow,
		    enum unit_rate_kind kind, double value)
{
	if (flow->pace.rate.kind != UNIT_RATE_MAX)
		return yaml_fail(reader, node, "expected one of pps, bps and percentage");
	flow->pace.rate = (struct unit_rate){ kind, value };
	return 0;
}

static int read_pps(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	uint64_t value;
	int err = yaml_u64(reader, node, 1, 1000000000, &value);

	return err ? err : set_rate(reader, node, flow, UNIT_RATE_PPS, (double)value);
}

static int read_bps(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	uint64_t value;
	int err = yaml_u64(reader, node, 1, 10000000000000ull, &value);

	return err ? err : set_rate(reader, node, flow, UNIT_RATE_BPS, (double)value);
}

static int read_percentage(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	const char *text = yaml_text(reader, node, "a number above 0, up to 100");
	char *end;
	double value;

	if (!text)
		return reader->e->no;
	value = strtod(text, &end);
	/* strtod() accepts more number formats than intended. */
	if (*end || text[strspn(text, "0123456789.")] || !(value > 0) || !(value <= 100))
		return yaml_fail(reader, node, "'%.40s', expected a number above 0, up to 100", text);
	return set_rate(reader, node, flow, UNIT_RATE_LINK_RATIO, value / 100);
}

static int read_layer_name(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const char *const names[] = { "l1", "l2", "l3", "payload" };
	const char *text = yaml_text(reader, node, "l1, l2, l3 or payload");
	int i;

	if (!text)
		return reader->e->no;
	for (i = 0; i < 4; i++) {
		if (!strcmp(text, names[i])) {
			flow->pace.rate_layer = i;
			return 0;
		}
	}
	return yaml_fail(reader, node, "'%.40s', expected l1, l2, l3 or payload", text);
}

static int read_rate(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const struct yaml_key keys[] = {
		{ "pps", read_pps }, { "bps", read_bps }, { "percentage", read_percentage },
		{ "layer", read_layer_name }, { NULL, NULL },
	};
	int err;

	if (!fy_node_is_mapping(node))
		return yaml_rate(reader, node, &flow->pace.rate);
	err = yaml_keys(reader, node, keys, "rate", flow);
	if (!err && flow->pace.rate.kind == UNIT_RATE_MAX)
		err = yaml_fail(reader, node, "expected one of pps, bps and percentage");
	return err;
}

static int read_packets(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	return yaml_u64(reader, node, 1, 1ull << 62, &flow->limit);
}

static int read_fixed_packets(struct yaml_reader *reader, struct fy_node *node,
			      struct flow_spec *flow)
{
	static const struct yaml_key keys[] = { { "packets", read_packets }, { NULL, NULL } };
	int err = yaml_keys(reader, node, keys, "fixed_packets", flow);

	return err || flow->limit ? err : yaml_fail(reader, node, "expected {packets: N}");
}

static int read_seconds(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	int err = yaml_duration(reader, node, &flow->duration_ns);

	if (!err && !flow->duration_ns)
		err = yaml_fail(reader, node, "a duration must be above 0");
	return err;
}

static int read_fixed_seconds(struct yaml_reader *reader, struct fy_node *node,
			      struct flow_spec *flow)
{
	static const struct yaml_key keys[] = { { "seconds", read_seconds }, { NULL, NULL } };
	int err = yaml_keys(reader, node, keys, "fixed_seconds", flow);

	return err || flow->duration_ns ? err : yaml_fail(reader, node, "expected {seconds: N}");
}

static int read_length(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const struct yaml_key keys[] = {
		{ "fixed_packets", read_fixed_packets }, { "fixed_seconds", read_fixed_seconds },
		{ NULL, NULL },
	};

	if (fy_node_is_mapping(node) && fy_node_mapping_is_empty(node))
		return yaml_fail(reader, node, "expected a time, fixed_packets or fixed_seconds");
	if (fy_node_is_mapping(node))
		return yaml_keys(reader, node, keys, "duration", flow);
	return read_seconds(reader, node, flow);
}

static int read_start(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	return yaml_duration(reader, node, &flow->start_ns);
}

/* A stream has one shape. */
static int set_shape(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow,
		     enum pace_kind kind)
{
	if (flow->pace.kind != PACE_EVEN)
		return yaml_fail(reader, node, "burst, on_off, gaps and ramp are mutually "
				 "exclusive: expected one of them");
	flow->pace.kind = kind;
	return 0;
}

static int read_burst_packets(struct yaml_reader *reader, struct fy_node *node,
			      struct flow_spec *flow)
{
	return yaml_u64(reader, node, 1, 1000000000, &flow->pace.burst);
}

static int read_every(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	return yaml_duration(reader, node, &flow->pace.period_ns);
}

static int read_burst(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const struct yaml_key keys[] = {
		{ "packets", read_burst_packets }, { "every", read_every }, { NULL, NULL },
	};
	int err = set_shape(reader, node, flow, PACE_BURST);

	if (!err)
		err = yaml_keys(reader, node, keys, "burst", flow);
	if (!err && (!flow->pace.burst || !flow->pace.period_ns))
		err = yaml_fail(reader, node, "expected {packets: N, every: TIME}");
	return err;
}

static int read_on(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	return yaml_duration(reader, node, &flow->pace.on_ns);
}

static int read_off(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	return yaml_duration(reader, node, &flow->pace.off_ns);
}

static int read_on_off(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const struct yaml_key keys[] = { { "on", read_on }, { "off", read_off }, { NULL, NULL } };
	int err = set_shape(reader, node, flow, PACE_BURST);

	if (!err)
		err = yaml_keys(reader, node, keys, "on_off", flow);
	if (!err && (!flow->pace.on_ns || !flow->pace.off_ns))
		err = yaml_fail(reader, node, "expected {on: TIME, off: TIME}");
	return err;
}

static int read_gaps(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	const char *text = yaml_text(reader, node, "even or poisson");

	if (!text)
		return reader->e->no;
	if (!strcmp(text, "even"))
		return 0;
	if (strcmp(text, "poisson"))
		return yaml_fail(reader, node, "'%.40s', expected even or poisson", text);
	return set_shape(reader, node, flow, PACE_POISSON);
}

static int read_to(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	return yaml_rate(reader, node, &flow->pace.to);
}

static int read_over(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	return yaml_duration(reader, node, &flow->pace.ramp_ns);
}

static int read_ramp(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	static const struct yaml_key keys[] = { { "to", read_to }, { "over", read_over }, { NULL, NULL } };
	int err = set_shape(reader, node, flow, PACE_RAMP);

	if (!err)
		err = yaml_keys(reader, node, keys, "ramp", flow);
	if (!err && (!flow->pace.to.value || !flow->pace.ramp_ns))
		err = yaml_fail(reader, node, "expected {to: RATE, over: TIME}");
	return err;
}

static int read_tag(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	const char *text = yaml_text(reader, node, "true or false");

	if (!text)
		return reader->e->no;
	if (strcmp(text, "true") && strcmp(text, "false"))
		return yaml_fail(reader, node, "'%.40s', expected true or false", text);
	flow->tagged = !strcmp(text, "true");
	return 0;
}

static int read_stamp_every(struct yaml_reader *reader, struct fy_node *node,
			    struct flow_spec *flow)
{
	uint64_t value;
	int err = yaml_u64(reader, node, 1, UINT32_MAX, &value);

	if (!err)
		flow->stamp_every = (uint32_t)value;
	return err;
}

static int read_copies(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	uint64_t value;
	int err = yaml_u64(reader, node, 1, FLOW_FILE_MAX, &value);

	if (!err)
		flow->copies = (uint32_t)value;
	return err;
}

/* Read before the others, as random sizes need it. */
static int read_seed(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow)
{
	return yaml_u64(reader, node, 0, INT64_MAX, &flow->seed);
}

int flow_read(struct yaml_reader *reader, struct fy_node *node, uint32_t number,
		     struct flow_spec *flow)
{
	static const struct yaml_key keys[] = {
		{ "name", read_name }, { "packet", read_packet }, { "size", read_size },
		{ "rate", read_rate }, { "duration", read_length }, { "start", read_start },
		{ "burst", read_burst }, { "on_off", read_on_off }, { "gaps", read_gaps },
		{ "ramp", read_ramp }, { "tag", read_tag }, { "stamp_every", read_stamp_every },
		{ "copies", read_copies }, { "seed", read_seed }, { NULL, NULL },
	};
	struct fy_node *seed;
	int err = 0;

	*flow = (struct flow_spec){
		.pace = { .kind = PACE_EVEN, .rate = { UNIT_RATE_MAX, 0 } },
		.stamp_every = 1, .tagged = true, .copies = 1, .seed = number,
	};
	snprintf(flow->name, sizeof(flow->name), "stream-%u", number);
	yaml_place(reader, node, flow->at, sizeof(flow->at));
	seed = fy_node_is_mapping(node) ? fy_node_mapping_lookup_by_string(node, "seed", 4) : NULL;
	if (seed)
		err = read_seed(reader, seed, flow);
	if (!err)
		err = yaml_keys(reader, node, keys, "a stream", flow);
	if (!err && !flow->packet)
		err = yaml_fail(reader, node, "the stream has no packet, such as packet: eth/ip4/udp");
	flow->pace.seed = flow->seed;
	return err;
}
