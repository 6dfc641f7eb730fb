/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/load_plan.h - who does what when: the words of load's options, and the
 * plan that they make. Pure: no system calls.
 */
#ifndef MODEL_LOAD_PLAN_H
#define MODEL_LOAD_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/unit.h"

/* "10/s", "50/5s", "1000": that many in each such time, a second by default. */
struct load_step {
	uint64_t nr;			/* 0: no step was asked for */
	uint64_t every_ns;
};

/* "250ms", "1s-5s" */
struct load_range {
	uint64_t min_ns, max_ns;
};

/* Addresses in a row, of one family. */
struct load_sources {
	int family;			/* AF_INET or AF_INET6; 0: the system's choice */
	uint8_t first[16];		/* in network order */
	uint64_t nr;
};

/* 0 or -EINVAL; outputs are untouched on failure. */
int load_parse_step(const char *text, struct load_step *ret_step);

/* The same of a rate in events a second; of max: no step. */
struct load_step load_step_of(const struct unit_rate *rate);
int load_parse_range(const char *text, struct load_range *ret_range);

/*
 * "198.18.0.10", "198.18.0.10-198.18.0.250", "198.18.0.0/24" (without its first and last
 * address), "2001:db8::/64" (without its first). @option is named in what @e says.
 */
int load_parse_sources(const char *option, const char *text, struct load_sources *ret_sources,
		       struct err *e);

/* The address of client @client; "" where the system chooses. */
void load_source(const struct load_sources *sources, uint64_t client, char *buf, size_t size);

/* When client @client begins, after the start: a step at once, the next one later. */
uint64_t load_ramp_ns(const struct load_step *ramp, uint64_t client);

/* When request @request of an open loop is due, after the start. */
uint64_t load_due_ns(const struct load_step *rate, uint64_t request);

/* Uniform in the range; @state is the client's own, seeded by load_seed(). */
uint64_t load_seed(uint64_t seed, uint64_t client);
uint64_t load_pick_ns(const struct load_range *range, uint64_t *state);

/*
 * @url with {client} and {cycle} as numbers. -ENAMETOOLONG if it does not fit; other
 * braces are left as they are.
 */
int load_expand(char *buf, size_t size, const char *url, uint64_t client, uint64_t cycle);

/*
 * What a redirection makes of @method (RFC 9110 15.4): GET after 303, and after 301 and 302
 * to a POST, as every browser has it. HEAD stays.
 */
const char *load_redirect_method(const char *method, unsigned int status);

#endif
