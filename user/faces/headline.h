/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/headline.h - a result in one sentence: rate, loss, delay, and what limited it.
 */
#ifndef FACES_HEADLINE_H
#define FACES_HEADLINE_H

#include <stddef.h>

#include <jansson.h>

/*
 * "received 3.43 Mpps of 3.43 Mpps; 0 of 5,000,011 lost; one-way delay p50 4 us, p99 11 us;
 * limited by the sender's CPU". Of a document or a part; of a suite the sentence says it of its
 * parts. "" if it has none of these figures. Returns @buf.
 */
const char *headline(char *buf, size_t size, const json_t *tree);

#endif
