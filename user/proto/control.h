/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/control.h - what the two ends of a transport test say to each other.
 *
 * Lines of JSON: each one object with "type" and, flat, the fields of that form;
 * numbers are whole and not negative. A reader of its own instead of a library's: it
 * is fed by strangers, so it takes nothing but this, and this layer has no library.
 * A field that is not known is an error, as a test whose option the other end does
 * not know would measure something else. In the order of a test:
 *
 *   server  hello    its version, a number used once, whether a key is needed
 *   client  hello    likewise, and its proof where a key is needed
 *   server  welcome  its proof
 *   client  test     what to measure: struct control_test
 *   server  ready    the port of each stream
 *   client  go       all connections are there, and what it receives is read
 *   server  go       likewise: either may send from here on
 *   server  row      ... its counters at each interval; before it the conns, if asked for
 *   client  stop
 *   server  conn     ... of each TCP connection, arrivals ... of UDP if asked for, then
 *   server  result   struct control_figures
 *
 * and another test, or the end. Instead of any of them: error.
 */
#ifndef PROTO_CONTROL_H
#define PROTO_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dist.h"
#include "lib/err.h"

#define CONTROL_VERSION		1	/* incremented when a form changes */
#define CONTROL_PORT		14880
/* Of data. A server cannot make a client dial a service of its host: it names ports near its own. */
#define CONTROL_MIN_PORT 1024u
#define CONTROL_DATA_PORTS 4096u	/* number of them, above the control port or below */
#define CONTROL_NEAR_PORTS 8192u	/* distance that a client accepts: its control port may be forwarded */
#define CONTROL_LINE_BYTES	4096	/* including the terminator */
#define CONTROL_MAX_STREAMS	256
#define CONTROL_MAX_MESSAGE	(16 << 20)
#define CONTROL_MAX_ARRIVALS	50000
#define CONTROL_HEX_BYTES	65	/* 32 bytes in hex, and the terminator */

struct control_hello {
	uint64_t version;
	char tool[40];
	char nonce[CONTROL_HEX_BYTES];
	char host[40];			/* the kernel's boot ID: identifies its clock */
	uint64_t key;			/* server: a key is required */
	char proof[CONTROL_HEX_BYTES];	/* client: "" without a key */
};

/* The last fields are settings of the server's host and network namespace, "" if there are none. */
struct control_welcome {
	char proof[CONTROL_HEX_BYTES];
	uint64_t mtu_bytes;		/* of the server's path to the client */
	char kernel[66], congestion[16], tcp_rmem[48], tcp_wmem[48], rmem_max[24], wmem_max[24];
	char tcp_timestamps[8], tcp_sack[8], tcp_window_scaling[8], tcp_ecn[8];
	char tcp_moderate_rcvbuf[8];
};

enum control_protocol { CONTROL_TCP, CONTROL_UDP };
enum control_kind { CONTROL_STREAM, CONTROL_RR, CONTROL_CRR };
enum control_direction { CONTROL_THERE, CONTROL_BACK, CONTROL_BOTH };	/* from the client's side */

/* Zero means the system's default, unless noted. */
struct control_test {
	int protocol, kind, direction;
	uint64_t streams;		/* at least 1, per direction */
	uint64_t threads;		/* 0: one per stream, at most one per CPU */
	uint64_t duration_ns, omit_ns;	/* omit_ns: at the start, not included in duration_ns */
	uint64_t interval_ns;		/* between rows; 0: none */
	uint64_t stream_rows;		/* also rows for each sending TCP connection */
	uint64_t message_bytes;		/* bytes per write, or a datagram's payload */
	uint64_t request_bytes, response_bytes;
	uint64_t outstanding;		/* outstanding requests per connection */
	uint64_t rate_bps;		/* payload, all streams of a direction together */
	uint64_t batch;			/* UDP: datagrams per batch */
	uint64_t on_ns, off_ns;		/* UDP: time to send, and to pause */
	uint64_t arrivals;		/* UDP: the receiver lists the arrival times of this many datagrams */
	uint64_t gso;			/* UDP: use segmentation and receive offload (GSO, GRO) */
	uint64_t send_buffer_bytes, receive_buffer_bytes;	/* for the sockets of this
								 * message's reader */
	uint64_t nodelay, window_clamp_bytes, mss_bytes, dscp;
	uint64_t zerocopy, sendfile, splice, spin, busy_poll_us;
	uint64_t cpu;			/* for all its threads, + 1 */
	char congestion[16];
};

struct control_ready {
	char ports[CONTROL_MAX_STREAMS * 6 * 2];	/* "40001,40002": one per stream */
};

/* Sums over one end's streams; what it sent belongs to the other end's direction. */
struct control_figures {
	uint64_t elapsed_ns;		/* since its start, including the omitted time */
	uint64_t window_ns;		/* duration of the *_window_* figures: without the
					 * omitted time */
	uint64_t sent_bytes, received_bytes;
	uint64_t sent_window_bytes, received_window_bytes;
	uint64_t sent_packets, received_packets;	/* UDP: datagrams; TCP: calls */
	uint64_t transactions, window_transactions;
	uint64_t distinct, duplicates, reordered, unknown;
	uint64_t send_errors;		/* datagrams refused by the kernel */
	uint64_t socket_dropped;	/* by the sockets' own counters */
	uint64_t socket_full;		/* of these, as a buffer was full */
	uint64_t cpu_ns;		/* of the sending and receiving threads, in the window */
	uint64_t host_busy_ns;		/* of all CPUs of the host, in the window */
	uint64_t delays, delay_ns[DIST_NR];
	uint64_t retransmits;
	uint64_t senders, rtt_us, cwnd_packets;	/* sending TCP connections: their number, and
						 * sums over them */
	uint64_t send_buffer_bytes, receive_buffer_bytes;	/* actual sizes of its sockets'
								 * buffers */
};

/* TCP's figures of a connection (tcp_info). */
struct control_conn {
	uint64_t stream;
	uint64_t sent_bytes, acked_bytes, retransmits, retransmitted_bytes;
	uint64_t rtt_us, rtt_var_us, min_rtt_us;
	uint64_t cwnd_packets, mss_bytes, delivery_bps, pacing_bps;
	uint64_t busy_us, rwnd_limited_us, sndbuf_limited_us;
	uint64_t delivered_ce_packets, reordering_seen;
	uint64_t send_buffer_bytes, receive_buffer_bytes;
	char congestion[16];
};

/*
 * Arrival times of datagrams, since the receiver's start: "STREAM:SEQUENCE:RECEIVED:DELAY,..." in
 * ns.
 */
struct control_arrivals {
	char list[CONTROL_LINE_BYTES - 64];
};

struct control_arrival {
	uint64_t stream, sequence, received_ns;
	uint64_t delay_ns;		/* since it was sent; only with a common clock */
};

struct control_error {
	char what[400];
	char hint[400];
};

enum control_type {
	CONTROL_HELLO, CONTROL_WELCOME, CONTROL_TEST, CONTROL_READY, CONTROL_GO, CONTROL_ROW,
	CONTROL_STOP, CONTROL_CONN, CONTROL_ARRIVALS, CONTROL_RESULT, CONTROL_ERROR,
};

union control_body {
	struct control_hello hello;
	struct control_welcome welcome;
	struct control_test test;
	struct control_ready ready;
	struct control_figures figures;		/* row, result */
	struct control_conn conn;
	struct control_arrivals arrivals;
	struct control_error error;
};

/*
 * Parses @len bytes, without the newline. Returns 0 or, with *@ret_type and *@ret_body untouched,
 * -EINVAL; missing fields are 0 or "".
 */
int control_read(const char *line, size_t len, enum control_type *ret_type,
		 union control_body *ret_body, struct err *e);

/*
 * Writes a line with newline and terminator to @buf: returns its length, or -ENOSPC. @body is the
 * form's struct, or NULL for go and stop; fields that are 0 or "" are omitted.
 */
int control_write(char *buf, size_t size, enum control_type type, const void *body);

/* Appends an arrival to @list of @size bytes; false, and unchanged, if it does not fit. */
bool control_add_arrival(char *list, size_t size, const struct control_arrival *arrival);
/* The next entry of a list; advances *@at. False at the end, or on a malformed entry. */
bool control_next_arrival(const char **at, struct control_arrival *ret_arrival);

/* "go", "stop" and so on. */
const char *control_name(enum control_type type);

/* Checks that a test is meaningful: 0, or -EINVAL with the reason. */
int control_check_test(const struct control_test *test, struct err *e);

/* Ports for data, first and last; 0: not given. */
struct control_range {
	uint16_t first, last;
};

/* Of "LOW-HIGH", the value of --data-ports; NULL: not given. */
int control_parse_range(const char *text, struct control_range *ret_range, struct err *e);

/* Where a server takes its data ports unless they are given. */
struct control_range control_range_of(uint16_t control_port);

/* Whether a client goes to the data port that a server names: 0 or -EPROTO with the reason. */
int control_check_port(uint16_t port, uint16_t control_port, const struct control_range *given, struct err *e);

/* Port @index in struct control_ready's list; 0: none. */
uint16_t control_port(const char *ports, unsigned int index);

#endif
