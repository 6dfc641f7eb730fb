/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/page.h - shared by all pages: head, style, and escaping of texts.
 *
 * A page is self-contained: no font, no network. Its content security policy allows
 * only the built-in style and script, by their hashes. Every text of a document must
 * pass page_text().
 */
#ifndef FACES_PAGE_H
#define FACES_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Made by scripts/gen-assets of report/assets/. */
struct page_assets {
	const char *palette, *style, *script;
	const char *plot_style;		/* palette without CSS variables, which few SVG viewers support */
	const char *style_hash, *script_hash;	/* of palette and style; of script */
};

extern const struct page_assets page_assets;

/* Up to the heading @title, a constant of the program. @script: include the script. */
void page_open(FILE *out, const char *title, bool script);
void page_close(FILE *out, bool script);

/* Escaped for text and attributes: no markup, control or bidirectional override characters. */
void page_text(FILE *out, const char *text);

/* <name class="@class">@text</name>; NULL: no class. */
void page_element(FILE *out, const char *name, const char *class, const char *text);

#endif
