// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/layer.h"
#include "proto/packet_spec.h"

#include "check.h"

static struct packet_spec *parsed(const char *text)
{
	struct packet_spec *spec = NULL;
	struct err e = { 0 };

	if (packet_spec_parse(text, &spec, &e))
		fail_msg("'%s': %s", text, e.msg);
	return spec;
}

/* The first value of the last layer. */
static const struct packet_value *value_of(const struct packet_spec *spec)
{
	const struct packet_value *value = spec->layers[spec->nr_layers - 1].values;

	assert_non_null(value);
	return value;
}

static uint64_t low_of(const struct packet_value *value)
{
	uint64_t low = 0;
	int i;

	for (i = 8; i < 16; i++)
		low = low << 8 | value->fixed[i];
	return low;
}

static void layers_stand_in_the_order_of_the_text(void **state)
{
	static const struct {
		const char *text, *layers;
	} cases[] = {
		{ "eth", "eth" }, { "eth/ip4/udp", "eth ip4 udp" },
		{ " eth () / vlan( 7 ) /\tip6/ tcp ", "eth vlan ip6 tcp" },
		{ "eth/vlan(7)/vlan(8)/ip4/ip6/udp/text(\"a/b(c)\")",
		  "eth vlan vlan ip4 ip6 udp text" },
		{ "ip4/udp", "eth ip4 udp" }, { "vlan(7)/arp", "eth vlan arp" }, { "arp", "eth arp" },
		{ "hex(88b50000)", "eth hex" },
		{ "ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/udp",
		  "eth ip4 ip4 ip4 ip4 ip4 ip4 ip4 ip4 ip4 ip4 ip4 ip4 ip4 ip4 udp" },
	};
	struct packet_spec *spec;
	char layers[256];
	uint32_t n;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		spec = parsed(cases[i].text);
		for (layers[0] = '\0', n = 0; n < spec->nr_layers; n++) {
			strcat(layers, n ? " " : "");
			strcat(layers, spec->layers[n].def->name);
		}
		assert_string_equal(layers, cases[i].layers);
		packet_spec_free(spec);
	}
	packet_spec_free(NULL);
}

static void a_fixed_value_is_a_counter_of_one(void **state)
{
	static const struct {
		const char *text, *field;
		uint64_t value;
	} cases[] = {
		{ "vlan(7)", "id", 7 }, { "vlan(0xfFf)", "id", 4095 }, { "vlan(pcp=0)", "pcp", 0 },
		{ "eth(02:00:00:00:aB:01)", "dst", 0x02000000ab01 },
		{ "ip4(198.18.0.2)", "dst", 0xc6120002 }, { "ip4(ttl=255)", "ttl", 255 },
		{ "ip4(df)", "df", 1 }, { "ip4(df=0)", "df", 0 }, { "ip4(df=true)", "df", 1 },
		{ "arp(request)", "op", 1 }, { "arp(op=reply)", "op", 2 }, { "arp(op=7)", "op", 7 },
		{ "ip4/tcp(flags=SA)", "flags", 0x12 }, { "ip4/tcp(flags=0x3f)", "flags", 0x3f },
		{ "ip4/udp( sport = 5 )", "sport", 5 }, { "ip4/udp(dport=list(80))", "dport", 80 },
		{ "ip4/udp(dport=dist(80*3))", "dport", 80 },
		{ "ip4(src=auto, ttl=3)", "ttl", 3 }, { "ip4(id[4:8]=0xff)", "id[4:8]", 0xff },
	};
	const struct packet_value *value;
	struct packet_spec *spec;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		spec = parsed(cases[i].text);
		value = value_of(spec);
		assert_string_equal(value->field->name, cases[i].field);
		assert_int_equal(value->kind, FIELD_COUNTER);
		assert_int_equal(value->values.span, 1);
		assert_int_equal(value->values.every, 1);
		assert_int_equal(low_of(value), cases[i].value);
		assert_int_equal(value->values.first, cases[i].value);
		assert_null(value->list);
		assert_null(value->next);
		packet_spec_free(spec);
	}
}

/* By their sequences: what packet 0, 1, ... get. */
static void values_that_change_take_the_sequence_that_is_written(void **state)
{
	static const struct {
		const char *text;
		uint64_t span, values[5];
	} cases[] = {
		{ "udp(5000-5999)", 1000, { 5000, 5001, 5002, 5003, 5004 } },
		{ "udp( 7 - 9 )", 3, { 7, 8, 9, 7, 8 } },
		{ "udp(9-7)", 3, { 9, 8, 7, 9, 8 } },
		{ "udp(10-20:5)", 3, { 10, 15, 20, 10, 15 } },
		{ "udp(20-9:5)", 3, { 20, 15, 10, 20, 15 } },
		{ "udp(0-65535:65535)", 2, { 0, 65535, 0, 65535, 0 } },
		{ "udp(7-8@2)", 2, { 7, 7, 8, 8, 7 } },
		{ "udp(list(3,1,2))", 3, { 3, 1, 2, 3, 1 } },
		{ "udp(list( 3 , 1 ) @ 2)", 2, { 3, 3, 1, 1, 3 } },
		{ "udp(5-5)", 1, { 5, 5, 5, 5, 5 } },
	};
	static const struct {
		const char *text;
		uint64_t span, first, second;
	} addresses[] = {
		{ "ip4(198.18.1.0/24)", 254, 0xc6120101, 0xc6120102 },
		{ "ip4(198.18.1.0/30)", 2, 0xc6120101, 0xc6120102 },
		{ "ip4(198.18.1.0/31)", 2, 0xc6120100, 0xc6120101 },
		{ "ip4(198.18.1.7/32)", 1, 0xc6120107, 0xc6120107 },
		{ "ip4(0.0.0.0/0)", 0xfffffffe, 1, 2 },
		{ "ip4(198.18.1.1-198.18.1.9:4)", 3, 0xc6120101, 0xc6120105 },
		{ "eth(02:00:00:00:00:01-02:00:00:00:00:09:4)", 3, 0x020000000001, 0x020000000005 },
		{ "eth(02:00:00:00:00:00/40)", 256, 0x020000000000, 0x020000000001 },
		{ "ip6(2001:2::/64)", 0, 0, 1 }, { "ip6(2001:2::10/124)", 16, 0x10, 0x11 },
		{ "ip6(2001:2::7/128)", 1, 7, 7 },
		{ "ip6(2001:2::1-2001:2::9 :4)", 3, 1, 5 },
		{ "ip6(list(2001:2::5,2001:2::3))", 2, 5, 3 },
	};
	const struct packet_value *value;
	struct packet_spec *spec;
	uint64_t list[256] = { 0 }, n;
	char text[128];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "ip4/%.3s(dport=%s", cases[i].text, cases[i].text + 4);
		spec = parsed(text);
		value = value_of(spec);
		assert_int_equal(value->values.span, cases[i].span);
		for (n = 0; n < 5; n++)
			assert_int_equal(field_value(&value->values, NULL, 0, n) *
					 (value->kind == FIELD_COUNTER) +
					 (value->kind == FIELD_LIST ?
					  value->list[n / value->values.every % value->nr_list] : 0),
					 cases[i].values[n]);
		packet_spec_free(spec);
	}
	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		spec = parsed(addresses[i].text);
		value = value_of(spec);
		if (value->nr_list)
			memcpy(list, value->list, value->nr_list * sizeof(*list));
		assert_int_equal(value->values.span, addresses[i].span);
		assert_int_equal(low_of(value), addresses[i].first);
		for (n = 0; n < 2; n++) {
			struct field field = value->values;

			field.kind = value->kind;
			assert_int_equal(field_value(&field, (__u64 *)list, 256, n),
					 n ? addresses[i].second : addresses[i].first);
		}
		packet_spec_free(spec);
	}
}

static void the_upper_half_of_an_ip6_address_stays(void **state)
{
	static const uint8_t upper[8] = { 0x20, 0x01, 0, 2, 0, 7, 0, 0 };
	struct packet_spec *spec = parsed("ip6(2001:2:7::/64)");

	(void)state;
	assert_memory_equal(value_of(spec)->fixed, upper, 8);
	packet_spec_free(spec);
}

static void chance_has_its_range_and_its_seed(void **state)
{
	static const struct {
		const char *text;
		uint64_t first, span, seed;
		uint32_t every;
	} cases[] = {
		{ "ip4/udp(dport=random(5000-5999))", 5000, 1000, 0, 1 },
		{ "ip4/udp(dport=random(5000-5999, seed=7))", 5000, 1000, 7, 1 },
		{ "ip4/udp(dport=random())", 0, 65536, 0, 1 },
		{ "ip4/udp(dport=random( seed = 0x9 )@4)", 0, 65536, 9, 4 },
		{ "ip4(random(198.18.1.0/24))", 0xc6120101, 254, 0, 1 },
		{ "ip4(random())", 0, 1ull << 32, 0, 1 },
		{ "ip6(random(2001:2::/64,seed=3))", 0, 0, 3, 1 },
		{ "eth(random(02:00:00:00:00:00/24))", 0x020000000000, 1 << 24, 0, 1 },
		{ "ip4(dst[0:8]=random(1-9))", 1, 9, 0, 1 },
		{ "ip6(dst[0:64]=random())", 0, 0, 0, 1 },
	};
	const struct packet_value *value;
	struct packet_spec *spec;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		spec = parsed(cases[i].text);
		value = value_of(spec);
		assert_int_equal(value->kind, FIELD_RANDOM);
		assert_int_equal(value->values.first, cases[i].first);
		assert_int_equal(value->values.span, cases[i].span);
		assert_int_equal(value->values.seed, cases[i].seed);
		assert_int_equal(value->has_seed, cases[i].seed != 0);
		assert_int_equal(value->values.every, cases[i].every);
		packet_spec_free(spec);
	}
}

static void a_distribution_is_reduced_and_spread_into_a_list(void **state)
{
	static const uint64_t expected[] = { 80, 80, 443, 53, 53, 53 };
	struct packet_spec *spec = parsed("ip4/udp(dport=dist(80*200, 443*100, 53*300, seed=5))");
	const struct packet_value *value = value_of(spec);

	(void)state;
	assert_int_equal(value->kind, FIELD_PICK);
	assert_int_equal(value->nr_list, 6);
	assert_int_equal(value->values.span, 6);
	assert_int_equal(value->values.seed, 5);
	assert_int_equal(low_of(value), 80);
	assert_memory_equal(value->list, expected, sizeof(expected));
	packet_spec_free(spec);

	spec = parsed("ip4/udp(dport=dist(80*255,53*1))");
	assert_int_equal(value_of(spec)->nr_list, 256);
	packet_spec_free(spec);
}

static void bits_of_a_field_count_from_the_lowest(void **state)
{
	struct packet_spec *spec = parsed("ip4(198.18.0.0, dst[0:8]=1-9, dst[8:4]=3)");
	const struct layer_field *dst = layer_find("ip4")->fields;
	const struct packet_value *value = value_of(spec);

	(void)state;
	while (strcmp(dst->name, "dst"))
		dst++;
	assert_ptr_equal(value->field, dst);
	assert_null(value->part);
	value = value->next;
	assert_int_equal(value->field->bit, dst->bit + 24);
	assert_int_equal(value->field->bits, 8);
	assert_int_equal(value->values.span, 9);
	value = value->next;
	assert_int_equal(value->field->bit, dst->bit + 20);
	assert_int_equal(value->field->bits, 4);
	assert_string_equal(value->field->name, "dst[8:4]");
	assert_int_equal(value->column, 31);
	assert_null(value->next);
	packet_spec_free(spec);
}

static void bytes_are_those_of_the_digits_and_escapes(void **state)
{
	static const struct {
		const char *text;
		uint32_t nr;
		const char *bytes;
	} cases[] = {
		{ "hex(deadBEEF)", 4, "\xde\xad\xbe\xef" }, { "hex( de ad\tbe )", 3, "\xde\xad\xbe" },
		{ "text(\"GET / HTTP/1.1\\r\\n\")", 16, "GET / HTTP/1.1\r\n" },
		{ "text(\"\\x00\\xfF\\\"\\\\\\t,)\")", 7, "\x00\xff\"\\\t,)" },
		{ "text(\"auto\")", 4, "auto" }, { "text(\"\xc3\xa9\")", 2, "\xc3\xa9" },
	};
	const struct packet_value *value;
	struct packet_spec *spec;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		spec = parsed(cases[i].text);
		value = value_of(spec);
		assert_int_equal(value->nr_bytes, cases[i].nr);
		assert_memory_equal(value->bytes, cases[i].bytes, cases[i].nr);
		packet_spec_free(spec);
	}
}

static void lengths_and_checksums_that_are_given_are_wrong_on_purpose(void **state)
{
	struct packet_spec *spec = parsed("ip4(ttl=3)/udp(len=7, sum=0xffff, dport=9)");
	const struct packet_value *value = value_of(spec);

	(void)state;
	assert_true(value->wrong_on_purpose);
	assert_true(value->next->wrong_on_purpose);
	assert_false(value->next->next->wrong_on_purpose);
	assert_false(spec->layers[1].values->wrong_on_purpose);
	packet_spec_free(spec);
}

static void columns_are_those_of_the_text(void **state)
{
	struct packet_spec *spec = parsed("ip4( ttl=3)/ udp(dport=5)");

	(void)state;
	assert_int_equal(spec->layers[0].column, 0);
	assert_int_equal(spec->layers[1].column, 1);
	assert_int_equal(spec->layers[1].values->column, 6);
	assert_int_equal(spec->layers[2].column, 14);
	assert_int_equal(spec->layers[2].values->column, 18);
	packet_spec_free(spec);
}

static void errors_are_reported_with_their_column(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "packet:1: the text ends: '' is not a layer, expected one of: eth " },
		{ "eth/", "packet:5: the text ends: '' is not a layer" },
		{ "/eth", "packet:1: '/' is not a layer" }, { "eth//ip4", "packet:5: '/' is not a layer" },
		{ "198.18.0.0/24", "packet:1: '198.18.0.0' is not a layer" },
		{ "etn/ip4", "packet:1: there is no layer 'etn', expected one of: eth " },
		{ "eth/IP4", "packet:5: there is no layer 'IP4'" },
		{ "eth/udp", "packet:5: 'udp' cannot directly follow 'eth', expected ip4 or ip6 "
		  "between them" },
		{ "vlan(7)/tcp", "packet:9: 'tcp' cannot directly follow 'vlan', expected ip4 or" },
		{ "udp(9)", "packet:1: 'udp' cannot directly follow 'eth', expected ip4 or ip6" },
		{ "eth/eth", "packet:5: 'eth' cannot directly follow" },
		{ "eth/arp/ip4", "packet:9: 'ip4' cannot follow 'arp'" },
		{ "eth ip4", "packet:5: 'ip4' is not understood, expected '/' and a layer, or the end" },
		{ "eth)", "packet:4: ')' is not understood" },
		{ "ip4(dts=1)", "packet:5: 'ip4' has no field 'dts', expected one of: " },
		{ "ip4(ttl=3, dts=1)", "packet:12: 'ip4' has no field 'dts'" },
		{ "ip4(ttl=256)", "packet:9: '256' does not fit into the 8 bits of 'ttl', expected a "
		  "number of 0 to 255" },
		{ "ip4(ttl=99999999999999999999)", "packet:9: '99999999999999999999' does not fit" },
		{ "ip4(ttl=0x)", "packet:9: '0x' is not a value of 'ttl', expected a number of 0 to 255" },
		{ "ip4(ttl=1.5)", "packet:9: '1.5' is not a value of 'ttl'" },
		{ "ip4(ttl=-1)", "packet:9: '-1' is not a value of 'ttl'" },
		{ "ip4(ttl=)", "packet:9: ')' is not a value of 'ttl'" },
		{ "ip4(ttl=", "packet:9: the text ends: '' is not a value of 'ttl'" },
		{ "ip4(ttl", "packet:5: 'ttl' has no value, expected ttl=..." },
		{ "ip4(198.18.0.2, ttl)", "packet:17: 'ttl' has no value, expected ttl=..." },
		{ "ip4(198.18.0.2, foo)", "packet:17: 'foo' is not a flag of 'ip4', expected field=value" },
		{ "ip4(198.18.0.2, 7)", "packet:17: '7' is not a value of the first field, expected field=" },
		{ "ip4(ttl=3", "packet:10: the text ends: '' is not understood, expected ',' or ')'" },
		{ "ip4(ttl=3,)", "packet:11: ')' is not a value of the first field" },
		{ "ip4(ttl=3 4)", "packet:11: '4' is not understood, expected ',' or ')'" },
		{ "ip4(ttl=3, ttl=4)", "packet:12: 'ttl' of 'ip4' is given twice" },
		{ "ip4(198.18.0.2, dst=198.18.0.3)", "packet:17: 'dst' of 'ip4' is given twice" },
		{ "ip4(df, df)", "packet:9: 'df' of 'ip4' is given twice" },
		{ "ip4(198.18.0.256)", "packet:5: '198.18.0.256' is not a value of 'dst', expected an IPv4" },
		{ "ip4(2001:2::1)", "packet:5: '2001:2::1' is not a value of 'dst', expected an IPv4 address" },
		{ "ip6(198.18.0.1)", "packet:5: '198.18.0.1' is not a value of 'dst', expected an IPv6" },
		{ "eth(02:00:00:00:00)", "packet:5: '02:00:00:00:00' is not a value of 'dst', expected a MAC" },
		{ "eth(02:00:00:00:00:011)", "packet:5: '02:00:00:00:00:011' is not a value of 'dst'" },
		{ "arp(ask)", "packet:5: 'ask' is not a value of 'op', expected a number of 0 to 65535, or "
		  "one of: request" },
		{ "ip4/tcp(flags=SX)", "packet:15: 'SX' is not a value of 'flags', expected letters of " },
		{ "ip4(198.18.1.5/24)", "packet:16: the address has bits set after its prefix of /24" },
		{ "ip4(198.18.1.0/33)", "packet:16: '33' is not a prefix length, expected 0 to 32" },
		{ "ip6(2001:2::/63)", "packet:14: a prefix of /63 is too short, expected /64 to /128: "
		  "only the low 64 bits of 'dst' can change" },
		{ "ip6(2001:2::-2001:3::)", "packet:14: only the low 64 bits of 'dst' can change" },
		{ "ip6(list(2001:2::1,2001:3::1))", "packet:20: only the low 64 bits of 'dst' can" },
		{ "ip6(random())", "packet:12: random() of all of 'dst' is too much, expected a prefix" },
		{ "ip4(ttl=1-9:0)", "packet:13: '0' is not a step, expected a number from 1 on" },
		{ "ip4(ttl=1-256)", "packet:11: '256' does not fit into the 8 bits of 'ttl'" },
		{ "ip4(ttl=7@2)", "packet:10: '@' requires a value that changes" },
		{ "ip4(ttl=7-9@0)", "packet:13: '0' is not a number of packets, expected 1 to 4294967295" },
		{ "ip4(ttl=7-9@4294967296)", "packet:13: '4294967296' is not a number of packets" },
		{ "ip4(ttl=random(9-7))", "packet:18: the range of random() ends before it begins" },
		{ "ip4(ttl=random(7-9:2))", "packet:19: random() has no step, expected ',' or ')'" },
		{ "ip4(ttl=random(7))", "packet:17: random() of one value is constant, expected '-'" },
		{ "ip4(ttl=random(7-9,8))", "packet:20: '8' is not understood in random(), expected 'seed='" },
		{ "ip4(ttl=random(7-9,seed=x))", "packet:25: 'x' is not a seed, expected a number" },
		{ "ip4(ttl=random(7-9", "packet:19: the text ends: '' is not understood in random()" },
		{ "ip4(ttl=list())", "packet:14: ')' is not a value of 'ttl'" },
		{ "ip4(ttl=list(1,2-3))", "packet:17: '-3' is not understood in list(), expected ',' or ')'" },
		{ "ip4(ttl=list(1,256))", "packet:16: '256' does not fit into the 8 bits of 'ttl'" },
		{ "ip4(ttl=dist(1,2))", "packet:15: a value of dist() has no weight, expected '*'" },
		{ "ip4(ttl=dist(1*0))", "packet:16: '0' is not a weight, expected 1 to 1000000" },
		{ "ip4(ttl=dist(1*256,2*1))", "packet:14: the weights of dist() add up to 257 when "
		  "reduced, expected at most 256" },
		{ "ip4(dst[0:33]=1)", "packet:9: 'dst' has no 33 bits from bit 0 on" },
		{ "ip4(dst[32:1]=1)", "" }, { "ip4(dst[0:0]=1)", "" }, { "ip6(dst[0:65]=1)", "" },
		{ "ip4(dst[8]=1)", "" }, { "ip4(dst[0:8)=1)", "" },
		{ "ip4(dst[0:8]=256)", "packet:14: '256' does not fit into the 8 bits of 'dst[0:8]'" },
		{ "ip4(dst[0:8]=1, dst[4:8]=2)", "packet:17: 'dst[0:8]' of 'ip4' is given twice" },
		{ "ip4(dst[0:8]=1, dst=198.18.0.1)", "packet:17: 'dst' is given after some of its bits" },
		{ "ip4(198.18.0.0/24, dst[0:8]=1)", "packet:20: all of 'dst' changes already" },
		{ "ip4(len[0:8]=1)", "packet:5: 'len' can only be given as a whole" },
		{ "hex(dea)", "packet:7: odd number of hex digits in " }, { "hex(xy)", "packet:5: 'xy' is not a value" },
		{ "hex()x", "packet:6: 'x' is not understood" },
		{ "text(abc)", "packet:6: 'abc' is not a value" },
		{ "text(\"abc", "packet:6: the text of " },
		{ "text(\"abc\\", "packet:10: '\\' is not an escape, expected \\r" },
		{ "text(\"a\\q\")", "packet:8: '\\q' is not an escape, expected \\r" },
		{ "text(\"\\x0\")", "packet:7: '\\x' is not an escape" },
		{ "text(\"abc\" x)", "packet:12: 'x' is not understood, expected ',' or ')'" },
		{ "eth/\xff", "packet:5: '?' is not a layer" },
		{ "ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4/ip4",
		  "packet:61: too many layers, expected at most 16" },
	};
	unsigned int failures = 0;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct packet_spec *spec = NULL;
		struct err e = { 0 };

		if (!packet_spec_parse(cases[i].text, &spec, &e))
			fail_msg("'%s' is taken", cases[i].text);
		assert_null(spec);
		assert_int_equal(e.kind, ERR_USAGE);
		if (!strncmp(e.msg, cases[i].message, strlen(cases[i].message)) &&
		    !strncmp(e.msg, "packet:", 7) && strstr(e.msg, "expected"))
			continue;
		print_error("'%s': %s\n", cases[i].text, e.msg);
		failures++;
	}
	assert_int_equal(failures, 0);
}

/* @unit again and again, between @head and @tail. */
static char *repeat(const char *head, const char *unit, unsigned int nr, const char *tail)
{
	char *text = malloc(strlen(head) + nr * strlen(unit) + strlen(tail) + 1);

	assert_non_null(text);
	strcpy(text, head);
	while (nr--)
		strcat(text, unit);
	strcat(text, tail);
	return text;
}

static void limits_are_kept_to_the_last(void **state)
{
	static const struct {
		const char *head, *unit;
		unsigned int max;
		const char *tail, *message;
	} cases[] = {
		{ "ip4(ttl=list(1", ",2", 255, "))", "the list is too long, expected at most 256" },
		{ "ip4(ttl=dist(1*1", ",2*1", 255, "))", "the list is too long" },
		{ "hex(", "ab", PACKET_SPEC_BYTES, ")", "is too long, expected at most 2048 bytes" },
		{ "text(\"", "a", PACKET_SPEC_BYTES, "\")", "is too long, expected at most 2048" },
	};
	struct packet_spec *spec;
	struct err e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		text = repeat(cases[i].head, cases[i].unit, cases[i].max, cases[i].tail);
		packet_spec_free(parsed(text));
		free(text);
		text = repeat(cases[i].head, cases[i].unit, cases[i].max + 1, cases[i].tail);
		assert_int_not_equal(packet_spec_parse(text, &spec, &e), 0);
		if (!strstr(e.msg, cases[i].message))
			fail_msg("%s", e.msg);
		free(text);
	}
}

static void the_pieces_of_a_stream_file_are_the_same_packet(void **state)
{
	struct packet_spec *spec = packet_spec_new();
	struct err e = { 0 };

	(void)state;
	assert_int_equal(packet_spec_add(spec, "ip4", &e), 0);
	assert_int_equal(packet_spec_set(spec, NULL, "198.18.1.0/24", &e), 0);
	assert_int_equal(packet_spec_set(spec, "df", NULL, &e), 0);
	assert_int_equal(packet_spec_set(spec, "ttl", " 3 ", &e), 0);
	assert_int_equal(packet_spec_set(spec, "id[0:8]", "1-9@7", &e), 0);
	assert_int_equal(packet_spec_add(spec, "text", &e), 0);
	assert_int_equal(packet_spec_set(spec, NULL, " GET \"/\"\r\n", &e), 0);
	assert_int_equal(spec->nr_layers, 3);
	assert_int_equal(spec->layers[1].values->values.span, 254);
	assert_int_equal(low_of(spec->layers[1].values->next), 1);
	assert_int_equal(spec->layers[1].values->next->next->next->values.every, 7);
	assert_int_equal(spec->layers[2].values->nr_bytes, 10);
	assert_int_equal(spec->layers[2].values->column, 0);
	packet_spec_free(spec);
}

static void wrong_pieces_are_refused_without_a_place(void **state)
{
	struct packet_spec *spec = packet_spec_new();
	struct err e = { 0 };

	(void)state;
	assert_int_not_equal(packet_spec_set(spec, "ttl", "3", &e), 0);
	assert_string_equal(e.msg, "there is no layer to set a field of");
	assert_int_not_equal(packet_spec_add(spec, "udp", &e), 0);
	assert_non_null(strstr(e.msg, "expected ip4 or ip6 between them"));
	assert_int_not_equal(packet_spec_add(spec, "ip4/udp", &e), 0);
	assert_non_null(strstr(e.msg, "there is no layer 'ip4/udp'"));
	assert_int_equal(packet_spec_add(spec, "ip4", &e), 0);
	assert_int_not_equal(packet_spec_set(spec, "dts", "3", &e), 0);
	assert_non_null(strstr(e.msg, "'ip4' has no field 'dts'"));
	assert_int_not_equal(packet_spec_set(spec, "ttl x", "3", &e), 0);
	assert_int_not_equal(packet_spec_set(spec, "ttl", "3)", &e), 0);
	assert_string_equal(e.msg, "')' is not understood, expected the end of the value");
	assert_int_not_equal(packet_spec_set(spec, "id", NULL, &e), 0);
	assert_int_not_equal(packet_spec_set(spec, "id", "", &e), 0);
	assert_int_not_equal(packet_spec_set(spec, "", "1", &e), 0);
	packet_spec_free(spec);
}

static void a_packet_is_distinguished_from_an_address(void **state)
{
	static const char *const packets[] = { "eth/ip4", "arp()", "arp", "ip6", " udp", "1/2", "(" };
	static const char *const others[] = { "198.18.0.2", "2001:2::2", "", "localhost", "arp ", "a" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(packets); i++)
		assert_true(packet_spec_is_text(packets[i]));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(packet_spec_is_text(others[i]));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_stand_in_the_order_of_the_text),
		cmocka_unit_test(a_fixed_value_is_a_counter_of_one),
		cmocka_unit_test(values_that_change_take_the_sequence_that_is_written),
		cmocka_unit_test(the_upper_half_of_an_ip6_address_stays),
		cmocka_unit_test(chance_has_its_range_and_its_seed),
		cmocka_unit_test(a_distribution_is_reduced_and_spread_into_a_list),
		cmocka_unit_test(bits_of_a_field_count_from_the_lowest),
		cmocka_unit_test(bytes_are_those_of_the_digits_and_escapes),
		cmocka_unit_test(lengths_and_checksums_that_are_given_are_wrong_on_purpose),
		cmocka_unit_test(columns_are_those_of_the_text),
		cmocka_unit_test(errors_are_reported_with_their_column),
		cmocka_unit_test(limits_are_kept_to_the_last),
		cmocka_unit_test(the_pieces_of_a_stream_file_are_the_same_packet),
		cmocka_unit_test(wrong_pieces_are_refused_without_a_place),
		cmocka_unit_test(a_packet_is_distinguished_from_an_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
