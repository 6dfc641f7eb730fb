// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/drops.c - the drop watcher, and the names for what it counted.
 */
#include "sys/hook/drops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "lib/array.h"
#include "lib/log.h"
#include "sys/hook/bpf.h"
#include "sys/host/cpu.h"

#include "drops_plain.skel.h"
#include "drops_tp.skel.h"

#define QDISC_LINK	(DROP_XDP_REDIRECT + 1)	/* the kinds after it have that of DROP_SKB */
#define NR_LINKS	(QDISC_LINK + 1)
#define SUBSYS_SHIFT	16		/* in enum skb_drop_reason: the subsystem of a reason */

/* A function's name, looked up once: a look-up reads all symbols of the kernel. */
struct known_symbol {
	__u64 location;
	char name[sizeof(((struct drop_place *)0)->symbol)];
};

struct drops {
	struct drops_tp_bpf *skel;
	struct bpf_link *links[NR_LINKS];
	struct drop_sum *sums;
	size_t sums_bytes;
	struct btf *btf;
	FILE *symbols;		/* opened while permitted; NULL: not readable */
	unsigned int nr_cpus;
	struct seen_packet *seen;
	size_t seen_bytes;
	size_t nr_taken;	/* drops taken back by drops_note_received() */
	struct { __u64 place, packets; } taken[DROP_PLACES];
	/* enum skb_drop_reason; 0: not in this kernel */
	struct { __u32 not_specified, xdp, filter, tap; } reasons;
	size_t nr_known;
	struct known_symbol known[DROP_PLACES];
};

/* Number of arguments of a tracepoint of the running kernel; -1: no such tracepoint. */
static int nr_arguments(const struct btf *btf, const char *name)
{
	const struct btf_type *type;
	char typedef_name[64];
	int id;

	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	id = btf ? btf__find_by_name_kind(btf, typedef_name, BTF_KIND_TYPEDEF) : -1;
	if (id < 0)
		return -1;
	type = btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type);
	if (!btf_is_ptr(type))
		return -1;
	type = btf__type_by_id(btf, type->type);
	/* The first is internal to the tracepoint. */
	return btf_is_func_proto(type) ? btf_vlen(type) - 1 : -1;
}

static void choose_programs(struct drops *drops)
{
	struct drops_tp_bpf *skel = drops->skel;
	int nr = nr_arguments(drops->btf, "kfree_skb");

	bpf_program__set_autoload(skel->progs.drops_tp_bare, nr == 2);
	bpf_program__set_autoload(skel->progs.drops_tp_reason, nr == 3);
	bpf_program__set_autoload(skel->progs.drops_tp_socket, nr >= 4);
	bpf_program__set_autoload(skel->progs.drops_tp_xdp,
				  nr_arguments(drops->btf, "xdp_exception") >= 3);
	bpf_program__set_autoload(skel->progs.drops_tp_redir,
				  nr_arguments(drops->btf, "xdp_redirect_err") >= 4);
	bpf_program__set_autoload(skel->progs.drops_tp_qdisc,
				  nr_arguments(drops->btf, "qdisc_drop") >= 5);
}

/* The number of a reason in @type, the running kernel's enum skb_drop_reason; 0: not there. */
static __u32 find_reason(const struct btf *btf, const struct btf_type *type, const char *name)
{
	int i;

	for (i = 0; i < btf_vlen(type); i++) {
		if (!strcmp(btf__name_by_offset(btf, btf_enum(type)[i].name_off), name))
			return (__u32)btf_enum(type)[i].val;
	}
	return 0;
}

static void find_reasons(struct drops *drops, struct drops_cfg *cfg)
{
	/* An IP_INHDR may be a damaged version; the reasons of a wrong length leave ports and tag as they are. */
	static const char *const damage[] = {
		"SKB_DROP_REASON_IP_CSUM", "SKB_DROP_REASON_IP_INHDR", "SKB_DROP_REASON_UDP_CSUM",
	};
	const struct btf *btf = drops->btf;
	int id = btf ? btf__find_by_name_kind(btf, "skb_drop_reason", BTF_KIND_ENUM) : -1;
	const struct btf_type *type;
	__u32 reason;
	size_t i;

	if (id < 0)
		return;
	type = btf__type_by_id(btf, (__u32)id);
	for (i = 0; i < ARRAY_SIZE(damage); i++) {
		reason = find_reason(btf, type, damage[i]);
		if (reason && reason < DROP_DAMAGE_REASONS)
			cfg->damage_reasons[reason >> 6] |= 1ull << (reason & 63);
	}
	drops->reasons.not_specified = find_reason(btf, type, "SKB_DROP_REASON_NOT_SPECIFIED");
	drops->reasons.xdp = find_reason(btf, type, "SKB_DROP_REASON_XDP");
	drops->reasons.filter = find_reason(btf, type, "SKB_DROP_REASON_NETFILTER_DROP");
	drops->reasons.tap = find_reason(btf, type, "SKB_DROP_REASON_PACKET_SOCK_ERROR");
	cfg->no_socket = (__u16)find_reason(btf, type, "SKB_DROP_REASON_NO_SOCKET");
	cfg->other_host = (__u16)find_reason(btf, type, "SKB_DROP_REASON_OTHERHOST");
	cfg->not_specified = (__u16)drops->reasons.not_specified;
	cfg->no_route = (__u16)find_reason(btf, type, "SKB_DROP_REASON_IP_INNOROUTES");
	cfg->knows_no_forward = find_reason(btf, type, "SKB_DROP_REASON_IP_INADDRERRORS") > 0;
	cfg->qdisc_drop = (__u16)find_reason(btf, type, "SKB_DROP_REASON_QDISC_DROP");
	cfg->queue_purge = (__u16)find_reason(btf, type, "SKB_DROP_REASON_QUEUE_PURGE");
}

static void attach_if_loaded(struct drops *drops, int link, const struct bpf_program *prog)
{
	if (bpf_program__fd(prog) >= 0)
		drops->links[link] = bpf_program__attach(prog);
}

static int load(struct drops *drops, const struct drops_cfg *cfg, struct err *e)
{
	struct drops_tp_bpf *skel = drops->skel;
	struct drops_cfg all = *cfg;
	int err;

	find_reasons(drops, &all);
	memcpy((void *)&skel->rodata->cfg, &all, sizeof(all));
	bpf_map__set_max_entries(skel->maps.drop_sums, drops->nr_cpus);
	bpf_map__set_max_entries(skel->maps.scan_works, drops->nr_cpus);
	bpf_map__set_max_entries(skel->maps.seen_packets, SEEN_SLOTS);
	bpf_map__set_max_entries(skel->maps.drops_taken_back, DROP_PLACES);
	choose_programs(drops);
	err = bpf_load(skel->skeleton);
	if (err)
		return bpf_load_error(e, err, "drops_tp");
	err = bpf_map_memory(skel->maps.drop_sums, (void **)&drops->sums, &drops->sums_bytes, e);
	if (!err)
		err = bpf_map_memory(skel->maps.seen_packets, (void **)&drops->seen, &drops->seen_bytes, e);
	if (err)
		return err;
	/* First, so that no drop is seen without the qdisc's reason for it. */
	attach_if_loaded(drops, QDISC_LINK, skel->progs.drops_tp_qdisc);
	attach_if_loaded(drops, DROP_SKB, skel->progs.drops_tp_bare);
	attach_if_loaded(drops, DROP_SKB, skel->progs.drops_tp_reason);
	attach_if_loaded(drops, DROP_SKB, skel->progs.drops_tp_socket);
	attach_if_loaded(drops, DROP_XDP_EXCEPTION, skel->progs.drops_tp_xdp);
	attach_if_loaded(drops, DROP_XDP_REDIRECT, skel->progs.drops_tp_redir);
	return 0;
}

static int open_object(struct drops *drops, struct err *e)
{
	struct drops_tp_bpf *skel = calloc(1, sizeof(*skel));
	int err;

	drops->skel = skel;
	err = skel ? drops_tp_bpf__create_skeleton(skel) : -ENOMEM;
	if (!err && !bpf_has_cmpxchg())
		skel->skeleton->data = (void *)drops_plain_bpf__elf_bytes(&skel->skeleton->data_sz);
	if (!err)
		err = bpf_object__open_skeleton(skel->skeleton, NULL);
	return err ? err_set(e, err, "cannot open BPF object 'drops_tp'") : 0;
}

int drops_open(struct drops **ret_drops, const struct drops_cfg *cfg, struct err *e)
{
	struct drops *drops = calloc(1, sizeof(*drops));
	int err;

	if (!drops)
		return err_set(e, -ENOMEM, "cannot watch drops");
	drops->nr_cpus = cpu_nr_possible();
	bpf_log_init();
	bpf_raise_memlock();
	drops->btf = btf__load_vmlinux_btf();
	drops->symbols = fopen("/proc/kallsyms", "re");
	err = open_object(drops, e);
	if (!err)
		err = load(drops, cfg, e);
	if (err)
		drops_close(drops);
	else
		*ret_drops = drops;
	return err;
}

void drops_close(struct drops *drops)
{
	int i;

	if (!drops)
		return;
	for (i = 0; i < NR_LINKS; i++)
		bpf_link__destroy(drops->links[i]);
	bpf_unmap_memory(drops->sums, drops->sums_bytes);
	bpf_unmap_memory(drops->seen, drops->seen_bytes);
	drops_tp_bpf__destroy(drops->skel);
	btf__free(drops->btf);
	if (drops->symbols)
		fclose(drops->symbols);
	free(drops);
}

struct drops_maps drops_maps(const struct drops *drops)
{
	return (struct drops_maps){
		.seen_fd = bpf_map__fd(drops->skel->maps.seen_packets),
		.taken_back_fd = bpf_map__fd(drops->skel->maps.drops_taken_back),
	};
}

void drops_note_received(struct drops *drops, uint16_t stream, uint32_t sequence)
{
	__u64 back;
	size_t i;

	if (seen_note(&drops->seen[seen_slot(stream, sequence)], seen_end(stream, sequence, 0), 0, &back) || !back)
		return;
	for (i = 0; i < drops->nr_taken && drops->taken[i].place != back; i++)
		;
	if (i == DROP_PLACES)
		return;
	drops->taken[i].place = back;
	drops->taken[i].packets++;
	if (i == drops->nr_taken)
		drops->nr_taken++;
}

bool drops_has(const struct drops *drops, enum drop_kind kind)
{
	return drops->links[kind];
}

void drops_read(const struct drops *drops, struct drop_sum *ret_sum)
{
	struct drop_sum sum = { 0 };
	unsigned int i;

	for (i = 0; i < drops->nr_cpus; i++) {
		sum.skbs += __atomic_load_n(&drops->sums[i].skbs, __ATOMIC_RELAXED);
		sum.again += __atomic_load_n(&drops->sums[i].again, __ATOMIC_RELAXED);
		sum.unplaced += __atomic_load_n(&drops->sums[i].unplaced, __ATOMIC_RELAXED);
	}
	*ret_sum = sum;
}

uint64_t drops_missed(const struct drops *drops)
{
	const struct bpf_program *progs[] = {
		drops->skel->progs.drops_tp_bare, drops->skel->progs.drops_tp_reason,
		drops->skel->progs.drops_tp_socket,
	};
	struct bpf_prog_info info;
	uint64_t missed = 0;
	__u32 len;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(progs); i++) {
		len = sizeof(info);
		memset(&info, 0, len);
		if (bpf_program__fd(progs[i]) >= 0 &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(progs[i]), &info, &len))
			missed += info.recursion_misses;
	}
	return missed;
}

/* The name of @value in a kernel enum, without @prefix; NULL: none. */
static const char *enum_name(const struct btf *btf, const char *type_name, __u32 value,
			     const char *prefix)
{
	int id = btf ? btf__find_by_name_kind(btf, type_name, BTF_KIND_ENUM) : -1;
	const struct btf_type *type;
	const char *name;
	int i;

	if (id < 0)
		return NULL;
	type = btf__type_by_id(btf, (__u32)id);
	for (i = 0; i < btf_vlen(type); i++) {
		if ((__u32)btf_enum(type)[i].val != value)
			continue;
		name = btf__name_by_offset(btf, btf_enum(type)[i].name_off);
		return strncmp(name, prefix, strlen(prefix)) ? name : name + strlen(prefix);
	}
	return NULL;
}

/* The kernel has no names for these. */
static const char *route_reason(__u32 error)
{
	return error == EACCES ? "ROUTE_PROHIBIT" : error == EHOSTUNREACH ? "ROUTE_UNREACHABLE" : "ROUTE_BLACKHOLE";
}

static void name_skb_reason(const struct drops *drops, __u32 reason, char *buf, size_t size)
{
	const char *name = enum_name(drops->btf, "skb_drop_reason", reason, "SKB_DROP_REASON_");
	const char *qdisc = enum_name(drops->btf, "qdisc_drop_reason", reason, "");
	const char *subsys = enum_name(drops->btf, "skb_drop_reason_subsys", reason >> SUBSYS_SHIFT,
				       "SKB_DROP_REASON_SUBSYS_");

	if (!reason)
		*buf = '\0';
	else if (reason & DROP_BY_ROUTE)
		snprintf(buf, size, "%s", route_reason(reason & ~DROP_BY_ROUTE));
	else if (qdisc)		/* GENERIC: it gave none */
		snprintf(buf, size, "%s", strcmp(qdisc, "QDISC_DROP_GENERIC") ? qdisc : "QDISC_DROP");
	else if (name && !(reason >> SUBSYS_SHIFT))
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%s %u", subsys ? subsys : "reason", reason & 0xffff);
}

static void name_reason(const struct drops *drops, const struct drop_key *key, char *buf,
			size_t size)
{
	const char *action;

	switch (key->kind) {
	case DROP_XDP_EXCEPTION:
		action = enum_name(drops->btf, "xdp_action", key->reason, "");
		if (action)
			snprintf(buf, size, "%s", action);
		else
			snprintf(buf, size, "action %u", key->reason);
		break;
	case DROP_XDP_REDIRECT:
		snprintf(buf, size, "%s", strerror((int)key->reason));
		break;
	default:
		name_skb_reason(drops, key->reason, buf, size);
	}
}

struct named {
	struct drop_place place;
	__u64 location, start;	/* the function's address; 0: not found */
	__u32 reason;
};

/* Removes the suffix that a compiler appends to a split function: ".isra.0". */
static void set_symbol(struct named *named, const char *name)
{
	snprintf(named->place.symbol, sizeof(named->place.symbol), "%.*s", (int)strcspn(name, "."),
		 name);
}

/* One pass over all symbols: for each location the last symbol at or below it. */
static void name_symbols(FILE *file, struct named *all, size_t nr)
{
	unsigned long long address;
	char line[512], name[64];
	size_t i;

	for (i = 0; i < nr; i++) {
		if (all[i].location)
			snprintf(all[i].place.symbol, sizeof(all[i].place.symbol), "0x%llx",
				 (unsigned long long)all[i].location);
	}
	if (!file)
		return;
	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %*c %63s", &address, name) != 2 || !address)
			continue;
		for (i = 0; i < nr; i++) {
			if (address <= all[i].location && address > all[i].start) {
				all[i].start = address;
				set_symbol(&all[i], name);
			}
		}
	}
}

static const struct known_symbol *find_known(const struct drops *drops, __u64 location)
{
	size_t i;

	for (i = 0; i < drops->nr_known; i++) {
		if (drops->known[i].location == location)
			return &drops->known[i];
	}
	return NULL;
}

static void name_places(struct drops *drops, struct named *all, size_t nr)
{
	const struct known_symbol *known;
	struct known_symbol *next;
	bool complete = true;
	size_t i;

	for (i = 0; i < nr; i++)
		complete &= !all[i].location || find_known(drops, all[i].location);
	if (!complete)
		name_symbols(drops->symbols, all, nr);
	for (i = 0; i < nr; i++) {
		known = find_known(drops, all[i].location);
		if (known) {
			memcpy(all[i].place.symbol, known->name, sizeof(known->name));
		} else if (all[i].location && drops->nr_known < DROP_PLACES) {
			next = &drops->known[drops->nr_known++];
			next->location = all[i].location;
			memcpy(next->name, all[i].place.symbol, sizeof(next->name));
		}
	}
}

static uint64_t sum_cpus(const struct drops *drops, int fd, const struct drop_key *key,
			 uint64_t *values)
{
	uint64_t sum = 0;
	unsigned int i;

	if (bpf_map_lookup_elem(fd, key, values))
		return 0;
	for (i = 0; i < drops->nr_cpus; i++)
		sum += values[i];
	return sum;
}

static uint64_t read_taken_back(const struct drops *drops, const struct drop_key *key)
{
	__u64 id = drop_place_id(key), packets = 0;
	size_t i;

	bpf_map_lookup_elem(bpf_map__fd(drops->skel->maps.drops_taken_back), &id, &packets);
	for (i = 0; i < drops->nr_taken; i++)
		packets += drops->taken[i].place == id ? drops->taken[i].packets : 0;
	return packets;
}

static size_t read_places(const struct drops *drops, struct named *all, uint64_t *values)
{
	int fd = bpf_map__fd(drops->skel->maps.drop_places);
	struct drop_key key, *before = NULL;
	size_t nr = 0;

	for (; nr < DROP_PLACES && !bpf_map_get_next_key(fd, before, &key); before = &key) {
		struct drop_place *place = &all[nr].place;

		place->packets = sum_cpus(drops, fd, &key, values);
		if (!place->packets)
			continue;
		place->taken_back = read_taken_back(drops, &key);
		if (place->taken_back > place->packets)
			place->taken_back = place->packets;
		place->kind = (enum drop_kind)key.kind;
		place->ifindex = key.ifindex;
		place->netns = key.netns;
		snprintf(place->ifname, sizeof(place->ifname), "%.*s", DROP_NAME_BYTES - 1, key.ifname);
		name_reason(drops, &key, place->reason, sizeof(place->reason));
		all[nr].reason = key.reason;
		all[nr++].location = key.location;
	}
	return nr;
}

/*
 * By the reason's number. The kernel has one for what an XDP program does to an skb, but gives it in some of the places
 * only: the others are functions of XDP, and get its name.
 */
static void classify(const struct drops *drops, __u32 reason, struct drop_place *place)
{
	bool in_xdp = strstr(place->symbol, "xdp");

	if (place->kind != DROP_SKB)
		return;
	if (in_xdp && (!reason || reason == drops->reasons.not_specified))
		snprintf(place->reason, sizeof(place->reason), "XDP");
	if (in_xdp || (reason && reason == drops->reasons.xdp))
		place->class = DROP_BY_XDP;
	else if (reason && reason == drops->reasons.filter)
		place->class = DROP_BY_FILTER;
	else if (reason && reason == drops->reasons.tap)
		place->class = DROP_OF_TAP;
}

int drops_list(struct drops *drops, void (*fn)(void *ctx, const struct drop_place *place),
	       void *ctx, struct err *e)
{
	struct named *all = calloc(DROP_PLACES, sizeof(*all));
	uint64_t *values = calloc(drops->nr_cpus, sizeof(*values));
	size_t nr, i;
	int err = 0;

	if (!all || !values) {
		err = err_set(e, -ENOMEM, "cannot list the drops");
		goto out;
	}
	nr = read_places(drops, all, values);
	name_places(drops, all, nr);
	for (i = 0; i < nr; i++) {
		classify(drops, all[i].reason, &all[i].place);
		fn(ctx, &all[i].place);
	}
out:
	free(all);
	free(values);
	return err;
}
