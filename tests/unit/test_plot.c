// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faces/page.h"
#include "faces/plot.h"

#include "check.h"

static double least(const struct plot_curve *curve)
{
	double value = INFINITY;
	size_t i;

	for (i = 0; i < curve->nr; i++)
		value = fmin(value, curve->y[i]);
	return value;
}

static double greatest(const struct plot_curve *curve)
{
	double value = -INFINITY;
	size_t i;

	for (i = 0; i < curve->nr; i++)
		value = fmax(value, curve->y[i]);
	return value;
}

static void thinning_keeps_extremes_and_order(void **state)
{
	const size_t counts[] = { 1, 2, PLOT_MAX_POINTS, PLOT_MAX_POINTS + 1, 100003 };
	size_t k, i;

	(void)state;
	for (k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		struct plot plot = { 0 };
		struct plot_curve *curve = plot_curve(&plot, "c");

		for (i = 0; i < counts[k]; i++)
			plot_point(curve, (double)i, i % 97 == 5 ? NAN : (double)(i * 7919 % 10007));
		curve->y[counts[k] / 3] = 1e9;
		curve->y[counts[k] - 1] = -1e9;
		plot_thin(curve);
		assert_true(curve->nr <= PLOT_MAX_POINTS && curve->nr <= counts[k]);
		assert_true(greatest(curve) == (counts[k] > 1 ? 1e9 : -1e9) && least(curve) == -1e9);
		for (i = 1; i < curve->nr; i++)
			assert_true(curve->x[i] > curve->x[i - 1]);
		plot_release(&plot);
	}
}

static void points_without_a_place_are_gaps(void **state)
{
	struct plot plot = { 0 };
	struct plot_curve *curve = plot_curve(&plot, "c");

	(void)state;
	assert_true(plot_empty(&plot));
	plot_point(curve, NAN, 1);
	assert_true(plot_empty(&plot));
	plot_point(curve, 3, 1);
	plot_point(curve, 1, 2);
	plot_sort(curve);
	assert_false(plot_empty(&plot));
	plot_release(&plot);
}

static void a_plot_has_no_more_curves_than_colours(void **state)
{
	struct plot plot = { 0 };
	int i;

	(void)state;
	for (i = 0; i < PLOT_MAX_CURVES; i++)
		assert_non_null(plot_curve(&plot, "c"));
	assert_null(plot_curve(&plot, "c"));
	plot_release(&plot);
}

/* What page_text() makes of @text; the caller frees. */
static char *shown(const char *text)
{
	char *buf = NULL;
	size_t size;
	FILE *out = open_memstream(&buf, &size);

	page_text(out, text);
	fclose(out);
	return buf;
}

static void text_of_a_page_is_no_markup(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ "<a href='x' title=\"y\">&", "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;" },
		{ "a\x1b[31m\r\n\t\x7f", "a?[31m????" },
		{ "\u00e4\u20ac", "\u00e4\u20ac" },
		{ "a\u202eb\u2066c\u200fd\u061ce\ufefff\xc2\x85" "g\u2028h", "a?b?c?d?e?f?g?h" },
		/* Cut within a character, and bytes that are none. */
		{ "a\xe2\x80", "a??" },
		{ "\xe2<", "?&lt;" },
		{ "\xff\x80\xc0\xaf", "????" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = shown(cases[i].text);

		assert_string_equal(got, cases[i].want);
		free(got);
	}
}

static void a_long_text_is_cut_between_characters_and_says_so(void **state)
{
	char text[2002] = { 0 }, *got;
	size_t i;

	(void)state;
	for (i = 0; i < 1000; i++)
		memcpy(text + 2 * i, "\u00e4", 2);
	memmove(text + 1, text, 2000);
	text[0] = 'a';
	got = shown(text);
	assert_int_equal(strncmp(got, text, 499), 0);
	assert_string_equal(got + 499, " ... (2001 bytes)");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thinning_keeps_extremes_and_order),
		cmocka_unit_test(points_without_a_place_are_gaps),
		cmocka_unit_test(a_plot_has_no_more_curves_than_colours),
		cmocka_unit_test(text_of_a_page_is_no_markup),
		cmocka_unit_test(a_long_text_is_cut_between_characters_and_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
