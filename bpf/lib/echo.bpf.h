/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/echo.bpf.h - ICMP and ICMPv6 echo.
 */
#ifndef LIB_ECHO_BPF_H
#define LIB_ECHO_BPF_H

#include <linux/types.h>
#include <linux/icmpv6.h>

/* linux/icmp.h cannot be included: it requires the C library's 32-bit headers. */
#define ICMP_ECHOREPLY	0
#define ICMP_ECHO	8

/* ICMP and ICMPv6 alike (RFC 792, RFC 4443 4) */
struct echo {
	__u8 type;
	__u8 code;
	__u16 checksum;
	__be16 id;
	__be16 sequence;
};

#endif
