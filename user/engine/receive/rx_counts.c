// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/rx_counts.c - the counts of a receiver, summed and as figures.
 */
#include "engine/receive/rx_counts.h"

#include <stddef.h>
#include <string.h>

#include "lib/array.h"
#include "lib/unit.h"

/*
 * Odd packets: where they are counted, and their figure. A count of sink_xdp needs its field in
 * struct sink_odd and its row here.
 */
static const struct odd_kind {
	size_t at;		/* in struct rx_count */
	const char *key;
	const char *note;	/* after "N packets"; NULL: the figure says enough */
	bool is_fault;		/* a verdict against the run instead of a note */
} odd_kinds[] = {
#define ODD(field) offsetof(struct rx_count, odd.field)
	{ ODD(damaged), "bad_checksum_packets", "arrived with a wrong checksum", .is_fault = true },
	{ ODD(bad_payload), "bad_payload_packets", "arrived with a wrong payload", .is_fault = true },
	{ ODD(unverified), "unverified_packets", "have no L4 checksum that could be verified: none was sent, the "
	  "sender's stack left it to the NIC, or the packet is a fragment, or in several buffers" },
	{ ODD(untagged), "untagged_packets", NULL },
	{ ODD(other_stream), "other_stream_packets", NULL },
	{ ODD(implausible_time), "implausible_time_packets", "had a timestamp more than a minute away from their "
	  "arrival, and are not timed" },
	{ ODD(locked_out), "locked_out_packets", "were not checked, as another CPU did not release the lock of "
	  "their stream: they are counted as lost" },
	{ ODD(other_run), "other_run_packets", "of another sender, or of an earlier run, arrived on this "
	  "port: they are not checked, and not lost" },
	{ ODD(other_clock), "other_clock_packets", NULL },	/* rx_report_untimed() says more */
	{ ODD(no_arrival), "no_arrival_packets", "had no hardware timestamp, and are not timed" },
#define NR_SHOWN_ELSEWHERE 3	/* foreign and other_mac, which are figures also where they are 0; not_recorded */
#undef ODD
	{ offsetof(struct rx_count, unknown), "unknown_packets", "arrived too late to distinguish late from "
	  "duplicate: none is counted as lost" },
	{ offsetof(struct rx_count, implausible), "implausible_packets", "had a sequence number that no packet around "
	  "them confirms: damaged, or forged; they are in no figure of order and loss" },
};
#define NR_OF_STREAMS 2
_Static_assert(ARRAY_SIZE(odd_kinds) == SINK_NR_ODD - NR_SHOWN_ELSEWHERE + NR_OF_STREAMS,
	       "each count of struct sink_odd has a row, or is shown elsewhere");

void rx_add_odd(struct rx_count *sum, const struct sink_odd *odd)
{
	const __u64 *from = (const __u64 *)odd;
	__u64 *to = (__u64 *)&sum->odd;
	size_t i;

	for (i = 0; i < SINK_NR_ODD; i++)
		to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

void rx_add_lost(const struct rx_count *of, uint64_t end, struct rx_count *sum)
{
	uint64_t missing = !end ? of->gaps : end > of->distinct ? end - of->distinct : 0;

	sum->lost += missing > of->unknown ? missing - of->unknown : 0;
	sum->numbers += end;
}

void rx_settle(struct rx_count *count)
{
	count->implausible += count->unconfirmed;
	count->unconfirmed = 0;
}

uint64_t rx_lost(const struct rx_count *count, uint64_t sent)
{
	/* Numbers were also given to packets that the driver refused. */
	uint64_t unsent = sent && count->numbers > sent ? count->numbers - sent : 0;

	return count->lost > unsent ? count->lost - unsent : 0;
}

void rx_report_volume(const struct rx_count *count, struct result *res)
{
	double frame_bytes = count->packets ?
		(double)count->bytes / (double)count->packets + UNIT_FCS_BYTES : 0;

	result_metric_u64(res, "duration_ns", count->last_mono_ns - count->first_mono_ns);
	result_metric_u64(res, "received_packets", count->packets);
	result_metric_u64(res, "received_bytes", count->bytes + count->packets * UNIT_FCS_BYTES);
	result_metric_real(res, "received_pps", count->rate_pps);
	result_metric_real(res, "received_l1_bps",
			   count->rate_pps * 8 * (frame_bytes + UNIT_GAP_BYTES));
	result_metric_real(res, "received_l2_bps", count->rate_pps * 8 * frame_bytes);
}

void rx_report_odd(const struct rx_count *count, struct result *res)
{
	const struct odd_kind *kind;
	__u64 packets;

	for (kind = odd_kinds; kind < odd_kinds + ARRAY_SIZE(odd_kinds); kind++) {
		memcpy(&packets, (const char *)count + kind->at, sizeof(packets));
		if (!packets)
			continue;
		result_metric_u64(res, kind->key, packets);
		if (kind->is_fault)
			result_verdict(res, false, "%llu of %llu packets %s", packets,
				       (unsigned long long)count->packets, kind->note);
		else if (kind->note)
			result_note(res, "%llu packets %s", packets, kind->note);
	}
}

void rx_report_untimed(const struct rx_count *count, const struct hist_rec *delays, enum stamp_clock clock,
		       bool has_choice, struct result *res)
{
	enum stamp_clock other = clock == STAMP_TAI ? STAMP_MONOTONIC : STAMP_TAI;
	const struct sink_odd *odd = &count->odd;
	uint64_t tagged = count->packets - odd->untagged - odd->other_stream - odd->damaged -
			  odd->bad_payload - odd->locked_out;
	uint64_t accounted = delays->count + delays->negative + odd->other_clock + odd->no_arrival +
			     odd->implausible_time;

	if (tagged > accounted)
		result_note(res, "%llu packets carried no timestamp and were not timed",
			    (unsigned long long)(tagged - accounted));
	if (odd->other_clock)
		result_note(res, "%llu packets had timestamps of clock '%s' and were not timed: give %s%s%s--clock %s "
			    "to the sender", (unsigned long long)odd->other_clock, clock_names[other],
			    has_choice ? "--clock " : "", has_choice ? clock_names[other] : "",
			    has_choice ? " here, or " : "", clock_names[clock]);
}
