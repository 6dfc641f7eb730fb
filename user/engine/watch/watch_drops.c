// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_drops.c - what the kernel drops at watched interfaces, and why.
 */
#include "engine/watch/watch_drops.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "sys/hook/drops.h"
#include "sys/net/counters.h"
#include "sys/net/netns.h"

struct watch_drops {
	const char *const *ifnames;
	unsigned int nr;
	struct result *part;
	struct drops *drops;
	struct counters *before;	/* per interface, then the stack's */
	uint32_t netns;
	uint64_t row_packets;		/* at the previous row */
	uint64_t packets;		/* at the watched interfaces, as they are listed */
};

/* @which: index of the interface; one past the last: the stack. */
static void read_counters(const struct watch_drops *drops, unsigned int which,
			  struct counters *ret_counters)
{
	*ret_counters = (struct counters){ 0 };
	if (which < drops->nr)
		counters_read_iface(ret_counters, drops->ifnames[which]);
	else
		counters_read_stack(ret_counters);
}

int watch_drops_open(struct watch_drops **ret_drops, const char *const *ifnames, unsigned int nr,
		     struct result *res, struct err *e)
{
	const struct drops_cfg cfg = { .any = 1 };
	struct watch_drops *drops = calloc(1, sizeof(*drops));
	unsigned int i;
	int err;

	if (drops)
		drops->before = calloc(nr + 1, sizeof(*drops->before));
	if (!drops || !drops->before) {
		free(drops);
		return err_set(e, -ENOMEM, "cannot watch drops");
	}
	drops->ifnames = ifnames;
	drops->nr = nr;
	drops->netns = netns_inode();
	err = drops_open(&drops->drops, &cfg, e);
	if (err) {
		watch_drops_close(drops);
		return err;
	}
	drops->part = result_part(res, PART_OTHER, "drops");
	if (!drops_has(drops->drops, DROP_SKB))
		result_note(drops->part, "the tracepoint skb:kfree_skb is not available: only XDP "
			    "exceptions and counters are reported");
	for (i = 0; i <= nr; i++)
		read_counters(drops, i, &drops->before[i]);
	*ret_drops = drops;
	return 0;
}

void watch_drops_close(struct watch_drops *drops)
{
	unsigned int i;

	if (!drops)
		return;
	for (i = 0; i <= drops->nr; i++)
		counters_free(&drops->before[i]);
	free(drops->before);
	drops_close(drops->drops);
	free(drops);
}

void watch_drops_row(struct watch_drops *drops, uint64_t elapsed_ns)
{
	struct drop_sum sum;

	drops_read(drops->drops, &sum);
	result_row_open(drops->part, elapsed_ns);
	result_row_u64(drops->part, "host_dropped_packets", sum.skbs - drops->row_packets);
	result_row_close(drops->part);
	drops->row_packets = sum.skbs;
}

/* The watched interface's name; "": unknown interface, or it may be one of another namespace; NULL: another one. */
static const char *watched_name(const struct watch_drops *drops, const struct drop_place *place)
{
	unsigned int i;

	if (place->netns && place->netns != drops->netns)
		return NULL;
	if (!place->ifindex)
		return "";
	for (i = 0; i < drops->nr; i++) {
		if (if_nametoindex(drops->ifnames[i]) == place->ifindex)
			return place->netns ? drops->ifnames[i] : "";
	}
	return NULL;
}

static void add_entry(struct watch_drops *drops, const char *by, const char *ifname,
		      const char *place, const char *reason, uint64_t packets)
{
	char value[192];

	snprintf(value, sizeof(value), "%s%s%s%s%s", ifname, *ifname ? " " : "", place,
		 *reason ? " " : "", reason);
	result_entry_open(drops->part);
	result_entry_str(drops->part, "by", by);
	result_entry_str(drops->part, "value", value);
	result_entry_str(drops->part, "interface", ifname);
	result_entry_str(drops->part, "place", place);
	result_entry_str(drops->part, "reason", reason);
	result_entry_u64(drops->part, "packets", packets);
	result_entry_close(drops->part);
}

/* Functions that free what is left in the queue of a socket that is closed. */
static bool is_unread(const struct drop_place *place)
{
	static const char *const functions[] = {
		"inet_sock_destruct", "sk_stream_kill_queues", "tcp_disconnect", "udp_destruct_common",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!strcmp(place->symbol, functions[i]))
			return true;
	}
	return false;
}

static void on_place(void *ctx, const struct drop_place *place)
{
	static const char *const kinds[] = {
		[DROP_XDP_EXCEPTION] = "xdp_exception", [DROP_XDP_REDIRECT] = "xdp_redirect_err",
	};
	struct watch_drops *drops = ctx;
	const char *ifname = watched_name(drops, place);

	if (!ifname)
		return;
	if (place->kind == DROP_SKB && is_unread(place)) {
		add_entry(drops, "unread", ifname, place->symbol, place->reason, place->packets);
		return;
	}
	drops->packets += place->packets;
	add_entry(drops, "drop", ifname, place->kind == DROP_SKB ? place->symbol :
		  kinds[place->kind], place->reason, place->packets);
}

static void report_counters(struct watch_drops *drops, unsigned int which)
{
	struct counters now;
	char place[128];
	size_t i;

	read_counters(drops, which, &now);
	for (i = 0; i < now.nr; i++) {
		uint64_t growth = counters_growth(&drops->before[which], &now.all[i]);

		if (!growth)
			continue;
		snprintf(place, sizeof(place), "%s %s", now.all[i].source, now.all[i].name);
		add_entry(drops, "statistic", which < drops->nr ? drops->ifnames[which] : "", place, "",
			  growth);
	}
	counters_free(&now);
}

static void report(struct watch_drops *drops, struct err *e)
{
	struct drop_sum sum;
	unsigned int i;

	result_forget_entries(drops->part);
	drops->packets = 0;
	drops_list(drops->drops, on_place, drops, e);
	drops_read(drops->drops, &sum);
	result_metric_u64(drops->part, "dropped_packets", drops->packets);
	result_metric_u64(drops->part, "host_dropped_packets", sum.skbs);
	for (i = 0; i <= drops->nr; i++)
		report_counters(drops, i);
}

void watch_drops_report_live(struct watch_drops *drops)
{
	struct err e = { 0 };

	report(drops, &e);
}

void watch_drops_report(struct watch_drops *drops)
{
	struct drop_sum sum;
	struct err e = { 0 };

	report(drops, &e);
	if (e.no)
		result_note(drops->part, "%s", e.msg);
	drops_read(drops->drops, &sum);
	if (sum.unplaced)
		result_note(drops->part, "%llu drops were not listed: no room in the table of drop locations",
			    (unsigned long long)sum.unplaced);
}
