/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/calibration.h - what the instrument found of itself, kept for the
 * results that come after it.
 *
 * A calibration is the result document of `ethgauge calibrate`. It holds for
 * the kernel, the number of CPUs, the clock source and the mitigations that it
 * was made with, and is cited under these only.
 */
#ifndef RESULT_CALIBRATION_H
#define RESULT_CALIBRATION_H

#include "lib/err.h"
#include "result/result.h"

/* The document, in the directory of lib/statedir.h. */
void calibration_path(char *buf, size_t size);

/* Keeps @res, whole or not at all; makes the directory where it is missing. */
int calibration_store(const struct result *res, const char *path, struct err *e);

/*
 * Into "self" of @res: the calibration's figures and its date, or that there
 * is none for this machine as it is. Nothing if @res has no "self": it measured
 * nothing. A document that cannot be read is none.
 */
void calibration_cite(struct result *res, const char *path);

#endif
