// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drops_tp: what it takes for a packet of the test, and where it says it was
 * dropped. The kernel drops real ones here: UDP to a port of the loopback
 * interface without listeners, in a private network namespace.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>

#include "abi/drops.h"
#include "abi/tag.h"

#include "drops_tp.skel.h"

#define SRC_PORT	20011
#define DST_PORT	20021

static struct drops_tp_bpf *skel;
static struct bpf_link *listener;
static int own_ns = -1, fd4 = -1, fd6 = -1;
static cpu_set_t own_cpus;

static const struct drops_cfg usual = {
	.src_port = SRC_PORT, .nr_src_ports = 1, .dst_port = DST_PORT, .nr_dst_ports = 3,
	.first_stream = 2, .last_stream = 4, .tagged = 1, .run = PACKET_RUN,
};

/* Arguments of the kernel's kfree_skb: 2, from 5.17 on 3, from 6.11 on 4. */
static int nr_arguments(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *type;
	int nr = 2, id;

	id = btf ? btf__find_by_name_kind(btf, "btf_trace_kfree_skb", BTF_KIND_TYPEDEF) : -1;
	if (id > 0) {
		type = btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type);
		nr = btf_vlen(btf__type_by_id(btf, type->type)) - 1;
	}
	btf__free(btf);
	return nr;
}

static void load(const struct drops_cfg *cfg)
{
	struct bpf_program *prog, *other;
	int nr = nr_arguments();

	bpf_link__destroy(listener);
	drops_tp_bpf__destroy(skel);
	skel = harness_open_drops();
	assert_non_null(skel);
	prog = nr >= 4 ? skel->progs.drops_tp_socket :
	       nr == 3 ? skel->progs.drops_tp_reason : skel->progs.drops_tp_bare;
	bpf_object__for_each_program(other, skel->obj)
		bpf_program__set_autoload(other, other == prog);
	memcpy((void *)&skel->rodata->cfg, cfg, sizeof(*cfg));
	bpf_map__set_max_entries(skel->maps.drop_sums, harness_cpus());
	bpf_map__set_max_entries(skel->maps.scan_works, harness_cpus());
	bpf_map__set_max_entries(skel->maps.seen_packets, SEEN_SLOTS);
	bpf_map__set_max_entries(skel->maps.drops_taken_back, DROP_PLACES);
	assert_int_equal(drops_tp_bpf__load(skel), 0);
	listener = bpf_program__attach(prog);
	assert_non_null(listener);
}

static int open_socket(int family)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6, .sin6_port = htons(SRC_PORT) };
	struct sockaddr_in any4 = { .sin_family = AF_INET, .sin_port = htons(SRC_PORT) };
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	if (family == AF_INET6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
		return bind(fd, (struct sockaddr *)&any6, sizeof(any6)) ? -1 : fd;
	}
	return bind(fd, (struct sockaddr *)&any4, sizeof(any4)) ? -1 : fd;
}

static int enter_namespace(void **state)
{
	struct ifreq req = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	cpu_set_t cpu;

	(void)state;
	own_ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (own_ns < 0 || unshare(CLONE_NEWNET) || sched_getaffinity(0, sizeof(own_cpus), &own_cpus))
		return -1;
	/* What is sent on one CPU is received in that order. */
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	fd4 = open_socket(AF_INET);
	fd6 = open_socket(AF_INET6);
	return fd4 < 0 || ioctl(fd4, SIOCSIFFLAGS, &req) ? -1 : 0;
}

static int leave_namespace(void **state)
{
	(void)state;
	bpf_link__destroy(listener);
	drops_tp_bpf__destroy(skel);
	close(fd4);
	close(fd6);
	sched_setaffinity(0, sizeof(own_cpus), &own_cpus);
	return setns(own_ns, CLONE_NEWNET) || close(own_ns);
}

static struct tag tag_of(uint16_t stream, uint32_t sequence)
{
	struct tag tag;

	packet_tag((uint8_t *)&tag, PACKET_RUN, stream, sequence, 77);
	return tag;
}

static void send4(const char *to, uint16_t port, const void *payload, size_t bytes)
{
	struct sockaddr_in dest = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, to, &dest.sin_addr);
	assert_int_equal(sendto(fd4, payload, bytes, 0, (struct sockaddr *)&dest, sizeof(dest)),
			 bytes);
}

/*
 * Before 6.4 a packet of loopback waits for ksoftirqd if that is about to run. So what was sent is received when one
 * that was sent after it is.
 */
static void settle(void)
{
	char byte = 1;

	send4("127.0.0.1", SRC_PORT, &byte, 1);
	assert_int_equal(recv(fd4, &byte, 1, 0), 1);
}

static struct drop_sum sums(void)
{
	struct drop_sum sum = { 0 }, one;
	unsigned int i;

	settle();
	for (i = 0; i < harness_cpus(); i++) {
		harness_read(skel->maps.drop_sums, i, &one);
		sum.skbs += one.skbs;
		sum.again += one.again;
		sum.unplaced += one.unplaced;
	}
	return sum;
}

/* The only place there is, and how many it dropped. */
static struct drop_key the_place(uint64_t *ret_packets)
{
	int fd = bpf_map__fd(skel->maps.drop_places);
	uint64_t values[1024] = { 0 };
	struct drop_key key, next;
	unsigned int i;

	settle();
	assert_int_equal(bpf_map_get_next_key(fd, NULL, &key), 0);
	assert_int_not_equal(bpf_map_get_next_key(fd, &key, &next), 0);
	assert_true(harness_cpus() <= 1024);
	assert_int_equal(bpf_map_lookup_elem(fd, &key, values), 0);
	*ret_packets = 0;
	for (i = 0; i < harness_cpus(); i++)
		*ret_packets += values[i];
	return key;
}

static void a_packet_of_the_test_has_a_place(void **state)
{
	struct drop_key key;
	struct stat st;
	struct tag tag;
	uint64_t packets;
	uint32_t i;

	(void)state;
	load(&usual);
	for (i = 0; i < 101; i++) {
		tag = tag_of((uint16_t)(2 + i % 3), i / 3);
		send4("127.0.0.1", (uint16_t)(DST_PORT + i % 3), &tag, sizeof(tag));
	}
	assert_int_equal(sums().skbs, 101);
	assert_int_equal(sums().again, 0);
	key = the_place(&packets);
	assert_int_equal(packets, 101);
	assert_int_equal(key.kind, DROP_SKB);
	assert_int_equal(key.ifindex, 1);
	assert_string_equal(key.ifname, "lo");
	assert_true(key.location > 0);
	assert_int_equal(!!key.reason, nr_arguments() > 2);
	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	assert_int_equal(key.netns, st.st_ino);
}

static void one_packet_is_counted_once(void **state)
{
	struct tag tag = tag_of(3, 4000000000u);
	uint64_t packets;

	(void)state;
	load(&usual);
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	tag = tag_of(4, 4000000000u);
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	assert_int_equal(sums().skbs, 4);
	assert_int_equal(sums().again, 2);
	the_place(&packets);
	assert_int_equal(packets, 2);
}

static void a_received_packet_is_no_loss(void **state)
{
	struct tag tag = tag_of(2, 70001);
	struct seen_packet seen = { .end = seen_end(2, 70001, 0) };
	uint32_t slot = seen_slot(2, 70001);

	(void)state;
	load(&usual);
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.seen_packets), &slot, &seen, 0),
			 0);
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	assert_int_equal(sums().skbs, 1);
	assert_int_equal(sums().again, 1);
}

/* A capture gets a copy of 5 packets, which are received, and is closed. */
static void capture_and_close(void)
{
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_IP));
	struct tag tag = tag_of(2, 71001);
	uint32_t i;

	assert_true(fd >= 0);
	for (i = 0; i < 5; i++) {
		send4("127.0.0.1", SRC_PORT, &tag, sizeof(tag));
		assert_int_equal(recv(fd4, &tag, sizeof(tag), 0), sizeof(tag));
	}
	close(fd);
}

static void what_a_capture_has_not_read_is_no_loss(void **state)
{
	struct drops_cfg cfg = usual;
	struct drop_key key;
	uint64_t packets;

	(void)state;
	load(&cfg);
	capture_and_close();
	assert_int_equal(sums().skbs, 5);
	key = the_place(&packets);
	if (!key.reason)
		skip();
	cfg.queue_purge = (__u16)key.reason;
	load(&cfg);
	capture_and_close();
	assert_int_equal(sums().skbs, 0);
}

static void send_ip_bytes(uint8_t proto, const void *payload, size_t payload_bytes)
{
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	struct sockaddr_in dest = { .sin_family = AF_INET };
	uint8_t bytes[20 + DROP_SCAN_BYTES + sizeof(struct tag)] = { 0x45, [8] = 64, [9] = proto };
	size_t nr = 20 + payload_bytes;

	assert_true(fd >= 0 && nr <= sizeof(bytes));
	inet_pton(AF_INET, "127.0.0.1", &dest.sin_addr);
	memcpy(bytes + 16, &dest.sin_addr, 4);
	memcpy(bytes + 20, payload, payload_bytes);
	assert_int_equal(sendto(fd, bytes, nr, 0, (struct sockaddr *)&dest, sizeof(dest)), nr);
	close(fd);
}

/* What the kernel drops: no one has this protocol, or the checksum, which is 0, is wrong. */
static void send_ip(uint8_t proto, uint8_t first, size_t header_bytes, const struct tag *tag)
{
	uint8_t bytes[60 + sizeof(*tag)] = { 0 };

	if (proto == IPPROTO_TCP)
		bytes[12] = (uint8_t)(header_bytes << 2);
	bytes[0] = first;
	memcpy(bytes + header_bytes, tag, sizeof(*tag));
	send_ip_bytes(proto, bytes, header_bytes + sizeof(*tag));
}

static uint64_t taken_back(const struct drop_key *key)
{
	uint64_t id = drop_place_id(key), packets = 0;

	bpf_map_lookup_elem(bpf_map__fd(skel->maps.drops_taken_back), &id, &packets);
	return packets;
}

/* Of a packet that was copied, the first drop was not the end. */
static void a_packet_that_is_dropped_again_elsewhere_is_counted_there(void **state)
{
	struct tag tag = tag_of(2, 7);
	struct drop_key key, other;
	struct seen_packet seen;
	uint64_t packets;
	int fd;

	(void)state;
	load(&usual);
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	key = the_place(&packets);
	assert_int_equal(packets, 1);
	assert_int_equal(taken_back(&key), 0);
	send_ip(253, 0, 0, &tag);
	assert_int_equal(sums().skbs, 2);
	assert_int_equal(sums().again, 0);
	assert_int_equal(taken_back(&key), 1);
	fd = bpf_map__fd(skel->maps.drop_places);
	assert_int_equal(bpf_map_get_next_key(fd, NULL, &other), 0);
	if (!memcmp(&key, &other, sizeof(key)))
		assert_int_equal(bpf_map_get_next_key(fd, &key, &other), 0);
	assert_int_equal(taken_back(&other), 0);
	harness_read(skel->maps.seen_packets, seen_slot(2, 7), &seen);
	assert_int_equal(seen.end, seen_end(2, 7, drop_place_id(&other)));
	send_ip(253, 0, 0, &tag);
	assert_int_equal(sums().again, 1);
	assert_int_equal(taken_back(&other), 0);
}

/* As those of a bridge that floods: whether before or after, they are not the packet's fate. */
static void a_copy_for_another_host_replaces_no_drop(void **state)
{
	struct tag tag = tag_of(2, 8);
	struct drops_cfg cfg = usual;
	struct drop_key key;
	uint64_t packets;

	(void)state;
	load(&cfg);
	send_ip(253, 0, 0, &tag);
	key = the_place(&packets);
	if (!key.reason)
		skip();
	cfg.other_host = (__u16)key.reason;
	load(&cfg);
	send_ip(253, 0, 0, &tag);
	key = the_place(&packets);
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	assert_int_equal(sums().again, 0);
	assert_int_equal(taken_back(&key), 1);
	send_ip(253, 0, 0, &tag);
	assert_int_equal(sums().again, 1);
	assert_int_equal(taken_back(&key), 1);
}

static void packets_of_others_are_left_alone(void **state)
{
	struct tag tag = tag_of(2, 7), damaged = tag, foreign = tag;
	struct tag below = tag_of(1, 7), above = tag_of(5, 7);
	struct drops_cfg cfg = usual;

	(void)state;
	load(&usual);
	damaged.high ^= 1ull << 50;
	packet_tag((uint8_t *)&foreign, PACKET_RUN ^ 1, 2, 7, 77);	/* of another run */
	send4("127.0.0.1", DST_PORT, &damaged, sizeof(damaged));
	send4("127.0.0.1", DST_PORT, &foreign, sizeof(foreign));
	send4("127.0.0.1", DST_PORT, &below, sizeof(below));
	send4("127.0.0.1", DST_PORT, &above, sizeof(above));
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag) - 1);
	send4("127.0.0.1", DST_PORT, "", 0);
	assert_int_equal(sums().skbs, 0);
	/* Without a tag it is the ports. */
	cfg.tagged = 0;
	load(&cfg);
	send4("127.0.0.1", DST_PORT - 1, &tag, sizeof(tag));
	send4("127.0.0.1", DST_PORT + 3, &tag, sizeof(tag));
	assert_int_equal(sums().skbs, 0);
	cfg.src_port++;
	load(&cfg);
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	assert_int_equal(sums().skbs, 0);
}

/* As NAT makes them. */
static void a_tagged_packet_is_of_the_test_whatever_its_ports(void **state)
{
	struct tag tag = tag_of(2, 1);
	struct drops_cfg cfg = usual;
	struct drop_key key;
	uint64_t packets;

	(void)state;
	cfg.src_port++;
	load(&cfg);
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	tag = tag_of(2, 2);
	send4("127.0.0.1", 5, &tag, sizeof(tag));
	assert_int_equal(sums().skbs, 2);
	key = the_place(&packets);
	assert_int_equal(packets, 2);
	assert_int_equal(key.kind, DROP_SKB);
}

/* Sends @tag behind @headers bytes of a protocol; UDP: after its header. */
static void send_behind(uint8_t proto, size_t headers, const struct tag *tag)
{
	uint8_t bytes[DROP_SCAN_BYTES + sizeof(*tag)] = { 0 };
	size_t i;

	for (i = 0; i < headers; i++)
		bytes[i] = (uint8_t)(i * 37 + 1);
	memcpy(bytes + headers, tag, sizeof(*tag));
	if (proto == IPPROTO_UDP)
		send4("127.0.0.1", 4789, bytes, headers + sizeof(*tag));
	else
		send_ip_bytes(proto, bytes, headers + sizeof(*tag));
}

static void a_tag_is_found_behind_the_headers_of_a_tunnel(void **state)
{
	static const struct {
		uint8_t proto;
		size_t headers;
		bool found;
	} tunnels[] = {
		/* VXLAN, Ethernet, IPv4, UDP; the same of IPv6; GENEVE with options. */
		{ IPPROTO_UDP, 8 + 14 + 20 + 8, true }, { IPPROTO_UDP, 8 + 14 + 40 + 8, true },
		{ IPPROTO_UDP, 16 + 120 + 14 + 20 + 8, true },
		/* IPv4 in IP, and in GRE with a key. */
		{ IPPROTO_IPIP, 20 + 8, true }, { IPPROTO_GRE, 8 + 20 + 8, true },
		/* To the last byte that is looked at, and beyond; the scan starts with the UDP header. */
		{ IPPROTO_UDP, DROP_SCAN_BYTES - 8 - sizeof(struct tag), true },
		{ IPPROTO_UDP, DROP_SCAN_BYTES - 8 - sizeof(struct tag) + 2, false },
		/* What an ICMP error quotes. */
		{ IPPROTO_ICMP, 8 + 20 + 8, false },
	};
	uint32_t i, n = sizeof(tunnels) / sizeof(tunnels[0]), found = 0;
	struct tag tag;

	(void)state;
	load(&usual);
	for (i = 0; i < n; i++) {
		tag = tag_of(1, i);		/* of another stream */
		send_behind(tunnels[i].proto, tunnels[i].headers, &tag);
		tag = tag_of(2, i);
		tag.high ^= 1ull << 40;		/* damaged */
		send_behind(tunnels[i].proto, tunnels[i].headers, &tag);
		if (sums().skbs != found)
			fail_msg("tunnel %u: another one's", i);
		tag = tag_of(2, i);
		send_behind(tunnels[i].proto, tunnels[i].headers, &tag);
		found += tunnels[i].found;
		if (sums().skbs != found)
			fail_msg("tunnel %u: %u instead of %u", i, (unsigned int)sums().skbs, found);
	}
	assert_int_equal(sums().again, 0);
}

static uint64_t dropped_as(uint32_t kind)
{
	int fd = bpf_map__fd(skel->maps.drop_places);
	uint64_t values[1024] = { 0 }, sum = 0;
	struct drop_key key, *before = NULL;
	unsigned int i;

	for (; !bpf_map_get_next_key(fd, before, &key); before = &key) {
		assert_int_equal(bpf_map_lookup_elem(fd, &key, values), 0);
		for (i = 0; i < harness_cpus() && key.kind == kind; i++)
			sum += values[i];
	}
	return sum;
}

/* The interface's packets begin with their IP header; its address is 198.18.0.2. */
static int open_tun(void)
{
	struct ifreq request = { .ifr_name = "tun7", .ifr_flags = IFF_TUN | IFF_NO_PI };
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0xc6120002) };
	int tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC), any;

	if (tun < 0)
		return -1;
	assert_int_equal(ioctl(tun, TUNSETIFF, &request), 0);
	any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	request.ifr_flags = IFF_UP;
	assert_int_equal(ioctl(any, SIOCSIFFLAGS, &request), 0);
	memcpy(&request.ifr_addr, &address, sizeof(address));
	assert_int_equal(ioctl(any, SIOCSIFADDR, &request), 0);
	close(any);
	return tun;
}

/* Writes the checksum of an IPv4 header of 20 bytes, by RFC 791. */
static void sum_ip(uint8_t *ip)
{
	unsigned int sum = 0, i;

	ip[10] = ip[11] = 0;
	for (i = 0; i < 20; i += 2)
		sum += (unsigned int)ip[i] << 8 | ip[i + 1];
	sum = ~((sum & 0xffff) + (sum >> 16));
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

static void packets_without_an_ethernet_header_are_recognised(void **state)
{
	struct {
		uint8_t ip[20];
		uint16_t source, dest, length, check;
		struct tag tag;
	} own = { { 0x45, [3] = sizeof(own), [8] = 64, [9] = IPPROTO_UDP, [12] = 198, 18, 0, 1, 198, 18, 0, 2 },
		   htons(SRC_PORT), htons(DST_PORT), htons(8 + sizeof(struct tag)), 0, tag_of(2, 7) }, other = own;
	struct {
		uint8_t ip[40];
		uint16_t source, dest, length, check;
		struct tag tag;
	} six = { { 0x60, [5] = 8 + sizeof(struct tag), [6] = IPPROTO_UDP, [7] = 64, [8] = 0x20, [24] = 0x20 },
		  htons(SRC_PORT), htons(DST_PORT), htons(8 + sizeof(struct tag)), 0, tag_of(2, 9) };
	int tun = open_tun();

	(void)state;
	if (tun < 0)
		skip();
	load(&usual);
	/* Dropped by UDP, the others by IP. */
	sum_ip(own.ip);
	assert_int_equal(write(tun, &own, sizeof(own)), sizeof(own));
	assert_int_equal(sums().skbs, 1);
	other.ip[19] = 3;
	sum_ip(other.ip);
	other.tag = tag_of(2, 8);
	assert_int_equal(write(tun, &other, sizeof(other)), sizeof(other));
	assert_int_equal(sums().skbs, 2);
	assert_int_equal(write(tun, &six, sizeof(six)), sizeof(six));
	assert_int_equal(sums().skbs, 3);
	close(tun);
}

static void encrypted_packets_are_counted_apart(void **state)
{
	struct tag tag = tag_of(2, 7);
	uint8_t wireguard[16 + 16 + 32] = { 4 };
	struct drops_cfg cfg = usual;

	(void)state;
	load(&usual);
	send4("127.0.0.1", 51820, wireguard, sizeof(wireguard));
	assert_int_equal(dropped_as(DROP_ENCRYPTED), 1);
	/* Another message type, reserved bytes, and a keepalive. */
	wireguard[0] = 1;
	send4("127.0.0.1", 51820, wireguard, sizeof(wireguard));
	wireguard[0] = 4;
	wireguard[3] = 1;
	send4("127.0.0.1", 51820, wireguard, sizeof(wireguard));
	wireguard[3] = 0;
	send4("127.0.0.1", 51820, wireguard, 32);
	assert_int_equal(dropped_as(DROP_ENCRYPTED), 1);
	send_ip_bytes(IPPROTO_ESP, wireguard, sizeof(wireguard));
	assert_int_equal(dropped_as(DROP_ENCRYPTED), 2);
	/* A tag in plain sight is that of the test. */
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	assert_int_equal(dropped_as(DROP_ENCRYPTED), 2);
	assert_int_equal(dropped_as(DROP_SKB), 1);
	/* No end of a packet of the test: other traffic must not end the wait for it. */
	assert_int_equal(sums().skbs, 1);
	cfg.tagged = 0;
	load(&cfg);
	send4("127.0.0.1", 51820, wireguard, sizeof(wireguard));
	assert_int_equal(dropped_as(DROP_ENCRYPTED), 0);
}

/* As the test's packets, but for a bit of tag, port or protocol. */
static void send_damaged(void)
{
	struct tag tag = tag_of(2, 7), damaged = tag;
	struct {
		uint16_t source, dest, length, check;
		struct tag tag;
	} udp = { htons(SRC_PORT), htons(DST_PORT), htons(sizeof(udp)), 0, tag_of(2, 8) };

	damaged.high ^= 1ull << 50;
	send4("127.0.0.1", DST_PORT, &damaged, sizeof(damaged));
	send4("127.0.0.1", DST_PORT ^ 1 << 10, &tag, sizeof(tag));
	send_ip_bytes(IPPROTO_UDP ^ 1 << 7, &udp, sizeof(udp));
}

static void a_damaged_packet_is_recognised_by_what_is_left_of_it(void **state)
{
	struct tag tag = tag_of(2, 9), damaged = tag;
	struct drops_cfg cfg = usual;

	(void)state;
	/* Before 5.17 there is no reason. */
	if (nr_arguments() < 3)
		skip();
	memset(cfg.damage_reasons, 0xff, sizeof(cfg.damage_reasons));
	load(&cfg);
	send_damaged();
	assert_int_equal(dropped_as(DROP_DAMAGED), 2);
	assert_int_equal(dropped_as(DROP_SKB), 1);
	/* A copy is counted again: it has no number to tell. */
	send_damaged();
	assert_int_equal(dropped_as(DROP_DAMAGED), 4);
	assert_int_equal(dropped_as(DROP_SKB), 1);
	send4("127.0.0.1", DST_PORT, &tag, sizeof(tag));
	assert_int_equal(dropped_as(DROP_SKB), 2);
	/* Two bits at once, and another run. */
	damaged.high ^= 1ull << 50;
	send4("127.0.0.1", DST_PORT ^ 1 << 10, &damaged, sizeof(damaged));
	packet_tag((uint8_t *)&damaged, PACKET_RUN ^ 1, 2, 7, 77);
	send4("127.0.0.1", DST_PORT, &damaged, sizeof(damaged));
	assert_int_equal(dropped_as(DROP_DAMAGED), 4);
	assert_int_equal(dropped_as(DROP_SKB), 2);
	/* A damaged tag has most of the run's bits: not one of another run, with the same ports. */
	packet_tag((uint8_t *)&damaged, PACKET_RUN ^ 0x5, 2, 7, 77);
	damaged.complement ^= 1;
	send4("127.0.0.1", DST_PORT, &damaged, sizeof(damaged));
	assert_int_equal(dropped_as(DROP_DAMAGED), 5);
	packet_tag((uint8_t *)&damaged, PACKET_RUN ^ 0x15, 2, 7, 77);
	damaged.complement ^= 1;
	send4("127.0.0.1", DST_PORT, &damaged, sizeof(damaged));
	assert_int_equal(dropped_as(DROP_DAMAGED), 5);
	/* Dropped for other reasons, those with a whole tag are of the test. */
	load(&usual);
	send_damaged();
	assert_int_equal(sums().skbs, 2);
	assert_int_equal(dropped_as(DROP_DAMAGED), 0);
	/* Without a tag nothing limits what is claimed: of these, one has address and ports. */
	cfg.tagged = 0;
	load(&cfg);
	send_damaged();
	assert_int_equal(dropped_as(DROP_SKB), 1);
	assert_int_equal(dropped_as(DROP_DAMAGED), 0);
}

static void send_type(const struct tag *tag)
{
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_ll dest = {
		.sll_family = AF_PACKET, .sll_protocol = htons(0x88b5), .sll_ifindex = 1, .sll_halen = 6,
	};

	assert_int_equal(sendto(fd, tag, sizeof(*tag), 0, (struct sockaddr *)&dest, sizeof(dest)),
			 sizeof(*tag));
	close(fd);
}

static void a_tag_is_found_after_any_header(void **state)
{
	static const struct {
		uint8_t proto, first;
		size_t header_bytes;
	} headers[] = {
		{ IPPROTO_TCP, 0, 20 }, { IPPROTO_TCP, 0, 60 }, { IPPROTO_ICMP, 8, 8 }, { IPPROTO_GRE, 0, 4 },
		{ IPPROTO_GRE, 0x20, 8 }, { 253, 0, 0 },
	};
	uint32_t i, n = sizeof(headers) / sizeof(headers[0]);
	struct tag tag;

	(void)state;
	load(&usual);
	for (i = 0; i < n; i++) {
		tag = tag_of(2, i);
		send_ip(headers[i].proto, headers[i].first, headers[i].header_bytes, &tag);
		if (sums().skbs != i + 1)
			fail_msg("protocol %u, %zu bytes", headers[i].proto, headers[i].header_bytes);
		tag = tag_of(1, i);		/* of another stream */
		send_ip(headers[i].proto, headers[i].first, headers[i].header_bytes, &tag);
	}
	tag = tag_of(2, n);
	send_type(&tag);
	assert_int_equal(sums().skbs, n + 1);
	assert_int_equal(sums().again, 0);
}

static void without_a_tag_the_address_decides(void **state)
{
	struct drops_cfg cfg = usual;

	(void)state;
	cfg.tagged = 0;
	cfg.version = 4;
	inet_pton(AF_INET, "127.0.0.5", cfg.dst);
	load(&cfg);
	send4("127.0.0.5", DST_PORT, "no tag", 6);
	send4("127.0.0.5", DST_PORT, "no tag", 6);
	send4("127.0.0.6", DST_PORT, "no tag", 6);
	send4("127.0.0.5", DST_PORT + 3, "no tag", 6);
	assert_int_equal(sums().skbs, 2);
	assert_int_equal(sums().again, 0);
}

static void send6(const struct tag *tag, const struct sockaddr_in6 *dest)
{
	assert_int_equal(sendto(fd6, tag, sizeof(*tag), 0, (const struct sockaddr *)dest, sizeof(*dest)), sizeof(*tag));
}

static void ipv6_is_recognised_likewise(void **state)
{
	struct sockaddr_in6 dest = { .sin6_family = AF_INET6, .sin6_port = htons(DST_PORT) };
	struct drops_cfg cfg = usual;
	struct tag tag = tag_of(2, 7);

	(void)state;
	if (fd6 < 0)
		harness_cannot("ipv6");
	dest.sin6_addr = in6addr_loopback;
	load(&usual);
	send6(&tag, &dest);
	assert_int_equal(sums().skbs, 1);
	cfg.tagged = 0;
	cfg.version = 6;
	inet_pton(AF_INET6, "::1", cfg.dst);
	load(&cfg);
	send6(&tag, &dest);
	assert_int_equal(sums().skbs, 1);
	cfg.dst[3] = htonl(2);
	load(&cfg);
	send6(&tag, &dest);
	assert_int_equal(sums().skbs, 0);
}

int test_drops(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_of_the_test_has_a_place),
		cmocka_unit_test(one_packet_is_counted_once),
		cmocka_unit_test(a_received_packet_is_no_loss),
		cmocka_unit_test(what_a_capture_has_not_read_is_no_loss),
		cmocka_unit_test(a_packet_that_is_dropped_again_elsewhere_is_counted_there),
		cmocka_unit_test(a_copy_for_another_host_replaces_no_drop),
		cmocka_unit_test(packets_of_others_are_left_alone),
		cmocka_unit_test(a_tagged_packet_is_of_the_test_whatever_its_ports),
		cmocka_unit_test(a_tag_is_found_behind_the_headers_of_a_tunnel),
		cmocka_unit_test(packets_without_an_ethernet_header_are_recognised),
		cmocka_unit_test(encrypted_packets_are_counted_apart),
		cmocka_unit_test(a_damaged_packet_is_recognised_by_what_is_left_of_it),
		cmocka_unit_test(a_tag_is_found_after_any_header),
		cmocka_unit_test(without_a_tag_the_address_decides),
		cmocka_unit_test(ipv6_is_recognised_likewise),
	};

	return cmocka_run_group_tests_name("drops", tests, enter_namespace, leave_namespace);
}
