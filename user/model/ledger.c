// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/ledger.c - account for every packet of a test in one row, such that the rows add up.
 */
#include "model/ledger.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS_NAMED	3
#define RULES_NAMED	4
#define FILTER_REASON	"NETFILTER_DROP"

void ledger_release(struct ledger *ledger)
{
	free(ledger->rows.all);
	free(ledger->witnesses.all);
	free(ledger->silent.all);
	*ledger = (struct ledger){ 0 };
}

static void append(struct ledger_rows *rows, const struct ledger_row *row)
{
	struct ledger_row *all = realloc(rows->all, (rows->nr + 1) * sizeof(*all));

	if (!all)
		return;		/* its packets stay unattributed */
	rows->all = all;
	rows->all[rows->nr++] = *row;
}

static void add_row(struct ledger_rows *rows, const struct ledger_row *row)
{
	struct ledger_row *all;
	size_t i;

	if (!row->packets)
		return;
	for (i = 0; i < rows->nr; i++) {
		all = &rows->all[i];
		if (strcmp(all->source, row->source) || strcmp(all->place, row->place) ||
		    strcmp(all->reason, row->reason) || strcmp(all->where, row->where))
			continue;
		all->packets += row->packets;
		return;
	}
	append(rows, row);
}

void ledger_claim(struct ledger *ledger, const struct ledger_row *row)
{
	add_row(&ledger->rows, row);
}

void ledger_witness(struct ledger *ledger, const struct ledger_row *row)
{
	add_row(&ledger->witnesses, row);
}

static uint64_t claimed(const struct ledger *ledger)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ledger->rows.nr; i++)
		sum += ledger->rows.all[i].packets;
	return sum;
}

int64_t ledger_unattributed(const struct ledger *ledger)
{
	return (int64_t)(ledger->made - ledger->received - claimed(ledger));
}

static uint64_t less(uint64_t value, uint64_t by)
{
	return value > by ? value - by : 0;
}

uint64_t ledger_trim(const struct ledger *ledger, struct ledger_row *row, uint64_t copies)
{
	int64_t rest = ledger_unattributed(ledger);
	uint64_t excess = less(row->packets, rest > 0 ? (uint64_t)rest : 0);

	if (excess > copies)
		excess = copies;
	row->packets -= excess;
	return excess;
}

static bool is_of_filter(const struct ledger_growth *growth)
{
	return !strcmp(growth->source, "nftables") || !strcmp(growth->source, "conntrack");
}

static struct ledger_row row_of(const struct ledger_growth *growth, const char *where)
{
	struct ledger_row row = { .packets = growth->value, .is_counter = true };

	snprintf(row.source, sizeof(row.source), "%s", growth->source);
	snprintf(row.place, sizeof(row.place), "%s", growth->name);
	snprintf(row.where, sizeof(row.where), "%s", where);
	row.by_filter = is_of_filter(growth);
	if (row.by_filter)
		snprintf(row.reason, sizeof(row.reason), "%s", FILTER_REASON);
	return row;
}

void ledger_claim_shared(struct ledger *ledger, struct ledger_row *row)
{
	int64_t rest = ledger_unattributed(ledger);
	uint64_t most = rest > 0 ? (uint64_t)rest : 0, others = less(row->packets, most);

	row->is_counter = true;
	row->packets -= others;
	ledger->others += others;
	ledger_claim(ledger, row);
}

static void claim_as(struct ledger *ledger, const struct ledger_iface *iface, const char *source,
		     const char *place, const char *reason, uint64_t packets)
{
	struct ledger_row row = { .packets = packets };

	snprintf(row.source, sizeof(row.source), "%s", source);
	snprintf(row.place, sizeof(row.place), "%s", place);
	snprintf(row.reason, sizeof(row.reason), "%s", reason);
	snprintf(row.where, sizeof(row.where), "%s", iface->where);
	ledger_claim_shared(ledger, &row);
}

static bool has_digit(const char *name)
{
	for (; *name; name++) {
		if (isdigit((unsigned char)*name))
			return true;
	}
	return false;
}

/* What XDP programs dropped; a driver may report it per queue, as a total, or both. */
static uint64_t xdp_drops(const struct ledger_growth *growths, size_t nr)
{
	uint64_t queues = 0, total = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		const char *name = growths[i].name;

		if (strcmp(growths[i].source, "ethtool") || !strstr(name, "xdp") ||
		    !strstr(name, "drop"))
			continue;
		if (has_digit(name))
			queues += growths[i].value;
		else
			total += growths[i].value;
	}
	return total > queues ? total : queues;
}

/*
 * Verdicts on packets without an skb. An exception ends in a drop, and drivers count it as one; in
 * generic mode there is an skb, and no counter.
 */
static void claim_xdp(struct ledger *ledger, const struct ledger_iface *iface, uint64_t drops)
{
	uint64_t aborted = iface->aborted, claimed = iface->skb_xdp_drops, beyond;

	drops = less(drops, iface->own_verdicts);
	beyond = less(drops, claimed);
	claimed = less(claimed, drops);
	if (drops)
		aborted = aborted < beyond ? aborted : beyond;
	else
		aborted = less(aborted, claimed);
	claimed = drops ? claimed : less(claimed, iface->aborted);
	claim_as(ledger, iface, "xdp_exception", "XDP program", "ABORTED", aborted);
	claim_as(ledger, iface, "ethtool", "XDP program", "XDP_DROP", less(beyond, aborted));
	claim_as(ledger, iface, "xdp_redirect_err", "XDP program", "REDIRECT",
		 less(iface->redirect_errors, claimed));
}

/* Counters that include both packets without an skb and those that kfree_skb has reported. */
static bool is_shared(const struct ledger_growth *growth)
{
	return !strcmp(growth->name, "rx_dropped") || !strcmp(growth->name, "tx_dropped") ||
	       !strcmp(growth->name, "tx_errors");
}

static bool is_exclusive(const struct ledger_growth *growth)
{
	return !strcmp(growth->name, "rx_errors") || !strcmp(growth->name, "rx_missed_errors");
}

/*
 * The part of @value that is in no row yet; a packet for a full ring is the sender's drop, but
 * counted by the receiver.
 */
static uint64_t unclaimed(struct ledger_iface *iface, uint64_t value)
{
	uint64_t rest = less(value, iface->claimed);

	iface->claimed = less(iface->claimed, value);
	if (!iface->peer)
		return rest;
	value = rest;
	rest = less(value, iface->peer->claimed);
	iface->peer->claimed = less(iface->peer->claimed, value);
	return rest;
}

void ledger_add_iface(struct ledger *ledger, struct ledger_iface *iface,
		      const struct ledger_growth *growths, size_t nr)
{
	size_t i;

	claim_xdp(ledger, iface, xdp_drops(growths, nr));
	for (i = 0; i < nr; i++) {
		struct ledger_row row = row_of(&growths[i], iface->where);

		ledger_witness(ledger, &row);
		if (!strcmp(row.source, "rtnl") && is_shared(&growths[i])) {
			row.packets = unclaimed(iface, growths[i].value);
			ledger_claim_shared(ledger, &row);
		} else if (!strcmp(row.source, "rtnl") && is_exclusive(&growths[i])) {
			ledger_claim_shared(ledger, &row);
		} else if (!strcmp(row.source, "qdisc") && !ledger->exact) {
			ledger_claim_shared(ledger, &row);
		}
	}
}

/* Counters whose values other stack counters include as well. */
static bool is_repeated(const char *name)
{
	return strstr(name, "InErrors") || !strcmp(name, "IpExtInCsumErrors");
}

void ledger_add_stack(struct ledger *ledger, const char *where,
		      const struct ledger_growth *growths, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct ledger_row row = row_of(&growths[i], where);

		ledger_witness(ledger, &row);
		if (!ledger->exact && !is_repeated(row.place))
			ledger_claim_shared(ledger, &row);
	}
}

void ledger_add_silent(struct ledger *ledger, const char *where, const char *place)
{
	struct ledger_row row = { .source = "nftables", .reason = FILTER_REASON, .by_filter = true };

	snprintf(row.place, sizeof(row.place), "%s", place);
	snprintf(row.where, sizeof(row.where), "%s", where);
	append(&ledger->silent, &row);
}

static void report_row(struct result *part, const struct ledger_row *row)
{
	result_entry_open(part);
	result_entry_u64(part, "packets", row->packets);
	result_entry_str(part, "reason", row->reason);
	result_entry_str(part, "place", row->place);
	result_entry_str(part, "where", row->where);
	result_entry_str(part, "source", row->source);
	result_entry_close(part);
}

static int by_packets(const void *a, const void *b)
{
	const struct ledger_row *one = a, *other = b;
	int order = (one->packets < other->packets) - (one->packets > other->packets);

	order = order ? order : strcmp(one->where, other->where);
	return order ? order : strcmp(one->place, other->place);
}

static void sort_rows(struct ledger_rows *rows)
{
	if (rows->nr)
		qsort(rows->all, rows->nr, sizeof(*rows->all), by_packets);
}

/* Names the counters that may tell where they are. The largest witnesses come first. */
static void note_unattributed(const struct ledger *ledger, uint64_t rest, struct result *res)
{
	char counters[768] = "";
	size_t i, used = 0, nr = 0;

	for (i = 0; i < ledger->witnesses.nr && nr < COUNTERS_NAMED; i++) {
		const struct ledger_row *row = &ledger->witnesses.all[i];

		if (!row->is_counter)
			continue;
		used += (size_t)snprintf(counters + used, sizeof(counters) - used, "%s %s %s at '%s' by %llu",
					 nr++ ? "," : "; counters that grew:", row->source, row->place, row->where,
					 (unsigned long long)row->packets);
	}
	result_note(res, "%llu of the %llu lost packets are unattributed: lost on a wire or on another machine, or "
		    "this host does not report their drop%s", (unsigned long long)rest,
		    (unsigned long long)(ledger->made - ledger->received),
		    nr ? counters : ", and no counter of drops grew");
}

/*
 * Drops of other traffic, in counters that are rows: which of them were of this run is not known. Without such a row
 * no packet of this run depends on them.
 */
static uint64_t others_in_rows(const struct ledger *ledger)
{
	size_t i;

	for (i = 0; i < ledger->rows.nr; i++) {
		if (ledger->rows.all[i].is_counter)
			return ledger->others;
	}
	return 0;
}

static void note_others(const struct ledger *ledger, uint64_t others, struct result *res)
{
	char rows[512] = "";
	size_t i, used = 0;

	for (i = 0; i < ledger->rows.nr && used < sizeof(rows); i++) {
		const struct ledger_row *row = &ledger->rows.all[i];

		if (row->is_counter)
			used += (size_t)snprintf(rows + used, sizeof(rows) - used, "%s%s%s%s at '%s'", used ? ", " : "",
						 row->reason, *row->reason ? " " : "", row->place, row->where);
	}
	result_note(res,
		    "other traffic was dropped beside this run's: counters have %llu more packets than were missing; "
		    "so these rows are upper limits: %s",
		    (unsigned long long)others, rows);
}

/* The namespace of "lab-r:ega" and of "lab-r" is "lab-r", that of "eg0" is "". */
static size_t space_bytes(const char *where)
{
	const char *colon = strrchr(where, ':');

	return !colon ? 0 : colon[1] == '[' ? strlen(where) : (size_t)(colon - where);
}

/* Whether a row's @where is in the namespace whose name is the first @bytes of @space. */
static bool is_in(const char *where, const char *space, size_t bytes)
{
	return !strncmp(where, space, bytes) && (bytes ? !where[bytes] || where[bytes] == ':' : !strchr(where, ':'));
}

/* What the packet filter of a namespace dropped, or what its counters have of it. */
static uint64_t filtered(const struct ledger_rows *rows, const char *space, size_t bytes)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		if (rows->all[i].by_filter && is_in(rows->all[i].where, space, bytes))
			sum += rows->all[i].packets;
	}
	return sum;
}

/* Adds to @text the rules of the namespace, with their counts if @counted; returns the bytes used. */
static size_t list_rules(const struct ledger_rows *rows, const char *space, size_t bytes, bool counted, char *text,
			 size_t size)
{
	size_t used = 0, nr = 0, i;

	for (i = 0; i < rows->nr; i++) {
		const struct ledger_row *row = &rows->all[i];

		if (!row->by_filter || !is_in(row->where, space, bytes) || nr++ >= RULES_NAMED)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s%s", nr > 1 ? ", " : "",
					 strcmp(row->source, "conntrack") ? "" : "conntrack ", row->place);
		if (counted)
			used += (size_t)snprintf(text + used, size - used, " counted %llu",
						 (unsigned long long)row->packets);
	}
	if (nr > RULES_NAMED)
		used += (size_t)snprintf(text + used, size - used, " and %zu more", nr - RULES_NAMED);
	return used;
}

/* Which rules it were, as far as they count; where they do not, which it may have been. */
static void note_filter(const struct ledger *ledger, const char *space, size_t bytes, struct result *res)
{
	uint64_t packets = filtered(&ledger->rows, space, bytes);
	char counted[600] = "", silent[600] = "";

	list_rules(&ledger->witnesses, space, bytes, true, counted, sizeof(counted));
	if (packets > filtered(&ledger->witnesses, space, bytes))
		list_rules(&ledger->silent, space, bytes, false, silent, sizeof(silent));
	if (!*counted && !*silent)
		return;
	result_note(res, "the packet filter%s%.*s%s dropped %llu packets: %s%s%s%s", bytes ? " of '" : "", (int)bytes,
		    space, bytes ? "'" : "", (unsigned long long)packets, counted, *counted && *silent ? "; " : "",
		    *silent ? "rules without a counter: " : "", silent);
}

static void note_filters(const struct ledger *ledger, struct result *res)
{
	const struct ledger_rows *rows = &ledger->rows;
	size_t i, j, bytes;

	for (i = 0; i < rows->nr; i++) {
		const char *where = rows->all[i].where;

		if (rows->all[i].is_counter || !rows->all[i].by_filter)
			continue;
		bytes = space_bytes(where);
		for (j = 0; j < i; j++) {
			if (rows->all[j].by_filter && is_in(rows->all[j].where, where, bytes))
				break;
		}
		if (j == i)
			note_filter(ledger, where, bytes, res);
	}
}

void ledger_report(struct ledger *ledger, struct result *res)
{
	struct result *part = result_part(res, PART_LEDGER, "ledger"), *witnesses;
	int64_t rest = ledger_unattributed(ledger);
	struct ledger_row row = { .packets = ledger->received };
	unsigned long long made = ledger->made, received = ledger->received;
	unsigned long long dropped = claimed(ledger);
	uint64_t others = others_in_rows(ledger);
	size_t i;

	sort_rows(&ledger->rows);
	sort_rows(&ledger->witnesses);
	snprintf(row.reason, sizeof(row.reason), "received");
	snprintf(row.source, sizeof(row.source), "receiver");
	report_row(part, &row);
	for (i = 0; i < ledger->rows.nr; i++)
		report_row(part, &ledger->rows.all[i]);
	row = (struct ledger_row){ .packets = rest > 0 ? (uint64_t)rest : 0, .reason = "unattributed" };
	report_row(part, &row);
	result_metric_u64(part, "made_packets", ledger->made);
	result_metric_u64(part, "claimed_packets", claimed(ledger));
	result_metric_u64(part, "unattributed_packets", rest > 0 ? (uint64_t)rest : 0);
	result_metric_u64(part, "overclaimed_packets", others + (rest < 0 ? (uint64_t)-rest : 0));
	if (others)
		note_others(ledger, others, res);
	note_filters(ledger, res);
	if (rest > 0)
		note_unattributed(ledger, (uint64_t)rest, res);
	else if (!rest && !others)
		result_verdict(res, true, "the ledger adds up: made %llu = received %llu + lost and "
			       "explained %llu, none is unattributed", made, received, dropped);
	else if (rest < 0)
		result_verdict(res, false, "the ledger claims %llu more packets than were made: "
			       "made %llu, received %llu, lost and explained %llu",
			       (unsigned long long)-rest, made, received, dropped);
	if (!ledger->witnesses.nr)
		return;
	witnesses = result_part(res, PART_ASIDE, "witnesses");
	for (i = 0; i < ledger->witnesses.nr; i++)
		report_row(witnesses, &ledger->witnesses.all[i]);
}
