// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/nic.c - facts about an interface, by ioctl and netlink in this thread's network namespace
 * (sysfs shows the namespace of the process that mounted it).
 */
#include "sys/net/nic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include "lib/array.h"
#include "lib/near.h"
#include "sys/host/sysfs.h"
#include "sys/net/ethtool.h"

/* A private mount of this thread's network namespace's sysfs, or -1. */
static int open_sysfs(void)
{
	int fs = fsopen("sysfs", FSOPEN_CLOEXEC), mount = -1;

	if (fs < 0)
		return -1;
	if (!fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	close(fs);
	return mount;
}

/*
 * For drivers without ETHTOOL_GCHANNELS, such as tun and, before 5.15, veth. Netlink reports the
 * queues that the device was created with, not those in use.
 */
static void count_queues(const char *ifname, struct nic_facts *nic)
{
	int mount = open_sysfs(), fd = -1;
	uint32_t rx = 0, tx = 0;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "class/net/%s/queues", ifname);
	if (mount >= 0)
		fd = openat(mount, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	while (dir && (entry = readdir(dir))) {
		rx += !strncmp(entry->d_name, "rx-", 3);
		tx += !strncmp(entry->d_name, "tx-", 3);
	}
	if (rx)
		nic->rx_queues = rx;
	if (tx)
		nic->tx_queues = tx;
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	if (mount >= 0)
		close(mount);
}

static void read_ethtool(const char *ifname, struct nic_facts *nic)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_cmd link = { .cmd = ETHTOOL_GSET };
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	uint32_t speed;

	if (!ethtool(ifname, &info))
		snprintf(nic->driver, sizeof(nic->driver), "%.31s", info.driver);
	if (!ethtool(ifname, &link)) {
		/* The header's ethtool_cmd_speed() shifts a promoted int into its sign bit. */
		speed = (uint32_t)link.speed_hi << 16 | link.speed;
		if (speed && speed != (uint32_t)SPEED_UNKNOWN && speed != UINT16_MAX)
			nic->speed_bps = speed * 1000000ull;
		/* Drivers that know of no link leave it 0, which is half. */
		nic->half_duplex = nic->speed_bps && link.duplex == DUPLEX_HALF;
	}
	if (!ethtool(ifname, &channels)) {
		nic->rx_queues = channels.rx_count + channels.combined_count;
		nic->tx_queues = channels.tx_count + channels.combined_count;
	} else {
		count_queues(ifname, nic);
	}
}

/* Of other link types (InfiniBand, IEEE 802.15.4) nothing is known here. */
static bool is_at_l3(unsigned int arphrd)
{
	switch (arphrd) {
	case ARPHRD_NONE:
	case ARPHRD_PPP:
	case ARPHRD_RAWIP:
	case ARPHRD_TUNNEL:
	case ARPHRD_TUNNEL6:
	case ARPHRD_SIT:
	case ARPHRD_IPGRE:
	case ARPHRD_IP6GRE:
		return true;
	default:
		return false;
	}
}

int nic_read(const char *ifname, struct nic_facts *ret_facts)
{
	struct nic_facts nic = { .rx_queues = 1, .tx_queues = 1 };
	struct ifreq req = { 0 };
	int err = ethtool_ioctl(ifname, SIOCGIFINDEX, &req);

	if (err)
		return err;
	nic.ifindex = req.ifr_ifindex;
	if (!ethtool_ioctl(ifname, SIOCGIFHWADDR, &req)) {
		memcpy(nic.mac, req.ifr_hwaddr.sa_data, sizeof(nic.mac));
		nic.at_l3 = is_at_l3(req.ifr_hwaddr.sa_family);
		nic.ethernet = req.ifr_hwaddr.sa_family == ARPHRD_ETHER ||
			       req.ifr_hwaddr.sa_family == ARPHRD_LOOPBACK;
	}
	if (!ethtool_ioctl(ifname, SIOCGIFMTU, &req))
		nic.mtu = (uint32_t)req.ifr_mtu;
	if (!ethtool_ioctl(ifname, SIOCGIFFLAGS, &req)) {
		nic.up = req.ifr_flags & IFF_UP;
		nic.running = req.ifr_flags & IFF_RUNNING;
	}
	read_ethtool(ifname, &nic);
	*ret_facts = nic;
	return 0;
}

/* This process could not even ask. */
static bool is_short(int no)
{
	return no == EMFILE || no == ENFILE || no == ENOMEM || no == ENOBUFS;
}

int nic_unknown(const char *ifname, struct err *e)
{
	struct if_nameindex *all = if_nameindex(), *one;
	struct near near = { .word = ifname };
	struct nic_facts facts;
	char names[120] = "";
	size_t used = 0;
	int err = nic_read(ifname, &facts);

	if (is_short(-err)) {
		if (all)
			if_freenameindex(all);
		return err_set(e, err, "cannot read interface '%s'", ifname);
	}
	err_usage(e, "there is no interface '%s' here", ifname);
	for (one = all; one && one->if_name; one++) {
		near_try(&near, one->if_name);
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
						 one->if_name);
	}
	if (near.best)
		err_hint(e, "did you mean '%s'?", near.best);
	else if (used && used < sizeof(names))
		err_hint(e, "here are: %s; in a lab: ethgauge lab exec a ...", names);
	else
		err_hint(e, "to list the interfaces: ip -brief link; in a lab: ethgauge lab exec a ...");
	if (all)
		if_freenameindex(all);
	return e->no;
}

bool nic_is_up(const char *ifname)
{
	struct ifreq req = { 0 };

	return !ethtool_ioctl(ifname, SIOCGIFFLAGS, &req) && req.ifr_flags & IFF_UP;
}

int nic_read_channels(const char *ifname, struct nic_channels *ret_channels)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	int err = ethtool(ifname, &channels);

	if (err)
		return err;
	*ret_channels = (struct nic_channels){
		.rx = channels.rx_count + channels.combined_count,
		.tx = channels.tx_count + channels.combined_count,
		.rx_max = channels.max_rx + channels.max_combined,
		.tx_max = channels.max_tx + channels.max_combined,
		.combined = channels.max_combined,
	};
	return 0;
}

int nic_read_rings(const char *ifname, struct nic_rings *ret_rings)
{
	struct ethtool_ringparam rings = { .cmd = ETHTOOL_GRINGPARAM };
	int err = ethtool(ifname, &rings);

	if (err)
		return err;
	*ret_rings = (struct nic_rings){
		.rx = rings.rx_pending, .rx_max = rings.rx_max_pending,
		.tx = rings.tx_pending, .tx_max = rings.tx_max_pending,
	};
	return 0;
}

int nic_read_bus(const char *ifname, char *ret_bus, size_t size)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = ethtool(ifname, &info);

	if (err)
		return err;
	if (!info.bus_info[0])
		return -ENODATA;
	snprintf(ret_bus, size, "%.31s", info.bus_info);
	return 0;
}

static void add_irq(struct cpu_nic *nic, const char *name)
{
	char *end;
	unsigned long irq = strtoul(name, &end, 10);

	if (end != name && !*end && irq && nic->nr_irqs < ARRAY_SIZE(nic->irqs))
		nic->irqs[nic->nr_irqs++] = (uint32_t)irq;
}

/* By bus address: /sys/class/net shows the namespace that /sys was mounted in. */
void nic_find_irqs(const char *ifname, struct cpu_nic *ret_nic)
{
	char path[128], bus[40], irq[16];
	struct dirent *entry;
	DIR *dir;

	memset(ret_nic, 0, sizeof(*ret_nic));
	if (!ifname)
		return;
	snprintf(ret_nic->ifname, sizeof(ret_nic->ifname), "%s", ifname);
	if (nic_read_bus(ifname, bus, sizeof(bus)) || strchr(bus, '/'))
		return;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/msi_irqs", bus);
	dir = opendir(path);
	if (dir) {
		while ((entry = readdir(dir)))
			add_irq(ret_nic, entry->d_name);
		closedir(dir);
		return;
	}
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/irq", bus);
	if (sysfs_read(path, irq, sizeof(irq)) > 0)
		add_irq(ret_nic, irq);
}

/* Which received frames the NIC timestamps. */
static void describe_filters(uint32_t filters, char *ret_text, size_t size)
{
	if (filters & 1u << HWTSTAMP_FILTER_ALL)
		snprintf(ret_text, size, "every frame received");
	else if (filters & ~(1u << HWTSTAMP_FILTER_NONE))
		snprintf(ret_text, size, "only some received frames, such as PTP");
	else
		snprintf(ret_text, size, "nothing received");
}

int nic_read_stamps(const char *ifname, struct nic_stamps *ret_stamps)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct nic_stamps stamps;
	int err = ethtool(ifname, &info);

	if (err)
		return err;
	stamps = (struct nic_stamps){
		.hw_rx = info.so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE,
		.hw_tx = info.so_timestamping & SOF_TIMESTAMPING_TX_HARDWARE,
		.sw_rx = info.so_timestamping & SOF_TIMESTAMPING_RX_SOFTWARE,
		.sw_tx = info.so_timestamping & SOF_TIMESTAMPING_TX_SOFTWARE,
		.hw_rx_all = info.rx_filters & 1u << HWTSTAMP_FILTER_ALL,
		.phc_index = info.phc_index,
	};
	describe_filters(info.rx_filters, stamps.filters, sizeof(stamps.filters));
	*ret_stamps = stamps;
	return 0;
}

int nic_read_stamping(const char *ifname, struct nic_stamping *ret_stamping)
{
	struct hwtstamp_config config = { 0 };
	struct ifreq req = { .ifr_data = (void *)&config };
	int err = ethtool_ioctl(ifname, SIOCGHWTSTAMP, &req);

	if (err)
		return err;
	*ret_stamping = (struct nic_stamping){
		.tx_type = config.tx_type,
		.rx_filter = config.rx_filter,
		.every_received = config.rx_filter == HWTSTAMP_FILTER_ALL,
		.every_sent = config.tx_type == HWTSTAMP_TX_ON,
	};
	return 0;
}

int nic_set_stamping(const char *ifname, const struct nic_stamping *stamping)
{
	struct hwtstamp_config config = {
		.tx_type = stamping->every_sent ? HWTSTAMP_TX_ON : stamping->tx_type,
		.rx_filter = stamping->every_received ? HWTSTAMP_FILTER_ALL : stamping->rx_filter,
	};
	struct ifreq req = { .ifr_data = (void *)&config };

	return ethtool_ioctl(ifname, SIOCSHWTSTAMP, &req);
}

/* Features have the kernel's names; their numbers differ between kernels. */
static void take_offload(void *ctx, const char *name, bool on)
{
	struct nic_offloads *offloads = ctx;

	if (!strcmp(name, "rx-lro"))
		offloads->lro = on;
	else if (!strcmp(name, "rx-gro-hw"))
		offloads->gro_hw = on;
	else if (!strcmp(name, "rx-gro"))
		offloads->gro = on;
	else if (!strcmp(name, "rx-vlan-hw-parse"))
		offloads->rx_vlan = on;
	else if (!strcmp(name, "tx-tcp-segmentation"))
		offloads->tso = on;
	else if (!strcmp(name, "tx-generic-segmentation"))
		offloads->gso = on;
	else if (!strncmp(name, "tx-checksum-ip", strlen("tx-checksum-ip")))
		offloads->tx_csum |= on;
}

/* Calls @fn for each feature known to the kernel. */
static int walk_features(const char *ifname, void (*fn)(void *ctx, const char *name, bool on),
			 void *ctx)
{
	struct ethtool_gfeatures *features = NULL;
	struct ethtool_gstrings *names = NULL;
	char name[ETHTOOL_NAME_SIZE];
	uint32_t blocks, i;
	int err;

	err = ethtool_read_names(ifname, ETH_SS_FEATURES, &names);
	if (err)
		return err;
	blocks = (names->len + 31) / 32;
	features = calloc(1, sizeof(*features) + blocks * sizeof(features->features[0]));
	if (!features) {
		err = -ENOMEM;
		goto out;
	}
	features->cmd = ETHTOOL_GFEATURES;
	features->size = blocks;
	err = ethtool(ifname, features);
	if (err)
		goto out;
	for (i = 0; i < names->len && i / 32 < features->size; i++) {
		ethtool_name(names, i, name);
		fn(ctx, name, features->features[i / 32].active >> i % 32 & 1);
	}
out:
	free(features);
	free(names);
	return err;
}

int nic_read_offloads(const char *ifname, struct nic_offloads *ret_offloads)
{
	struct nic_offloads offloads = { 0 };
	int err = walk_features(ifname, take_offload, &offloads);

	if (!err)
		*ret_offloads = offloads;
	return err;
}

struct feature_search {
	const char *name;
	bool found, on;
};

static void take_feature(void *ctx, const char *name, bool on)
{
	struct feature_search *search = ctx;

	if (strcmp(name, search->name))
		return;
	search->found = true;
	search->on = on;
}

int nic_read_feature(const char *ifname, const char *name, bool *ret_on)
{
	struct feature_search search = { .name = name };
	int err = walk_features(ifname, take_feature, &search);

	if (!err && !search.found)
		err = -EOPNOTSUPP;
	if (!err)
		*ret_on = search.on;
	return err;
}

bool nic_is_there(const char *ifname, int ifindex)
{
	int now = (int)if_nametoindex(ifname);

	/* Anything else than ENODEV: without a descriptor it could not be asked for. */
	return now == ifindex || (!now && errno != ENODEV);
}

int nic_check_ethernet(const char *ifname, const struct nic_facts *nic, struct err *e)
{
	if (nic->ethernet)
		return 0;
	err_usage(e, "'%s' is not an Ethernet interface: its packets have no Ethernet header", ifname);
	return nic->at_l3 ? err_hint(e, "ethgauge watch %s counts what passes it", ifname) : e->no;
}

int nic_vanished(const char *ifname, int ifindex, struct err *e)
{
	char now[IF_NAMESIZE];

	if (if_indextoname((unsigned int)ifindex, now) && strcmp(now, ifname) != 0)
		return err_plain(e, -ENODEV, "interface '%s' was renamed to '%s'", ifname, now);
	return err_plain(e, -ENODEV, "interface '%s' vanished: it was deleted, or moved to another network namespace",
			 ifname);
}

int nic_check_there(const char *ifname, int ifindex, struct err *e)
{
	return nic_is_there(ifname, ifindex) ? 0 : nic_vanished(ifname, ifindex, e);
}

bool nic_has_ip6(const char *ifname)
{
	/* "fe80...01 02 40 20 80 eth0": address, index, prefix, scope, flags, name */
	FILE *list = fopen("/proc/thread-self/net/if_inet6", "re");
	char name[IF_NAMESIZE];
	unsigned int scope;
	bool has = false;

	while (list && fscanf(list, "%*s %*s %*s %x %*s %15s", &scope, name) == 2)
		has |= scope != 0x20 && !strcmp(name, ifname);
	if (list)
		fclose(list);
	return has;
}
