// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever text a packet is described by: it is taken, within all limits, or the
 * error names a column that the text has. What is taken is built or refused
 * with a sentence, and every packet stays within its buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/socket.h>

#include "proto/layer.h"
#include "proto/packet_spec.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(const struct packet_value *value, size_t size)
{
	must(value->field && value->field->name);
	must(value->column >= 1 && value->column <= size);
	must(value->values.every >= 1);
	must(value->nr_bytes <= PACKET_SPEC_BYTES && !value->nr_bytes == !value->bytes);
	must(value->nr_list <= FIELD_MAX_LIST && !value->nr_list == !value->list);
	must(!value->list == (value->kind == FIELD_COUNTER || value->kind == FIELD_RANDOM));
}

static void check_spec(const struct packet_spec *spec, size_t size)
{
	const struct packet_value *value;
	uint32_t i;

	must(spec->nr_layers >= 1 && spec->nr_layers <= PACKET_SPEC_LAYERS);
	for (i = 0; i < spec->nr_layers; i++) {
		must(spec->layers[i].def && spec->layers[i].column <= size);
		for (value = spec->layers[i].values; value; value = value->next)
			check_value(value, size);
	}
}

static void check_error(const struct err *e, size_t size)
{
	unsigned int column;

	must(e->no && e->kind == ERR_USAGE && e->msg[0]);
	must(sscanf(e->msg, "packet:%u: ", &column) == 1);
	must(column >= 1 && column <= size + 1);
	/* Unless the text was too long, or it hides what looks like a password, to its end. */
	must(strstr(e->msg, "expected") || strlen(e->msg) == sizeof(e->msg) - 1 || strstr(e->msg, "***"));
}

static void build(const struct packet_spec *spec, bool tagged)
{
	static struct packet packet;
	static uint8_t bytes[PACKET_MAX_BYTES];
	struct packet_env env = {
		.src_mac = { 2, 0, 0, 0, 0, 1 }, .dst_mac = { 2, 0, 0, 0, 0, 2 },
		.src_port = 49152, .dst_port = 9, .ttl = 64, .seed = 7, .tagged = tagged,
	};
	struct frame_addr dest;
	struct err e = { 0 };
	uint64_t number;

	if (packet_spec_dest(spec, &dest))
		env.dst = dest;
	packet_spec_has_src_ip(spec);
	packet_spec_has_dst_mac(spec);
	memset(&packet, 0, sizeof(packet));
	if (packet_spec_build(spec, &env, NULL, &packet, &e)) {
		must(e.no && e.msg[0]);
		return;
	}
	must(packet.buf_bytes >= 60 && packet.buf_bytes <= PACKET_MAX_BYTES);
	must(packet.content_bytes <= packet.buf_bytes);
	must(packet.tag_offset + (packet.tag_offset ? 18u : 0) <= packet.buf_bytes);
	must(packet.nr_fields <= FIELD_MAX && packet.nr_sums <= FIELD_MAX_SUMS);
	for (number = 0; number < 7; number++) {
		memcpy(bytes, packet.bytes, packet.buf_bytes);
		packet_modify(&packet, number * 0x123456789abcdefull, bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packet_spec *spec = NULL;
	char *text = malloc(size + 1);
	struct err e = { 0 };

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	packet_spec_is_text(text);
	if (packet_spec_parse(text, &spec, &e)) {
		must(!spec);
		check_error(&e, strlen(text));
	} else {
		must(spec && !e.no);
		check_spec(spec, strlen(text));
		build(spec, size % 2);
	}
	packet_spec_free(spec);
	/* The same bytes as one value of a stream file. */
	spec = packet_spec_new();
	must(spec && !packet_spec_add(spec, "ip4", &e));
	packet_spec_set(spec, size % 2 ? "dst" : "id[3:7]", text, &e);
	packet_spec_set(spec, text, "7", &e);
	packet_spec_add(spec, text, &e);
	packet_spec_free(spec);
	free(text);
	return 0;
}
