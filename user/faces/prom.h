/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/prom.h - output for Prometheus: its text format, version 0.0.4.
 *
 * A count that only grows is ethgauge_KEY_total, times are in seconds, and a
 * histogram has its buckets. A rate is that of the newest row of the series, a
 * peak the highest of the last minute's rows. Entries become families of
 * their own: ethgauge_protocol_packets_total{protocol="ip4/tcp"}.
 */
#ifndef FACES_PROM_H
#define FACES_PROM_H

#include <stdio.h>

#include "result/result.h"

void prom_result(FILE *out, const struct result *res);

#endif
