// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_text.c - parse a packet's description: layers and their order. For their arguments
 * see proto/packet_arg.c and packet_value.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/layer.h"
#include "proto/packet_scan.h"
#include "proto/packet_spec.h"

/* The layer that can carry all others. */
#define FIRST_LAYER "eth"

static struct packet_names names_of_layers(void)
{
	const struct layer_def *def;
	struct packet_names names = { "" };

	for (def = layer_defs; def->name; def++)
		packet_names_add(&names, def->name);
	return names;
}

static struct packet_names names_of(const char *const *list)
{
	struct packet_names names = { "" };

	for (; list && *list; list++)
		packet_names_add(&names, *list);
	return names;
}

static bool may_follow(const struct layer_def *def, const char *name)
{
	const char *const *follow = def->follow;

	for (; follow && *follow; follow++) {
		if (!strcmp(*follow, name))
			return true;
	}
	return false;
}

static const struct layer_def *layer_at(const char *at, size_t len)
{
	const struct layer_def *def;

	for (def = layer_defs; def->name; def++) {
		if (packet_scan_is(at, len, def->name))
			return def;
	}
	return NULL;
}

static struct packet_layer *last_layer(struct packet_spec *spec)
{
	return spec->nr_layers ? &spec->layers[spec->nr_layers - 1] : NULL;
}

/* Layers that can be between the two: 'ip4 or ip6'. */
static struct packet_names bridges(const struct layer_def *before, const struct layer_def *def)
{
	struct packet_names names = { "" };
	const char *const *follow = before->follow;
	const struct layer_def *between;
	size_t used;

	for (; follow && *follow; follow++) {
		between = layer_find(*follow);
		/* Not a layer that can carry all others as well, as vlan after eth. */
		if (!between || !may_follow(between, def->name) ||
		    !strcmp(between->name, before->name))
			continue;
		used = strlen(names.text);
		snprintf(names.text + used, sizeof(names.text) - used, "%s%s", used ? " or " : "",
			 between->name);
	}
	return names;
}

static int check_order(const struct packet_scan *scan, const char *at,
		       const struct layer_def *before, const struct layer_def *def)
{
	struct packet_names missing;

	if (may_follow(before, def->name))
		return 0;
	missing = bridges(before, def);
	if (missing.text[0])
		return packet_scan_fail(scan, at, "'%s' cannot directly follow '%s', expected "
					"%s between them", def->name, before->name, missing.text);
	if (!before->follow || !*before->follow)
		return packet_scan_fail(scan, at, "'%s' cannot follow '%s', expected the end "
					"of the packet", def->name, before->name);
	return packet_scan_fail(scan, at, "'%s' cannot follow '%s', expected one of: %s",
				def->name, before->name, names_of(before->follow).text);
}

static void append_layer(struct packet_spec *spec, const struct layer_def *def, uint32_t column)
{
	spec->layers[spec->nr_layers++] = (struct packet_layer){ .def = def, .column = column };
}

static int add_layer(struct packet_scan *scan, struct packet_spec *spec, const char *at, size_t len)
{
	const struct layer_def *def = layer_at(at, len), *first = layer_find(FIRST_LAYER);
	int err;

	if (!def)
		return packet_scan_fail(scan, at, "there is no layer '%s', expected one of: %s",
					packet_scan_show_name(at, len).text,
					names_of_layers().text);
	if (!spec->nr_layers && first && def != first) {
		err = check_order(scan, at, first, def);
		if (err)
			return err;
		append_layer(spec, first, 0);
	} else if (spec->nr_layers) {
		err = check_order(scan, at, last_layer(spec)->def, def);
		if (err)
			return err;
	}
	if (spec->nr_layers == PACKET_SPEC_LAYERS)
		return packet_scan_fail(scan, at, "too many layers, expected at most %u",
					PACKET_SPEC_LAYERS);
	append_layer(spec, def, packet_scan_column(scan, at));
	return 0;
}

static int read_layer(struct packet_scan *scan, struct packet_spec *spec)
{
	const char *at;
	size_t len;
	int err;

	packet_scan_blanks(scan);
	at = scan->at;
	len = packet_scan_name(at);
	if (!len)
		return packet_scan_fail(scan, at, "%s'%s' is not a layer, expected one of: %s",
					*at ? "" : "the text ends: ", packet_scan_show(at).text,
					names_of_layers().text);
	scan->at += len;
	err = add_layer(scan, spec, at, len);
	if (!err && packet_scan_take(scan, '('))
		err = packet_args_read(scan, last_layer(spec));
	return err;
}

int packet_spec_parse(const char *text, struct packet_spec **ret_spec, struct err *e)
{
	struct packet_scan scan = { .text = text, .at = text, .placed = true, .e = e };
	struct packet_spec *spec = packet_spec_new();
	int err;

	if (!spec)
		return err_set(e, -ENOMEM, "cannot allocate a packet");
	do {
		err = read_layer(&scan, spec);
		if (err)
			goto fail;
	} while (packet_scan_take(&scan, '/'));
	if (*scan.at) {
		err = packet_scan_fail(&scan, scan.at, "'%s' is not understood, expected '/' and a "
				       "layer, or the end", packet_scan_show(scan.at).text);
		goto fail;
	}
	*ret_spec = spec;
	return 0;
fail:
	packet_spec_free(spec);
	return err;
}

struct packet_spec *packet_spec_new(void)
{
	return calloc(1, sizeof(struct packet_spec));
}

int packet_spec_add(struct packet_spec *spec, const char *layer, struct err *e)
{
	struct packet_scan scan = { .text = layer, .at = layer, .e = e };

	return add_layer(&scan, spec, layer, strlen(layer));
}

void packet_spec_free(struct packet_spec *spec)
{
	struct packet_value *value, *next;
	uint32_t i;

	if (!spec)
		return;
	for (i = 0; i < spec->nr_layers; i++) {
		for (value = spec->layers[i].values; value; value = next) {
			next = value->next;
			packet_value_free(value);
		}
	}
	free(spec);
}

const char *packet_spec_layer(const struct packet_spec *spec, uint32_t i)
{
	return i < spec->nr_layers ? spec->layers[i].def->name : NULL;
}

bool packet_spec_is_text(const char *text)
{
	size_t len;

	if (strpbrk(text, "/("))
		return true;
	text += strspn(text, " \t");
	len = packet_scan_name(text);
	return len && !text[len] && layer_at(text, len);
}
