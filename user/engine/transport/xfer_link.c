// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_link.c - the control connection of transport tests.
 */
#include "engine/transport/xfer_link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "engine/transport/xfer_host.h"
#include "lib/loop.h"
#include "lib/sha256.h"
#include "sys/socket/sock.h"

#define NONCE_BYTES 32
#define LOOK_NS 50000000ull		/* how often a signal is looked for */
#define HELLO_NS (2 * NSEC_PER_SEC)	/* a client says who it is within this time */

int xfer_link_send(struct xfer_link *link, enum control_type type, const void *body, struct err *e)
{
	char line[CONTROL_LINE_BYTES];
	int len = control_write(line, sizeof(line), type, body);
	ssize_t sent;
	int at = 0;

	if (len < 0)
		return err_set(e, len, "cannot write a control message");
	while (at < len) {
		sent = send(link->fd, line + at, (size_t)(len - at), MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return err_set(e, -errno, "cannot send a control message");
		at += (int)sent;
	}
	return 0;
}

/* The first line of the buffer; -EAGAIN if there is none yet. */
static int take_line(struct xfer_link *link, enum control_type *ret_type,
		     union control_body *ret_body, struct err *e)
{
	char *end = memchr(link->buf, '\n', link->len);
	union control_body body;
	enum control_type type;
	size_t used;
	int err;

	if (!end)
		return link->len < sizeof(link->buf) ? -EAGAIN :
		       err_plain(e, -EINVAL, "a control message is too long");
	used = (size_t)(end - link->buf);
	err = control_read(link->buf, used, &type, &body, e);
	link->len -= used + 1;
	memmove(link->buf, end + 1, link->len);
	if (err)
		return err;
	if (type == CONTROL_ERROR) {
		err_set(e, -EREMOTE, "the other end says: %s", body.error.what);
		/* What it means has been said by the other end already. */
		snprintf(e->msg, sizeof(e->msg), "the other end says: %s", body.error.what);
		return *body.error.hint ? err_hint(e, "%s", body.error.hint) : e->no;
	}
	*ret_type = type;
	*ret_body = body;
	return 0;
}

int xfer_link_receive(struct xfer_link *link, uint64_t timeout_ns, enum control_type *ret_type,
		      union control_body *ret_body, struct err *e)
{
	uint64_t end_ns = loop_mono_ns() + timeout_ns, now_ns;
	struct pollfd wait = { .fd = link->fd, .events = POLLIN };
	ssize_t got;
	int err;

	for (;;) {
		err = take_line(link, ret_type, ret_body, e);
		if (err != -EAGAIN)
			return err;
		now_ns = loop_mono_ns();
		err = poll(&wait, 1, now_ns < end_ns ? (int)((end_ns - now_ns + 999999) / 1000000) : 0);
		if (err <= 0)
			return -EAGAIN;
		got = recv(link->fd, link->buf + link->len, sizeof(link->buf) - link->len,
			   MSG_DONTWAIT);
		if (!got)
			return err_set(e, -ECONNRESET, "the other end has gone");
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return err_set(e, -errno, "the control connection ended");
		link->len += got > 0 ? (size_t)got : 0;
	}
}

static int expect_within(struct xfer_link *link, uint64_t timeout_ns, enum control_type type,
			 union control_body *ret_body, struct err *e)
{
	uint64_t end_ns = loop_mono_ns() + timeout_ns;
	enum control_type got;
	int err;

	do {
		err = xfer_link_receive(link, LOOK_NS, &got, ret_body, e);
		if (err == -EAGAIN && loop_signal())
			return err_set(e, -EINTR, "stopped while waiting for the other end");
	} while (err == -EAGAIN && loop_mono_ns() < end_ns);
	if (err == -EAGAIN)
		return err_plain(e, -ETIMEDOUT, "the other end does not answer");
	if (!err && got != type)
		return err_plain(e, -EINVAL, "the other end says '%s' where '%s' was due",
				 control_name(got), control_name(type));
	return err;
}

int xfer_link_expect(struct xfer_link *link, enum control_type type, union control_body *ret_body,
		     struct err *e)
{
	return expect_within(link, XFER_ANSWER_NS, type, ret_body, e);
}

static void to_hex(const uint8_t *bytes, size_t len, char *ret_text)
{
	size_t i;

	for (i = 0; i < len; i++)
		snprintf(ret_text + 2 * i, 3, "%02x", bytes[i]);
}

/* What @side proves with: a keyed hash over both nonces, its own first. */
static void prove(const struct secret *key, const char *side, const char *own, const char *other,
		  char ret_proof[CONTROL_HEX_BYTES])
{
	char text[3 * CONTROL_HEX_BYTES];
	uint8_t mac[SHA256_BYTES];

	snprintf(text, sizeof(text), "ethgauge %d %s %s %s", CONTROL_VERSION, side, own, other);
	sha256_hmac(key->bytes, key->len, text, strlen(text), mac);
	to_hex(mac, sizeof(mac), ret_proof);
}

/* Hashed once more, so that comparing tells nothing by its time. */
static bool is_proof(const char *given, const char *right)
{
	uint8_t a[SHA256_BYTES], b[SHA256_BYTES];

	sha256(given, strlen(given), a);
	sha256(right, strlen(right), b);
	return sha256_equal(a, b, sizeof(a));
}

static int fill_hello(struct control_hello *hello, struct err *e)
{
	uint8_t nonce[NONCE_BYTES];

	*hello = (struct control_hello){ .version = CONTROL_VERSION, .tool = "ethgauge " TOOL_VERSION };
	if (getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce))
		return err_set(e, -errno, "cannot get random bytes");
	to_hex(nonce, sizeof(nonce), hello->nonce);
	sock_host_id(hello->host, sizeof(hello->host));
	return 0;
}

static int check_version(const struct control_hello *peer, struct err *e)
{
	if (peer->version == CONTROL_VERSION)
		return 0;
	return err_plain(e, -EPROTO, "the other end, '%s', speaks version %llu of the control "
			 "protocol, and this one %d", peer->tool, (unsigned long long)peer->version,
			 CONTROL_VERSION);
}

int xfer_link_meet_client(struct xfer_link *link, const struct secret *key,
			  struct control_hello *ret_peer, struct err *e)
{
	struct control_welcome welcome = { .proof = "" };
	char right[CONTROL_HEX_BYTES];
	union control_body body;
	struct control_hello own;

	if (fill_hello(&own, e))
		return e->no;
	own.key = key->len > 0;
	if (xfer_link_send(link, CONTROL_HELLO, &own, e) ||
	    expect_within(link, HELLO_NS, CONTROL_HELLO, &body, e) || check_version(&body.hello, e))
		return e->no;
	if (key->len) {
		prove(key, "client", body.hello.nonce, own.nonce, right);
		if (!*body.hello.proof)
			return err_plain(e, -EACCES, "this server asks for a key");
		if (!is_proof(body.hello.proof, right))
			return err_plain(e, -EACCES, "the client has another key");
		prove(key, "server", own.nonce, body.hello.nonce, welcome.proof);
	}
	xfer_host_read(link->fd, &welcome);
	*ret_peer = body.hello;
	return xfer_link_send(link, CONTROL_WELCOME, &welcome, e);
}

int xfer_link_meet_server(struct xfer_link *link, const struct secret *key,
			  struct control_hello *ret_peer, struct control_welcome *ret_welcome,
			  struct err *e)
{
	char right[CONTROL_HEX_BYTES];
	union control_body body;
	struct control_hello own, peer;

	if (fill_hello(&own, e) || xfer_link_expect(link, CONTROL_HELLO, &body, e))
		return e->no;
	peer = body.hello;
	if (check_version(&peer, e))
		return e->no;
	if (peer.key && !key->len) {
		err_plain(e, -EACCES, "the server asks for a key");
		return err_hint(e, "give it with " OPTION("key-file") " FILE, or in "
				XFER_KEY_VARIABLE);
	}
	if (key->len && !peer.key) {
		err_plain(e, -EACCES, "the server asks for no key, so it proves none");
		return err_hint(e, "start it with the same key, ethgauge serve --key-file FILE; "
				"or use no key here: neither " OPTION("key-file") " nor " XFER_KEY_VARIABLE);
	}
	if (peer.key)
		prove(key, "client", own.nonce, peer.nonce, own.proof);
	if (xfer_link_send(link, CONTROL_HELLO, &own, e) ||
	    xfer_link_expect(link, CONTROL_WELCOME, &body, e))
		return e->no;
	if (peer.key) {
		prove(key, "server", peer.nonce, own.nonce, right);
		if (!is_proof(body.welcome.proof, right))
			return err_plain(e, -EACCES, "the server has another key");
	}
	*ret_peer = peer;
	*ret_welcome = body.welcome;
	return 0;
}
