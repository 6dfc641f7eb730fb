/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_client.h - the near end of transport tests: what is asked for, one
 * test after another, and the figures of both ends.
 */
#ifndef ENGINE_TRANSPORT_XFER_CLIENT_H
#define ENGINE_TRANSPORT_XFER_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/self/meter.h"
#include "engine/transport/xfer_link.h"
#include "lib/err.h"
#include "result/result.h"

/* One test: the same but for what each end sets of its own sockets and CPUs. */
struct xfer_plan {
	struct control_test local, remote;
	double requests_per_s;		/* 0: each as soon as it may */
	bool per_stream;		/* rows of each connection */
	bool look;			/* at TCP's round trips between the rows, too */
};

struct xfer_client_cfg {
	const char *host, *from;	/* @from: NULL for the system's choice */
	uint16_t port;
	int family;			/* AF_UNSPEC, AF_INET, AF_INET6 */
	struct control_range data_ports;	/* those that the server may name; not given: near @port */
	struct secret key;
};

struct xfer_client;

int xfer_client_open(struct xfer_client **ret_client, const struct xfer_client_cfg *cfg,
		     struct result *res, struct err *e);
void xfer_client_close(struct xfer_client *client);	/* takes NULL */

/* Payload of a datagram that fills a packet of the path. */
uint64_t xfer_client_datagram_bytes(const struct xfer_client *client);

/* What a test came to, of all its directions together; NAN: not measured. */
struct xfer_figures {
	double sent_bps, received_bps;	/* payload */
	uint64_t datagrams_received;
	double lost_packets;		/* datagrams, or requests without an answer in time */
	double transactions_per_s, rtt_min_ns;
	double client_cpus, server_cpus;	/* cores that the threads of the test kept busy */
};

/*
 * Runs one test, and puts its figures and rows into @res, and the main ones into
 * *@ret_figures; also what there is of one that failed, or that a signal ended.
 */
int xfer_client_run(struct xfer_client *client, const struct xfer_plan *plan, struct result *res,
		    struct xfer_figures *ret_figures, struct err *e);

/* What TCP itself told of the last stream test: its senders, at either end, together. */
struct xfer_tcp {
	uint64_t sent_bytes, retransmitted_bytes;	/* both with what was sent again */
	uint64_t mss_bytes;		/* the smallest */
	/* Smoothed by TCP; with plan.look the mean of looks from here, of the server's senders the last. */
	double rtt_mean_ns;		/* NAN: none */
};

void xfer_client_read_tcp(const struct xfer_client *client, struct xfer_tcp *ret_tcp);

/* The server's address. */
const struct sockaddr *xfer_client_server(const struct xfer_client *client);

/*
 * "self" of @res, for all tests so far: @meter's, and whether a thread of either end on this host,
 * or the receiving socket, was the limit.
 */
void xfer_client_report_self(const struct xfer_client *client, struct meter *meter,
			     struct result *res);

/* As the kernel knows it of the path to the server. */
uint32_t xfer_client_mtu(const struct xfer_client *client);

#endif
