// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor/feature_nic.c - probes of one interface: link, queues, rings, offloads,
 * interrupts. All of them only read.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/feature_probe.h"
#include "sys/host/sysfs.h"

/* XDP_PACKET_HEADROOM, skb_shared_info as aligned on 64-bit machines, and the Ethernet header. */
#define XDP_RESERVED_BYTES (256 + 320 + 14)

/* What nic_read_*() could not read: most drivers of virtual devices do not report it. */
static void not_said(const struct feature_set *set, struct feature_answer *ret, int err,
		     const char *what)
{
	if (err == -EPERM)
		feature_denied(set, ret, "root (CAP_NET_ADMIN)");
	else if (err == -EOPNOTSUPP)
		feature_say(ret, FEATURE_UNKNOWN, "the driver does not report %s", what);
	else
		feature_say(ret, FEATURE_UNKNOWN, "no %s: %s", what, strerror(-err));
}

void probe_link(struct feature_set *set, struct feature_answer *ret)
{
	const char *driver = set->nic.driver;
	struct nic_link peer;
	char speed[48] = "";

	if (set->nic.speed_bps)
		snprintf(speed, sizeof(speed), ", %g Gbit/s%s", (double)set->nic.speed_bps / 1e9,
			 !strcmp(set->nic.driver, "veth") ? " nominal" : "");
	if (set->link.up && set->link.carrier) {
		feature_say(ret, FEATURE_PRESENT, "%s, up, carrier%s, MTU %u", driver, speed,
			    set->nic.mtu);
	} else if (set->link.up) {
		feature_say(ret, FEATURE_ABSENT, "%s, up, but no carrier", driver);
		if (set->link.peer_ifindex && !nic_read_link(set->link.peer_ifindex, set->link.peer_nsid, &peer) &&
		    !peer.up)
			feature_command_at_peer(set, ret, "ip link set dev %s up", peer.ifname);
		else
			feature_fix(ret, "plug in the cable, or set the other end up");
	} else {
		feature_say(ret, FEATURE_ABSENT, "%s, down", driver);
	}
}

void probe_queues(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_channels channels;
	int err = nic_read_channels(set->ifname, &channels);
	bool several;

	if (err && set->nic.rx_queues > 1 && set->nic.tx_queues > 1) {
		feature_say(ret, FEATURE_PRESENT, "receive %u, transmit %u; the driver does not report "
			    "the maximum", set->nic.rx_queues, set->nic.tx_queues);
		return;
	}
	if (err) {
		not_said(set, ret, err, "number of queues");
		return;
	}
	several = channels.rx > 1 && channels.tx > 1;
	feature_say(ret, several ? FEATURE_PRESENT : FEATURE_ABSENT,
		    "receive %u of %u, transmit %u of %u", channels.rx, channels.rx_max,
		    channels.tx, channels.tx_max);
	if (several)
		return;
	if (channels.rx_max < 2 || channels.tx_max < 2)
		feature_fix(ret, !strcmp(set->nic.driver, "veth") ?
			     "create the pair with more: ip link add NAME numrxqueues 2 numtxqueues 2 "
			     "type veth peer ..." : "none: the device has only one queue");
	else if (channels.combined)
		feature_command(set, ret, "ethtool -L %s combined 2", set->ifname);
	else
		feature_command(set, ret, "ethtool -L %s rx 2 tx 2", set->ifname);
}

void probe_rings(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_rings rings;
	int err = nic_read_rings(set->ifname, &rings);

	if (err)
		not_said(set, ret, err, "ring lengths");
	else
		feature_say(ret, FEATURE_PRESENT, "receive %u of %u, transmit %u of %u", rings.rx,
			    rings.rx_max, rings.tx, rings.tx_max);
}

void probe_stamps(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_stamps stamps;
	int err = nic_read_stamps(set->ifname, &stamps);

	if (err)
		not_said(set, ret, err, "timestamping capabilities");
	else if (stamps.hw_rx || stamps.hw_tx)
		feature_say(ret, FEATURE_PRESENT, "%s%s%s; timestamps %s; clock /dev/ptp%d",
			    stamps.hw_rx ? "receive" : "", stamps.hw_rx && stamps.hw_tx ? ", " : "",
			    stamps.hw_tx ? "transmit" : "", stamps.filters, stamps.phc_index);
	else
		feature_say(ret, FEATURE_ABSENT, "in software only (receive: %s, transmit: %s)",
			    stamps.sw_rx ? "yes" : "no", stamps.sw_tx ? "yes" : "no");
}

void probe_unmerged(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_offloads off;
	int err = nic_read_offloads(set->ifname, &off);

	if (err)
		not_said(set, ret, err, "offloads");
	else if (off.lro || off.gro_hw)
		feature_say(ret, FEATURE_ABSENT, "on:%s%s", off.lro ? " lro" : "",
			    off.gro_hw ? " rx-gro-hw" : "");
	else
		feature_say(ret, FEATURE_PRESENT, "lro and rx-gro-hw off%s",
			    off.gro ? "; gro on: tc and sockets see merged packets after XDP" : "");
}

static void keep_tags_at_peer(const struct feature_set *set, struct feature_answer *ret)
{
	struct nic_link peer;

	if (set->link.peer_hidden || nic_read_link(set->link.peer_ifindex, set->link.peer_nsid, &peer))
		feature_fix(ret, "ethtool -K %s rxvlan off, and at its peer: txvlan off", set->ifname);
	else
		feature_command_at_peer(set, ret, "ethtool -K %s txvlan off", peer.ifname);
}

void probe_vlan(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_offloads off;
	int err = nic_read_offloads(set->ifname, &off);

	if (err) {
		not_said(set, ret, err, "offloads");
	} else if (off.rx_vlan) {
		feature_say(ret, FEATURE_ABSENT, "rx-vlan-offload on");
		/* veth strips nothing; the sender's stack keeps the tag outside of the frame. */
		if (!strcmp(set->nic.driver, "veth")) {
			feature_command(set, ret, "ethtool -K %s rxvlan off", set->ifname);
			keep_tags_at_peer(set, ret);
		}
	} else {
		feature_say(ret, FEATURE_PRESENT, "rx-vlan-offload off");
	}
}

void probe_whole_tx(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_offloads off;
	int err = nic_read_offloads(set->ifname, &off);

	if (err)
		not_said(set, ret, err, "offloads");
	else if (off.tso || off.gso || off.tx_csum)
		feature_say(ret, FEATURE_ABSENT, "on:%s%s%s", off.tso ? " tso" : "",
			    off.gso ? " gso" : "", off.tx_csum ? " tx-checksumming" : "");
	else
		feature_say(ret, FEATURE_PRESENT, "tso, gso and tx-checksumming off");
}

void probe_mtu(struct feature_set *set, struct feature_answer *ret)
{
	uint32_t page_fits = (uint32_t)sysconf(_SC_PAGESIZE) - XDP_RESERVED_BYTES;
	uint32_t mtu = set->nic.mtu;
	struct nic_xdp xdp = { 0 };

	if (mtu <= 1500)
		feature_say(ret, FEATURE_PRESENT, "MTU %u; every driver with XDP supports 1500", mtu);
	else if (mtu <= page_fits)
		feature_say(ret, FEATURE_PRESENT, "MTU %u; one page holds %u, but some drivers "
			    "(ixgbe, igb) support only 1500 to 3000", mtu, page_fits);
	else if (nic_read_xdp(set->nic.ifindex, &xdp))
		feature_say(ret, FEATURE_UNKNOWN, "MTU %u requires multi-buffer above %u, and this "
			    "kernel does not report whether the driver has it", mtu, page_fits);
	else if (xdp.bits & NIC_XDP_RX_FRAGS)
		feature_say(ret, FEATURE_PRESENT, "MTU %u, above %u with multi-buffer programs only",
			    mtu, page_fits);
	else
		feature_say(ret, FEATURE_ABSENT, "MTU %u, and one page holds %u", mtu, page_fits);
	if (ret->state == FEATURE_ABSENT)
		feature_command(set, ret, "ip link set dev %s mtu %u", set->ifname, page_fits / 100 * 100);
}

/* Last part of the symbolic link @path; false: none. */
static bool link_name(const char *path, char *ret_name, size_t size)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof(target) - 1);
	const char *last;

	if (len <= 0)
		return false;
	target[len] = '\0';
	last = strrchr(target, '/');
	snprintf(ret_name, size, "%.63s", last ? last + 1 : target);
	return true;
}

/* True if @line contains @name as a word: "eth0" is in "eth0-rx-1", not in "eth01". */
static bool names(const char *line, const char *name)
{
	const char *at = line;
	size_t len = strlen(name);

	while (len && (at = strstr(at, name))) {
		if ((at == line || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[len]))
			return true;
		at += len;
	}
	return false;
}

struct irq_scan {
	unsigned int nr;
	char text[160];		/* "38 on CPU 1, 39 on CPU 0" */
};

static void take_irq(struct irq_scan *scan, const char *line)
{
	char path[64], cpus[32] = "?";
	size_t used = strlen(scan->text);
	unsigned long irq;
	char *end;

	irq = strtoul(line, &end, 10);
	if (*end != ':')
		return;
	snprintf(path, sizeof(path), "/proc/irq/%lu/effective_affinity_list", irq);
	if (sysfs_read(path, cpus, sizeof(cpus)) <= 0) {
		snprintf(path, sizeof(path), "/proc/irq/%lu/smp_affinity_list", irq);
		sysfs_read(path, cpus, sizeof(cpus));
	}
	scan->nr++;
	/* Many queues: the first ones show the pattern. */
	if (used < sizeof(scan->text) - 32)
		snprintf(scan->text + used, sizeof(scan->text) - used, "%s%lu on CPU %s",
			 used ? ", " : "", irq, cpus);
}

static bool scan_irqs(struct feature_set *set, struct irq_scan *scan)
{
	char device[64] = "", bus[64] = "", path[128], line[4096];
	FILE *file = fopen("/proc/interrupts", "re");

	if (!file)
		return false;
	/* sysfs may belong to another namespace, and then show another interface of that name. */
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", set->ifname);
	if (strcmp(set->nic.driver, "veth") && strcmp(set->nic.driver, "unknown"))
		link_name(path, device, sizeof(device));
	nic_read_bus(set->ifname, bus, sizeof(bus));
	while (fgets(line, sizeof(line), file)) {
		const char *start = line + strspn(line, " ");

		if (!isdigit((unsigned char)*start))
			continue;
		/* virtio's config interrupt carries no packets. */
		if (strstr(start, "-config"))
			continue;
		if (names(start, set->ifname) || names(start, device) ||
		    (*device && !strncmp(device, "virtio", 6) ? false : names(start, bus)))
			take_irq(scan, start);
	}
	fclose(file);
	return true;
}

void probe_irqs(struct feature_set *set, struct feature_answer *ret)
{
	struct irq_scan scan = { 0 };

	if (!scan_irqs(set, &scan))
		feature_say(ret, FEATURE_UNKNOWN, "/proc/interrupts cannot be read");
	else if (scan.nr)
		feature_say(ret, FEATURE_PRESENT, "%u: %s", scan.nr, scan.text);
	else if (!strcmp(set->nic.driver, "veth") || set->link.loopback)
		feature_say(ret, FEATURE_ABSENT, "%s has none: the sender's CPU receives",
			    set->nic.driver);
	else
		feature_say(ret, FEATURE_UNKNOWN, "none in /proc/interrupts has its name");
	if (ret->state == FEATURE_ABSENT)
		feature_fix(ret, "none; receive packet steering (rps_cpus of a receive queue) spreads the "
			    "stack's work over CPUs, but not that of XDP");
}

void probe_numa(struct feature_set *set, struct feature_answer *ret)
{
	char path[128], text[64];
	int node;

	if (sysfs_read("/sys/devices/system/node/online", text, sizeof(text)) <= 0 ||
	    !strcmp(text, "0")) {
		feature_say(ret, FEATURE_PRESENT, "one NUMA node");
		return;
	}
	snprintf(path, sizeof(path), "/sys/class/net/%s/device/numa_node", set->ifname);
	node = sysfs_read(path, text, sizeof(text)) > 0 ? atoi(text) : -1;
	if (node < 0) {
		feature_say(ret, FEATURE_UNKNOWN, "the device belongs to no node");
		return;
	}
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	if (sysfs_read(path, text, sizeof(text)) <= 0)
		snprintf(text, sizeof(text), "?");
	feature_say(ret, FEATURE_PRESENT, "node %d, CPUs %s", node, text);
}
