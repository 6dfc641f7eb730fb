/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/filter.h - room in a program for the code of a filter expression, written by user space
 * before load.
 */
#ifndef ABI_FILTER_H
#define ABI_FILTER_H

#define FILTER_FUNCTION	"packet_taken"
#define FILTER_ROOM	8192	/* instructions */

#endif
