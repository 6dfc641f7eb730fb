// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traffic of sockets for vmtest/scenarios: as few instructions of its own as can be.
 *
 *	traffic full PORT			a UDP socket that no one reads
 *	traffic echo udp|tcp PORT		what comes goes back
 *	traffic discard PORT			TCP, read and forgotten
 *						these return once they can be reached
 *	traffic rr udp|tcp ADDRESS PORT N	N times: a byte there, a byte back
 *	traffic stream ADDRESS PORT N		N times 64 KiB
 *
 * The last two print {"packet_ns": X, "packets": N}: by batches (batches.h), and all that were
 * sent. A packet of the stream is 1448 bytes, what a segment carries at an MTU of 1500.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batches.h"

#define SEGMENT_BYTES	1448
#define WRITE_BYTES	65536
/* Many turns of the reader in each: were it in fewer than one of ten, its part would be left out. */
#define STREAM_BATCHES	30

static char buf[WRITE_BYTES];

static void die(const char *what)
{
	fprintf(stderr, "traffic: cannot %s: %s\n", what, strerror(errno));
	exit(4);
}

static unsigned long number(const char *text, unsigned long most)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || !value || value > most) {
		fprintf(stderr, "traffic: '%s' is no number from 1 to %lu\n", text, most);
		exit(2);
	}
	return value;
}

static int open_socket(int type, const char *address, const char *port, struct sockaddr_in *sa)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), one = 1;

	*sa = (struct sockaddr_in){ .sin_family = AF_INET };
	sa->sin_port = htons((uint16_t)number(port, UINT16_MAX));
	if (address && inet_pton(AF_INET, address, &sa->sin_addr) != 1) {
		fprintf(stderr, "traffic: '%s' is no IPv4 address\n", address);
		exit(2);
	}
	if (fd < 0)
		die("open a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return fd;
}

static void set_nodelay(int fd)
{
	int one = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("set TCP_NODELAY");
}

static int serve(int type, const char *port)
{
	struct sockaddr_in sa;
	int fd = open_socket(type, NULL, port, &sa);

	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)))
		die("bind the port");
	if (type == SOCK_STREAM && listen(fd, 1))
		die("listen");
	if (daemon(0, 1))
		die("go to the background");
	if (type == SOCK_STREAM) {
		fd = accept(fd, NULL, NULL);
		if (fd < 0)
			die("accept");
		set_nodelay(fd);
	}
	return fd;
}

static void echo(int fd)
{
	struct sockaddr_in sa;
	socklen_t len = sizeof(sa);
	ssize_t n;

	while ((n = recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&sa, &len)) > 0) {
		if (sendto(fd, buf, (size_t)n, 0, len ? (struct sockaddr *)&sa : NULL, len) != n)
			die("answer");
		len = sizeof(sa);
	}
}

static void discard(int fd)
{
	while (recv(fd, buf, sizeof(buf), 0) > 0)
		;
}

static int dial(int type, const char *address, const char *port)
{
	struct sockaddr_in sa;
	int fd = open_socket(type, address, port, &sa);

	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		die("connect");
	if (type == SOCK_STREAM)
		set_nodelay(fd);
	return fd;
}

static void transact(int fd)
{
	if (send(fd, buf, 1, 0) != 1 || recv(fd, buf, 1, 0) != 1)
		die("finish a transaction");
}

static void write_all(int fd)
{
	size_t done = 0;
	ssize_t n;

	while (done < WRITE_BYTES) {
		n = send(fd, buf + done, WRITE_BYTES - done, 0);
		if (n <= 0)
			die("send");
		done += (size_t)n;
	}
}

/* @packets: of one step. */
static void measure(int fd, void (*step)(int fd), unsigned long steps, size_t nr_batches,
		    double packets)
{
	unsigned long batch = steps / nr_batches, i;
	uint64_t each_ns[BATCHES], from_ns;
	size_t k;

	for (i = 0; i < steps / 10; i++)	/* warm */
		step(fd);
	for (k = 0; k < nr_batches; k++) {
		from_ns = batches_now_ns();
		for (i = 0; i < batch; i++)
			step(fd);
		each_ns[k] = batches_now_ns() - from_ns;
	}
	printf("{\"packet_ns\": %.2f, \"packets\": %.0f}\n",
	       batches_mean_ns(each_ns, nr_batches) / ((double)batch * packets),
	       (double)(steps / 10 + nr_batches * batch) * packets);
}

static int type_of(const char *word)
{
	if (!strcmp(word, "udp"))
		return SOCK_DGRAM;
	if (!strcmp(word, "tcp"))
		return SOCK_STREAM;
	fprintf(stderr, "traffic: '%s' is neither udp nor tcp\n", word);
	exit(2);
}

/* Fewer than one a batch measure nothing. */
static unsigned long steps_of(const char *text)
{
	unsigned long steps = number(text, 100000000);

	return steps < BATCHES ? BATCHES : steps;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "full") && argc == 3) {
		serve(SOCK_DGRAM, argv[2]);
		pause();
	} else if (!strcmp(what, "echo") && argc == 4) {
		echo(serve(type_of(argv[2]), argv[3]));
	} else if (!strcmp(what, "discard") && argc == 3) {
		discard(serve(SOCK_STREAM, argv[2]));
	} else if (!strcmp(what, "rr") && argc == 6) {
		measure(dial(type_of(argv[2]), argv[3], argv[4]), transact, steps_of(argv[5]),
			BATCHES, 1);
	} else if (!strcmp(what, "stream") && argc == 5) {
		measure(dial(SOCK_STREAM, argv[2], argv[3]), write_all, steps_of(argv[4]),
			STREAM_BATCHES, (double)WRITE_BYTES / SEGMENT_BYTES);
	} else {
		fprintf(stderr, "traffic: full PORT | echo udp|tcp PORT | discard PORT | "
			"rr udp|tcp ADDRESS PORT N | stream ADDRESS PORT N\n");
		return 2;
	}
	return 0;
}
