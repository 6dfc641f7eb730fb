/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/tune_items.h - path-related settings, and the values recommended for a link speed and
 * round-trip time.
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
	TUNE_KNOB,		/* a numeric setting of the interface, sys/net/knob.h */
	TUNE_FEATURE,		/* an offload, by the kernel's name: "on" or "off" */
	TUNE_IRQS,		/* only shown */
	TUNE_GOVERNOR,		/* only shown */
};

enum tune_rule {
	TUNE_LEAVE,		/* no value is better than another without a measurement */
	TUNE_IS,		/* @word */
	TUNE_AT_LEAST,		/* @number */
	TUNE_BUFFER,		/* a buffer of twice the bandwidth-delay product */
	TUNE_BUFFERS,		/* the same for the third of three values */
	TUNE_PAGES,		/* the same in pages */
	TUNE_MOST,		/* the driver's maximum, from 10 Gbit/s on */
	TUNE_CPUS,		/* one per CPU, as far as the driver supports it */
	TUNE_GONE,		/* no effect in any supported kernel */
};

struct tune_item {
	const char *name, *group;
	enum tune_kind kind;
	int knob;		/* enum knob */
	bool of_host;		/* global, shown only in the first network namespace */
	enum tune_rule rule;
	const char *word;
	uint64_t number;
	const char *source;	/* source of the advice */
	const char *effect;
};

struct tune_path {
	char ifname[16];	/* "": none */
	double link_bps;	/* 0: unknown, as below */
	uint64_t rtt_ns;
	uint32_t cpus;
	uint32_t page_bytes;
};

struct tune_value {
	char text[TUNE_TEXT];
	uint32_t max;		/* the driver's maximum; 0: not reported */
	char why[TUNE_TEXT];	/* why it is unknown; "": it is known */
};

enum tune_state { TUNE_OK, TUNE_CHANGE, TUNE_FREE, TUNE_UNTOLD, TUNE_UNKNOWN, TUNE_OBSOLETE };

const char *tune_state_name(enum tune_state state);

/* NULL after the last. */
const struct tune_item *tune_at(size_t i);

/* The last part of the name of item @i, "tcp_sack"; NULL after the last. */
const char *tune_name_at(size_t i);

/* The closest of those names to the last part of @name; NULL: none is close enough. */
const char *tune_near(const char *name);

/* By its name, or the part after the last dot; NULL: none. */
const struct tune_item *tune_find(const char *name, size_t len);

/*
 * The value of @item recommended for @path, and whether @value is that; "" if there is no
 * recommendation.
 */
enum tune_state tune_judge(const struct tune_item *item, const struct tune_path *path,
			   const struct tune_value *value, char ret_asks[TUNE_TEXT]);

/* -EINVAL with a message: @text is not a valid value of @item, now @value. */
int tune_check_text(const struct tune_item *item, const struct tune_value *value, const char *text,
		    struct err *e);

#endif
