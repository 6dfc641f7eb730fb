// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_build: every layer is byte for byte scapy's; whatever changes,
 * all lengths and checksums stay right, as a reader of bare bytes adds them up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include "abi/tag.h"
#include "proto/layer.h"
#include "proto/packet_spec.h"

#include "check.h"
#include "frame_check.h"
#include "packet_vectors.h"

static struct packet packet;
static struct packet_size size;

static void make_env(struct packet_env *env, const char *text)
{
	struct packet_spec *spec;
	struct frame_addr dest;
	struct err e = { 0 };
	const char *outer;
	bool multicast;
	uint32_t i = 0;

	*env = (struct packet_env){
		.src_mac = { 2, 0, 0, 0, 0, 1 }, .dst_mac = { 2, 0, 0, 0, 0, 2 },
		.src_port = 49152, .dst_port = 9, .ttl = 64, .seed = 5, .stream = 7,
	};
	if (packet_spec_parse(text, &spec, &e))
		fail_msg("'%s': %s", text, e.msg);
	while ((outer = packet_spec_layer(spec, i)) && strcmp(outer, "ip4") &&
	       strcmp(outer, "ip6") && strcmp(outer, "arp"))
		i++;
	frame_parse_addr(outer && !strcmp(outer, "ip6") ? "2001:2::1" : "198.18.0.1", &env->src);
	frame_parse_addr(outer && !strcmp(outer, "ip6") ? "2001:2::2" : "198.18.0.2", &env->dst);
	/* Like blast: no neighbour is queried for a group's MAC address. */
	multicast = packet_spec_dest(spec, &dest) &&
		    (dest.family == AF_INET ? ntohl(dest.ip4.s_addr) >> 28 >= 14 :
					      dest.ip6.s6_addr[0] == 0xff);
	if (multicast)
		memset(env->dst_mac, 0, 6);
	packet_spec_free(spec);
}

static int try_build(const char *text, const char *sizes, bool tagged, struct err *e)
{
	struct packet_spec *spec;
	struct packet_env env;
	int err;

	make_env(&env, text);
	env.tagged = tagged;
	err = packet_spec_parse(text, &spec, e);
	if (!err && sizes)
		err = packet_size_parse(sizes, 5, &size, e);
	if (!err) {
		memset(&packet, 0xa5, sizeof(packet));
		err = packet_spec_build(spec, &env, sizes ? &size : NULL, &packet, e);
	}
	packet_spec_free(spec);
	return err;
}

static void build(const char *text, const char *sizes, bool tagged)
{
	struct err e = { 0 };

	if (try_build(text, sizes, tagged, &e))
		fail_msg("'%s' of %s bytes: %s", text, sizes ? sizes : "any", e.msg);
}

static void every_layer_is_what_scapy_makes_of_it(void **state)
{
	static uint8_t wanted[PACKET_MAX_BYTES];
	unsigned int byte;
	char sizes[16];
	size_t i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(packet_vectors); i++) {
		const char *text = packet_vectors[i].text, *hex = packet_vectors[i].hex;
		uint32_t kept = (uint32_t)strlen(hex) / 2, all = kept + packet_vectors[i].nr_zeros;

		memset(wanted, 0, sizeof(wanted));
		for (n = 0; n < kept; n++) {
			assert_int_equal(sscanf(hex + 2 * n, "%2x", &byte), 1);
			wanted[n] = (uint8_t)byte;
		}
		snprintf(sizes, sizeof(sizes), "%u", packet_vectors[i].frame_bytes);
		build(text, packet_vectors[i].frame_bytes ? sizes : NULL, false);
		if (packet.buf_bytes != all)
			fail_msg("'%s': %u bytes, not %u", text, packet.buf_bytes, all);
		for (n = 0; n < all; n++) {
			if (packet.bytes[n] != wanted[n])
				fail_msg("'%s': byte %zu is %02x, not %02x", text, n,
					 packet.bytes[n], wanted[n]);
		}
		assert_int_equal(packet.nr_fields, 0);
		assert_false(packet.has_size);
		assert_int_equal(packet.tag_offset, 0);
		assert_in_range(packet.content_bytes, kept, all);
	}
}

static void every_layer_of_the_table_is_among_them(void **state)
{
	const struct layer_def *def;
	size_t i;

	(void)state;
	for (def = layer_defs; def->name; def++) {
		bool met = false;

		for (i = 0; i < ARRAY_SIZE(packet_vectors) && !met; i++) {
			struct packet_spec *spec;
			struct err e = { 0 };
			uint32_t n;

			assert_int_equal(packet_spec_parse(packet_vectors[i].text, &spec, &e), 0);
			for (n = 0; packet_spec_layer(spec, n); n++)
				met |= !strcmp(packet_spec_layer(spec, n), def->name);
			packet_spec_free(spec);
		}
		if (!met)
			fail_msg("no packet has '%s'", def->name);
	}
}

static const struct layer_field *find_field(const struct layer_def *def, const char *name)
{
	const struct layer_field *field;

	for (field = def->fields; field->name && strcmp(field->name, name); field++)
		;
	return field->name ? field : NULL;
}

static void the_table_is_sound(void **state)
{
	const struct layer_def *def;
	const struct layer_field *field;
	const char *const *name;

	(void)state;
	for (def = layer_defs; def->name; def++) {
		assert_ptr_equal(layer_find(def->name), def);
		assert_non_null(def->fields[0].name);
		for (field = def->fields; field->name; field++) {
			assert_ptr_equal(find_field(def, field->name), field);
			assert_non_null(field->help);
			if (field->fill != FILL_OPTION)
				assert_in_range(field->bit + field->bits, 1, 8 * def->header_bytes);
		}
		for (name = def->follow; *name; name++)
			assert_non_null(layer_find(*name));
		if (def->sum != SUM_NONE && strcmp(def->name, "gre")) {
			field = find_field(def, "sum");
			assert_non_null(field);
			assert_int_equal(field->bit, 8 * def->sum_at);
		}
	}
	assert_null(layer_find("no such"));
}

/* @nr packets are right with @nr_sums checksums, with any previous bytes in the buffer. */
static void expect_right(const char *text, const char *sizes, bool tagged, uint64_t nr,
			 unsigned int nr_sums)
{
	static uint8_t bytes[PACKET_MAX_BYTES];
	uint64_t n;

	build(text, sizes, tagged);
	memcpy(bytes, packet.bytes, sizeof(bytes));
	for (n = 0; n < nr; n++) {
		uint32_t buf_bytes = packet_buf_bytes(&packet, n * 1009);
		struct frame_check c;

		assert_in_range(buf_bytes, packet.content_bytes < 60 ? 60 : packet.content_bytes,
				packet.buf_bytes);
		packet_modify(&packet, n * 1009, bytes);
		c = frame_checked(bytes, buf_bytes);
		if (c.wrong[0])
			fail_msg("'%s' of %s bytes: packet %lu: %s", text, sizes ? sizes : "any",
				 (unsigned long)n * 1009, c.wrong);
		if (c.nr_sums != nr_sums)
			fail_msg("'%s': %u checksums were read, not %u", text, c.nr_sums, nr_sums);
		/* What is neither field nor checksum stays. */
		assert_memory_equal(bytes + packet.content_bytes,
				    packet.bytes + packet.content_bytes,
				    packet.buf_bytes - packet.content_bytes);
	}
}

static void lengths_and_checksums_follow_what_changes(void **state)
{
	static const char *const outer[] = {
		"ip4(198.18.0.2%s)", "ip6(2001:2::2%s)", "vlan(7)/ip4(198.18.0.2%s)",
		"eth/llc/snap/ip4(198.18.0.2%s)", "mpls(16)/ip6(2001:2::2%s)/hbh/frag(0)",
		"ip4(198.18.0.2, options=94040000%s)",
	};
	static const char *const changes[][2] = {
		{ ", id=0-65535, src=random(10.0.0.0/8)",
		  ", flow=0-1000, src=2001:2::1-2001:2::ffff" },
		{ "", "" },
		{ ", ttl=1-64", ", hop=64-1" },
		{ ", src[8:8]=0-255, dscp=list(0,46)", ", src[0:16]=random(), dscp=list(0,46)@3" },
	};
	static const struct {
		const char *text;
		unsigned int nr_sums;
	} inner[] = {
		{ "/udp(sport=49152-65535)", 1 },
		{ "/udp(dport=dist(80*3,443*1))/text(\"odd\")", 1 },
		{ "/tcp(seq=0-0xffffffff:65537, mss=500-1460)", 1 },
		{ "/gre/ip4(src=10.0.0.1-10.0.9.9)/udp", 2 },
		{ "/gre(sum, key=random())/ip6/tcp(flags=random())", 2 },
		{ "/ip4(10.0.0.0/28)/icmp(echo, seq=0-65535)", 2 },
		{ "/ip6(2001:2::/64)/icmp6(echo, seq=65535-0)", 1 },
		{ "/udp/vxlan(1-16777215)/eth(src=02:00:00:00:00:01-02:00:00:00:ff:ff)/ip4/"
		  "udp(dport=1-99)",
		  3 },
		{ "/udp/vxlan/eth/ip6(src=2001:2::/64)/tcp(sport=1-9)", 2 },
		{ "/gre(sum)/eth/vlan(list(1,5,9))/ip6/udp/hex(00)", 2 },
	};
	static const char *const sizes[] = {
		NULL, "300", "200-1518", "random(200-1400)", "200*7,594*4,1518*1",
		"genome(aab, a=205, b=500)",
	};
	size_t o, c, i, s, nr = 0;
	char text[256], form[128];
	struct err e;

	(void)state;
	for (o = 0; o < ARRAY_SIZE(outer); o++) {
		for (i = 0; i < ARRAY_SIZE(inner); i++) {
			bool six = strstr(outer[o], "ip6");

			for (c = 0; c < ARRAY_SIZE(changes); c++) {
				snprintf(form, sizeof(form), outer[o], changes[c][six]);
				snprintf(text, sizeof(text), "%s%s", form, inner[i].text);
				for (s = 0; s < ARRAY_SIZE(sizes); s++) {
					e = (struct err){ 0 };
					if (sizes[s] &&
					    (packet_size_parse(sizes[s], 5, &size, &e) ||
					     (strstr(outer[o], "llc") && size.max_bytes > 1518)))
						continue;
					if (try_build(text, sizes[s], true, &e)) {
						/* Limits are reported, and have separate tests. */
						if (!strstr(e.msg, "more than"))
							fail_msg("'%s': %s", text, e.msg);
						continue;
					}
					expect_right(text, sizes[s], true, 31,
						     inner[i].nr_sums + !six);
					nr++;
				}
			}
		}
	}
	assert_in_range(nr, 900, 1680);
}

/* Packet @n of @all is the one that is described with its values put in. */
static void expect_same(const struct packet *all, uint32_t n, const char *fixed, const char *sizes,
			bool tagged)
{
	static uint8_t bytes[PACKET_MAX_BYTES];

	build(fixed, sizes, tagged);
	memcpy(bytes, all->bytes, sizeof(bytes));
	packet_modify(all, n, bytes);
	assert_int_equal(packet_buf_bytes(all, n), packet.buf_bytes);
	assert_int_equal(all->tag_offset, packet.tag_offset);
	if (memcmp(bytes, packet.bytes, packet.buf_bytes))
		fail_msg("packet %u is not '%s'", n, fixed);
}

static void a_packet_is_the_one_that_its_values_describe(void **state)
{
	static struct packet all;
	char text[256];
	uint32_t n;

	(void)state;
	build("ip4(10.0.0.0/24, id=0-65535)/gre(sum, key=4294967295-0)/ip4(198.18.7.2, "
	      "dst[8:8]=0-255, ttl=1-9@4)/tcp(seq=0-0xffffffff:1000003, "
	      "mss=list(536,1460,9000), flags=S, flags[4:1]=0-1)",
	      NULL, true);
	all = packet;
	for (n = 0; n < 2003; n++) {
		snprintf(text, sizeof(text),
			 "ip4(10.0.0.%u, id=%u)/gre(sum, key=%u)/ip4(198.18.%u.2, "
			 "ttl=%u)/tcp(seq=%u, mss=%u, flags=%u)",
			 1 + n % 254, n, ~n, n % 256, 1 + n / 4 % 9,
			 (uint32_t)(n * 1000003ull % 4294967296),
			 (unsigned int[]){ 536, 1460, 9000 }[n % 3], 2 + n % 2 * 16);
		expect_same(&all, n, text, NULL, true);
	}
	/* After a routing header the checksum omits the IPv6 header's destination. */
	build("ip6(2001:2::1-2001:2::ff, src[0:16]=0-65535)/routing(0, left=1, "
	      "data=0000000020010002000000000000000000000009)/tcp", NULL, true);
	all = packet;
	for (n = 0; n < 509; n++) {
		snprintf(text, sizeof(text), "ip6(2001:2::%x, src=2001:2::%x)/routing(0, left=1, "
			 "data=0000000020010002000000000000000000000009)/tcp", 1 + n % 255, n);
		expect_same(&all, n, text, NULL, true);
	}
}

static void so_it_is_when_sizes_change(void **state)
{
	static struct packet all;
	char text[256], sizes[16];
	uint32_t n, k, mac;

	(void)state;
	for (k = 0; k < 4; k++) {
		build("eth(src=02:00:00:00:00:fe-02:00:00:00:01:07)/vlan(list(5,9,4095))/"
		      "ip6(2001:2::2, src[0:16]=65000-65535)/udp(sport=1-65535:257@5)/vxlan(77)/"
		      "eth/ip6/udp", k & 1 ? "200-1218" : NULL, k & 2);
		all = packet;
		for (n = 0; n < 1009; n++) {
			mac = 0xfe + n % 10;
			snprintf(text, sizeof(text),
				 "eth(src=02:00:00:00:%02x:%02x)/vlan(%u)/"
				 "ip6(2001:2::2, src=2001:2::%x)/udp(sport=%u)/vxlan(77)/"
				 "eth/ip6/udp",
				 mac >> 8, mac & 255, (unsigned int[]){ 5, 9, 4095 }[n % 3],
				 65000 + n % 536, 1 + n / 5 % 255 * 257);
			snprintf(sizes, sizeof(sizes), "%u", 200 + n % 1019);
			expect_same(&all, n, text, k & 1 ? sizes : NULL, k & 2);
		}
	}
}

static uint32_t word(uint32_t at)
{
	return (uint32_t)packet.bytes[at] << 8 | packet.bytes[at + 1];
}

static void the_tag_follows_the_last_header_where_receivers_look_for_it(void **state)
{
	static const struct {
		const char *text, *sizes;
		uint16_t offset;
	} cases[] = {
		{ "ip4/udp", NULL, 42 }, { "vlan(7)/ip6/udp", NULL, 66 }, { "ip4/udp", "64", 42 },
		{ "ip4/udp", "64-1518", 42 }, { "ip4(options=01)/udp", NULL, 46 },
		{ "ip4/udp/vxlan/eth/ip4/udp", NULL, 92 }, { "ip6/gre(sum)/ip4/udp", NULL, 90 },
		{ "ip4/udp/hex(00)", NULL, 0 }, { "ip4/udp/text(\"a\")", NULL, 0 },
		{ "ip4/udp/vxlan/eth/arp", NULL, 0 }, { "arp", NULL, 0 },
		{ "ip4/tcp", NULL, 54 }, { "ip4/tcp", "76", 54 }, { "ip4/tcp", "75", 0 },
		{ "ip4/tcp", "64-1518", 0 }, { "ip4/tcp", "random(76-1518)", 54 },
		{ "ip4(options=01)/tcp(mss=1460, ts=1-9)", NULL, 74 },
		{ "vlan/dot1ad/ip6/hbh/dstopt/tcp", NULL, 98 }, { "ip4/tcp/text(\"GET\")", NULL, 0 },
		{ "ip4/tcp(off=7)", NULL, 0 }, { "ip4(options=01, ihl=5)/tcp", NULL, 0 },
		{ "ip4/icmp", NULL, 42 }, { "ip4/icmp", "64", 42 }, { "ip4/icmp(echo-reply)", NULL, 42 },
		{ "ip4/icmp(unreachable)", NULL, 0 }, { "ip4/icmp(type=0-9)", NULL, 0 },
		{ "ip6/icmp6(echo, id=1-9)", NULL, 62 }, { "ip6/icmp6(rs)", NULL, 0 },
		{ "ip6/ns", NULL, 0 }, { "ip4/sctp", NULL, 0 },
		{ "ip4/gre", "64", 38 }, { "ip4/gre(sum, key=random(), seq=1)", NULL, 50 },
		{ "ip4/gre(s=1)", NULL, 0 }, { "ip4/gre(proto=0x88be)", NULL, 38 },
		{ "ip4/gre/ip4/tcp", NULL, 0 }, { "ip4/ip4/tcp", NULL, 0 }, { "mpls/ip4/tcp", NULL, 0 },
		{ "ip4", NULL, 34 }, { "ip4(proto=99)", NULL, 34 }, { "ip4(proto=17)", NULL, 0 },
		{ "ip4(proto=99)/tcp", NULL, 0 }, { "ip4(proto=98-99)", NULL, 0 },
		{ "ip4/icmp(type[0:1]=1)", NULL, 0 }, { "ip4(mf)", NULL, 0 }, { "ip6", NULL, 54 },
		{ "ip6(next=6)", NULL, 0 }, { "ip6/dstopt", NULL, 62 }, { "ip6/frag", NULL, 0 },
		{ "eth", NULL, 14 }, { "eth(type=0x88b5)", NULL, 14 }, { "vlan", NULL, 18 },
		{ "eth(type=0x0800)", NULL, 0 }, { "eth(type=100)", NULL, 0 },
		{ "vlan/vlan/vlan", NULL, 0 }, { "eth/llc", NULL, 0 }, { "eth/hex(00)", NULL, 0 },
	};
	struct tag_fields fields;
	struct frame_check c;
	struct tag tag;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		build(cases[i].text, cases[i].sizes, false);
		assert_int_equal(packet.tag_offset, 0);
		build(cases[i].text, cases[i].sizes, true);
		assert_int_equal(packet.tag_offset, cases[i].offset);
		if (!cases[i].offset)
			continue;
		memcpy(&tag, packet.bytes + packet.tag_offset, sizeof(tag));
		assert_true(tag_read(tag.high, tag.low, tag.complement, &fields));
		assert_int_equal(fields.stream, 7);
		assert_int_equal(fields.run, 0);
		assert_in_range(packet.content_bytes, cases[i].offset + TAG_BYTES,
				packet.buf_bytes);
		c = frame_checked(packet.bytes, packet.buf_bytes);
		assert_string_equal(c.wrong, "");
		/* Any other tag leaves the checksums right. */
		frame_write_tag(packet.bytes + packet.tag_offset, 0xffff, 9, 0x12345678, 0x123456789abcdef);
		c = frame_checked(packet.bytes, packet.buf_bytes);
		assert_string_equal(c.wrong, "");
	}
}

static void an_ip_length_leaves_out_what_only_pads_the_frame(void **state)
{
	(void)state;
	build("ip4/udp", NULL, false);
	assert_int_equal(packet.buf_bytes, 60);
	assert_int_equal(word(16), 28);
	build("ip4/udp", "64", false);
	assert_int_equal(word(16), 46);
	assert_int_equal(word(38), 26);
	build("ip6/ns", "82-1518", false);	/* nothing may follow it */
	assert_int_equal(word(18), 24);
	assert_int_equal(packet.nr_fields, 0);
	assert_true(packet.has_size);
	build("arp", "64-1518", false);
	assert_int_equal(packet.content_bytes, 42);
	assert_int_equal(packet_buf_bytes(&packet, 0), 60);
	assert_int_equal(packet_buf_bytes(&packet, 1454), 1514);
	assert_int_equal(packet.nr_fields, 0);
}

static void what_is_wrong_on_purpose_stays_and_is_counted_by_what_covers_it(void **state)
{
	static uint8_t bytes[PACKET_MAX_BYTES];
	struct frame_check c;
	uint32_t n;

	(void)state;
	build("ip4(src=10.0.0.1-10.0.0.9)/gre(sum)/ip4(src=10.0.0.1-10.0.9.9, sum=0x1111)/"
	      "udp(sport=1-65535, sum=0x2222)", NULL, false);
	memcpy(bytes, packet.bytes, sizeof(bytes));
	for (n = 0; n < 1009; n++) {
		packet_modify(&packet, n, bytes);
		assert_int_equal(bytes[42 + 10] << 8 | bytes[42 + 11], 0x1111);
		assert_int_equal(bytes[62 + 6] << 8 | bytes[62 + 7], 0x2222);
		c = frame_checked(bytes, packet.buf_bytes);
		assert_int_equal(c.nr_sums, 2);		/* IPv4 outside, and GRE */
		assert_string_equal(c.wrong, "IPv4 checksum at byte 42");
	}
	/* A checksum that is none stays none, and a given length does not follow the size. */
	build("ip4(src=10.0.0.1-10.0.0.9)/udp(sum=0, len=8)", "64-1518", false);
	memcpy(bytes, packet.bytes, sizeof(bytes));
	for (n = 0; n < 1455; n++) {
		packet_modify(&packet, n, bytes);
		assert_int_equal(bytes[16] << 8 | bytes[17], 46 + n);
		assert_int_equal(bytes[38] << 8 | bytes[39], 8);
		assert_int_equal(bytes[40] << 8 | bytes[41], 0);
	}
	/* One that changes, too. */
	build("ip4/udp(sum=1-9)", NULL, false);
	packet_modify(&packet, 8, packet.bytes);
	assert_int_equal(word(40), 9);
}

/* A udp checksum that comes out as 0 is sent as 0xffff; any of 65536 packets in a row has one. */
static void a_udp_checksum_is_never_zero(void **state)
{
	static const char *const texts[] = {
		"ip4/udp(sport=0-65535)/hex(00)", "ip6/udp(sport=0-65535)/hex(00)",
		"ip4/udp/vxlan/eth/ip4/udp(sport=0-65535)/hex(00)",
	};
	uint32_t n, at;
	bool met;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		build(texts[i], NULL, false);
		at = i == 2 ? 90 : i ? 60 : 40;
		for (met = false, n = 0; n < 65536; n++) {
			packet_modify(&packet, n, packet.bytes);
			assert_int_not_equal(word(at), 0);
			met |= word(at) == 0xffff;
		}
		assert_true(met);
	}
}

static void windows_lie_within_the_shortest_frame(void **state)
{
	static const char *const texts[] = {
		"ip4/icmp(seq=0-65535)",
		"ip4/tcp(urg=0-65535)",
		"arp(tpa=10.0.0.0/8)",
		"arp(tha=02:00:00:00:00:01-02:00:00:00:00:ff)",
		"ip6/sctp",
		"ip4/tcp(ts=random())",
		"ip4/tcp(options=01, mss=random())",
		"ip6/na(lladdr=02:00:00:00:00:01-02:00:00:00:00:ff)",
		"ip6/ns(target=2001:2::/64)",
		"ip6/gre(seq=random())",
		"ip4/gre(key=1-9, seq=random())",
	};
	uint32_t i, k, end;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		build(texts[i], NULL, false);
		for (k = 0; k < packet.nr_fields; k++) {
			end = packet.fields[k].offset + packet.fields[k].bytes;
			assert_int_equal(packet.fields[k].offset % 2, 0);
			assert_in_range(end, 2, packet.buf_bytes);
		}
	}
}

static void values_without_a_seed_move_independently(void **state)
{
	static uint8_t bytes[PACKET_MAX_BYTES];
	uint32_t n, same = 0;

	(void)state;
	build("ip4/udp(sport=random(), dport=random())", NULL, false);
	for (n = 0; n < 1009; n++) {
		packet_modify(&packet, n, bytes);
		same += !memcmp(bytes + 34, bytes + 36, 2);
	}
	assert_in_range(same, 0, 3);
	build("ip4/udp(sport=random(1-9, seed=3), dport=random(1-9, seed=3))", NULL, false);
	for (n = 0; n < 1009; n++) {
		packet_modify(&packet, n, bytes);
		assert_memory_equal(bytes + 34, bytes + 36, 2);
	}
}

static void lists_share_the_room_and_keep_their_values(void **state)
{
	static uint8_t bytes[PACKET_MAX_BYTES];
	uint32_t n;

	(void)state;
	build("vlan(list(5,6,7))/ip4/udp(sport=list(1,2), dport=dist(80*3,443*1))", "200*2,300*1",
	      false);
	for (n = 0; n < 1009; n++) {
		uint32_t buf_bytes = packet_buf_bytes(&packet, n), dport;

		packet_modify(&packet, n, bytes);
		assert_int_equal((bytes[14] << 8 | bytes[15]) & 0xfff, 5 + n % 3);
		assert_int_equal(bytes[38] << 8 | bytes[39], 1 + n % 2);
		dport = (uint32_t)(bytes[40] << 8 | bytes[41]);
		assert_true(dport == 80 || dport == 443);
		assert_true(buf_bytes == 196 || buf_bytes == 296);
		assert_int_equal(bytes[20] << 8 | bytes[21], buf_bytes - 18);
		assert_int_equal(bytes[42] << 8 | bytes[43], buf_bytes - 38);
	}
}

static void expect_error(const char *text, const char *sizes, const char *message)
{
	struct err e = { 0 };

	if (!try_build(text, sizes, true, &e))
		fail_msg("'%s' of %s bytes was built", text, sizes ? sizes : "any");
	assert_string_equal(e.msg, message);
	assert_int_equal(e.kind, ERR_USAGE);
}

static void what_cannot_be_built_says_where_and_why(void **state)
{
	static const struct {
		const char *text, *sizes, *message;
	} cases[] = {
		{ "ip4/udp/vxlan/eth/ip6/tcp", "64",
		  "frames of 64 bytes are too short: the packet requires 128" },
		{ "ip6/udp", "64-1518",
		  "frames of 64 bytes are too short: the packet requires 84, 18 of "
		  "them for its tag" },
		{ "eth/llc/hex(00)", "64-1519",
		  "packet:5: llc: the packet from here on has 1501 bytes, but "
		  "the length field before it allows at most 1500" },
		{ "vlan(7)/llc/snap/ip4/udp", "9000",
		  "packet:9: llc: the packet from here on has 8978 "
		  "bytes, but the length field before it allows at most 1500" },
		{ "ip4/sctp(sport=1-9)", NULL,
		  "packet:5: sctp: bytes covered by its CRC32c cannot change" },
		{ "ip4/gre(sum)/ip4/sctp(tag=random())", NULL,
		  "packet:18: sctp: bytes covered by its CRC32c cannot change" },
		{ "ip4(len=99)/udp", "64-128",
		  "packet:13: udp: sizes cannot change: the length in the "
		  "IP header around it is fixed" },
		{ "ip4(ttl=1-9, id=1-9, dscp=1-9, ecn=0-1)/"
		  "tcp(sport=1-9, dport=1-9, seq=1-9, ack=1-9, win=1-9)",
		  NULL, "packet:85: tcp.win: more than 8 fields of a packet change" },
		{ "ip4(ttl=1-9, id=1-9, dscp=1-9, ecn=0-1)/"
		  "tcp(sport=1-9, dport=1-9, seq=1-9, ack=1-9)",
		  "64-128",
		  "packet:1: ip4: more than 8 fields of a packet change, including its lengths" },
		{ "vlan(list(1,2))/ip4(id=dist(1*255,2*1))/udp", NULL,
		  "packet:21: ip4.id: the lists of a packet have more than 256 values" },
		{ "vlan(list(1,2))/ip4/udp", "128*254,256*1",
		  "packet:6: vlan.id: the lists of a packet have more than 256 values" },
		{ "ip4(src=1.0.0.0/8)/ip4(src=1.0.0.0/8)/ip4(src=1.0.0.0/8)/ip4(src=1.0.0.0/8)/udp",
		  NULL, "packet:1: ip4: more than 4 checksums of a packet would change" },
		{ "ip4/tcp(ws=7, ts=random())", NULL,
		  "packet:15: tcp.ts: 64 bits at this offset cannot "
		  "change: put an even number of bytes before them, or use fewer bits" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_error(cases[i].text, cases[i].sizes, cases[i].message);
}

/* @nr bytes in hex after @before. */
static void write_hex(char *text, size_t text_size, const char *before, size_t nr,
		      const char *after)
{
	size_t at = (size_t)snprintf(text, text_size, "%s", before);

	while (nr-- && at + 3 < text_size)
		at += (size_t)snprintf(text + at, text_size - at, "01");
	snprintf(text + at, text_size - at, "%s", after);
}

static void headers_hold_as_much_as_their_length_can_say(void **state)
{
	static char text[32768], more[16384];
	int i;

	(void)state;
	write_hex(text, sizeof(text), "ip4(options=", 40, ")/udp");
	build(text, NULL, true);
	assert_int_equal(packet.bytes[14], 0x4f);
	write_hex(text, sizeof(text), "ip4(options=", 41, ")/udp");
	expect_error(text, NULL, "packet:1: ip4: options of 44 bytes, but its header has room for 40");
	write_hex(text, sizeof(text), "ip4/tcp(mss=1, options=", 36, ")");
	build(text, NULL, true);
	assert_int_equal(packet.bytes[46] >> 4, 15);
	write_hex(text, sizeof(text), "ip4/tcp(mss=1, options=", 37, ")");
	expect_error(text, NULL, "packet:5: tcp: options of 44 bytes, but its header has room for 40");
	write_hex(text, sizeof(text), "ip6/dstopt(", 2046, ")/udp");
	build(text, NULL, true);
	assert_int_equal(packet.bytes[55], 255);
	write_hex(text, sizeof(text), "ip6/dstopt(", 2047, ")/udp");
	expect_error(text, NULL,
		     "packet:5: dstopt: options of 2054 bytes, but its header has room for 2046");
	strcpy(text, "eth");
	for (i = 0; i < 4; i++) {
		write_hex(more, sizeof(more), "/hex(", 2048, ")");
		strcat(text, more);
	}
	write_hex(more, sizeof(more), "/hex(", 1006, ")");
	strcat(text, more);
	build(text, NULL, true);
	assert_int_equal(packet.buf_bytes, 14 + 4 * 2048 + 1006);
	strcat(text, "/hex(01)");
	expect_error(text, NULL, "packet:18431: hex: the packet is longer than 9212 bytes");
}

static void what_may_be_fragmented_has_an_identification_of_its_own(void **state)
{
	static const struct {
		const char *text;
		unsigned int nr_fields;
	} others[] = {
		{ "ip4/udp", 0 }, { "ip4(df)/udp", 0 }, { "ip4(df=0, id=7)/udp", 0 }, { "ip4(mf, id=7)/udp", 0 },
		{ "ip4(df=0, mf)/udp", 0 }, { "ip4(df=0, frag=3)/udp", 0 }, { "ip6/udp", 0 },
		{ "ip4(df=0)/ip4(df=0)/udp", 2 },
	};
	static struct packet all;
	char text[64];
	uint32_t n;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		build(others[i].text, NULL, true);
		assert_int_equal(packet.nr_fields, others[i].nr_fields);
	}
	build("ip4(df=0)/udp", NULL, true);
	all = packet;
	for (n = 0; n < 65536 + 3; n += n == 5 ? 65528 : 1) {
		snprintf(text, sizeof(text), "ip4(df=0, id=%u)/udp", n & 0xffff);
		expect_same(&all, n, text, NULL, true);
	}
}

static void as_much_may_change_as_there_is_room_for(void **state)
{
	(void)state;
	build("ip4(ttl=1-9, id=1-9, dscp=1-9, ecn=0-1)/tcp(sport=1-9, dport=1-9, seq=1-9, ack=1-9)",
	      NULL, true);
	assert_int_equal(packet.nr_fields, FIELD_MAX);
	build("vlan(list(1,2))/ip4(id=dist(1*253,2*1))/udp", NULL, true);
	build("ip4(src=1.0.0.0/8)/ip4(src=1.0.0.0/8)/ip4(src=1.0.0.0/8)/udp(sport=1-9)", NULL,
	      true);
	assert_int_equal(packet.nr_sums, FIELD_MAX_SUMS);
	/* What nothing covers needs none: of an outer header only its own checksum. */
	build("ip4(src=1.0.0.0/8)/ip4/ip4/ip4/ip4/sctp", NULL, true);
	assert_int_equal(packet.nr_sums, 1);
}

static void the_outermost_ip_header_says_where_it_goes(void **state)
{
	static const struct {
		const char *text, *dest;
		bool has_src, has_mac;
	} cases[] = {
		{ "ip4(198.18.9.9)/udp", "198.18.9.9", false, false },
		{ "eth(02:00:00:00:00:09)/ip4(198.18.9.0/24, src=1.2.3.4)/udp", "198.18.9.1", true,
		  true },
		{ "vlan(7)/ip6(2001:2::9)/ip4(10.0.0.1, src=10.0.0.2)/udp", "2001:2::9", false,
		  false },
		{ "ip4(list(10.0.0.7,10.0.0.1))/udp", "10.0.0.7", false, false },
		{ "ip4(10.0.0.9-10.0.0.1)/udp", "10.0.0.9", false, false },
		{ "ip6(2001:2:0:5::/64)/udp", "2001:2:0:5::", false, false },
		{ "ip4(src=10.0.0.1-10.0.0.9)/ip4(10.0.0.1)/udp", NULL, true, false },
		{ "eth(src=02:00:00:00:00:09)/arp", NULL, false, false },
		{ "eth", NULL, false, false },
	};
	struct packet_spec *spec;
	struct frame_addr dest;
	struct err e = { 0 };
	char shown[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(packet_spec_parse(cases[i].text, &spec, &e), 0);
		assert_int_equal(packet_spec_has_src_ip(spec), cases[i].has_src);
		assert_int_equal(packet_spec_has_dst_mac(spec), cases[i].has_mac);
		dest = (struct frame_addr){ .family = 99 };
		assert_int_equal(packet_spec_dest(spec, &dest), cases[i].dest != NULL);
		if (cases[i].dest)
			assert_string_equal(frame_show_addr(shown, sizeof(shown), &dest),
					    cases[i].dest);
		else
			assert_int_equal(dest.family, 99);
		packet_spec_free(spec);
	}
}

static void packets_go_to_an_address_only_if_nowhere_else(void **state)
{
	static const struct {
		const char *text, *dest;
		bool goes;
	} cases[] = {
		{ "ip4(198.18.9.9)/udp", "198.18.9.9", true },
		{ "ip4(198.18.9.9)/udp", "198.18.9.8", false },
		{ "ip4/udp", "198.18.9.9", true },
		{ "ip4/udp", "2001:2::9", false },
		{ "ip6(dscp=46)/udp", "2001:2::9", true },
		{ "ip6/udp", "198.18.9.9", false },
		{ "ip6(2001:2::9)/ip4(10.0.0.1, src=10.0.0.2)/udp", "2001:2::9", true },
		{ "ip4(198.18.9.9-198.18.9.10)/udp", "198.18.9.9", false },
		{ "ip4(list(198.18.9.9,10.0.0.1))/udp", "198.18.9.9", false },
		{ "ip4(dst[0:8]=1-9)/udp", "198.18.9.9", false },
		{ "eth(type=0x88b5)", "198.18.9.9", true },
	};
	struct packet_spec *spec;
	struct frame_addr dest;
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (packet_spec_parse(cases[i].text, &spec, &e))
			fail_msg("%s: %s", cases[i].text, e.msg);
		assert_true(frame_parse_addr(cases[i].dest, &dest));
		if (packet_spec_goes_to(spec, &dest) != cases[i].goes)
			fail_msg("%s to %s", cases[i].text, cases[i].dest);
		packet_spec_free(spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_sound),
		cmocka_unit_test(every_layer_is_what_scapy_makes_of_it),
		cmocka_unit_test(every_layer_of_the_table_is_among_them),
		cmocka_unit_test(lengths_and_checksums_follow_what_changes),
		cmocka_unit_test(a_packet_is_the_one_that_its_values_describe),
		cmocka_unit_test(so_it_is_when_sizes_change),
		cmocka_unit_test(the_tag_follows_the_last_header_where_receivers_look_for_it),
		cmocka_unit_test(an_ip_length_leaves_out_what_only_pads_the_frame),
		cmocka_unit_test(what_is_wrong_on_purpose_stays_and_is_counted_by_what_covers_it),
		cmocka_unit_test(a_udp_checksum_is_never_zero),
		cmocka_unit_test(windows_lie_within_the_shortest_frame),
		cmocka_unit_test(values_without_a_seed_move_independently),
		cmocka_unit_test(lists_share_the_room_and_keep_their_values),
		cmocka_unit_test(what_cannot_be_built_says_where_and_why),
		cmocka_unit_test(headers_hold_as_much_as_their_length_can_say),
		cmocka_unit_test(what_may_be_fragmented_has_an_identification_of_its_own),
		cmocka_unit_test(as_much_may_change_as_there_is_room_for),
		cmocka_unit_test(the_outermost_ip_header_says_where_it_goes),
		cmocka_unit_test(packets_go_to_an_address_only_if_nowhere_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
