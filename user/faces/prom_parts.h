/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/prom_parts.h - shared by the files of the Prometheus output.
 */
#ifndef FACES_PROM_PARTS_H
#define FACES_PROM_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "result/metrics.h"

/*
 * Writes the family's name of @key; returns what its values are to be multiplied
 * with: Prometheus wants seconds, and the unit in the name.
 */
double prom_family(char *buf, size_t size, const char *key, bool counter);

/* @comma, name="value" */
void prom_label(FILE *out, const char *comma, const char *name, const char *value);

/*
 * "eth0 rx" is an interface and a direction, "eth0 dns far" a kind of round trips to an end;
 * any other part has its name, so that sums do not count packets twice.
 */
void prom_part_labels(FILE *out, const json_t *doc);

void prom_head(FILE *out, const char *name, const char *type, const char *what);
void prom_number(FILE *out, const json_t *value, double scale);

/* Document @i of the result: itself, then its parts. NULL after the last. */
const json_t *prom_document(const json_t *tree, size_t i);

/* Tables of a result; flows only as far as it names them, to limit the number of series. */
void prom_entries(FILE *out, const json_t *tree);
void prom_flows(FILE *out, const json_t *tree);

#endif
