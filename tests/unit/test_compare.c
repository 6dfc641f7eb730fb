// SPDX-License-Identifier: GPL-2.0-or-later
/* Unusual documents, through every output of a comparison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/compare.h"
#include "faces/text.h"
#include "result/json.h"

#include "check.h"

#define HEAD "{\"format\":1,\"tool\":\"x\",\"command\":\"probe\","

static char path[] = "/tmp/compare.XXXXXX", page[sizeof(path) + 8];

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	snprintf(page, sizeof(page), "%s.html", path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	unlink(page);
	return unlink(path);
}

/* @text as both sides through all faces, into @ret_printed; the error or 0. */
static int compare(const char *text, char *ret_printed, size_t size)
{
	struct compare_cfg cfg = { .threshold_ratio = 0.05, .all = true };
	struct compare *cmp = compare_new(&cfg);
	struct result *res = result_new("compare");
	char *printed = NULL;
	struct err e = { 0 };
	size_t len = 0;
	FILE *out;
	int err;

	out = fopen(path, "w");
	fputs(text, out);
	fclose(out);
	err = compare_load(cmp, COMPARE_BASE, path, &e);
	if (!err)
		err = compare_load(cmp, COMPARE_NEW, path, &e);
	if (!err)
		err = compare_run(cmp, res, &e);
	out = open_memstream(&printed, &len);
	if (!err) {
		assert_int_equal(json_document(out, res, 1), 0);
		text_result(out, res, true);
		assert_int_equal(compare_html(res, page, &e), 0);
		compare_ktap(res);
		text_result(out, res, true);
	} else {
		fprintf(out, "%s", e.msg);
	}
	fclose(out);
	snprintf(ret_printed, size, "%s", printed);
	free(printed);
	result_free(res);
	compare_free(cmp);
	return err;
}

static void odd_documents_are_compared_or_refused(void **state)
{
	static const struct {
		const char *text, *told;
		bool ok;
	} odd[] = {
		{ HEAD "\"metrics\":{\"rtt_p50_ns\":1}}", "inconclusive", true },
		{ HEAD "\"metrics\":{\"rtt_p50_ns\":-0.0,\"rtt_p99_ns\":1e308}}", "inconclusive", true },
		{ HEAD "\"metrics\":{\"rtt_p50_ns\":1,\"no_such\":2}}", "unknown to this version", true },
		{ HEAD "\"metrics\":{\"no_such\":2}}", "no figure", false },
		{ HEAD "\"metrics\":{\"rtt_p50_ns\":null,\"rtt_p99_ns\":\"1\"}}", "no figure", false },
		{ HEAD "\"metrics\":[1],\"self\":7}", "no figure", false },
		{ HEAD "\"parts\":[1,null,{},{\"metrics\":{\"irregular\":true}}]}", "irregular", true },
		{ HEAD "\"parts\":[{\"name\":7,\"config\":{\"\":[]},\"metrics\":{\"sent_pps\":1}}]}",
		  "sent_pps", true },
		{ HEAD "\"environment\":{\"kernel\":[\"a\"],\"date\":{}},\"metrics\":{\"sent_pps\":1}}",
		  "sent_pps", true },
		{ HEAD "\"errors\":[3],\"metrics\":{\"sent_pps\":1}}", "failed: ?", false },
		{ HEAD "\"errors\":{},\"metrics\":{\"sent_pps\":1}}", "sent_pps", true },
		{ "[" HEAD "\"metrics\":{\"sent_pps\":1}}," HEAD "\"metrics\":{\"sent_pps\":2}}]",
		  "sent_pps", true },
		{ HEAD "\"metrics\":{\"sent_pps\":1}}" HEAD "\"metrics\":{\"sent_pps\":1}}",
		  "the same run", false },
		{ "{\"format\":1,\"tool\":\"x\",\"command\":\"bench-run\",\"runs\":[{\"id\":\"a\",\"round\":1,"
		  "\"received_pps\":1},7,{\"round\":2}]}", "received_pps", true },
		{ "{\"format\":1,\"tool\":\"x\",\"command\":\"bench-run\",\"runs\":7}", "no rounds", false },
		{ "{\"type\":\"interval\"}", "no result document", false },
		{ "{} {}", "no format", false },
		{ "nonsense", "not JSON", false },
	};
	char told[65536];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		int err = compare(odd[i].text, told, sizeof(told));

		if (!err != odd[i].ok || !strstr(told, odd[i].told))
			fail_msg("document %zu: %d, \"%s\"", i, err, told);
	}
}

/* Cut within a character, a name must not cost the document. */
static void long_names_of_many_bytes_are_kept(void **state)
{
	char text[8192], told[65536];
	int cut, i;

	(void)state;
	for (cut = 0; cut < 3; cut++) {
		char *p = text + sprintf(text, HEAD "\"parts\":[{\"name\":\"%.*s", cut, "aaa");

		for (i = 0; i < 500; i++)
			p += sprintf(p, "\xe2\x82\xac");
		sprintf(p, "\",\"metrics\":{\"sent_pps\":1}}]}");
		assert_int_equal(compare(text, told, sizeof(told)), 0);
		assert_non_null(strstr(told, "1..1"));
		assert_non_null(strstr(told, "ok 1 "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_documents_are_compared_or_refused),
		cmocka_unit_test(long_names_of_many_bytes_are_kept),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
