/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/page.h - what all pages share: head, style, and how words get into them.
 *
 * A page needs nothing else: no font, no network. Its policy lets in just the style
 * and the script that were built in, by their hashes. Every word of a document goes
 * through page_text().
 */
#ifndef FACES_PAGE_H
#define FACES_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Made by scripts/gen-assets of report/assets/. */
struct page_assets {
	const char *palette, *style, *script;
	const char *plot_style;		/* palette without variables, which few viewers of SVG know */
	const char *style_hash, *script_hash;	/* of palette and style; of script */
};

extern const struct page_assets page_assets;

/* Up to the heading @title, which is of the program and no document's word. @script: with it. */
void page_open(FILE *out, const char *title, bool script);
void page_close(FILE *out, bool script);

/* As text or between quotes: no markup, no control character, none that turns the writing round. */
void page_text(FILE *out, const char *text);

/* <name class="@class">@text</name>; NULL: no class. */
void page_element(FILE *out, const char *name, const char *class, const char *text);

#endif
