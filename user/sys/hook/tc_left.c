// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/tc_left.c - filters that a killed ethgauge left at a clsact hook.
 */
#include "sys/hook/tc_left.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "abi/beat.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/hook/bpf.h"

#define LEFT_MAX 8	/* removed at once */
#define MAPS_MAX 64	/* of a program */
#define WAIT_NS	(NSEC_PER_SEC / 2)	/* for a beat: 25 of them */

/* Programs that are attached by tc_attach(). */
static const struct {
	const char *prog, *verb;
} own[] = {
	{ "impair_tc", "impair" },
	{ "watch_tc_in", "watch" }, { "watch_tc_out", "watch" },
	{ "flow_tc_in", "watch" }, { "flow_tc_out", "watch" },
};

static const char *verb_of(const char *prog)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(own); i++) {
		if (!strcmp(own[i].prog, prog))
			return own[i].verb;
	}
	return NULL;
}

static bool map_beats(__u32 map_id)
{
	int fd = bpf_map_get_fd_by_id(map_id);
	struct bpf_map_info info = { 0 };
	__u32 bytes = sizeof(info), zero = 0;
	__u64 beat_ns = 0, first_ns = 0, since_ns = loop_mono_ns();

	if (fd < 0)
		return false;
	if (!bpf_obj_get_info_by_fd(fd, &info, &bytes) && !strcmp(info.name, TC_BEAT_MAP) &&
	    info.value_size == sizeof(beat_ns))
		bpf_map_lookup_elem(fd, &zero, &first_ns);
	/* Killed just now, or running: the next one comes soon or never. */
	for (beat_ns = first_ns; beat_ns == first_ns && loop_mono_ns() < first_ns + TC_BEAT_NS &&
	     loop_mono_ns() < since_ns + WAIT_NS;) {
		loop_sleep_until(loop_mono_ns() + WAIT_NS / 20);
		if (bpf_map_lookup_elem(fd, &zero, &beat_ns))
			break;
	}
	close(fd);
	return beat_ns != first_ns;
}

/* The process of this program wrote its time. Filters of older versions do not. */
static bool beats(__u32 prog_id)
{
	__u32 map_ids[MAPS_MAX] = { 0 }, i;
	struct bpf_prog_info info = { .nr_map_ids = MAPS_MAX, .map_ids = (uintptr_t)map_ids };
	__u32 bytes = sizeof(info);
	bool found = false;
	int fd = bpf_prog_get_fd_by_id(prog_id);

	if (fd < 0)
		return false;
	if (bpf_obj_get_info_by_fd(fd, &info, &bytes))
		info.nr_map_ids = 0;
	close(fd);
	for (i = 0; i < info.nr_map_ids && i < MAPS_MAX && !found; i++)
		found = map_beats(map_ids[i]);
	return found;
}

static int find_at(int ifindex, bool egress, struct tc_left *ret_left, unsigned int max)
{
	struct bpf_prog_info info = { 0 };
	struct nic_filters filters;
	const char *verb;
	unsigned int i, nr = 0;
	int err;

	if (nic_read_filters(ifindex, egress, &filters))
		return 0;
	for (i = 0; i < filters.nr; i++) {
		err = bpf_prog_info_of(filters.bpf[i].prog_id, &info);
		if (err == -EPERM)
			return err;
		verb = err ? NULL : verb_of(info.name);
		if (!verb)
			continue;
		if (bpf_prog_pid(info.id) || beats(info.id))
			continue;
		if (nr < max) {
			ret_left[nr] = (struct tc_left){ ifindex, egress, filters.bpf[i], "", verb, info.load_time };
			snprintf(ret_left[nr].prog, sizeof(ret_left[nr].prog), "%s", info.name);
		}
		nr++;
	}
	return (int)nr;
}

int tc_left_find(int ifindex, struct tc_left *ret_left, unsigned int max)
{
	int in = find_at(ifindex, false, ret_left, max), out;
	unsigned int used;

	if (in < 0)
		return in;
	used = (unsigned int)in < max ? (unsigned int)in : max;
	out = find_at(ifindex, true, ret_left + used, max - used);
	return out < 0 ? out : in + out;
}

void tc_remove_empty(int ifindex)
{
	LIBBPF_OPTS(bpf_tc_hook, both, .ifindex = ifindex, .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);
	struct nic_filters in, out;

	if (nic_read_filters(ifindex, false, &in) || nic_read_filters(ifindex, true, &out))
		return;
	if (!in.any && !out.any)
		bpf_tc_hook_destroy(&both);
}

void tc_left_remove(int ifindex)
{
	struct tc_left left[LEFT_MAX];
	char ifname[IF_NAMESIZE] = "?";
	bool removed = false;
	int nr = tc_left_find(ifindex, left, LEFT_MAX), i;

	for (i = 0; i < nr && i < LEFT_MAX; i++) {
		LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
			    .attach_point = left[i].egress ? BPF_TC_EGRESS : BPF_TC_INGRESS);
		LIBBPF_OPTS(bpf_tc_opts, opts, .handle = left[i].filter.handle,
			    .priority = left[i].filter.priority);

		if (bpf_tc_detach(&hook, &opts))
			continue;
		removed = true;
		log_warn("removed the filter '%s' that a killed %s left at '%s'", left[i].prog, left[i].verb,
			 if_indextoname((unsigned int)ifindex, ifname) ? ifname : "?");
	}
	if (removed)
		tc_remove_empty(ifindex);
}
