/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/load_plan.h - schedule and addresses of a load's clients: parse load's options and compute
 * the plan. Pure: no system calls.
 */
#ifndef MODEL_LOAD_PLAN_H
#define MODEL_LOAD_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/unit.h"

/* "10/s", "50/5s", "1000": this many per interval, by default a second. */
struct load_step {
	uint64_t nr;			/* 0: not given */
	uint64_t every_ns;
};

/* "250ms", "1s-5s" */
struct load_range {
	uint64_t min_ns, max_ns;
};

/* Consecutive addresses of one family. */
struct load_sources {
	int family;			/* AF_INET or AF_INET6; 0: the system's choice */
	uint8_t first[16];		/* in network byte order */
	uint64_t nr;
};

/* 0 or -EINVAL; outputs are untouched on failure. */
int load_parse_step(const char *text, struct load_step *ret_step);

/* The same for a rate in events per second; max: no step. */
struct load_step load_step_of(const struct unit_rate *rate);
int load_parse_range(const char *text, struct load_range *ret_range);

/*
 * "198.18.0.10", "198.18.0.10-198.18.0.250", "198.18.0.0/24" (without its first and last address),
 * "2001:db8::/64" (without its first). @option is named in @e.
 */
int load_parse_sources(const char *option, const char *text, struct load_sources *ret_sources,
		       struct err *e);

/* The address of client @client; "" if the system chooses. */
void load_source(const struct load_sources *sources, uint64_t client, char *buf, size_t size);

/* When client @client starts, relative to the start: a step together, the next step later; at most INT64_MAX. */
uint64_t load_ramp_ns(const struct load_step *ramp, uint64_t client);

/* When request @request of an open loop is due, relative to the start; at most INT64_MAX. */
uint64_t load_due_ns(const struct load_step *rate, uint64_t request);

/* Uniform in the range; @state is per client, seeded by load_seed(). */
uint64_t load_seed(uint64_t seed, uint64_t client);
uint64_t load_pick_ns(const struct load_range *range, uint64_t *state);

/*
 * @url with {client} and {cycle} replaced by numbers. -ENAMETOOLONG if it does not fit; other
 * braces are kept.
 */
int load_expand(char *buf, size_t size, const char *url, uint64_t client, uint64_t cycle);

/*
 * The method after a redirection of @method (RFC 9110 15.4): GET after 303, and after 301 and 302
 * to a POST, as in all browsers. HEAD stays.
 */
const char *load_redirect_method(const char *method, unsigned int status);

#endif
