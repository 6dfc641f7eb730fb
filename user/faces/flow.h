/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/flow.h - a ledger as a picture: what was sent splits into what was received and what was
 * lost, place by place.
 */
#ifndef FACES_FLOW_H
#define FACES_FLOW_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

/* As SVG for a page. False, and nothing is drawn: @ledger, a part, has no row of lost packets. */
bool flow_svg(FILE *out, const json_t *ledger);

#endif
