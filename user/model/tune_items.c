// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/tune_items.c - the settings, the advice, and its source.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/near.h"
#include "lib/theory.h"
#include "model/tune_items.h"

#define SYSCTL_DOC	"Linux ip-sysctl"
#define CORE_DOC	"Linux sysctl/net"
#define ETHTOOL		"ethtool(8)"
#define FASTER		"ESnet host tuning"
#define LARGE_BPS	10e9	/* from this rate on, long rings are recommended */

static const struct tune_item items[] = {
	{ "net.ipv4.tcp_rmem", "TCP", .rule = TUNE_BUFFERS, .source = SYSCTL_DOC "; RFC 6349 3.3.1",
	  .effect = "minimum, initial and maximum receive buffer; the maximum limits the window, and a "
	  "connection carries at most window / round-trip time" },
	{ "net.ipv4.tcp_wmem", "TCP", .rule = TUNE_BUFFERS, .source = SYSCTL_DOC "; RFC 6349 3.3.1",
	  .effect = "minimum, initial and maximum send buffer; unacknowledged data must fit" },
	{ "net.ipv4.tcp_mem", "TCP", .of_host = true, .rule = TUNE_PAGES, .source = SYSCTL_DOC,
	  .effect = "pages for all TCP buffers: above the second value buffers shrink, above the "
	  "third connections stall" },
	{ "net.ipv4.tcp_moderate_rcvbuf", "TCP", .rule = TUNE_IS, .word = "1", .source = SYSCTL_DOC,
	  .effect = "receive buffers grow automatically up to tcp_rmem's maximum; 0 keeps them at its "
	  "initial value" },
	{ "net.ipv4.tcp_window_scaling", "TCP", .rule = TUNE_IS, .word = "1", .source = "RFC 7323 2",
	  .effect = "windows above 64 KiB; 0 limits a connection to 64 KiB per round trip" },
	{ "net.ipv4.tcp_adv_win_scale", "TCP", .rule = TUNE_LEAVE, .source = SYSCTL_DOC,
	  .effect = "share of a receive buffer that is window: 1 is half; no effect since Linux 6.6, "
	  "which measures it" },
	{ "net.ipv4.tcp_timestamps", "TCP", .rule = TUNE_AT_LEAST, .number = 1,
	  .source = "RFC 7323 3-5", .effect = "round-trip time from every segment, and protection when the "
	  "32-bit sequence wraps (3.4 s at 10 Gbit/s), for 12 bytes per segment" },
	{ "net.ipv4.tcp_sack", "TCP", .rule = TUNE_IS, .word = "1", .source = "RFC 2018",
	  .effect = "reports which segments arrived; with 0 only one loss per round trip is repaired" },
	{ "net.ipv4.tcp_dsack", "TCP", .rule = TUNE_IS, .word = "1", .source = "RFC 2883",
	  .effect = "reports duplicates, so that spurious retransmissions are detected and undone" },
	{ "net.ipv4.tcp_ecn", "TCP", .rule = TUNE_LEAVE, .source = "RFC 3168; " SYSCTL_DOC,
	  .effect = "packets are marked instead of dropped on congestion; 1 requests it, 2 only accepts it; "
	  "useful where queues mark" },
	{ "net.ipv4.tcp_congestion_control", "TCP", .rule = TUNE_LEAVE, .source = "RFC 9438 (cubic)",
	  .effect = "rate control: cubic fills queues, bbr models rate and round-trip time; compare "
	  "both on the path" },
	{ "net.ipv4.tcp_slow_start_after_idle", "TCP", .rule = TUNE_LEAVE,
	  .source = "RFC 5681 4.1; " SYSCTL_DOC, .effect = "1 returns to slow start after a pause; 0 keeps "
	  "the old window, useful for requests with pauses" },
	{ "net.ipv4.tcp_mtu_probing", "TCP", .rule = TUNE_LEAVE, .source = "RFC 4821; " FASTER,
	  .effect = "1 finds the path MTU where ICMP is blocked; useful with jumbo frames" },
	{ "net.ipv4.tcp_no_metrics_save", "TCP", .rule = TUNE_LEAVE, .source = SYSCTL_DOC "; " FASTER,
	  .effect = "1 saves nothing of a connection for the next one; repeated tests are then independent" },
	{ "net.ipv4.tcp_tw_recycle", "TCP", .rule = TUNE_GONE, .source = "Linux 4.12",
	  .effect = "it broke connections behind NAT and was removed in Linux 4.12" },
	{ "net.ipv4.tcp_fack", "TCP", .rule = TUNE_GONE, .source = SYSCTL_DOC,
	  .effect = "replaced by RACK (RFC 8985); no effect since Linux 4.15" },
	{ "net.ipv4.tcp_low_latency", "TCP", .rule = TUNE_GONE, .source = SYSCTL_DOC,
	  .effect = "the prequeue that it disabled was removed; no effect since Linux 4.14" },

	{ "net.core.rmem_max", "sockets and queues", .rule = TUNE_BUFFER,
	  .source = CORE_DOC "; RFC 6349 3.3.1", .effect = "largest receive buffer that a program may "
	  "set (SO_RCVBUF): UDP, and TCP without autotuning" },
	{ "net.core.wmem_max", "sockets and queues", .rule = TUNE_BUFFER,
	  .source = CORE_DOC "; RFC 6349 3.3.1", .effect = "largest send buffer that a program may set (SO_SNDBUF)" },
	{ "net.core.rmem_default", "sockets and queues", .rule = TUNE_LEAVE, .source = CORE_DOC,
	  .effect = "default receive buffer of a UDP socket" },
	{ "net.core.wmem_default", "sockets and queues", .rule = TUNE_LEAVE, .source = CORE_DOC,
	  .effect = "default send buffer of a UDP socket" },
	{ "net.core.somaxconn", "sockets and queues", .rule = TUNE_AT_LEAST, .number = 4096,
	  .source = SYSCTL_DOC " (default since 5.4)",
	  .effect = "connections that may wait for accept(); limits connection rates" },
	{ "net.core.netdev_max_backlog", "sockets and queues", .of_host = true, .rule = TUNE_LEAVE,
	  .source = CORE_DOC, .effect = "queue of packets for a CPU's stack (veth, RPS); raise it if "
	  "'backlog dropped' in a result is above 0" },
	{ "net.core.netdev_budget", "sockets and queues", .of_host = true, .rule = TUNE_LEAVE,
	  .source = CORE_DOC, .effect = "packets per receive softirq; raise it if 'squeezed' in a "
	  "result is above 0" },
	{ "net.core.netdev_budget_usecs", "sockets and queues", .of_host = true, .rule = TUNE_LEAVE,
	  .source = CORE_DOC, .effect = "time per receive softirq; as above" },
	{ "net.core.busy_poll", "sockets and queues", .of_host = true, .rule = TUNE_LEAVE,
	  .source = CORE_DOC,
	  .effect = "us that poll() spins on the NIC's queue: 50 saves some us of delay at the cost of a CPU" },
	{ "net.core.busy_read", "sockets and queues", .of_host = true, .rule = TUNE_LEAVE,
	  .source = CORE_DOC, .effect = "the same for reading a socket" },
	{ "net.core.default_qdisc", "sockets and queues", .of_host = true, .rule = TUNE_LEAVE,
	  .source = CORE_DOC "; " FASTER, .effect = "default queueing discipline of new interfaces; fq paces TCP" },

	{ "mtu", "interface", TUNE_KNOB, KNOB_MTU, .rule = TUNE_LEAVE, .source = "docs/theory.md",
	  .effect = "largest packet; 9000 instead of 1500 carries 5 % more payload in a sixth of the "
	  "packets, if every hop supports it" },
	{ "txqueuelen", "interface", TUNE_KNOB, KNOB_TXQUEUELEN, .rule = TUNE_LEAVE, .source = "ip-link(8)",
	  .effect = "length of the queue (pfifo) before the driver; a longer one absorbs bursts, but adds delay" },
	{ "rx-ring", "interface", TUNE_KNOB, KNOB_RX_RING, .rule = TUNE_MOST, .source = ETHTOOL "; " FASTER,
	  .effect = "frames that the NIC can store until a CPU processes them; too few: receive overruns" },
	{ "tx-ring", "interface", TUNE_KNOB, KNOB_TX_RING, .rule = TUNE_MOST, .source = ETHTOOL "; " FASTER,
	  .effect = "frames queued for the NIC to send" },
	{ "combined-queues", "interface", TUNE_KNOB, KNOB_COMBINED, .rule = TUNE_CPUS,
	  .source = "Linux networking/scaling",
	  .effect = "pairs of queues, each with its interrupt; one per CPU avoids shared locks" },
	{ "rx-queues", "interface", TUNE_KNOB, KNOB_RX_QUEUES, .rule = TUNE_CPUS,
	  .source = "Linux networking/scaling", .effect = "receive queues, if the driver has separate ones" },
	{ "tx-queues", "interface", TUNE_KNOB, KNOB_TX_QUEUES, .rule = TUNE_CPUS,
	  .source = "Linux networking/scaling", .effect = "transmit queues; senders that share one contend for its "
	  "lock" },
	{ "rx-usecs", "interface", TUNE_KNOB, KNOB_RX_USECS, .rule = TUNE_LEAVE, .source = ETHTOOL,
	  .effect = "time that the NIC waits before an interrupt: less CPU, but more delay; 0 for the lowest delay" },
	{ "tx-usecs", "interface", TUNE_KNOB, KNOB_TX_USECS, .rule = TUNE_LEAVE, .source = ETHTOOL,
	  .effect = "the same for transmitted frames" },
	{ "adaptive-rx", "interface", TUNE_KNOB, KNOB_ADAPTIVE_RX, .rule = TUNE_LEAVE, .source = ETHTOOL,
	  .effect = "the driver adapts rx-usecs to the load; delays then vary with it" },
	{ "tx-tcp-segmentation", "interface", TUNE_FEATURE, .rule = TUNE_IS, .word = "on",
	  .source = "Linux segmentation-offloads", .effect = "TSO: TCP passes down up to 64 KiB at once; off "
	  "costs CPU for every packet" },
	{ "tx-generic-segmentation", "interface", TUNE_FEATURE, .rule = TUNE_IS, .word = "on",
	  .source = "Linux segmentation-offloads", .effect = "GSO: the same in software, right before the "
	  "driver" },
	{ "rx-gro", "interface", TUNE_FEATURE, .rule = TUNE_IS, .word = "on",
	  .source = "Linux segmentation-offloads", .effect = "GRO: segments are merged before the stack; off for "
	  "the lowest delay of single packets" },
	{ "rx-lro", "interface", TUNE_FEATURE, .rule = TUNE_LEAVE, .source = "Linux segmentation-offloads",
	  .effect = "LRO: the NIC merges packets before XDP sees them; keep it off on a host that forwards packets" },
	{ "rx-gro-hw", "interface", TUNE_FEATURE, .rule = TUNE_LEAVE, .source = "Linux segmentation-offloads",
	  .effect = "the NIC merges packets like GRO; XDP then sees merged frames" },
	{ "irq-affinity", "interface", TUNE_IRQS, .rule = TUNE_LEAVE, .source = "Linux core-api/irq",
	  .effect = "CPUs of the NIC's interrupts; best one CPU each, near the NIC (irqbalance may move them)" },
	{ "governor", "interface", TUNE_GOVERNOR, .rule = TUNE_IS, .word = "performance",
	  .source = "Linux pm/cpufreq; " FASTER,
	  .effect = "CPU frequency control; powersave and schedutil raise the frequency slowly, which adds delay" },
};

#define NR_ITEMS ARRAY_SIZE(items)

const struct tune_item *tune_at(size_t i)
{
	return i < NR_ITEMS ? &items[i] : NULL;
}

const char *tune_name_at(size_t i)
{
	const struct tune_item *item = tune_at(i);
	const char *dot = item ? strrchr(item->name, '.') : NULL;

	return dot ? dot + 1 : item ? item->name : NULL;
}

const char *tune_near(const char *name)
{
	const char *dot = strrchr(name, '.');

	return near_known(dot ? dot + 1 : name, tune_name_at);
}

const struct tune_item *tune_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NR_ITEMS; i++) {
		const char *dot = strrchr(items[i].name, '.');

		if ((strlen(items[i].name) == len && !memcmp(items[i].name, name, len)) ||
		    (dot && strlen(dot + 1) == len && !memcmp(dot + 1, name, len)))
			return &items[i];
	}
	return NULL;
}

const char *tune_state_name(enum tune_state state)
{
	static const char *const names[] = {
		[TUNE_OK] = "ok", [TUNE_CHANGE] = "change", [TUNE_FREE] = "no advice",
		[TUNE_UNTOLD] = "path unknown", [TUNE_UNKNOWN] = "unknown", [TUNE_OBSOLETE] = "obsolete",
	};

	return names[state];
}

/* Parse up to 3 integers of @text into @values; -1: anything else, or more. */
static int numbers(const char *text, uint64_t values[3])
{
	char *end;
	int nr;

	for (nr = 0; nr < 3 && isdigit((unsigned char)*text); nr++) {
		values[nr] = strtoull(text, &end, 10);
		if (values[nr] > INT_MAX)
			return -1;
		text = end;
		if (*text == ' ')
			text++;
	}
	return *text ? -1 : nr;
}

/* Twice the bandwidth-delay product, at most the kernel's int; 0: unknown. */
static uint64_t buffer_of(const struct tune_path *path)
{
	double bytes = 2 * theory_bdp_bytes(path->link_bps, (double)path->rtt_ns);

	return bytes < INT_MAX ? (uint64_t)bytes : INT_MAX;
}

static enum tune_state at_least(const struct tune_value *value, uint64_t least,
				char ret_asks[TUNE_TEXT])
{
	uint64_t now[3];
	int nr = numbers(value->text, now);

	if (nr < 1 || nr == 2)
		return TUNE_FREE;
	if (now[nr - 1] >= least) {
		snprintf(ret_asks, TUNE_TEXT, "%s", value->text);
		return TUNE_OK;
	}
	if (nr == 1)
		snprintf(ret_asks, TUNE_TEXT, "%llu", (unsigned long long)least);
	else
		snprintf(ret_asks, TUNE_TEXT, "%llu %llu %llu", (unsigned long long)now[0],
			 (unsigned long long)now[1], (unsigned long long)least);
	return TUNE_CHANGE;
}

static enum tune_state most(const struct tune_value *value, uint64_t wanted,
			    char ret_asks[TUNE_TEXT])
{
	snprintf(ret_asks, TUNE_TEXT, "%llu",
		 (unsigned long long)(wanted < value->max ? wanted : value->max));
	return strtoull(value->text, NULL, 10) >= strtoull(ret_asks, NULL, 10) ? TUNE_OK : TUNE_CHANGE;
}

enum tune_state tune_judge(const struct tune_item *item, const struct tune_path *path,
			   const struct tune_value *value, char ret_asks[TUNE_TEXT])
{
	uint64_t buffer_bytes = buffer_of(path);

	ret_asks[0] = '\0';
	if (item->rule == TUNE_GONE)
		return TUNE_OBSOLETE;
	if (value->why[0])
		return TUNE_UNKNOWN;
	switch (item->rule) {
	case TUNE_IS:
		snprintf(ret_asks, TUNE_TEXT, "%s", item->word);
		return strcmp(value->text, item->word) ? TUNE_CHANGE : TUNE_OK;
	case TUNE_AT_LEAST:
		return at_least(value, item->number, ret_asks);
	case TUNE_BUFFER:
	case TUNE_BUFFERS:
		return buffer_bytes ? at_least(value, buffer_bytes, ret_asks) : TUNE_UNTOLD;
	case TUNE_PAGES:
		return buffer_bytes ? at_least(value, buffer_bytes / path->page_bytes + 1, ret_asks) :
		       TUNE_UNTOLD;
	case TUNE_MOST:
		if (path->link_bps < LARGE_BPS)
			return path->link_bps > 0 ? TUNE_FREE : TUNE_UNTOLD;
		return most(value, UINT32_MAX, ret_asks);
	case TUNE_CPUS:
		return most(value, path->cpus, ret_asks);
	default:
		return TUNE_FREE;
	}
}

static bool is_word(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
}

int tune_check_text(const struct tune_item *item, const struct tune_value *value, const char *text,
		    struct err *e)
{
	uint64_t now[3], then[3];
	int nr = numbers(value->text, now), nr_then = numbers(text, then);

	if (item->rule == TUNE_GONE)
		return err_usage(e, "'%s' no longer has an effect: %s", item->name, item->effect);
	if (item->kind == TUNE_IRQS || item->kind == TUNE_GOVERNOR)
		return err_usage(e, "'%s' can only be shown, not changed", item->name);
	if (value->why[0])
		return err_machine(e, -ENODATA, "cannot change '%s': %s", item->name, value->why);
	if (item->kind == TUNE_FEATURE && strcmp(text, "on") && strcmp(text, "off"))
		return err_usage(e, "'%s' must be on or off, not '%s'", item->name, text);
	if (item->kind == TUNE_FEATURE)
		return 0;
	if (nr < 1 ? !is_word(text) : nr_then != nr)
		return err_usage(e, "'%s' is not a value of '%s', which is now '%s'", text, item->name,
				 value->text);
	if (nr == 3 && !(then[0] <= then[1] && then[1] <= then[2]))
		return err_usage(e, "'%s': the values of '%s' must not decrease", text, item->name);
	if (item->kind == TUNE_KNOB && value->max && then[0] > value->max)
		return err_usage(e, "'%s' for '%s' is above the driver's maximum, %u",
				 text, item->name, value->max);
	return 0;
}
