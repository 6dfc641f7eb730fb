// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever line a stranger sends: it is read, and then written and read again gives
 * the same, or it is refused and leaves the output alone.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/control.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

static const void *body_of(enum control_type type, const union control_body *body)
{
	return type == CONTROL_GO || type == CONTROL_STOP ? NULL : (const void *)body;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a client does with the ports that a server names: none is a service of its host. */
static void check_ports(const char *ports)
{
	static const struct control_range none;
	struct control_range given;
	unsigned int i;
	struct err e;
	uint16_t port;

	for (i = 0; i < CONTROL_MAX_STREAMS; i++) {
		port = control_port(ports, i);
		if (!control_check_port(port, CONTROL_PORT, &none, &e))
			must(port >= CONTROL_MIN_PORT && port <= CONTROL_PORT + CONTROL_NEAR_PORTS &&
			     port >= CONTROL_PORT - CONTROL_NEAR_PORTS);
		if (!control_parse_range(ports, &given, &e) && !control_check_port(port, CONTROL_PORT, &given, &e))
			must(port >= given.first && port <= given.last);
	}
}

/* Each entry can be written as it was read. */
static void check_arrivals(const char *list)
{
	char again[CONTROL_LINE_BYTES] = "";
	struct control_arrival arrival, same;
	const char *at = list, *end = list + strlen(list), *at_again;

	while (control_next_arrival(&at, &arrival)) {
		must(at > list && at <= end);
		*again = '\0';
		must(control_add_arrival(again, sizeof(again), &arrival));
		at_again = again;
		must(control_next_arrival(&at_again, &same) && !*at_again);
		must(same.stream == arrival.stream && same.sequence == arrival.sequence &&
		     same.received_ns == arrival.received_ns && same.delay_ns == arrival.delay_ns);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char line[4 * CONTROL_LINE_BYTES];
	union control_body body, again, untouched;
	enum control_type type = CONTROL_CONN, type_again;
	char *copy = malloc(size + 1);	/* of exact size, so that a read after the end is detected */
	struct err e;
	int len;

	must(copy);
	memcpy(copy, data, size);
	memset(&untouched, 0x5a, sizeof(untouched));
	body = untouched;
	if (control_read(copy, size, &type, &body, &e)) {
		must(!memcmp(&body, &untouched, sizeof(body)));
	} else {
		len = control_write(line, sizeof(line), type, body_of(type, &body));
		must(len > 0);
		must(!control_read(line, (size_t)len - 1, &type_again, &again, &e));
		must(type == type_again && !memcmp(&body, &again, sizeof(body)));
		if (type == CONTROL_TEST)
			control_check_test(&body.test, &e);
		if (type == CONTROL_READY)
			check_ports(body.ready.ports);
		if (type == CONTROL_ARRIVALS)
			check_arrivals(body.arrivals.list);
	}
	free(copy);
	return 0;
}
