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

/* True if @ledger, a part, has rows of lost packets: otherwise there is nothing to draw. */
bool flow_has_losses(const json_t *ledger);

/* As SVG for a page, of one that has. */
void flow_svg(FILE *out, const json_t *ledger);

#endif
