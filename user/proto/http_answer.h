/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/http_answer.h - the answer to a GET by HTTP/1.1 (RFC 9112), read as it arrives. No system calls.
 */
#ifndef PROTO_HTTP_ANSWER_H
#define PROTO_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_ANSWER_HEADER_MOST	(256u << 10)	/* bytes of headers and trailers */

enum http_answer_state {
	HTTP_ANSWER_STATUS, HTTP_ANSWER_HEADERS, HTTP_ANSWER_BODY, HTTP_ANSWER_UNTIL_END,
	HTTP_ANSWER_CHUNK_SIZE, HTTP_ANSWER_CHUNK, HTTP_ANSWER_CHUNK_END, HTTP_ANSWER_TRAILERS,
	HTTP_ANSWER_WHOLE, HTTP_ANSWER_BAD,
};

/* Zeroed: nothing has arrived. */
struct http_answer {
	enum http_answer_state state;
	unsigned int status;		/* of the last status line */
	bool closes;			/* the connection carries no other answer */
	bool has_length, chunked;
	uint64_t length, left;		/* left: of the body or of the chunk */
	uint64_t header_bytes;		/* status lines and headers, of interim answers (1xx) too */
	uint64_t trailer_bytes;
	uint64_t body_bytes;		/* without the framing of chunks */
	char *location;			/* of the header; NULL: none */
	char *line;			/* begun, not ended */
	size_t line_len, line_room;
};

/*
 * Takes up to @len bytes and returns how many belong to the answer: fewer than @len only where the state
 * is HTTP_ANSWER_WHOLE or HTTP_ANSWER_BAD. Also bad: headers above HTTP_ANSWER_HEADER_MOST, no memory.
 */
size_t http_answer_take(struct http_answer *answer, const char *data, size_t len);

/* The connection has ended: whether the answer is whole with that. */
bool http_answer_end(struct http_answer *answer);

/* For the next answer; keeps what memory it has. */
void http_answer_reset(struct http_answer *answer);
void http_answer_release(struct http_answer *answer);

#endif
