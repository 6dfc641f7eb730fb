// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/impair_filter.c - parse which packets to impair.
 */
#include "lib/array.h"
#include "model/impair_rule.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

#define MAX_TEXT 1024

static const struct word {
	const char *name;
	uint8_t by, version, proto;
} words[] = {
	{ "ip4", IMPAIR_BY_VERSION, 4, 0 },
	{ "ip6", IMPAIR_BY_VERSION, 6, 0 },
	{ "udp", IMPAIR_BY_PROTO, 0, IPPROTO_UDP },
	{ "tcp", IMPAIR_BY_PROTO, 0, IPPROTO_TCP },
	{ "sctp", IMPAIR_BY_PROTO, 0, IPPROTO_SCTP },
	{ "icmp", IMPAIR_BY_PROTO | IMPAIR_BY_VERSION, 4, IPPROTO_ICMP },
	{ "icmp6", IMPAIR_BY_PROTO | IMPAIR_BY_VERSION, 6, IPPROTO_ICMPV6 },
};

static int contradicts(const char *word, struct err *e)
{
	return err_usage(e, OPTION("match") ": '%s' contradicts a word before it", word);
}

static int set_version(struct impair_filter *filter, uint8_t version, const char *word,
		       struct err *e)
{
	if ((filter->by & IMPAIR_BY_VERSION) && filter->version != version)
		return contradicts(word, e);
	filter->by |= IMPAIR_BY_VERSION;
	filter->version = version;
	return 0;
}

static int set_word(struct impair_filter *filter, const struct word *word, struct err *e)
{
	if (word->by & IMPAIR_BY_PROTO) {
		if (filter->by & IMPAIR_BY_PROTO)
			return contradicts(word->name, e);
		filter->by |= IMPAIR_BY_PROTO;
		filter->proto = word->proto;
	}
	return word->by & IMPAIR_BY_VERSION ? set_version(filter, word->version, word->name, e) : 0;
}

/* Parses ADDRESS or ADDRESS/BITS into four words, IPv4 into the first. */
static int set_address(struct impair_filter *filter, char *text, __be32 *addr, __be32 *mask,
		       struct err *e)
{
	char *slash = strchr(text, '/');
	uint64_t bits, all;
	uint8_t version;
	size_t i;

	if (slash)
		*slash++ = '\0';
	version = inet_pton(AF_INET, text, addr) == 1 ? 4 :
		  inet_pton(AF_INET6, text, addr) == 1 ? 6 : 0;
	all = bits = version == 4 ? 32 : 128;
	if (!version || (slash && (unit_parse_count(slash, &bits) || bits > all)))
		return err_usage(e, OPTION("match") ": '%s%s%s' is not an address, with or "
				 "without a prefix length",
				 text, slash ? "/" : "", slash ? slash : "");
	for (i = 0; i < 4; i++) {
		uint64_t here = bits > 32 * i ? bits - 32 * i : 0;

		mask[i] = here >= 32 ? 0xffffffff : htonl((uint32_t)(0xffffffff00000000ull >> here));
		addr[i] &= mask[i];
	}
	return set_version(filter, version, text, e);
}

static int set_value(struct impair_filter *filter, const char *name, char *value, struct err *e)
{
	static const struct {
		const char *name;
		uint8_t by;
		uint16_t max;
	} values[] = {
		{ "src", IMPAIR_BY_SRC, 0 }, { "dst", IMPAIR_BY_DST, 0 },
		{ "proto", IMPAIR_BY_PROTO, UINT8_MAX }, { "sport", IMPAIR_BY_SPORT, UINT16_MAX },
		{ "dport", IMPAIR_BY_DPORT, UINT16_MAX }, { "stream", IMPAIR_BY_STREAM, UINT16_MAX },
	};
	uint64_t number = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		if (!strcmp(name, values[i].name))
			break;
	}
	if (i == ARRAY_SIZE(values)) {
		err_usage(e, OPTION("match") ": unknown word '%s'", name);
		return err_hint(e, "words: ip4 ip6 udp tcp sctp icmp icmp6 proto N src ADDRESS[/BITS] "
				"dst ADDRESS[/BITS] sport N dport N stream N; all must hold");
	}
	if (!value)
		return err_usage(e, OPTION("match") ": '%s' requires a value", name);
	if (filter->by & values[i].by)
		return contradicts(name, e);
	filter->by |= values[i].by;
	if (values[i].by == IMPAIR_BY_SRC)
		return set_address(filter, value, filter->src, filter->src_mask, e);
	if (values[i].by == IMPAIR_BY_DST)
		return set_address(filter, value, filter->dst, filter->dst_mask, e);
	if (unit_parse_count(value, &number) || number > values[i].max)
		return err_usage(e, OPTION("match") ": '%s %s' is not a number up to %u", name,
				value,
				 values[i].max);
	if (values[i].by == IMPAIR_BY_PROTO)
		filter->proto = (uint8_t)number;
	else if (values[i].by == IMPAIR_BY_SPORT)
		filter->sport = htons((uint16_t)number);
	else if (values[i].by == IMPAIR_BY_DPORT)
		filter->dport = htons((uint16_t)number);
	else
		filter->stream = htons((uint16_t)number);
	return 0;
}

int impair_filter_parse(const char *text, struct impair_filter *ret_filter, struct err *e)
{
	struct impair_filter filter = { 0 };
	char copy[MAX_TEXT], *word, *save = NULL;
	int err = 0;
	size_t i;

	if (strlen(text) >= sizeof(copy))
		return err_usage(e, OPTION("match") " is too long");
	strcpy(copy, text);
	for (word = strtok_r(copy, " \t", &save); word && !err; word = strtok_r(NULL, " \t", &save)) {
		if (!strcmp(word, "and"))
			continue;
		for (i = 0; i < ARRAY_SIZE(words); i++) {
			if (!strcmp(word, words[i].name))
				break;
		}
		if (i < ARRAY_SIZE(words))
			err = set_word(&filter, &words[i], e);
		else
			err = set_value(&filter, word, strtok_r(NULL, " \t", &save), e);
	}
	if (err)
		return err;
	if (!filter.by)
		return err_usage(e, OPTION("match") " is empty");
	*ret_filter = filter;
	return 0;
}

int impair_queue_parse(const char *text, uint64_t *ret_bytes, uint64_t *ret_packets, struct err *e)
{
	size_t len = strlen(text);
	char copy[32];
	uint64_t value;
	bool bytes = len && text[len - 1] == 'B';

	if (len < sizeof(copy)) {
		memcpy(copy, text, len - bytes);
		copy[len - bytes] = '\0';
		if (!unit_parse_count(copy, &value) && value) {
			*ret_bytes = bytes ? value : 0;
			*ret_packets = bytes ? 0 : value;
			return 0;
		}
	}
	return err_usage(e, OPTION("limit") " '%s' is not a number of packets, such as 100, or of "
			 "bytes, such as 64kB", text);
}
