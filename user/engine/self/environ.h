/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/self/environ.h - where a result was measured: host, interface, clock, and where timestamps
 * were taken.
 */
#ifndef ENGINE_SELF_ENVIRON_H
#define ENGINE_SELF_ENVIRON_H

#include "abi/stamp.h"
#include "result/result.h"

/* Kernel, CPUs, clock source, mitigations. */
void environ_host(struct result *res);

/* Driver, MTU, queues and speed of @ifname in this thread's network namespace. */
void environ_iface(struct result *res, const char *ifname);

/*
 * The clock of the timestamps, the cost of reading it, and for one that is compared between hosts
 * its error. Loads a program for this: call before caps_drop().
 */
void environ_clock(struct result *res, enum stamp_clock clock);

/* Where a packet's timestamp is taken. */
enum environ_stamp {
	STAMPED_NOWHERE,
	STAMPED_BPF,		/* by the program that builds the packet */
	STAMPED_USER,		/* by this process */
	STAMPED_CALL,		/* by this process, around the socket's system calls */
	STAMPED_XDP,		/* by an XDP program in the driver */
	STAMPED_XDP_GENERIC,	/* by an XDP program in the stack */
	STAMPED_HW,		/* by the NIC */
	STAMPED_SOCKET_TX,	/* by this process, before sending on a UDP socket */
	STAMPED_SOCKET_RX,	/* by the kernel, on receiving for a UDP socket */
	STAMPED_DONE,		/* by the kernel, when the driver returned the frame */
};

void environ_tx_stamp(struct result *res, enum environ_stamp place);
void environ_rx_stamp(struct result *res, enum environ_stamp place);

/* The second transmit timestamp, of the actual sending; nothing if there is none. */
void environ_done_stamp(struct result *res, enum environ_stamp place);

#endif
