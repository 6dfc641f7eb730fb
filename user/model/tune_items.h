/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/tune_items.h - settings that bear on a path, and what link and round trip ask of them.
 */
#ifndef MODEL_TUNE_ITEMS_H
#define MODEL_TUNE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/knob.h"

#define TUNE_TEXT 128

enum tune_kind {
	TUNE_SYSCTL,
	TUNE_KNOB,		/* a number of the interface, sys/net/knob.h */
	TUNE_FEATURE,		/* an offload, by the kernel's name: "on" or "off" */
	TUNE_IRQS,		/* only shown */
	TUNE_GOVERNOR,		/* only shown */
};

enum tune_rule {
	TUNE_LEAVE,		/* no value is better than another without a measurement */
	TUNE_IS,		/* @word */
	TUNE_AT_LEAST,		/* @number */
	TUNE_BUFFER,		/* a buffer of twice the bandwidth-delay product */
	TUNE_BUFFERS,		/* the same of the third of three values */
	TUNE_PAGES,		/* the same in pages */
	TUNE_MOST,		/* what the driver can, from 10 Gbit/s on */
	TUNE_CPUS,		/* one a CPU, as far as the driver can */
	TUNE_GONE,		/* without effect in any kernel that this tool is for */
};

struct tune_item {
	const char *name, *group;
	enum tune_kind kind;
	int knob;		/* enum knob */
	bool of_host;		/* one for all network namespaces, shown in the first alone */
	enum tune_rule rule;
	const char *word;
	uint64_t number;
	const char *source;	/* of the advice */
	const char *effect;
};

struct tune_path {
	char ifname[16];	/* "": none */
	double link_bps;	/* 0: not known, as below */
	uint64_t rtt_ns;
	uint32_t cpus;
	uint32_t page_bytes;
};

struct tune_value {
	char text[TUNE_TEXT];
	uint32_t max;		/* the most that the driver makes of it; 0: not said */
	char why[TUNE_TEXT];	/* unknown, because of this; "": it is known */
};

enum tune_state { TUNE_OK, TUNE_CHANGE, TUNE_FREE, TUNE_UNTOLD, TUNE_UNKNOWN, TUNE_OBSOLETE };

const char *tune_state_name(enum tune_state state);

/* NULL after the last. */
const struct tune_item *tune_at(size_t i);

/* By its name, or the part after the last dot; NULL: none. */
const struct tune_item *tune_find(const char *name, size_t len);

/* What @path asks of @item, and whether @value is that; "" where nothing is asked. */
enum tune_state tune_judge(const struct tune_item *item, const struct tune_path *path,
			   const struct tune_value *value, char ret_asks[TUNE_TEXT]);

/* -EINVAL with a sentence: @text is nothing that @item, now @value, can be. */
int tune_check_text(const struct tune_item *item, const struct tune_value *value, const char *text,
		    struct err *e);

#endif
