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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char line[4 * CONTROL_LINE_BYTES];
	union control_body body, again, untouched;
	enum control_type type = CONTROL_CONN, type_again;
	char *copy = malloc(size + 1);	/* of exact size, so that a read after the end is detected */
	struct control_arrival arrival;
	const char *at;
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
			control_port(body.ready.ports, 3);
		at = body.arrivals.list;
		while (type == CONTROL_ARRIVALS && control_next_arrival(&at, &arrival))
			must(at <= body.arrivals.list + strlen(body.arrivals.list));
	}
	free(copy);
	return 0;
}
