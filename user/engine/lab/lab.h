/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/lab/lab.h - a private test link: network namespaces joined by veth pairs.
 *
 * a-b      a [eg0] ----- [eg0] b
 * a-r-b    a [eg0] ----- [ega] r [egb] ----- [eg0] b    r: router, bridge or open
 *
 * A lab lives as long as its descriptors: one that is not pinned disappears with its process, even
 * after kill -9. lab_up() names the namespaces in /run/netns, "NAME-a" and so on, where `ip netns`
 * and later commands find them.
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
#define LAB_MIN_MTU		68	/* RFC 791; below 1280 a lab has no IPv6 (RFC 8200 5) */
#define LAB_MAX_MTU		65535	/* of a veth */
#define LAB_MAX_QUEUES		4096	/* of any interface */
#define LAB_IFNAME	"eg0"		/* the test interface in a and in b */
#define LAB_A_IP4	"198.18.0.1"	/* RFC 2544 appendix C.2.2 */
#define LAB_A_IP6	"2001:2::1"	/* RFC 5180 section 8 */

/* LAB_OPEN: r's two interfaces are not joined, for the user's own forwarder. */
enum lab_middle { LAB_NO_MIDDLE, LAB_ROUTER, LAB_BRIDGE, LAB_OPEN };

struct lab_cfg {
	enum lab_middle middle;
	uint32_t queues;	/* per veth end; 0: one per CPU */
	uint32_t mtu;		/* 0: LAB_DEFAULT_MTU */
};

enum lab_node { LAB_A, LAB_B, LAB_R, LAB_NR_NODES };

struct lab {
	int ns_fd[LAB_NR_NODES];	/* -1: no such node */
};

/* Builds namespaces, links and addresses; leaves nothing behind on failure. */
int lab_build(struct lab *lab, const struct lab_cfg *cfg, struct err *e);

/* Closes the descriptors; a lab that is not pinned then disappears. */
void lab_release(struct lab *lab);

/* This thread enters node @node of the lab. */
int lab_enter(const struct lab *lab, enum lab_node node, struct err *e);

const char *lab_node_name(enum lab_node node);	/* "a" */
int lab_node_find(const char *name, enum lab_node *ret_node);

/* The value that 0 stands for in a configuration. */
uint32_t lab_default_queues(void);

/* b's address, which depends on the middle. */
const char *lab_b_ip4(enum lab_middle middle);

/* Letters, digits, '-' and '_', a letter or digit first, at most LAB_NAME_MAX of them. */
#define LAB_NAME_MAX 32
int lab_check_name(const char *name, struct err *e);

/*
 * Builds and pins a lab. An existing one with this name and configuration is left as it is
 * (*ret_new is false), with another configuration it is -EEXIST; the remains of a killed process
 * are removed first.
 */
int lab_up(const char *name, const struct lab_cfg *cfg, bool *ret_new, struct err *e);

/* Removes links and names; *ret_was: whether there was anything. */
int lab_down(const char *name, bool *ret_was, struct err *e);

/* This thread is in a node of a lab. */
bool lab_is_here(void);

/* Opens a pinned lab; -ENOENT: it is not up. */
int lab_open(struct lab *lab, const char *name, struct err *e);

#define LAB_MAX_PORTS 4

struct lab_port_view {
	enum lab_node node;
	const char *ifname;
	struct link_facts facts;
};

struct lab_view {
	bool there;			/* at least a part of it exists */
	char lack[64];			/* what is missing; "" if complete */
	struct lab_cfg cfg;		/* as read from the kernel */
	size_t nr_ports;
	struct lab_port_view ports[LAB_MAX_PORTS];
};

/*
 * Inspects a pinned lab, while none is built or removed; -EEXIST: namespaces of that name do not
 * belong to a lab.
 */
int lab_look(const char *name, struct lab_view *ret_view, struct err *e);

/* Calls @fn for each pinned lab, complete or not. It must not call back into labs. */
int lab_list(void (*fn)(void *ctx, const char *name, const struct lab_view *view), void *ctx,
	     struct err *e);

#endif
