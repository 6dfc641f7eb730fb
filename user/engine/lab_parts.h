/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/lab_parts.h - what lab.c, which builds, and lab_name.c, which finds
 * again, must agree on. Only these two include it.
 */
#ifndef ENGINE_LAB_PARTS_H
#define ENGINE_LAB_PARTS_H

#include "engine/lab.h"

/*
 * The alias of lo in each node: tells what the lab is when it is whole, and
 * that the namespace is a lab's at all and does not only have its name.
 */
const char *lab_mark(enum lab_middle middle);

#define LAB_PORT_TO_A	"ega"
#define LAB_PORT_TO_B	"egb"
#define LAB_BRIDGE_NAME	"br0"

#endif
