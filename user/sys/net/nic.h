/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/nic.h - facts about an interface of this thread's network namespace.
 */
#ifndef SYS_NET_NIC_H
#define SYS_NET_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "sys/host/cpu.h"

struct nic_facts {
	int ifindex;
	char driver[32];	/* "" if not reported */
	uint8_t mac[6];
	bool ethernet;		/* frames begin with an Ethernet header, as on loopback */
	bool at_l3;		/* they begin with the IP header: tun, WireGuard, PPP, tunnels of IP */
	bool up, running;	/* administratively; with carrier */
	uint32_t mtu;
	uint32_t rx_queues, tx_queues;
	uint64_t speed_bps;	/* 0: unknown */
	bool half_duplex;	/* false if unknown */
};

/* The interface's own counters (rtnl_link_stats64). */
struct nic_counters {
	uint64_t tx_packets, rx_packets, tx_bytes, rx_bytes;
	uint64_t tx_dropped, rx_dropped, tx_errors, rx_errors;
	uint64_t rx_overruns;		/* arrived but found the receive ring full */
	uint64_t carrier_downs;		/* how often the link went down */
};

/*
 * A usage error: there is no @ifname here; the hint names one like it, or those that are there. Another
 * if it cannot be read whether there is.
 */
int nic_unknown(const char *ifname, struct err *e);

/* 0, or -ENODEV and the like. */
int nic_read(const char *ifname, struct nic_facts *ret_facts);
int nic_read_counters(const char *ifname, struct nic_counters *ret_counters);

/*
 * The space in a page beside headroom and skb_shared_info differs by driver: for veth the limit is
 * 3506.
 */
#define NIC_LINEAR_MTU 3400

/* An error, unless frames begin with an Ethernet header: what is sent has one, and XDP programs read it. */
int nic_check_ethernet(const char *ifname, const struct nic_facts *nic, struct err *e);

/* True while the interface with this name and index exists. */
bool nic_is_there(const char *ifname, int ifindex);

/* 0 while it exists; then -ENODEV, with what became of it as far as this network namespace shows. */
int nic_check_there(const char *ifname, int ifindex, struct err *e);

/* That error, for an interface that is known to be gone. */
int nic_vanished(const char *ifname, int ifindex, struct err *e);

/* True while it is there and set up, with or without a carrier. */
bool nic_is_up(const char *ifname);

/* True if it has an IPv6 address other than the link-local one, which the kernel recreates. */
bool nic_has_ip6(const char *ifname);

/* Queues in use, and the driver's maximum. */
struct nic_channels {
	uint32_t rx, tx, rx_max, tx_max;
	bool combined;		/* rx and tx queues of one number share an interrupt */
};

/* Entries of each ring, and the driver's maximum. */
struct nic_rings {
	uint32_t rx, tx, rx_max, tx_max;
};

/* Offloads that change what is counted, and where. */
struct nic_offloads {
	bool lro, gro_hw;	/* the NIC merges frames before XDP sees them */
	bool gro;		/* the kernel merges after XDP, before tc and sockets */
	bool rx_vlan;		/* the tag is passed outside the frame */
	bool tso, gso;		/* senders hand over super-frames */
	bool tx_csum;		/* senders leave the L4 checksum to the device */
};

struct nic_stamps {
	bool hw_rx, hw_tx, sw_rx, sw_tx;
	bool hw_rx_all;		/* all received frames, not only PTP */
	int phc_index;		/* -1: no hardware clock */
	char filters[64];	/* frames that can be timestamped on receive, for output */
};

/* -EOPNOTSUPP: not reported, which is not the same as 0. */
int nic_read_channels(const char *ifname, struct nic_channels *ret_channels);
int nic_read_rings(const char *ifname, struct nic_rings *ret_rings);
int nic_read_offloads(const char *ifname, struct nic_offloads *ret_offloads);
int nic_read_stamps(const char *ifname, struct nic_stamps *ret_stamps);

/* Whether one feature is on, by the kernel's name for it ("rx-gro"); link_set_features() sets it. */
int nic_read_feature(const char *ifname, const char *name, bool *ret_on);

/* The NIC's timestamp settings. */
struct nic_stamping {
	int tx_type, rx_filter;		/* as it was read; HWTSTAMP_* */
	bool every_received;		/* how to set it: whatever rx_filter is */
	bool every_sent;		/* those that request it */
};

int nic_read_stamping(const char *ifname, struct nic_stamping *ret_stamping);
int nic_set_stamping(const char *ifname, const struct nic_stamping *stamping);

/* The device's bus address ("0000:00:03.0"); -ENODATA if not reported. */
int nic_read_bus(const char *ifname, char *ret_bus, size_t size);

/* The interrupts of @ifname in this thread's network namespace; NULL: none. */
void nic_find_irqs(const char *ifname, struct cpu_nic *ret_nic);

/* An interface as described by rtnetlink, here or in another namespace. */
struct nic_link {
	char ifname[16];
	bool loopback;
	bool up;		/* administratively */
	bool carrier;
	bool xdp;		/* some XDP program is attached */
	bool xdp_native;	/* in the driver */
	int master_ifindex;	/* the bridge or bond that it is a port of; 0: none */
	int peer_ifindex;	/* a veth's other end, or what a VLAN or the like is on; 0: none */
	int peer_nsid;		/* its namespace's ID here; -1: this one */
	bool peer_hidden;	/* in a namespace that has no ID here */
};

/*
 * @nsid: -1 for this thread's namespace, otherwise an ID in it, which requires CAP_NET_ADMIN there.
 */
int nic_read_link(int ifindex, int nsid, struct nic_link *ret_link);

/* The ID of another namespace in this thread's; -1: none yet. */
int nic_netns_id(int ns_fd, int *ret_nsid);

/* The tc filters of one direction of an interface's clsact hook; none without that hook. */
#define NIC_BPF_FILTERS	64	/* the most that are listed */

struct nic_filter {		/* of kind bpf */
	uint32_t priority, handle;
	uint32_t prog_id;
};

struct nic_filters {
	bool any;		/* of any kind */
	unsigned int nr;
	struct nic_filter bpf[NIC_BPF_FILTERS];
};

int nic_read_filters(int ifindex, bool egress, struct nic_filters *ret_filters);

/* Values of the kernel's enum netdev_xdp_act; headers before 6.3 lack it. */
enum nic_xdp_bit {
	NIC_XDP_BASIC = 1 << 0,		/* abort, drop, pass, XDP_TX */
	NIC_XDP_REDIRECT = 1 << 1,	/* out of this device */
	NIC_XDP_XMIT = 1 << 2,		/* accepts redirected frames, including live frames */
	NIC_XDP_ZEROCOPY = 1 << 3,
	NIC_XDP_HW = 1 << 4,
	NIC_XDP_RX_FRAGS = 1 << 5,	/* multi-buffer */
	NIC_XDP_XMIT_FRAGS = 1 << 6,
};

/* Values of the kernel's enum netdev_xdp_rx_metadata and netdev_xsk_flags. */
#define NIC_XDP_RX_TIMESTAMP	(1 << 0)
#define NIC_XSK_TX_TIMESTAMP	(1 << 0)

struct nic_xdp {
	uint64_t bits;			/* enum nic_xdp_bit */
	uint64_t rx_metadata;		/* bit 0: receive time, 1: hash, 2: VLAN tag */
	uint64_t tx_metadata;		/* AF_XDP; bit 0: transmit time, 1: checksum, 2: launch time */
	bool says_tx_metadata;		/* kernel 6.8 */
};

/* The driver's XDP features; -EOPNOTSUPP: not reported before kernel 6.3. */
int nic_read_xdp(int ifindex, struct nic_xdp *ret_xdp);

/*
 * A driver's requirements for sending XDP frames through it: some transmit them only while an XDP
 * program is attached, and silently drop them otherwise ("0 packets, no error").
 */
struct nic_xdp_trait {
	const char *driver;
	bool needs_program_on_self;	/* on the transmitting device */
	bool needs_program_on_peer;	/* on the device at the other end (veth) */
	bool shuns_live_frames;		/* crashes on or drops live frames: use AF_XDP */
	const char *sentence;		/* for people */
};

/*
 * True if packets received from @driver may have a checksum that their sender's stack left to a NIC, as
 * there is none on the way.
 */
bool nic_leaves_checksums(const char *driver);

/* NULL: no special requirements are known for @driver. */
const struct nic_xdp_trait *nic_xdp_trait(const char *driver);

#endif
