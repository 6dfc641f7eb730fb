// SPDX-License-Identifier: GPL-2.0-or-later
/* The vectors are the standards' own, or counted by hand from their header diagrams. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/theory.h"

#include "check.h"

static const struct theory_path ether = { .link_bps = 1e9, .mtu = 1500 };
static const struct theory_stack tcp4 = { .tcp = true }, udp4 = { 0 };

static void near(double value, double expected, double slack)
{
	if (!(fabs(value - expected) <= slack))
		fail_msg("%.9g, expected %.9g", value, expected);
}

static void frame_rates_are_those_of_rfc_2544_appendix_b(void **state)
{
	static const struct {
		uint32_t bytes;
		double pps;
	} rates[] = {
		{ 64, 14880 }, { 128, 8445 }, { 256, 4528 }, { 512, 2349 }, { 768, 1586 },
		{ 1024, 1197 }, { 1280, 961 }, { 1518, 812 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rates); i++)
		near(floor(theory_frame_pps(10e6, rates[i].bytes)), rates[i].pps, 0);
	near(floor(theory_frame_pps(10e9, 64)), 14880952, 0);
}

static void goodput_of_full_frames(void **state)
{
	static const struct {
		struct theory_stack stack;
		double ratio;
	} cases[] = {
		{ { .tcp = true }, 0.94928 },
		{ { .tcp = true, .options_bytes = 12 }, 0.94148 },
		{ { 0 }, 0.95709 },
		{ { .tcp = true, .ip6 = true }, 0.93628 },
	};
	struct theory_path jumbo = { .link_bps = 1e9, .mtu = 9000 };
	struct theory_path tagged = { .link_bps = 1e9, .mtu = 1500, .vlan_tags = 2 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		near(theory_goodput_ratio(&ether, &cases[i].stack), cases[i].ratio, 0.0000051);
	near(theory_goodput_ratio(&jumbo, &tcp4), 8960. / 9038, 1e-12);
	near(theory_goodput_ratio(&tagged, &tcp4), 1460. / 1546, 1e-12);
}

static void an_mtu_too_small_carries_nothing(void **state)
{
	struct theory_path path = { .link_bps = 1e9, .mtu = 1279 };
	const struct theory_stack tcp6 = { .tcp = true, .ip6 = true };

	(void)state;
	near(theory_goodput_ratio(&path, &tcp6), 0, 0);
	assert_int_equal(theory_payload_bytes(&path, &tcp4), 1239);
	path.mtu = 1280;
	assert_int_equal(theory_payload_bytes(&path, &tcp6), 1220);
	path.tunnel = THEORY_IPIP;
	assert_int_equal(theory_payload_bytes(&path, &tcp6), 0);
	path.mtu = 67;
	assert_int_equal(theory_payload_bytes(&path, &udp4), 0);
}

static void tunnels_take_what_their_headers_are(void **state)
{
	static const uint32_t bytes[THEORY_NR_TUNNELS] = {
		0, 20, 24, 38, 50, 50, 60,
	};
	struct theory_path path = ether;
	unsigned int i;

	(void)state;
	for (i = 0; i < THEORY_NR_TUNNELS; i++) {
		path.tunnel = (enum theory_tunnel)i;
		path.outer_ip6 = false;
		assert_int_equal(theory_tunnel_bytes(&path), bytes[i]);
		assert_int_equal(theory_payload_bytes(&path, &tcp4), 1460 - bytes[i]);
		near(theory_goodput_ratio(&path, &tcp4), (1460. - bytes[i]) / 1538, 1e-12);
		path.outer_ip6 = true;
		assert_int_equal(theory_tunnel_bytes(&path), i ? bytes[i] + 20 : 0);
	}
}

static void transact(const struct theory_path *path, const struct theory_stack *stack,
		     enum theory_transaction_kind kind, uint32_t request, uint32_t response,
		     uint64_t forth, uint64_t back)
{
	struct theory_transaction t;

	assert_int_equal(theory_transact(path, stack, kind, request, response, &t), 0);
	assert_int_equal(t.forth_wire_bytes, forth);
	assert_int_equal(t.back_wire_bytes, back);
	near(t.per_s, path->link_bps / (8. * (double)(forth > back ? forth : back)), 1e-6);
}

static void transactions_are_the_sum_of_their_frames(void **state)
{
	const struct theory_stack stamped = { .tcp = true, .options_bytes = 12 };

	(void)state;
	transact(&ether, &udp4, THEORY_UDP_RR, 1, 1, 84, 84);
	/* 14 + 20 + 20 + 1 + 4 = 59, padded; with timestamps 71 */
	transact(&ether, &tcp4, THEORY_TCP_RR, 1, 1, 84, 84);
	transact(&ether, &stamped, THEORY_TCP_RR, 1, 1, 91, 91);
	/* SYN 98, ACK 90, request 91, FIN 90; SYN ACK 98, response 91, FIN 90, ACK 90 */
	transact(&ether, &stamped, THEORY_TCP_CRR, 1, 1, 369, 369);
	/* 1460 + 1460 + 80: two full segments, one ACK back, the last rides on the response */
	transact(&ether, &tcp4, THEORY_TCP_RR, 3000, 1460, 1538 * 2 + 80 + 78, 1538 + 84);
	transact(&ether, &tcp4, THEORY_TCP_RR, 1460, 1461, 1538, 1538 + 84);
}

static void a_half_duplex_link_is_one_for_both_directions(void **state)
{
	const struct theory_stack stamped = { .tcp = true, .options_bytes = 12 };
	struct theory_path half = { .link_bps = 10e6, .mtu = 1500, .half_duplex = true };
	struct theory_transaction t;

	(void)state;
	/* Two segments of 1538 on the wire, and one acknowledgement of 14 + 52 + 4 + 20. */
	near(theory_goodput_ratio(&half, &stamped), 2 * 1448. / (2 * 1538 + 90), 1e-12);
	near(theory_goodput_ratio(&half, &tcp4), 2 * 1460. / (2 * 1538 + 84), 1e-12);
	near(theory_goodput_ratio(&half, &udp4), 1472. / 1538, 1e-12);
	/* With data in both directions no acknowledgement travels alone. */
	near(theory_both_ways_ratio(&half, &stamped), 1448. / 1538, 1e-12);
	near(theory_both_ways_ratio(&half, &udp4), 1472. / 1538, 1e-12);
	near(theory_both_ways_ratio(&ether, &stamped), 2 * 1448. / 1538, 1e-12);
	/* In VXLAN the acknowledgement has 50 more, too. */
	half.tunnel = THEORY_VXLAN;
	near(theory_goodput_ratio(&half, &stamped), 2 * 1398. / (2 * 1538 + 140), 1e-12);
	half.tunnel = THEORY_NO_TUNNEL;
	/* 84 + 84 = 168 bytes are 1344 bits; 10e6 / 1344 = 7440.5 */
	assert_int_equal(theory_transact(&half, &udp4, THEORY_UDP_RR, 1, 1, &t), 0);
	near(floor(t.per_s), 7440, 0);
	assert_int_equal(theory_transact(&half, &stamped, THEORY_TCP_CRR, 1, 1, &t), 0);
	near(t.per_s, 10e6 / (8. * (369 + 369)), 1e-9);
	half.mtu = 67;
	near(theory_goodput_ratio(&half, &stamped), 0, 0);
	near(theory_both_ways_ratio(&half, &stamped), 0, 0);
}

static void large_datagrams_go_in_fragments(void **state)
{
	const struct theory_stack udp6 = { .ip6 = true };
	struct theory_path odd = { .link_bps = 1e9, .mtu = 1006 };
	struct theory_transaction t;

	(void)state;
	transact(&ether, &udp4, THEORY_UDP_RR, 1472, 1473, 1538, 1538 + 84);
	/* 8 + 4000 in parts of 1480: 1480, 1480, 1048 */
	transact(&ether, &udp4, THEORY_UDP_RR, 4000, 1, 1538 * 2 + 1048 + 20 + 38, 84);
	/* 1500 - 48 = 1452, in eights 1448; 8 + 2000 = 1448 + 560 */
	transact(&ether, &udp6, THEORY_UDP_RR, 2000, 1, 1448 + 48 + 38 + 560 + 48 + 38,
		 49 + 38 + 0);
	/* Parts of 984, but the last may have 986: 984 + 986 are two fragments, not three */
	transact(&odd, &udp4, THEORY_UDP_RR, 984 + 986 - 8, 1, 1004 + 38 + 1006 + 38, 84);
	assert_int_equal(theory_transact(&ether, &udp4, THEORY_UDP_RR, 65507, 1, &t), 0);
	assert_int_equal(theory_transact(&ether, &udp4, THEORY_UDP_RR, 65508, 1, &t), -EMSGSIZE);
}

static void small_packets_in_wireguard_are_padded(void **state)
{
	struct theory_path path = ether;

	(void)state;
	path.tunnel = THEORY_WIREGUARD;
	/* 20 + 8 + 1 = 29 -> 32, 60 of the tunnel, 38 of Ethernet */
	transact(&path, &udp4, THEORY_UDP_RR, 1, 4, 130, 130);
	transact(&path, &udp4, THEORY_UDP_RR, 5, 1440 - 28, 146, 1538);
	transact(&path, &udp4, THEORY_UDP_RR, 1435 - 28, 1, 1538, 130);
}

static void windows_and_round_trips(void **state)
{
	(void)state;
	near(theory_bdp_bytes(1e9, 25e6), 3125000, 1e-6);
	near(theory_window_bps(1e9, 65536, 25e6), 20971520, 1e-3);
	near(theory_window_bps(1e9, 1e9, 25e6), 1e9, 0);
	near(theory_window_bps(1e9, 1, 0), 1e9, 0);
	assert_int_equal(theory_window_scale(65535), 0);
	assert_int_equal(theory_window_scale(65536), 1);
	assert_int_equal(theory_window_scale(3125000), 6);
	assert_int_equal(theory_window_scale(1e12), 14);
}

static void tcp_is_rated_as_rfc_6349_does_in_its_examples(void **state)
{
	(void)state;
	/* 4.2: 102,000 bytes sent, 2,000 of them again; 4.3: 25 ms idle, 32 ms under load */
	assert_true(fabs(theory_tcp_efficiency(102000, 2000) - 0.9803) < 1e-4);
	assert_true(fabs(theory_buffer_delay(32e6, 25e6) - 0.28) < 1e-12);
	assert_true(theory_tcp_efficiency(1000, 0) == 1 && theory_buffer_delay(25e6, 25e6) == 0);
	assert_true(isnan(theory_tcp_efficiency(0, 0)) && isnan(theory_buffer_delay(1, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tcp_is_rated_as_rfc_6349_does_in_its_examples),
		cmocka_unit_test(frame_rates_are_those_of_rfc_2544_appendix_b),
		cmocka_unit_test(goodput_of_full_frames),
		cmocka_unit_test(an_mtu_too_small_carries_nothing),
		cmocka_unit_test(tunnels_take_what_their_headers_are),
		cmocka_unit_test(transactions_are_the_sum_of_their_frames),
		cmocka_unit_test(a_half_duplex_link_is_one_for_both_directions),
		cmocka_unit_test(large_datagrams_go_in_fragments),
		cmocka_unit_test(small_packets_in_wireguard_are_padded),
		cmocka_unit_test(windows_and_round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
