/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/calibration.h - the tool's own accuracy, stored for later
 * results.
 *
 * A calibration is the result document of `ethgauge calibrate`. It is valid for
 * the kernel, number of CPUs, clock source and mitigations that it was made
 * with, and included in results with the same ones only.
 */
#ifndef RESULT_CALIBRATION_H
#define RESULT_CALIBRATION_H

#include <stdio.h>

#include "lib/err.h"
#include "result/result.h"

/* The document, in the directory of lib/statedir.h. */
void calibration_path(char *buf, size_t size);

/* Store @res, completely or not at all; create the directory if missing. */
int calibration_store(const struct result *res, const char *path, struct err *e);

/*
 * Adds to "self" of @res: the figures and date of the calibration in @kept, or "none" if there is
 * none for this machine in its current state. @kept: the file at calibration_path(), opened before
 * privileges were dropped; NULL: there is none. No-op if @res has no "self", as it measured
 * nothing. An unreadable document counts as none.
 */
void calibration_cite(struct result *res, FILE *kept);

#endif
