/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/lab/lab_parts.h - declarations shared by lab.c (build), lab_look.c (find) and lab_name.c
 * (name, remove). Only these include it.
 */
#ifndef ENGINE_LAB_LAB_PARTS_H
#define ENGINE_LAB_LAB_PARTS_H

#include "engine/lab/lab.h"

/*
 * The alias of lo in each node: it identifies the namespace as a lab's and describes the lab when
 * complete.
 */
const char *lab_mark(enum lab_middle middle);

#define LAB_PORT_TO_A	"ega"
#define LAB_PORT_TO_B	"egb"
#define LAB_BRIDGE_NAME	"br0"

/* The name of a node's namespace: "LAB-a". */
struct lab_ns_name {
	char text[LAB_NAME_MAX + sizeof("-a")];
};

struct lab_ns_name lab_ns_name(const char *lab, enum lab_node node);

/* "a-r-b with a router" */
const char *lab_path(enum lab_middle middle);

/*
 * Opens the existing nodes, -1 for the rest, and describes the lab; after an error nothing is open.
 * -EEXIST: a node is not a lab's. For this and the next, the caller holds the lock.
 */
int lab_open_nodes(struct lab *ret_lab, const char *name, struct lab_view *ret_view, struct err *e);

int lab_look_locked(const char *name, struct lab_view *ret_view, struct err *e);

/* Looking leaves no trace: without names there is nothing to lock, and the lock is -1. */
int lab_lock_if_any(int *ret_lock, struct err *e);
void lab_unlock(int lock);

#endif
