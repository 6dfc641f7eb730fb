// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/page.c - shared by all pages.
 */
#include "faces/page.h"

#include <string.h>

#include "lib/utf8.h"

#define MAX_TEXT_BYTES 500	/* of a text; names of files and devices are far shorter */

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void page_text(FILE *out, const char *text)
{
	const char *p = text, *end;
	size_t bytes;

	if (!text)
		return;
	end = p + strnlen(text, MAX_TEXT_BYTES);
	while (end > p && *end && ((unsigned char)*end & 0xc0) == 0x80)
		end--;	/* no part of a character */
	for (; p < end; p += bytes) {
		if (!utf8_is_plain(p, (size_t)(end - p), &bytes))
			fputc('?', out);
		else if (entity(*p))
			fputs(entity(*p), out);
		else
			fwrite(p, 1, bytes, out);
	}
	if (*end)
		fprintf(out, " ... (%zu bytes)", strlen(text));
}

void page_element(FILE *out, const char *name, const char *class, const char *text)
{
	fprintf(out, class ? "<%s class=\"%s\">" : "<%s>", name, class);
	page_text(out, text);
	fprintf(out, "</%s>", name);
}

void page_open(FILE *out, const char *title, bool script)
{
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n"
		"<title>%s</title>\n<style>%s%s</style>\n</head>\n<body>\n<h1>%s</h1>\n",
		page_assets.style_hash, script ? page_assets.script_hash : "none", title,
		page_assets.palette, page_assets.style, title);
}

void page_close(FILE *out, bool script)
{
	if (script)
		fprintf(out, "<script>%s</script>\n", page_assets.script);
	fputs("</body>\n</html>\n", out);
}
