// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/text_table.c - entries as a table, and text that is wrapped.
 */
#include "faces/text_parts.h"

#include <string.h>

#include "result/value.h"

#define MAX_COLUMNS	16
#define MANY_ROWS	20	/* that a screen has room for */
#define LEAST_WRAPPED	24	/* columns for which a long last cell is wrapped */

void text_wrapped(FILE *out, size_t column, const char *text)
{
	size_t room = column < PAGE_WIDTH ? PAGE_WIDTH - column : 1;

	while (strlen(text) > room) {
		size_t len = room;

		while (len && text[len] != ' ')
			len--;
		if (!len)
			len = strcspn(text, " ");
		if (!text[len])
			break;
		fprintf(out, "%.*s\n%*s", (int)len, text, (int)column, "");
		text += len + 1;
	}
	fprintf(out, "%s\n", text);
}

struct table {
	FILE *out;
	const char *indent;
	json_t *columns;		/* an entry */
	size_t widths[MAX_COLUMNS], nr;
	bool wrapped;			/* the last column's cells */
};

/* Of column @key: its name or its longest cell. */
static size_t width_of(const json_t *entries, const char *key)
{
	size_t width = strlen(key), len, i;
	char text[256];
	json_t *entry;

	json_array_foreach(entries, i, entry) {
		len = strlen(value_cell(text, sizeof(text), key, json_object_get(entry, key)));
		width = len > width ? len : width;
	}
	return width;
}

/* Leaves the columns that fit the page; returns how many do not. */
static size_t fit(struct table *table)
{
	size_t used = strlen(table->indent), nr = table->nr, k;

	for (k = 0; k < nr && used + table->widths[k] <= PAGE_WIDTH; k++)
		used += table->widths[k] + 2;
	if (k == nr || !k)
		return 0;
	if (k + 1 == nr && used + LEAST_WRAPPED <= PAGE_WIDTH) {
		table->wrapped = true;
		return 0;
	}
	table->nr = k;
	return nr - k;
}

/* @entry NULL: the names of the columns. */
static void print_cells(const struct table *table, const json_t *entry)
{
	size_t k = 0, column = strlen(table->indent);
	const char *key, *cell = "";
	char text[256];
	json_t *value;

	fputs(table->indent, table->out);
	json_object_foreach(table->columns, key, value) {
		cell = entry ? value_cell(text, sizeof(text), key, json_object_get(entry, key)) : key;
		if (++k >= table->nr)
			break;
		column += (size_t)fprintf(table->out, "%-*s  ", (int)table->widths[k - 1], cell);
	}
	if (table->wrapped)
		text_wrapped(table->out, column, cell);
	else
		fprintf(table->out, "%s\n", cell);
}

void text_hidden(FILE *out, const char *indent, size_t nr, const char *what)
{
	if (nr)
		fprintf(out, "%s(%zu more %s%s: -v)\n", indent, nr, what, nr == 1 ? "" : "s");
}

void text_entries(FILE *out, const json_t *entries, const char *indent, bool all)
{
	struct table table = { .out = out, .indent = indent, .columns = json_array_get(entries, 0) };
	size_t nr = json_array_size(entries), most = all || nr <= MANY_ROWS ? nr : MANY_ROWS, hidden = 0, i;
	const char *key;
	json_t *value;

	if (!json_object_size(table.columns))
		return;
	json_object_foreach(table.columns, key, value) {
		if (table.nr < MAX_COLUMNS)
			table.widths[table.nr++] = width_of(entries, key);
	}
	if (!all)
		hidden = fit(&table);
	print_cells(&table, NULL);
	for (i = 0; i < most; i++)
		print_cells(&table, json_array_get(entries, i));
	text_hidden(out, indent, nr - most, "row");
	text_hidden(out, indent, hidden, "column");
}
