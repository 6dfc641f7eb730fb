/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit/check.h - cmocka in the order that it wants its headers.
 */
#ifndef UNIT_CHECK_H
#define UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
