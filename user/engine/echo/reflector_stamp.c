// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/reflector_stamp.c - the reflector's program for STAMP.
 */
#include "engine/echo/reflector_stamp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "abi/hist.h"
#include "abi/stamp_reflect.h"
#include "lib/hist.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/sha256.h"
#include "proto/stamp_keys.h"
#include "result/result_dist.h"
#include "sys/hook/bpf.h"
#include "sys/hook/live_frames.h"
#include "sys/host/clock.h"
#include "sys/host/cpu.h"
#include "sys/net/netns.h"

#include "stamp_xdp.skel.h"

#define TICK_NS 100000000ull

struct reflector_stamp {
	struct stamp_xdp_bpf *skel;
	bool authenticated, keyed_apart;
	/* Mapped memory. */
	struct stamp_reflect_clock *clock;
	struct stamp_reflect_rec *recs;
	struct hist_rec *hists;
	size_t clock_bytes, recs_bytes, hists_bytes;
	uint64_t updated_mono_ns;
	uint64_t error_ns;
	bool synchronised;
};

static void set_cfg(struct stamp_reflect_cfg *ret, const struct reflector_stamp_cfg *cfg)
{
	memset(ret, 0, sizeof(*ret));
	ret->stateful = cfg->stateful;
	ret->authenticated = cfg->authenticated;
	ret->twamp = cfg->twamp;
	ret->allow_dscp = cfg->allow_dscp;
	ret->hide_location = cfg->hide_location;
	ret->keyed = cfg->keys ? STAMP_KEYED_APART : cfg->key.len ? STAMP_KEYED_ALIKE : STAMP_KEYED_NOT;
	if (ret->keyed == STAMP_KEYED_ALIKE)
		sha256_hmac_pads(cfg->key.bytes, cfg->key.len, ret->key.inner, ret->key.outer);
}

static int put_key(struct bpf_map *map, const struct stamp_key_line *line, unsigned int version, uint32_t bits)
{
	struct stamp_key_name name = {
		.bits = STAMP_KEY_NAME_BITS + bits, .any_ssid = line->any_ssid, .version = (__u8)version,
		.ssid = htons(line->ssid),
	};
	struct stamp_key key;
	int err;

	memcpy(name.src, line->source.addr, line->source.addr_bytes);
	sha256_hmac_pads(line->key.bytes, line->key.len, key.inner, key.outer);
	err = bpf_map__update_elem(map, &name, sizeof(name), &key, sizeof(key), BPF_ANY);
	explicit_bzero(&key, sizeof(key));
	return err;
}

/* A line of any source is put first: one of a prefix of no bits replaces it. */
static int put_keys(struct bpf_map *map, const struct stamp_keys *keys, struct err *e)
{
	const struct stamp_key_line *line;
	int any, err = 0;

	for (any = 1; any >= 0; any--) {
		for (line = keys->lines; !err && line < keys->lines + keys->nr; line++) {
			if (line->any_source != any)
				continue;
			if (any || line->source.addr_bytes == 4)
				err = put_key(map, line, 4, line->source.bits);
			if (!err && (any || line->source.addr_bytes == 16))
				err = put_key(map, line, 6, line->source.bits);
		}
	}
	return err ? err_set(e, err, "cannot give the program the keys") : 0;
}

static int map_memory(struct reflector_stamp *stamp, struct err *e)
{
	int err = bpf_map_memory(stamp->skel->maps.stamp_clocks, (void **)&stamp->clock,
				 &stamp->clock_bytes, e);

	if (!err)
		err = bpf_map_memory(stamp->skel->maps.stamp_recs, (void **)&stamp->recs,
				     &stamp->recs_bytes, e);
	if (!err)
		err = bpf_map_memory(stamp->skel->maps.stamp_hists, (void **)&stamp->hists,
				     &stamp->hists_bytes, e);
	return err;
}

void reflector_stamp_attached(struct reflector_stamp *stamp, bool generic)
{
	*(volatile __u32 *)&stamp->clock->generic = generic;
}

void reflector_stamp_tick(struct reflector_stamp *stamp)
{
	uint64_t now_ns = loop_mono_ns();
	struct clock_quality quality;
	uint64_t offset_ns, read_error_ns;

	if (stamp->updated_mono_ns && now_ns - stamp->updated_mono_ns < TICK_NS)
		return;
	stamp->updated_mono_ns = now_ns;
	if (clock_utc_offset(&offset_ns, &read_error_ns))
		return;		/* updated just now: retry at the next tick */
	clock_read_quality(&quality);
	stamp->synchronised = quality.synchronised;
	stamp->error_ns = read_error_ns + quality.max_error_ns;
	/* Single word stores: a packet may arrive in between. */
	*(volatile __u32 *)&stamp->clock->error = (stamp->synchronised ? STAMP_SYNCED : 0) |
						  stamp_error_of(stamp->error_ns);
	/* Ignore a reading that differs from the last by less than its own error. */
	if (offset_ns - stamp->clock->utc_offset_ns + read_error_ns > 2 * read_error_ns)
		*(volatile __u64 *)&stamp->clock->utc_offset_ns = offset_ns;
}

int reflector_stamp_open(struct reflector_stamp **ret_stamp, const struct reflect_cfg *cfg,
			 const struct reflect_pools *pools,
			 const struct reflector_stamp_cfg *stamp_cfg, int ifindex, bool frags,
			 struct reflector_programs *ret_programs, struct result *res, struct err *e)
{
	struct reflector_stamp *stamp = calloc(1, sizeof(*stamp));
	struct stamp_xdp_bpf *skel = stamp ? stamp_xdp_bpf__open() : NULL;
	struct stamp_reflect_cfg cfg_of_stamp;
	int err = 0;

	if (!skel) {
		err = bpf_load_error(e, -errno, "stamp_xdp");
		goto out;
	}
	stamp->skel = skel;
	stamp->authenticated = stamp_cfg->authenticated;
	stamp->keyed_apart = stamp_cfg->keys;
	set_cfg(&cfg_of_stamp, stamp_cfg);
	REFLECTOR_SET_COMMON(skel, cfg, pools, ifindex, frags);
	memcpy((void *)&skel->rodata->stamp_cfg, &cfg_of_stamp, sizeof(cfg_of_stamp));
	skel->rodata->sum_blocks = bpf_sums_blocks();
	err = bpf_map__set_max_entries(skel->maps.reflect_recs, cpu_nr_possible());
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.stamp_recs, cpu_nr_possible());
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.stamp_hists, cpu_nr_possible());
	if (!err && stamp_cfg->keys)
		err = bpf_map__set_max_entries(skel->maps.stamp_keys, 2 * (__u32)stamp_cfg->keys->nr);
	if (!err)
		err = bpf_load(skel->skeleton);
	if (err) {
		bpf_load_error(e, err, "stamp_xdp");
		goto out;
	}
	err = map_memory(stamp, e);
	if (!err && stamp_cfg->keys)
		err = put_keys(skel->maps.stamp_keys, stamp_cfg->keys, e);
	if (err)
		goto out;
	reflector_stamp_tick(stamp);
	result_env_str(res, "stamp_mode", stamp_cfg->authenticated ? "authenticated" :
		       stamp_cfg->twamp ? "twamp-light" : "unauthenticated");
	result_env_str(res, "stamp_sessions", stamp_cfg->stateful ? "stateful" : "stateless");
	result_env_str(res, "stamp_path", "xdp");
	if (cfg_of_stamp.keyed)
		result_env_u64(res, "stamp_keys", stamp_cfg->keys ? stamp_cfg->keys->nr : 1);
	*ret_programs = REFLECTOR_PROGRAMS(skel, stamp_xdp);
	*ret_stamp = stamp;
out:
	if (err)
		reflector_stamp_close(stamp);
	explicit_bzero(&cfg_of_stamp, sizeof(cfg_of_stamp));
	return err;
}

void reflector_stamp_close(struct reflector_stamp *stamp)
{
	if (!stamp)
		return;
	bpf_unmap_memory(stamp->clock, stamp->clock_bytes);
	bpf_unmap_memory(stamp->recs, stamp->recs_bytes);
	bpf_unmap_memory(stamp->hists, stamp->hists_bytes);
	stamp_xdp_bpf__destroy(stamp->skel);
	free(stamp);
}

void reflector_stamp_report(struct reflector_stamp *stamp, const struct reflect_rec *sum,
			    struct result *res)
{
	struct stamp_reflect_rec total = { 0 };
	static struct hist_rec hist;
	unsigned int cpu;

	memset(&hist, 0, sizeof(hist));
	for (cpu = 0; cpu < cpu_nr_possible(); cpu++) {
		const volatile struct stamp_reflect_rec *rec = &stamp->recs[cpu];

		total.sessions += rec->sessions;
		total.tlvs += rec->tlvs;
		total.tlvs_unknown += rec->tlvs_unknown;
		total.tlvs_malformed += rec->tlvs_malformed;
		total.tlvs_unproven += rec->tlvs_unproven;
		total.repaired += rec->repaired;
		hist_merge(&hist, &stamp->hists[cpu]);
	}
	result_metric_u64(res, "refused_short_packets", sum->packets[REFLECT_SHORT]);
	if (stamp->authenticated)
		result_metric_u64(res, "refused_forged_packets", sum->packets[REFLECT_FORGED]);
	if (stamp->authenticated && stamp->keyed_apart)
		result_metric_u64(res, "refused_keyless_packets", sum->packets[REFLECT_KEYLESS]);
	result_metric_u64(res, "refused_split_packets", sum->packets[REFLECT_SPLIT]);
	result_metric_u64(res, "refused_looped_packets", sum->packets[REFLECT_LOOPED]);
	result_metric_u64(res, "stamp_sessions", total.sessions);
	result_metric_u64(res, "stamp_tlvs", total.tlvs);
	result_metric_u64(res, "stamp_unknown_tlvs", total.tlvs_unknown);
	result_metric_u64(res, "stamp_malformed_tlvs", total.tlvs_malformed);
	result_metric_u64(res, "stamp_unproven_tlvs", total.tlvs_unproven);
	result_metric_u64(res, "stamp_repaired_packets", total.repaired);
	result_hist(res, "turnaround", &hist);
	result_env_str(res, "stamp_clock", stamp->synchronised ? "synchronised" : "not synchronised");
	result_env_u64(res, "stamp_error_ns", stamp->error_ns);
}
