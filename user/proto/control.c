// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/control.c - lines of flat JSON, described by a table of forms.
 */
#include "proto/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/tag.h"
#include "lib/array.h"

#define MAX_NUMBER	((uint64_t)INT64_MAX)
#define MAX_TIME_NS	(30ull * 24 * 3600 * 1000000000)

#define LEAST_INTERVAL_NS 10000000ull

enum field_type { FIELD_NUMBER, FIELD_CHOICE, FIELD_TEXT };

struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	uint64_t max;			/* for strings: bytes including the terminator */
	const char *const *choices;	/* the first is the default, but is written as well */
};

#define NUMBER(s, field)	{ #field, FIELD_NUMBER, offsetof(struct s, field), MAX_NUMBER, NULL }
#define UP_TO(s, field, max)	{ #field, FIELD_NUMBER, offsetof(struct s, field), max, NULL }
#define CHOICE(s, field, from)	{ #field, FIELD_CHOICE, offsetof(struct s, field), 0, from }
#define TEXT(s, field)		{ #field, FIELD_TEXT, offsetof(struct s, field), \
				  sizeof(((struct s *)NULL)->field), NULL }
/* One entry of lib/dist.h's list: "delay_p99_ns" */
#define DELAY(id, share, word, ...) { "delay_" word "_ns", FIELD_NUMBER, \
	offsetof(struct control_figures, delay_ns[DIST_##id]), MAX_NUMBER, NULL },
#define END			{ NULL, FIELD_NUMBER, 0, 0, NULL }

static const char *const protocols[] = { "tcp", "udp", NULL };
static const char *const kinds[] = { "stream", "rr", "crr", NULL };
static const char *const directions[] = { "there", "back", "both", NULL };

static const struct field no_fields[] = { END };

static const struct field hello_fields[] = {
	NUMBER(control_hello, version), TEXT(control_hello, tool), TEXT(control_hello, nonce),
	TEXT(control_hello, host), UP_TO(control_hello, key, 1), TEXT(control_hello, proof), END
};

static const struct field welcome_fields[] = {
	TEXT(control_welcome, proof), NUMBER(control_welcome, mtu_bytes),
	TEXT(control_welcome, kernel), TEXT(control_welcome, congestion),
	TEXT(control_welcome, tcp_rmem), TEXT(control_welcome, tcp_wmem),
	TEXT(control_welcome, rmem_max), TEXT(control_welcome, wmem_max),
	TEXT(control_welcome, tcp_timestamps), TEXT(control_welcome, tcp_sack),
	TEXT(control_welcome, tcp_window_scaling), TEXT(control_welcome, tcp_ecn),
	TEXT(control_welcome, tcp_moderate_rcvbuf), END
};

static const struct field test_fields[] = {
	CHOICE(control_test, protocol, protocols), CHOICE(control_test, kind, kinds),
	CHOICE(control_test, direction, directions),
	UP_TO(control_test, streams, CONTROL_MAX_STREAMS),
	UP_TO(control_test, threads, CONTROL_MAX_STREAMS),
	UP_TO(control_test, duration_ns, MAX_TIME_NS), UP_TO(control_test, omit_ns, MAX_TIME_NS),
	UP_TO(control_test, interval_ns, MAX_TIME_NS), UP_TO(control_test, stream_rows, 1),
	UP_TO(control_test, message_bytes, CONTROL_MAX_MESSAGE),
	UP_TO(control_test, request_bytes, CONTROL_MAX_MESSAGE),
	UP_TO(control_test, response_bytes, CONTROL_MAX_MESSAGE),
	UP_TO(control_test, outstanding, 1024), NUMBER(control_test, rate_bps),
	UP_TO(control_test, batch, 1 << 20), UP_TO(control_test, on_ns, MAX_TIME_NS),
	UP_TO(control_test, off_ns, MAX_TIME_NS), UP_TO(control_test, gso, 1),
	UP_TO(control_test, arrivals, CONTROL_MAX_ARRIVALS),
	UP_TO(control_test, send_buffer_bytes, INT32_MAX / 2),
	UP_TO(control_test, receive_buffer_bytes, INT32_MAX / 2), UP_TO(control_test, nodelay, 1),
	UP_TO(control_test, window_clamp_bytes, INT32_MAX), UP_TO(control_test, mss_bytes, 65535),
	UP_TO(control_test, dscp, 63), UP_TO(control_test, zerocopy, 1),
	UP_TO(control_test, sendfile, 1), UP_TO(control_test, splice, 1), UP_TO(control_test, spin, 1),
	UP_TO(control_test, busy_poll_us, 1000000), UP_TO(control_test, cpu, 1 << 16),
	TEXT(control_test, congestion), END
};

static const struct field ready_fields[] = { TEXT(control_ready, ports), END };

static const struct field figures_fields[] = {
	NUMBER(control_figures, elapsed_ns), NUMBER(control_figures, window_ns),
	NUMBER(control_figures, sent_bytes), NUMBER(control_figures, received_bytes),
	NUMBER(control_figures, sent_window_bytes), NUMBER(control_figures, received_window_bytes),
	NUMBER(control_figures, sent_packets), NUMBER(control_figures, received_packets),
	NUMBER(control_figures, transactions), NUMBER(control_figures, window_transactions),
	NUMBER(control_figures, distinct),
	NUMBER(control_figures, duplicates),
	NUMBER(control_figures, reordered), NUMBER(control_figures, unknown),
	NUMBER(control_figures, send_errors), NUMBER(control_figures, socket_dropped),
	NUMBER(control_figures, socket_full),
	NUMBER(control_figures, cpu_ns), NUMBER(control_figures, host_busy_ns),
	NUMBER(control_figures, delays), DIST_STATS(DELAY)
	NUMBER(control_figures, retransmits), NUMBER(control_figures, senders), NUMBER(control_figures, rtt_us),
	NUMBER(control_figures, cwnd_packets),
	NUMBER(control_figures, send_buffer_bytes), NUMBER(control_figures, receive_buffer_bytes), END
};

static const struct field conn_fields[] = {
	NUMBER(control_conn, stream), NUMBER(control_conn, sent_bytes),
	NUMBER(control_conn, acked_bytes), NUMBER(control_conn, retransmits),
	NUMBER(control_conn, retransmitted_bytes), NUMBER(control_conn, rtt_us),
	NUMBER(control_conn, rtt_var_us), NUMBER(control_conn, min_rtt_us),
	NUMBER(control_conn, cwnd_packets), NUMBER(control_conn, mss_bytes),
	NUMBER(control_conn, delivery_bps), NUMBER(control_conn, pacing_bps),
	NUMBER(control_conn, busy_us), NUMBER(control_conn, rwnd_limited_us),
	NUMBER(control_conn, sndbuf_limited_us), NUMBER(control_conn, delivered_ce_packets),
	NUMBER(control_conn, reordering_seen), NUMBER(control_conn, send_buffer_bytes),
	NUMBER(control_conn, receive_buffer_bytes), TEXT(control_conn, congestion), END
};

static const struct field arrivals_fields[] = { TEXT(control_arrivals, list), END };

static const struct field error_fields[] = {
	TEXT(control_error, what), TEXT(control_error, hint), END
};

static const struct form {
	const char *name;
	const struct field *fields;
} forms[] = {
	[CONTROL_HELLO] = { "hello", hello_fields },
	[CONTROL_WELCOME] = { "welcome", welcome_fields },
	[CONTROL_TEST] = { "test", test_fields },
	[CONTROL_READY] = { "ready", ready_fields },
	[CONTROL_GO] = { "go", no_fields },
	[CONTROL_ROW] = { "row", figures_fields },
	[CONTROL_STOP] = { "stop", no_fields },
	[CONTROL_CONN] = { "conn", conn_fields },
	[CONTROL_ARRIVALS] = { "arrivals", arrivals_fields },
	[CONTROL_RESULT] = { "result", figures_fields },
	[CONTROL_ERROR] = { "error", error_fields },
};

#define NR_FORMS ARRAY_SIZE(forms)

struct reader {
	const char *at, *end;
	const char *wrong;		/* NULL: no error so far */
};

static void skip_blanks(struct reader *in)
{
	while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\r'))
		in->at++;
}

static bool take(struct reader *in, char c)
{
	skip_blanks(in);
	if (in->at == in->end || *in->at != c)
		return false;
	in->at++;
	return true;
}

static void fail(struct reader *in, const char *wrong)
{
	if (!in->wrong)
		in->wrong = wrong;
}

/* Accepts only the escapes of quote, backslash and slash: neither end writes others. */
static void read_text(struct reader *in, char *ret_text, size_t size)
{
	size_t len = 0;

	if (!take(in, '"'))
		fail(in, "a quoted string is missing");
	while (!in->wrong && in->at < in->end && *in->at != '"') {
		unsigned char c = (unsigned char)*in->at++;

		if (c == '\\') {
			c = in->at < in->end ? (unsigned char)*in->at++ : 0;
			if (c != '"' && c != '\\' && c != '/')
				fail(in, "a string has an unsupported escape");
		}
		if (c < 0x20 || c > 0x7e)
			fail(in, "a string has bytes other than printable ASCII");
		else if (len + 1 >= size)
			fail(in, "a string is too long");
		else
			ret_text[len++] = (char)c;
	}
	if (!in->wrong && !take(in, '"'))
		fail(in, "a string is not terminated");
	ret_text[in->wrong ? 0 : len] = '\0';
}

static uint64_t read_number(struct reader *in)
{
	uint64_t value = 0, digit;
	const char *start;

	skip_blanks(in);
	start = in->at;
	while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
		digit = (uint64_t)(*in->at++ - '0');
		if (value > (MAX_NUMBER - digit) / 10) {
			fail(in, "a number is too large");
			return 0;
		}
		value = 10 * value + digit;
	}
	if (in->at == start || (*start == '0' && in->at - start > 1))
		fail(in, "an integer is missing");
	return value;
}

static void read_value(struct reader *in, const struct field *field, void *body)
{
	void *to = (char *)body + field->offset;
	char word[16];
	uint64_t number;
	int i;

	switch (field->type) {
	case FIELD_NUMBER:
		number = read_number(in);
		if (number > field->max)
			fail(in, "a number is out of range");
		*(uint64_t *)to = number;
		break;
	case FIELD_TEXT:
		read_text(in, to, field->max);
		break;
	case FIELD_CHOICE:
		read_text(in, word, sizeof(word));
		for (i = 0; field->choices[i] && strcmp(field->choices[i], word); i++)
			;
		if (!field->choices[i])
			fail(in, "a word is not one of the allowed ones");
		*(int *)to = i;
		break;
	}
}

static const struct field *find_field(const struct form *form, const char *key)
{
	const struct field *field;

	for (field = form->fields; field->key; field++) {
		if (!strcmp(field->key, key))
			return field;
	}
	return NULL;
}

/* "type" comes first, so that one pass is sufficient. */
static const struct form *read_form(struct reader *in)
{
	char key[32], name[32];
	size_t i;

	if (!take(in, '{'))
		fail(in, "it is not an object");
	read_text(in, key, sizeof(key));
	if (!in->wrong && (strcmp(key, "type") || !take(in, ':')))
		fail(in, "its first field is not \"type\"");
	read_text(in, name, sizeof(name));
	for (i = 0; !in->wrong && i < NR_FORMS; i++) {
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	}
	fail(in, "its type is unknown");
	return NULL;
}

int control_read(const char *line, size_t len, enum control_type *ret_type,
		 union control_body *ret_body, struct err *e)
{
	struct reader in = { .at = line, .end = line + len };
	union control_body body;
	const struct field *field;
	const struct form *form;
	uint64_t seen = 0, bit;
	char key[32] = "";

	memset(&body, 0, sizeof(body));
	form = read_form(&in);
	while (!in.wrong && take(&in, ',')) {
		read_text(&in, key, sizeof(key));
		field = in.wrong ? NULL : find_field(form, key);
		if (!field) {
			fail(&in, "it has an unknown field");
			break;
		}
		bit = 1ull << (field - form->fields);
		if (seen & bit)
			fail(&in, "it has a field twice");
		seen |= bit;
		if (!take(&in, ':'))
			fail(&in, "a field has no value");
		if (!in.wrong)
			read_value(&in, field, &body);
	}
	if (!in.wrong && !take(&in, '}'))
		fail(&in, "it is not terminated");
	skip_blanks(&in);
	if (!in.wrong && in.at != in.end)
		fail(&in, "something follows its end");
	if (in.wrong)
		return err_plain(e, -EINVAL, "invalid control message: %s%s%s%s", in.wrong,
				 *key ? " (at '" : "", key, *key ? "')" : "");
	*ret_type = (enum control_type)(form - forms);
	*ret_body = body;
	return 0;
}

struct writer {
	char *buf;
	size_t size, len;
};

static void put(struct writer *out, char c)
{
	if (out->len < out->size)
		out->buf[out->len] = c;
	out->len++;
}

static void put_string(struct writer *out, const char *text)
{
	while (*text)
		put(out, *text++);
}

static void put_text(struct writer *out, const char *text)
{
	put(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			put(out, '\\');
		put(out, *text >= 0x20 && *text <= 0x7e ? *text : '?');
	}
	put(out, '"');
}

static void put_field(struct writer *out, const struct field *field, const void *body)
{
	const void *from = (const char *)body + field->offset;
	char number[24];

	if (field->type == FIELD_NUMBER ? !*(const uint64_t *)from :
	    field->type == FIELD_TEXT && !*(const char *)from)
		return;
	put(out, ',');
	put_text(out, field->key);
	put(out, ':');
	if (field->type == FIELD_NUMBER) {
		snprintf(number, sizeof(number), "%" PRIu64, *(const uint64_t *)from);
		put_string(out, number);
	} else {
		put_text(out, field->type == FIELD_TEXT ? from :
			 field->choices[*(const int *)from]);
	}
}

int control_write(char *buf, size_t size, enum control_type type, const void *body)
{
	struct writer out = { .buf = buf, .size = size };
	const struct field *field;

	put_string(&out, "{\"type\":");
	put_text(&out, forms[type].name);
	for (field = forms[type].fields; field->key; field++)
		put_field(&out, field, body);
	put_string(&out, "}\n");
	return out.len <= size ? (int)out.len : -ENOSPC;
}

bool control_add_arrival(char *list, size_t size, const struct control_arrival *arrival)
{
	size_t len = strlen(list);
	int more = snprintf(list + len, size - len, "%s%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64,
			    len ? "," : "", arrival->stream, arrival->sequence,
			    arrival->received_ns, arrival->delay_ns);

	if (more > 0 && (size_t)more < size - len)
		return true;
	list[len] = '\0';
	return false;
}

bool control_next_arrival(const char **at, struct control_arrival *ret_arrival)
{
	struct reader in = { .at = *at, .end = *at + strlen(*at) };
	struct control_arrival arrival;

	if (in.at == in.end)
		return false;
	arrival.stream = read_number(&in);
	if (!take(&in, ':'))
		return false;
	arrival.sequence = read_number(&in);
	if (!take(&in, ':'))
		return false;
	arrival.received_ns = read_number(&in);
	if (!take(&in, ':'))
		return false;
	arrival.delay_ns = read_number(&in);
	if (in.wrong || (in.at != in.end && !take(&in, ',')))
		return false;
	*at = in.at;
	*ret_arrival = arrival;
	return true;
}

const char *control_name(enum control_type type)
{
	return forms[type].name;
}

static int check_udp(const struct control_test *test, struct err *e)
{
	uint64_t least = test->kind == CONTROL_STREAM ? test->message_bytes : test->request_bytes;

	if (test->kind == CONTROL_CRR)
		return err_usage(e, "UDP has no connections to open");
	if (least < TAG_BYTES || least > 65507 || (test->kind == CONTROL_RR &&
	    (test->response_bytes < TAG_BYTES || test->response_bytes > 65507)))
		return err_usage(e, "a datagram must have %d to 65507 bytes: its number and "
				 "timestamp need %d",
				 TAG_BYTES, TAG_BYTES);
	if (test->zerocopy || test->sendfile || test->splice || test->nodelay || test->window_clamp_bytes ||
	    test->mss_bytes || *test->congestion)
		return err_usage(e, "this option requires TCP");
	if (test->gso && (test->kind != CONTROL_STREAM || (test->rate_bps && test->batch < 2)))
		return err_usage(e, "gso joins datagrams of a stream that are sent together: with "
				 "a rate, it requires a batch");
	return 0;
}

int control_check_test(const struct control_test *test, struct err *e)
{
	if (!test->streams)
		return err_usage(e, "a test requires at least one stream");
	if (!test->duration_ns)
		return err_usage(e, "a test requires a duration");
	if (test->kind != CONTROL_STREAM && test->direction != CONTROL_THERE)
		return err_usage(e, "requests go from client to server only");
	if (test->kind == CONTROL_STREAM ? !test->message_bytes :
	    !test->request_bytes || !test->response_bytes || !test->outstanding)
		return err_usage(e, "a message must have at least one byte");
	if (test->interval_ns && test->interval_ns < LEAST_INTERVAL_NS)
		return err_usage(e, "an interval must be at least 10 ms");
	if (test->direction == CONTROL_BOTH && test->streams > CONTROL_MAX_STREAMS / 2)
		return err_usage(e, "at most %d streams per direction",
				 CONTROL_MAX_STREAMS / 2);
	if (!test->on_ns != !test->off_ns)
		return err_usage(e, "on and off times require each other");
	if (test->protocol == CONTROL_UDP)
		return check_udp(test, e);
	if (test->batch || test->on_ns || test->gso || test->arrivals)
		return err_usage(e, "batches, pauses, gso and arrivals require a UDP stream");
	return 0;
}

int control_parse_range(const char *text, struct control_range *ret_range, struct err *e)
{
	unsigned int first, last;
	int end = 0;

	*ret_range = (struct control_range){ 0 };
	if (!text)
		return 0;
	if (sscanf(text, "%5u-%5u%n", &first, &last, &end) != 2 || text[end] || !first ||
	    last > UINT16_MAX || first > last)
		return err_usage(e, OPTION("data-ports") " '%s' is not LOW-HIGH, such as 14881-14999", text);
	if (first < CONTROL_MIN_PORT)
		return err_usage(e, OPTION("data-ports") " %s: clients use no data port below %u", text,
				 CONTROL_MIN_PORT);
	*ret_range = (struct control_range){ (uint16_t)first, (uint16_t)last };
	return 0;
}

struct control_range control_range_of(uint16_t control_port)
{
	unsigned int first = control_port + 1u;

	if (first < CONTROL_MIN_PORT)
		first = CONTROL_MIN_PORT;
	if (first + CONTROL_DATA_PORTS - 1 > UINT16_MAX)
		first = control_port - CONTROL_DATA_PORTS;
	return (struct control_range){ (uint16_t)first, (uint16_t)(first + CONTROL_DATA_PORTS - 1) };
}

int control_check_port(uint16_t port, uint16_t control_port, const struct control_range *given, struct err *e)
{
	unsigned int away = port > control_port ? port - control_port : control_port - port;

	if (port < CONTROL_MIN_PORT)
		return err_plain(e, -EPROTO, "the server names port %u for data: a test uses none below %u",
				 port, CONTROL_MIN_PORT);
	if (given->first && (port < given->first || port > given->last))
		return err_plain(e, -EPROTO, "the server names port %u for data, which is not in "
				 OPTION("data-ports") " %u-%u", port, given->first, given->last);
	if (given->first || away <= CONTROL_NEAR_PORTS)
		return 0;
	err_plain(e, -EPROTO, "the server names port %u for data, which is not near its control port %u",
		  port, control_port);
	return err_hint(e, "if the server was started with --data-ports, give the same here");
}

uint16_t control_port(const char *ports, unsigned int index)
{
	unsigned long port;
	char *end;

	while (index--) {
		ports = strchr(ports, ',');
		if (!ports)
			return 0;
		ports++;
	}
	port = strtoul(ports, &end, 10);
	return end != ports && (*end == ',' || !*end) && port <= 65535 ? (uint16_t)port : 0;
}
