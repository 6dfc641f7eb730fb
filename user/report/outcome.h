/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/outcome.h - one figure of a result document that another run wrote.
 */
#ifndef REPORT_OUTCOME_H
#define REPORT_OUTCOME_H

#include <stdio.h>

#include "lib/err.h"

/*
 * The metric @key of the document in @in, or of the first of its parts that has
 * it. An error of the document itself, and a figure that is not there or null, are
 * errors here.
 */
int outcome_read(FILE *in, const char *key, double *ret_value, struct err *e);

#endif
