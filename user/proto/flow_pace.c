// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/flow_pace.c - convert the parameters of a stream to its schedule.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "proto/flow_file.h"

#define LONGEST_NS	(1ull << 43)		/* 2.4 hours: maximum interval, period or ramp */
#define LONGEST_MEAN_NS	(1ull << 37)		/* 137 s, Poisson: the longest interval is 45
						 * times that */
#define PER_NS		((double)(1u << PACE_FRAC_BITS))

/* Bits a second, of a rate that is counted in them. */
static int rate_bps(const struct unit_rate *rate, uint64_t link_bps, double *ret_bps, struct err *e)
{
	if (rate->kind != UNIT_RATE_LINK_RATIO) {
		*ret_bps = rate->value;
		return 0;
	}
	*ret_bps = rate->value * (double)link_bps;
	if (link_bps)
		return 0;
	err_usage(e, "the interface does not report its speed, so %g%% of it is not known",
		  rate->value * 100);
	return err_hint(e, "give the rate itself, such as 10Gbit");
}

int flow_rate_pps(const struct unit_rate *rate, double layer_bytes, uint64_t link_bps,
		  double *ret_pps, struct err *e)
{
	double bps;
	int err;

	if (rate->kind == UNIT_RATE_MAX) {
		*ret_pps = 0;
		return 0;
	}
	if (rate->kind == UNIT_RATE_PPS) {
		*ret_pps = rate->value;
	} else if (layer_bytes <= 0) {
		return err_usage(e, "a rate of payload requires packets with payload");
	} else {
		err = rate_bps(rate, link_bps, &bps, e);
		if (err)
			return err;
		*ret_pps = bps / (8 * layer_bytes);
	}
	if (!(*ret_pps > 0) || 1e9 / *ret_pps >= (double)LONGEST_NS)
		return err_usage(e, "a rate of %g packets per second is too low: the longest "
				 "interval is 2.4 hours long", *ret_pps);
	if (*ret_pps > 1e9)
		return err_usage(e, "a rate of %g packets per second is beyond 1 Gpps", *ret_pps);
	return 0;
}

/* Rounded up, so that a second of 300 packets has no slot for another one. */
static uint64_t gap_of(double pps)
{
	return (uint64_t)ceil(1e9 * PER_NS / pps - 1e-6);
}

struct pace flow_pace_even(double pps)
{
	return (struct pace){
		.kind = pps > 0 ? PACE_EVEN : PACE_MAX, .burst = 1, .gap = pps > 0 ? gap_of(pps) : 0,
	};
}

/* @ns for each of what @kind counts, as exact as a double is, and rounded up. */
static struct pace pace_per(enum pace_kind kind, double ns)
{
	struct pace pace = { .kind = kind, .burst = 1 };
	int exponent, shift;

	frexp(ns * PER_NS, &exponent);
	shift = DBL_MANT_DIG - 3 - exponent;
	pace.shift = shift < 0 ? 0 : shift > 63 ? 63 : (uint32_t)shift;
	ns = ldexp(ns * PER_NS, (int)pace.shift);
	pace.gap = ns < (double)PACE_NEVER_NS ? (uint64_t)ceil(ns) : PACE_NEVER_NS;
	return pace;
}

struct pace flow_pace_times(double factor)
{
	return factor > 0 ? pace_per(PACE_TIMES, 1 / factor) : flow_pace_even(0);
}

int flow_pace_frames(const struct unit_rate *rate, uint64_t link_bps, struct pace *ret_pace,
		     double *ret_pps, struct err *e)
{
	bool in_packets = rate->kind == UNIT_RATE_MAX || rate->kind == UNIT_RATE_PPS;
	double per_second = 0;
	int err = in_packets ? flow_rate_pps(rate, 0, link_bps, &per_second, e) :
			       rate_bps(rate, link_bps, &per_second, e);

	if (err)
		return err;
	*ret_pace = in_packets ? flow_pace_even(per_second) : pace_per(PACE_BYTES, 8e9 / per_second);
	*ret_pps = in_packets ? per_second : 0;
	return 0;
}

static int burst_of(const struct flow_pace *pace, double pps, struct pace *ret, double *ret_mean,
		    struct err *e)
{
	uint64_t period_ns = pace->period_ns ? pace->period_ns : pace->on_ns + pace->off_ns;
	uint64_t burst = pace->burst, used;

	/* Each separately as well: the sum of two large ones may wrap. */
	if (!period_ns || period_ns >= LONGEST_NS || pace->on_ns >= LONGEST_NS ||
	    pace->off_ns >= LONGEST_NS)
		return err_usage(e, "a burst period must be above 0 and below 2.4 hours");
	/* As many as start while it is on; the division may come out slightly above an integer. */
	if (!burst)
		burst = (uint64_t)ceil((double)pace->on_ns * 1e-9 * pps - 1e-6);
	if (!burst)
		burst = 1;
	ret->gap = pps > 0 ? gap_of(pps) : 0;
	ret->burst = burst;
	if (ret->gap && burst - 1 > (period_ns << PACE_FRAC_BITS) / ret->gap)
		return err_usage(e, "a burst of %llu packets takes longer than the period of %g ms",
				 (unsigned long long)burst, (double)period_ns / 1e6);
	used = (burst - 1) * ret->gap;
	ret->rest = (period_ns << PACE_FRAC_BITS) - used;
	*ret_mean = (double)burst * 1e9 / (double)period_ns;
	return 0;
}

static int ramp_of(const struct flow_pace *pace, double from, double to, struct pace *ret,
		   struct err *e)
{
	if (!(from > 0) || !(to > 0))
		return err_usage(e, "a ramp requires a rate at both ends");
	if (!pace->ramp_ns || pace->ramp_ns >= LONGEST_NS)
		return err_usage(e, "a ramp's duration must be above 0 and below 2.4 hours");
	ret->from = (uint64_t)llround(from * (1u << PACE_PPS_BITS));
	ret->to = (uint64_t)llround(to * (1u << PACE_PPS_BITS));
	ret->ramp_ns = pace->ramp_ns;
	if (!ret->from || !ret->to)
		return err_usage(e, "a ramp's rates must be at least 0.001 packets per second");
	return 0;
}

int flow_pace_of(const struct flow_pace *pace, double layer_bytes, uint64_t link_bps,
		 struct pace *ret_pace, double *ret_mean_pps, struct err *e)
{
	struct pace made = { .kind = pace->kind, .seed = pace->seed, .burst = 1 };
	double pps = 0, to = 0, mean;
	int err;

	err = flow_rate_pps(&pace->rate, layer_bytes, link_bps, &pps, e);
	if (!err && pace->kind == PACE_RAMP)
		err = flow_rate_pps(&pace->to, layer_bytes, link_bps, &to, e);
	if (err)
		return err;
	mean = pps;
	switch (pace->kind) {
	case PACE_BURST:
		if (!(pps > 0) && !pace->burst)
			return err_usage(e, "on and off times require a rate");
		err = burst_of(pace, pps, &made, &mean, e);
		break;
	case PACE_RAMP:
		err = ramp_of(pace, pps, to, &made, e);
		mean = 0;
		break;
	case PACE_POISSON:
		if (!(pps > 0))
			return err_usage(e, "Poisson intervals require a rate");
		if (1e9 / pps > (double)LONGEST_MEAN_NS)
			return err_usage(e, "a rate of %g packets per second is too low: the "
					 "longest mean Poisson interval is 137 s", pps);
		made.gap = gap_of(pps);
		break;
	default:
		made = flow_pace_even(pps);
		break;
	}
	if (err)
		return err;
	*ret_pace = made;
	*ret_mean_pps = mean;
	return 0;
}
