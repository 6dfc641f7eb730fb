/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/lab/lab.h - a private test link: network namespaces joined by veth pairs.
 *
 *   a-b      a [eg0] ----- [eg0] b
 *   a-r-b    a [eg0] ----- [ega] r [egb] ----- [eg0] b    r: router, bridge or open
 *
 * A lab lives as long as its descriptors, so one that its process does not pin
 * vanishes with it, kill -9 included. lab_up() gives the namespaces names in
 * /run/netns, "NAME-a" and so on, where `ip netns` and later commands find them.
 */
#ifndef ENGINE_LAB_LAB_H
#define ENGINE_LAB_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "sys/net/link.h"

#define LAB_DEFAULT_NAME	"lab"
#define LAB_DEFAULT_MTU		1500
#define LAB_MIN_MTU		68	/* RFC 791; below 1280 a lab is without IPv6 (RFC 8200 5) */
#define LAB_MAX_MTU		65535	/* of a veth */
#define LAB_MAX_QUEUES		4096	/* of any interface */
#define LAB_IFNAME	"eg0"		/* the test interface in a and in b */
#define LAB_A_IP4	"198.18.0.1"	/* RFC 2544 appendix C.2.2 */
#define LAB_A_IP6	"2001:2::1"	/* RFC 5180 section 8 */

/* LAB_OPEN: r's two interfaces are not joined, for a forwarder of the user's own. */
enum lab_middle { LAB_NO_MIDDLE, LAB_ROUTER, LAB_BRIDGE, LAB_OPEN };

struct lab_cfg {
	enum lab_middle middle;
	uint32_t queues;	/* of each veth end; 0: one a CPU */
	uint32_t mtu;		/* 0: LAB_DEFAULT_MTU */
};

enum lab_node { LAB_A, LAB_B, LAB_R, LAB_NR_NODES };

struct lab {
	int ns_fd[LAB_NR_NODES];	/* -1: not there */
};

/* Builds namespaces, wires and addresses; nothing is left on failure. */
int lab_build(struct lab *lab, const struct lab_cfg *cfg, struct err *e);

/* Closes the descriptors; an unpinned lab is gone then. */
void lab_release(struct lab *lab);

/* This thread enters node @node of the lab. */
int lab_enter(const struct lab *lab, enum lab_node node, struct err *e);

const char *lab_node_name(enum lab_node node);	/* "a" */
int lab_node_find(const char *name, enum lab_node *ret_node);

/* What 0 means in a configuration. */
uint32_t lab_default_queues(void);

/* b's address: it depends on what is between. */
const char *lab_b_ip4(enum lab_middle middle);

/* Letters, digits, '-' and '_', a letter or digit first, at most LAB_NAME_MAX of them. */
#define LAB_NAME_MAX 32
int lab_check_name(const char *name, struct err *e);

/*
 * Builds and pins. A lab of this name with the same configuration is left as
 * it is (*ret_new is false), one with another is -EEXIST, and the pieces that
 * a killed process left are cleared away first.
 */
int lab_up(const char *name, const struct lab_cfg *cfg, bool *ret_new, struct err *e);

/* Takes wires and names away; *ret_was: whether there was anything. */
int lab_down(const char *name, bool *ret_was, struct err *e);

/* Opens a pinned lab; -ENOENT: it is not up. */
int lab_open(struct lab *lab, const char *name, struct err *e);

#define LAB_MAX_PORTS 4

struct lab_port_view {
	enum lab_node node;
	const char *ifname;
	struct link_facts facts;
};

struct lab_view {
	bool there;			/* any of it */
	char lack[64];			/* what it lacks to be whole; "" if nothing */
	struct lab_cfg cfg;		/* as it is, read from the kernel */
	size_t nr_ports;
	struct lab_port_view ports[LAB_MAX_PORTS];
};

/* Looks at a pinned lab, while none is built or removed; -EEXIST: namespaces of that name are not a lab's. */
int lab_look(const char *name, struct lab_view *ret_view, struct err *e);

/* Calls @fn for each lab that is pinned, whole or in pieces. It must not call back into labs. */
int lab_list(void (*fn)(void *ctx, const char *name, const struct lab_view *view), void *ctx,
	     struct err *e);

#endif
