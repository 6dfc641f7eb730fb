// SPDX-License-Identifier: GPL-2.0-or-later
/* What impair's rules, filters and queues say, and what they may not say. */
#include "check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/impair_rule.h"
#include "result/metrics.h"

#define ONE (1ull << 32)

static struct impair_rules rules;
static char path[] = "/tmp/test_impair_rule.XXXXXX";

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static int release(void **state)
{
	(void)state;
	impair_rules_release(&rules);
	assert_int_equal(rules.nr, 0);
	return 0;
}

static const struct impair_rule *add(enum impair_kind kind, const char *text)
{
	struct err e = { 0 };

	if (impair_rules_add(&rules, kind, text, &e))
		fail_msg("%s", e.msg);
	return &rules.rules[rules.nr - 1];
}

static void refuse(enum impair_kind kind, const char *text, const char *why)
{
	uint32_t nr = rules.nr;
	struct err e = { 0 };

	assert_int_equal(impair_rules_add(&rules, kind, text, &e), -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
	if (!strstr(e.msg, why))
		fail_msg("'%s' is not in: %s", why, e.msg);
	assert_int_equal(rules.nr, nr);
}

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void which_packets(void **state)
{
	const struct impair_rule *rule;

	(void)state;
	rule = add(IMPAIR_LOSS, "all");
	assert_int_equal(rule->pick, IMPAIR_EVERY);
	assert_int_equal(rule->every, 1);
	assert_int_equal(rule->phase, 0);
	rule = add(IMPAIR_LOSS, "every=100");
	assert_int_equal(rule->every, 100);
	assert_int_equal(rule->phase, 99);
	rule = add(IMPAIR_LOSS, "every=100+7");
	assert_int_equal(rule->phase, 7);
	rule = add(IMPAIR_LOSS, "25%");
	assert_int_equal(rule->pick, IMPAIR_RANDOM);
	assert_int_equal(rule->p, ONE / 4);
	rule = add(IMPAIR_LOSS, "100%");
	assert_int_equal(rule->p, ONE);
	rule = add(IMPAIR_LOSS, "0%");
	assert_int_equal(rule->p, 0);
	rule = add(IMPAIR_LOSS, "ge(p=50%,r=25%)");
	assert_int_equal(rule->pick, IMPAIR_GILBERT);
	assert_int_equal(rule->p, ONE / 2);
	assert_int_equal(rule->r, ONE / 4);
	assert_int_equal(rule->in_bad, ONE);
	assert_int_equal(rule->in_good, 0);
	rule = add(IMPAIR_LOSS, "ge(p=1%, r=30%, bad=75%, good=0.5%)");
	assert_int_equal(rule->in_bad, ONE / 4 * 3);
	assert_int_equal(rule->in_good, 21474836);
	refuse(IMPAIR_LOSS, "1%", "too many rules");
}

static void which_packets_refused(void **state)
{
	(void)state;
	refuse(IMPAIR_LOSS, "", "does not select packets");
	refuse(IMPAIR_LOSS, "1", "does not select packets");
	refuse(IMPAIR_LOSS, "101%", "does not select packets");
	refuse(IMPAIR_LOSS, "-1%", "does not select packets");
	refuse(IMPAIR_LOSS, "every=0", "from 1 on");
	refuse(IMPAIR_LOSS, "every=10+10", "below that");
	refuse(IMPAIR_LOSS, "every=", "from 1 on");
	refuse(IMPAIR_LOSS, "ge(p=1%)", "requires p");
	refuse(IMPAIR_LOSS, "ge(p=0%,r=1%)", "requires p");
	refuse(IMPAIR_LOSS, "ge(p=1%,r=1%,x=1%)", "not one of");
	refuse(IMPAIR_LOSS, "ge(p=1%,r=1", "does not select packets");
	refuse(IMPAIR_LOSS, "ge(p=1%,r)", "NAME=PERCENT");
	refuse(IMPAIR_LOSS, "list=", "is empty");
	refuse(IMPAIR_LOSS, "list=1,x", "not a packet number");
	refuse(IMPAIR_LOSS, "1%:3", "is not allowed here");
}

static void lists_are_sorted_and_read_from_files(void **state)
{
	struct err e;

	(void)state;
	add(IMPAIR_LOSS, "list=99,3,17");
	assert_int_equal(rules.rules[0].pick, IMPAIR_LIST);
	assert_int_equal(rules.lists[0].nr, 3);
	assert_int_equal(rules.lists[0].values[0], 3);
	assert_int_equal(rules.lists[0].values[2], 99);
	write_file("# lost\n5\n\n 1k # later\n0\n");
	assert_int_equal(impair_rules_add(&rules, IMPAIR_CORRUPT, (char[64]){ "list=" }, &e), -EINVAL);
	{
		char text[64];

		snprintf(text, sizeof(text), "list=%s:3", path);
		add(IMPAIR_CORRUPT, text);
		assert_int_equal(rules.rules[1].arg, 3);
		assert_int_equal(rules.lists[1].nr, 3);
		assert_int_equal(rules.lists[1].values[0], 0);
		assert_int_equal(rules.lists[1].values[2], 1000);
		write_file("5\nfive\n");
		refuse(IMPAIR_CORRUPT, text, "line 2: 'five'");
		write_file("# nothing\n");
		refuse(IMPAIR_CORRUPT, text, "has no values");
		refuse(IMPAIR_CORRUPT, "list=/nowhere/at/all", "cannot read '/nowhere/at/all'");
	}
}

static void marks(void **state)
{
	const struct impair_rule *rule;

	(void)state;
	rule = add(IMPAIR_CE, "all");
	assert_int_equal(rule->kind, IMPAIR_CE);
	rule = add(IMPAIR_REMARK, "1%:0");
	assert_int_equal(rule->arg, 0);
	rule = add(IMPAIR_REMARK, "all:63");
	assert_int_equal(rule->arg, 63);
}

static void what_is_done(void **state)
{
	const struct impair_rule *rule;

	(void)state;
	rule = add(IMPAIR_CORRUPT, "1%");
	assert_int_equal(rule->arg, 1);
	assert_int_equal(rule->offset, 14);
	rule = add(IMPAIR_CORRUPT, "1%:16@0");
	assert_int_equal(rule->arg, 16);
	assert_int_equal(rule->offset, 0);
	rule = add(IMPAIR_CHECKSUM, "all");
	assert_int_equal(rule->kind, IMPAIR_CHECKSUM);
	rule = add(IMPAIR_TRUNCATE, "every=3:40");
	assert_int_equal(rule->arg, 40);
	rule = add(IMPAIR_FRAGMENT, "every=3:64");
	assert_int_equal(rule->arg, 64);
	rule = add(IMPAIR_DUPLICATE, "1%");
	assert_int_equal(rule->arg, 1);
	rule = add(IMPAIR_DUPLICATE, "1%:3");
	assert_int_equal(rule->arg, 3);
	rule = add(IMPAIR_REORDER, "1%:5");
	assert_int_equal(rule->arg, 5);
}

static void what_cannot_be_done(void **state)
{
	(void)state;
	refuse(IMPAIR_CORRUPT, "1%:0", "from 1 to 16");
	refuse(IMPAIR_CORRUPT, "1%:17", "from 1 to 16");
	refuse(IMPAIR_CORRUPT, "1%:1@65536", "is not an offset");
	refuse(IMPAIR_CORRUPT, "1%:1@", "is not an offset");
	refuse(IMPAIR_CHECKSUM, "1%:1", "is not allowed here");
	refuse(IMPAIR_CE, "1%:1", "is not allowed here");
	refuse(IMPAIR_REMARK, "1%", "':DSCP' is missing");
	refuse(IMPAIR_REMARK, "1%:64", "is not a DSCP from 0 to 63");
	refuse(IMPAIR_TRUNCATE, "1%", "':BYTES' is missing");
	refuse(IMPAIR_TRUNCATE, "1%:13", "from 14");
	refuse(IMPAIR_FRAGMENT, "1%:12", "multiple of 8");
	refuse(IMPAIR_FRAGMENT, "1%:0", "from 8");
	refuse(IMPAIR_DUPLICATE, "1%:65", "from 1 to 64");
	refuse(IMPAIR_REORDER, "1%", "':PLACES' is missing");
	refuse(IMPAIR_REORDER, "1%:0", "from 1");
	refuse(IMPAIR_REORDER, "1%:", "from 1");
}

static const struct bump_delay *delay(const char *text)
{
	add(IMPAIR_DELAY, text);
	return &rules.delays[rules.nr - 1];
}

static void delays(void **state)
{
	const struct bump_delay *d;
	char text[64];

	(void)state;
	d = delay("5ms");
	assert_int_equal(d->shape, BUMP_CONSTANT);
	assert_int_equal(d->mean_ns, 5000000);
	assert_int_equal(rules.rules[0].every, 1);
	d = delay("1%:5ms+-1ms");
	assert_int_equal(rules.rules[1].pick, IMPAIR_RANDOM);
	assert_int_equal(d->shape, BUMP_UNIFORM);
	assert_int_equal(d->spread_ns, 1000000);
	assert_false(d->keep_order);
	d = delay("5ms+-1ms,normal,keep-order");
	assert_int_equal(d->shape, BUMP_NORMAL);
	assert_true(d->keep_order);
	d = delay("5ms+-10ms,pareto");
	assert_int_equal(d->shape, BUMP_PARETO);
	assert_true(d->alpha == 3.0);
	d = delay("5ms+-1ms,pareto=1.5");
	assert_true(d->alpha == 1.5);
	write_file("1ms\n2ms # twice\n2ms\n");
	snprintf(text, sizeof(text), "every=2:file=%s,keep-order", path);
	d = delay(text);
	assert_int_equal(d->shape, BUMP_TABLE);
	assert_int_equal(d->nr_table, 3);
	assert_int_equal(d->table_ns[2], 2000000);
	assert_true(d->keep_order);
}

static void delays_refused(void **state)
{
	(void)state;
	refuse(IMPAIR_DELAY, "", "time is missing");
	refuse(IMPAIR_DELAY, "1%:", "time is missing");
	refuse(IMPAIR_DELAY, "soon", "is not a time");
	refuse(IMPAIR_DELAY, "5ms+-", "is not a time");
	refuse(IMPAIR_DELAY, "5ms+-6ms", "exceeds the delay");
	refuse(IMPAIR_DELAY, "5ms,normal", "requires TIME+-JITTER");
	refuse(IMPAIR_DELAY, "5ms+-1ms,gauss", "not one of");
	refuse(IMPAIR_DELAY, "5ms+-1ms,pareto=0", "not one of");
	refuse(IMPAIR_DELAY, "5ms+-1ms,pareto=", "not one of");
	refuse(IMPAIR_DELAY, "5ms+-1ms,pareto=nan", "not one of");
	refuse(IMPAIR_DELAY, "file=/nowhere/at/all", "cannot read");
}

static void filters(void **state)
{
	struct impair_filter f;
	struct err e;

	(void)state;
	assert_int_equal(impair_filter_parse("udp and dst 198.18.0.2 dport 9", &f, &e), 0);
	assert_int_equal(f.by, IMPAIR_BY_PROTO | IMPAIR_BY_DST | IMPAIR_BY_DPORT | IMPAIR_BY_VERSION);
	assert_int_equal(f.version, 4);
	assert_int_equal(f.proto, IPPROTO_UDP);
	assert_int_equal(f.dport, htons(9));
	assert_int_equal(f.dst[0], inet_addr("198.18.0.2"));
	assert_int_equal(f.dst_mask[0], 0xffffffff);
	assert_int_equal(impair_filter_parse("src 198.18.7.9/23", &f, &e), 0);
	assert_int_equal(f.src[0], inet_addr("198.18.6.0"));
	assert_int_equal(f.src_mask[0], inet_addr("255.255.254.0"));
	assert_int_equal(impair_filter_parse("dst 0.0.0.0/0", &f, &e), 0);
	assert_int_equal(f.dst_mask[0], 0);
	assert_int_equal(impair_filter_parse("src 2001:db8::ff/36 icmp6", &f, &e), 0);
	assert_int_equal(f.version, 6);
	assert_int_equal(f.proto, IPPROTO_ICMPV6);
	assert_int_equal(f.src_mask[0], 0xffffffff);
	assert_int_equal(f.src_mask[1], htonl(0xf0000000));
	assert_int_equal(f.src_mask[2], 0);
	assert_int_equal(f.src[3], 0);
	assert_int_equal(impair_filter_parse("proto 47 ip6", &f, &e), 0);
	assert_int_equal(f.proto, 47);
	assert_int_equal(impair_filter_parse("  stream 513  sport 65535 ", &f, &e), 0);
	assert_int_equal(f.stream, htons(513));
	assert_int_equal(f.sport, 0xffff);
}

static void filters_refused(void **state)
{
	static const char *const wrong[][2] = {
		{ "", "is empty" }, { "and", "is empty" }, { "udp tcp", "contradicts" },
		{ "ip4 ip6", "contradicts" }, { "ip6 dst 198.18.0.1", "contradicts" },
		{ "src 2001:2::1 dst 198.18.0.1", "contradicts" }, { "dport 9 dport 9", "contradicts" },
		{ "dst", "requires a value" }, { "dst 198.18.0", "not an address" },
		{ "dst 198.18.0.1/33", "not an address" }, { "dst ::1/129", "not an address" },
		{ "dst ::1/", "not an address" }, { "port 9", "unknown word" },
		{ "dport 65536", "up to 65535" }, { "stream -1", "up to" }, { "proto 256", "up to 255" },
	};
	struct impair_filter f;
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		e.msg[0] = '\0';
		if (impair_filter_parse(wrong[i][0], &f, &e) != -EINVAL || !strstr(e.msg, wrong[i][1]))
			fail_msg("'%s': '%s'", wrong[i][0], e.msg);
	}
}

static void queues(void **state)
{
	uint64_t bytes, packets;
	struct err e;

	(void)state;
	assert_int_equal(impair_queue_parse("100", &bytes, &packets, &e), 0);
	assert_int_equal(packets, 100);
	assert_int_equal(bytes, 0);
	assert_int_equal(impair_queue_parse("64kB", &bytes, &packets, &e), 0);
	assert_int_equal(bytes, 64000);
	assert_int_equal(packets, 0);
	assert_int_equal(impair_queue_parse("1B", &bytes, &packets, &e), 0);
	assert_int_equal(impair_queue_parse("0", &bytes, &packets, &e), -EINVAL);
	assert_int_equal(impair_queue_parse("B", &bytes, &packets, &e), -EINVAL);
	assert_int_equal(impair_queue_parse("", &bytes, &packets, &e), -EINVAL);
	assert_int_equal(impair_queue_parse("64kb", &bytes, &packets, &e), -EINVAL);
}

/* A kind that is added without its row would have none. */
static void each_kind_has_a_name_and_a_figure(void **state)
{
	enum impair_kind kind;

	(void)state;
	for (kind = 0; kind < IMPAIR_KINDS; kind++) {
		assert_non_null(impair_kind_name(kind));
		assert_non_null(metric_find(impair_kind_figure(kind)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(which_packets, release),
		cmocka_unit_test_teardown(which_packets_refused, release),
		cmocka_unit_test_teardown(lists_are_sorted_and_read_from_files, release),
		cmocka_unit_test_teardown(marks, release),
		cmocka_unit_test_teardown(what_is_done, release),
		cmocka_unit_test_teardown(what_cannot_be_done, release),
		cmocka_unit_test_teardown(delays, release),
		cmocka_unit_test_teardown(delays_refused, release),
		cmocka_unit_test_teardown(filters, release),
		cmocka_unit_test_teardown(filters_refused, release),
		cmocka_unit_test_teardown(queues, release),
		cmocka_unit_test(each_kind_has_a_name_and_a_figure),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
