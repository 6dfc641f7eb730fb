/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/counters_parse.h - parse the kernel's counters. No system calls.
 *
 * All functions add counters of losses to @counters and ignore the rest.
 */
#ifndef SYS_NET_COUNTERS_PARSE_H
#define SYS_NET_COUNTERS_PARSE_H

#include <stdint.h>
#include <stdio.h>

#include "sys/net/counters.h"
#include "sys/net/netlink_parse.h"

/* Adds any counter. */
void counters_add(struct counters *counters, const char *source, const char *name, uint64_t value);
void counters_add_silent(struct counters *counters, const char *source, const char *name);

/* Adds a driver's counter if its name means a loss. */
void counters_take_ethtool(struct counters *counters, const char *name, uint64_t value);

struct counters_qdisc {
	struct counters *counters;
	int ifindex;
};

/* For netlink_ask(); @ctx is a struct counters_qdisc. */
netlink_fn counters_take_qdisc;

/* /proc/net/snmp and netstat; snmp6; softnet_stat; stat/nf_conntrack. */
typedef void counters_parse_fn(struct counters *counters, FILE *file);
counters_parse_fn counters_parse_pairs, counters_parse_lines, counters_parse_softnet, counters_parse_conntrack;

#endif
