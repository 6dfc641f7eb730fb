// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_flows_report.c - the flows of one interface, as a result.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/watch/watch_cost.h"
#include "engine/watch/watch_flows_parts.h"
#include "lib/array.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "result/result_dist.h"

#define WALK_NS		10000000ull	/* per interval, for reading the table; the rest is read
					 * in between */
#define PREFIX_PARTS	8	/* that get a histogram in the result: the busiest */

static const char *const kind_names[FLOW_KINDS] = {
	"tcp-timestamp", "tcp-sequence", "tcp-handshake", "icmp-echo", "dns", "quic-handshake",
};

static const char *const dir_names[WATCH_DIRS] = {
	[WATCH_RX] = "near", [WATCH_TX] = "far",
};

static const char *address(char *buf, size_t size, const uint8_t *addr, uint8_t version)
{
	return inet_ntop(version == 6 ? AF_INET6 : AF_INET, addr, buf, (socklen_t)size);
}

static void entry_end(struct result *part, const char *name, const struct flow_key *key,
		      enum watch_dir dir)
{
	uint16_t port = ntohs(dir == WATCH_RX ? key->near_port : key->far_port);
	char addr[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 8];

	address(addr, sizeof(addr), dir == WATCH_RX ? key->near : key->far, key->version);
	if (!port)
		snprintf(text, sizeof(text), "%s", addr);
	else
		snprintf(text, sizeof(text), key->version == 6 ? "[%s]:%u" : "%s:%u", addr, port);
	result_entry_str(part, name, text);
}

static void entry_proto(struct result *part, const struct flow_key *key)
{
	static const struct {
		uint8_t proto;
		const char *name;
	} names[] = {
		{ IPPROTO_TCP, "tcp" }, { IPPROTO_UDP, "udp" }, { IPPROTO_ICMP, "icmp" },
		{ IPPROTO_ICMPV6, "icmp6" }, { IPPROTO_SCTP, "sctp" }, { IPPROTO_GRE, "gre" },
		{ IPPROTO_ESP, "esp" },
	};
	const char *name = NULL;
	char text[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].proto == key->proto)
			name = names[i].name;
	}
	if (name)
		snprintf(text, sizeof(text), "%s%s", name, key->fragment ? " fragment" : "");
	else
		snprintf(text, sizeof(text), "%u%s", key->proto, key->fragment ? " fragment" : "");
	result_entry_str(part, "proto", text);
}

/* Unknown: "". */
static void entry_ns(struct result *part, const char *key, bool known, double ns)
{
	if (known)
		result_entry_u64(part, key, (uint64_t)ns);
	else
		result_entry_str(part, key, "");
}

static void entry_rtt(struct result *part, const struct flow_rtt *rtt, const char *const keys[4])
{
	entry_ns(part, keys[0], rtt->count, flows_rtt_ns(rtt));
	entry_ns(part, keys[1], rtt->count, (double)~rtt->not_min_ns);
	entry_ns(part, keys[2], rtt->count, (double)rtt->max_ns);
	result_entry_u64(part, keys[3], rtt->count);
}

static void entry_shares(struct result *part, const uint64_t shares_ns[FLOW_SHARES],
			 const char *const keys[FLOW_SHARES])
{
	int i;

	for (i = 0; i < FLOW_SHARES; i++)
		entry_ns(part, keys[i], shares_ns[i], (double)shares_ns[i]);
}

static void report_details(struct result *part, const struct flow_seen *flow)
{
	const struct flow_rec *rec = &flow->rec;
	uint8_t proto = flow->key.proto;
	static const char *const near_keys[] = {
		"rtt_near_mean_ns", "rtt_near_min_ns", "rtt_near_max_ns", "rtt_near_count"
	};
	static const char *const far_shares[] = {
		"rtt_far_p50_ns", "rtt_far_p90_ns", "rtt_far_p99_ns"
	};
	static const char *const near_shares[] = {
		"rtt_near_p50_ns", "rtt_near_p90_ns", "rtt_near_p99_ns"
	};
	const struct flow_way *rx = &rec->ways[WATCH_RX], *tx = &rec->ways[WATCH_TX];

	entry_ns(part, "handshake_ns", rec->handshake_ns && proto == IPPROTO_TCP,
		 (double)rec->handshake_ns);
	result_entry_u64(part, "tx_retransmitted", tx->retransmitted);
	result_entry_u64(part, "rx_retransmitted", rx->retransmitted);
	entry_rtt(part, &rec->rtts[WATCH_RX], near_keys);
	entry_shares(part, flow->shares_ns[WATCH_TX], far_shares);
	entry_shares(part, flow->shares_ns[WATCH_RX], near_shares);
	result_entry_u64(part, "tx_out_of_order", tx->out_of_order);
	result_entry_u64(part, "rx_out_of_order", rx->out_of_order);
	result_entry_u64(part, "tx_zero_windows", tx->zero_windows);
	result_entry_u64(part, "rx_zero_windows", rx->zero_windows);
	result_entry_u64(part, "tx_dup_acks", tx->dup_acks);
	result_entry_u64(part, "rx_dup_acks", rx->dup_acks);
	result_entry_u64(part, "tx_tcp_flags", tx->flags);
	result_entry_u64(part, "rx_tcp_flags", rx->flags);
	result_entry_str(part, "opened_by", dir_names[!rec->opener]);
	result_entry_str(part, "state", rec->ended ? "ended" : "open");
	result_entry_u64(part, "life_ns", rec->last_mono_ns - rec->first_mono_ns);
	entry_ns(part, "quic_handshake_ns", rec->handshake_ns && proto == IPPROTO_UDP,
		 (double)rec->handshake_ns);
}

/*
 * Text output shows as many columns as fit, -v the first 16: every flow has all keys, so that they
 * are always the same.
 */
static void report_flow(struct watch_flows *flows, struct flow_seen *flow, bool live)
{
	static const char *const far_keys[] = {
		"rtt_far_mean_ns", "rtt_far_min_ns", "rtt_far_max_ns", "rtt_far_count"
	};
	struct result *part = flows->part;
	const struct flow_rec *rec = &flow->rec;

	if (!flow->is_gone && !flows_are_sampled(flows))
		flows_spread(flows, flow, false);
	result_entry_open(part);
	entry_end(part, "near", &flow->key, WATCH_RX);
	entry_end(part, "far", &flow->key, WATCH_TX);
	entry_proto(part, &flow->key);
	result_entry_u64(part, "l2_bps", (uint64_t)flows_rate_bps(rec));
	if (flows_are_sampled(flows))
		result_entry_real(part, "error_ratio", flow->error);
	else
		entry_rtt(part, &rec->rtts[WATCH_TX], far_keys);
	result_entry_u64(part, "tx_packets", rec->counts[WATCH_TX].packets);
	result_entry_u64(part, "rx_packets", rec->counts[WATCH_RX].packets);
	result_entry_u64(part, "tx_bytes", rec->counts[WATCH_TX].frame_bytes);
	result_entry_u64(part, "rx_bytes", rec->counts[WATCH_RX].frame_bytes);
	if (live) {
		result_entry_real(part, "now_pps", flow->now_pps);
		result_entry_real(part, "now_l2_bps", flow->now_bps);
	}
	if (flows_are_sampled(flows))
		result_entry_u64(part, "life_ns", rec->last_mono_ns - rec->first_mono_ns);
	else
		report_details(part, flow);
	result_entry_close(part);
}

static const char *prefix_text(char *buf, size_t size, const struct flow_prefix *prefix)
{
	uint8_t addr[16] = { 0 };
	char text[INET6_ADDRSTRLEN];

	memcpy(addr, prefix->addr, sizeof(prefix->addr));
	snprintf(buf, size, "%s/%u", address(text, sizeof(text), addr, prefix->version),
		 prefix->version == 6 ? 48 : 24);
	return buf;
}

static uint64_t folded_packets(const struct flow_folded *folded)
{
	return folded->fold.counts[WATCH_RX].packets + folded->fold.counts[WATCH_TX].packets;
}

static int by_packets(const void *a, const void *b)
{
	uint64_t x = folded_packets(a), y = folded_packets(b);

	return x < y ? 1 : x > y ? -1 : memcmp(a, b, sizeof(struct flow_prefix));
}

/* Joins what BPF folded with the flows removed here, as a table. */
static void report_folded(struct watch_flows *flows, struct watch_sum sums[WATCH_DIRS])
{
	struct result *part = NULL;
	char name[64];
	size_t i;
	int dir;

	flows_join_folds(flows);
	qsort(flows->folded, FLOW_PREFIXES, sizeof(*flows->folded), by_packets);
	for (i = 0; i < FLOW_PREFIXES && folded_packets(&flows->folded[i]); i++) {
		const struct watch_sum *counts = flows->folded[i].fold.counts;

		for (dir = 0; dir < WATCH_DIRS; dir++) {
			sums[dir].packets += counts[dir].packets;
			sums[dir].frame_bytes += counts[dir].frame_bytes;
		}
		if (i >= flows->cfg.top)
			continue;
		if (!part) {
			snprintf(name, sizeof(name), "%s folded", flows->cfg.ifname);
			part = result_part(flows->res, PART_OTHER, name);
		}
		result_entry_open(part);
		result_entry_str(part, "far", prefix_text(name, sizeof(name),
							  &flows->folded[i].prefix));
		result_entry_u64(part, "tx_packets", counts[WATCH_TX].packets);
		result_entry_u64(part, "rx_packets", counts[WATCH_RX].packets);
		result_entry_u64(part, "tx_bytes", counts[WATCH_TX].frame_bytes);
		result_entry_u64(part, "rx_bytes", counts[WATCH_RX].frame_bytes);
		result_entry_close(part);
	}
}

static int by_trips(const void *a, const void *b)
{
	const struct flow_trips *x = a, *y = b;

	if (x->hist.count != y->hist.count)
		return x->hist.count < y->hist.count ? 1 : -1;
	return memcmp(&x->prefix, &y->prefix, sizeof(x->prefix));
}

static void report_trips(struct watch_flows *flows)
{
	struct flow_trips *trips = calloc(FLOW_TRIPS, sizeof(*trips));
	char name[96], text[64];
	struct result *part;
	size_t nr, i;

	if (!trips) {
		result_note(flows->part, "no memory for the round trips by prefix");
		return;
	}
	nr = flows_read_trips(flows, trips);
	qsort(trips, nr, sizeof(*trips), by_trips);
	if (nr == FLOW_TRIPS)
		result_note(flows->part, "round trips by prefix cover only the first %u prefixes "
			    "that had one; the interface's histograms include all", FLOW_TRIPS);
	for (i = 0; i < nr && i < PREFIX_PARTS; i++) {
		snprintf(name, sizeof(name), "%s far %s", flows->cfg.ifname,
			 prefix_text(text, sizeof(text), &trips[i].prefix));
		part = result_part(flows->res, PART_PREFIX, name);
		result_label(part, "iface", flows->cfg.ifname);
		result_hist(part, "rtt", &trips[i].hist);
	}
	free(trips);
}

static void report_kinds(struct watch_flows *flows)
{
	unsigned int kind, dir, cpu;
	struct result *part;
	struct hist_rec sum;
	char name[64];

	for (kind = 0; kind < FLOW_KINDS; kind++) {
		for (dir = 0; dir < WATCH_DIRS; dir++) {
			const struct hist_rec *from =
				&flows->hists[(kind * WATCH_DIRS + dir) * flows->nr_cpus];

			memset(&sum, 0, sizeof(sum));
			for (cpu = 0; cpu < flows->nr_cpus; cpu++)
				hist_merge(&sum, &from[cpu]);
			if (!sum.count)
				continue;
			snprintf(name, sizeof(name), "%s %s %s", flows->cfg.ifname, kind_names[kind],
				 dir_names[dir]);
			part = result_part(flows->res, PART_TRIPS, name);
			result_label(part, "iface", flows->cfg.ifname);
			result_label(part, "kind", kind_names[kind]);
			result_label(part, "end", dir_names[dir]);
			result_hist(part, "rtt", &sum);
		}
	}
}

static uint64_t both(const uint64_t counts[WATCH_DIRS])
{
	return counts[WATCH_RX] + counts[WATCH_TX];
}

static uint64_t both_packets(const struct watch_sum sums[WATCH_DIRS])
{
	return sums[WATCH_RX].packets + sums[WATCH_TX].packets;
}

static void report_sums(struct watch_flows *flows, const struct flow_cpu *cpu,
			const struct flow_tcp_sums *tcp)
{
	struct result *part = flows->part;

	result_metric_u64(part, "flow_new_count", cpu->new_flows);
	result_metric_u64(part, "seen_packets", both_packets(cpu->seen));
	result_metric_u64(part, "seen_bytes",
			  cpu->seen[WATCH_RX].frame_bytes + cpu->seen[WATCH_TX].frame_bytes);
	result_metric_u64(part, "no_flow_packets", both_packets(cpu->no_flow));
	if (flows_are_sampled(flows))
		result_metric_u64(part, "sampled_packets", both_packets(cpu->sampled) / flows->cfg.sample);
	result_metric_u64(part, "folded_packets", cpu->folded);
	result_metric_u64(part, "flow_aged_count", flows->aged);
	if (flows_are_sampled(flows))
		return;
	result_metric_u64(part, "flow_ended_count", cpu->ended_flows);
	result_metric_u64(part, "tcp_retransmitted_packets", both(tcp->retransmitted));
	result_metric_u64(part, "tcp_out_of_order_packets", both(tcp->out_of_order));
	result_metric_u64(part, "tcp_zero_window_packets", both(tcp->zero_windows));
	result_metric_u64(part, "tcp_dup_ack_packets", both(tcp->dup_acks));
	result_metric_u64(part, "asked_packets", cpu->asked);
	result_metric_u64(part, "asked_again_packets", cpu->asked_again);
	result_metric_u64(part, "answer_timed_packets", cpu->answered);
	result_metric_u64(part, "answer_untimed_packets", cpu->unasked);
	result_metric_u64(part, "quic_retry_packets", cpu->quic_retries);
	result_metric_u64(part, "quic_version_packets", cpu->quic_versions);
}

static void report_notes(struct watch_flows *flows, const struct flow_cpu *cpu)
{
	struct result *part = flows->part;

	if (flows_are_sampled(flows))
		result_note(part,
			    "flows are estimated from 1 buffer in %u, taken at random; error_ratio is half their 95 %% "
			    "interval; TCP's losses and round trips are not measured",
			    flows->cfg.sample);
	if (cpu->folded)
		result_note(part, "the table of %u flows was full: %llu packets were counted by the "
			    "far end's prefix (/24, /48) only, without round trips", flows->cfg.max_flows,
			    (unsigned long long)cpu->folded);
	if (cpu->not_spread)
		result_note(part, "the percentile table was full for %llu round trips: their "
			    "flows have no percentiles", (unsigned long long)cpu->not_spread);
	if (flows->aged)
		result_note(part, "%llu idle flows were removed from the table to make room: they "
			    "are listed, and their packets are also in the prefixes",
			    (unsigned long long)flows->aged);
}

/* For both directions, packets and bytes: everything seen, or sampled, is accounted for. */
static void report_balance(struct watch_flows *flows, const struct flow_cpu *cpu,
			   const struct watch_sum *sums)
{
	const struct watch_sum *all = flows_are_sampled(flows) ? cpu->sampled : cpu->seen;
	uint64_t missing = 0, bytes = 0;
	int dir;

	for (dir = 0; dir < WATCH_DIRS; dir++) {
		missing += all[dir].packets - cpu->no_flow[dir].packets - sums[dir].packets;
		bytes += all[dir].frame_bytes - cpu->no_flow[dir].frame_bytes - sums[dir].frame_bytes;
	}
	result_metric_u64(flows->part, "flow_missing_packets", missing);
	result_verdict(flows->part, !missing && !bytes,
		       "the packets of flows, folded packets and packets without a flow add up to "
		       "all packets %s", flows_are_sampled(flows) ? "sampled" : "seen");
}

/* Where XDP counts what is received, the program of its flows is another one, so a part of its own. */
static double report_cost(struct watch_flows *flows, uint64_t buffers, uint64_t elapsed_ns)
{
	struct result *part;
	char name[48];

	snprintf(name, sizeof(name), "%s flows rx", flows->cfg.ifname);
	part = result_part(flows->res, PART_INTERFACE, name);
	/* Not the program that counts packets; the interface label separates the two. */
	snprintf(name, sizeof(name), "%s flows", flows->cfg.ifname);
	result_label(part, "iface", name);
	result_label(part, "direction", "rx");
	return watch_cost_report(flows->in_fd, buffers, elapsed_ns, part);
}

static void keep_last(struct watch_flows *flows, struct flow_seen *flow)
{
	tally_add(flows, &flows->walked, flow);
}

double watch_flows_report(struct watch_flows *flows, uint64_t elapsed_ns)
{
	struct flow_tally *all = &flows->walked;
	struct flow_cpu cpu;
	double cpus = 0;
	size_t i;
	int dir;

	flows->going = false;
	*all = (struct flow_tally){ .best = all->best };
	while (flows_batch(flows, keep_last))
		;
	flows_read(flows, &cpu);
	report_folded(flows, all->sums);
	for (dir = 0; dir < WATCH_DIRS; dir++) {
		all->sums[dir].packets += cpu.other[dir].packets + flows->other[dir].packets;
		all->sums[dir].frame_bytes += cpu.other[dir].frame_bytes +
					      flows->other[dir].frame_bytes;
	}
	tally_join(flows, all, &flows->gone);
	report_sums(flows, &cpu, &all->tcp);
	report_notes(flows, &cpu);
	report_balance(flows, &cpu, all->sums);
	if (flows->cfg.rx_beside)
		cpus = report_cost(flows, cpu.beside_buffers, elapsed_ns);
	if (flows->wants_view)
		result_metric_u64(flows->part, "flow_view_age_ns", 0);
	result_forget_entries(flows->part);
	for (i = 0; i < all->nr_best; i++)
		report_flow(flows, &all->best[i], false);
	report_kinds(flows);
	report_trips(flows);
	return cpus;
}

void watch_flows_report_live(struct watch_flows *flows)
{
	struct flow_cpu cpu;
	size_t i;

	flows->wants_view = true;
	view_walk(flows, loop_mono_ns() + WALK_NS);
	flows_read(flows, &cpu);
	if (!flows->view_mono_ns)
		return;
	report_sums(flows, &cpu, &flows->view.tcp);
	result_metric_u64(flows->part, "flow_view_age_ns", loop_mono_ns() - flows->view_mono_ns);
	result_env_str(flows->part, "flows_by", watch_sort_names[flows->cfg.sort]);
	result_forget_entries(flows->part);
	for (i = 0; i < flows->view.nr_best; i++)
		report_flow(flows, &flows->view.best[i], true);
	report_kinds(flows);
}
