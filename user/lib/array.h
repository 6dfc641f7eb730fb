/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/array.h - the number of elements of an array.
 */
#ifndef LIB_ARRAY_H
#define LIB_ARRAY_H

/* Of an array, not of a pointer. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
