// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_server.c - clients in, a thread each, and what each of them did.
 */
#include "engine/transport/xfer_server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/transport/xfer_session.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/socket/sock.h"

#define ACCEPT_MS	50
#define STACK_BYTES	(256u << 10)

struct client {
	struct xfer_server *server;
	pthread_t id;
	bool used;
	atomic_bool ended;
	struct xfer_session session;
};

struct xfer_server {
	struct xfer_server_cfg cfg;
	struct client *clients;
	pthread_t id;
	bool started;
	atomic_bool stop;
	pthread_mutex_t lock;		/* of the counters */
	struct xfer_served served;
	uint64_t clients_seen, clients_refused;
};

static void *client_main(void *arg)
{
	struct client *client = arg;

	xfer_session_run(&client->session);
	close(client->session.link.fd);
	atomic_store(&client->ended, true);
	return NULL;
}

/* A place that is free, after those whose client has gone were freed; NULL: none. */
static struct client *find_place(struct xfer_server *server)
{
	struct client *found = NULL;
	uint64_t i;

	for (i = 0; i < server->cfg.max_clients; i++) {
		struct client *client = &server->clients[i];

		if (client->used && atomic_load(&client->ended)) {
			pthread_join(client->id, NULL);
			client->used = false;
		}
		if (!client->used)
			found = client;
	}
	return found;
}

static void refuse(struct xfer_server *server, int fd, const char *from, const char *why)
{
	struct control_error error = { 0 };
	struct xfer_link link = { .fd = fd };
	struct err e;

	snprintf(error.what, sizeof(error.what), "%s", why);
	sock_set_timeouts(fd, NSEC_PER_SEC / 10);
	xfer_link_send(&link, CONTROL_ERROR, &error, &e);
	log_warn("%s: refused: %s", from, why);
	pthread_mutex_lock(&server->lock);
	server->clients_refused++;
	pthread_mutex_unlock(&server->lock);
	close(fd);
}

static int start_client(struct client *client)
{
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	err = pthread_create(&client->id, &attr, client_main, client);
	pthread_attr_destroy(&attr);
	return err;
}

static void take_client(struct xfer_server *server)
{
	struct sock_addr peer = { .len = sizeof(peer.storage) };
	int fd = accept4(server->cfg.listen_fd, &peer.sa, &peer.len, SOCK_CLOEXEC);
	struct client *client;
	char from[SOCK_TEXT_BYTES];

	if (fd < 0)
		return;
	sock_text(&peer, from);
	client = find_place(server);
	if (!client) {
		refuse(server, fd, from, "the server has as many clients as it takes: try again");
		return;
	}
	sock_keep_alive(fd);
	sock_set_timeouts(fd, XFER_ANSWER_NS);
	memset(&client->session, 0, sizeof(client->session));
	client->server = server;
	client->session = (struct xfer_session){
		.cfg = &server->cfg, .link.fd = fd, .peer = peer, .stop = &server->stop,
		.lock = &server->lock, .served = &server->served,
	};
	atomic_store(&client->ended, false);
	if (start_client(client)) {
		refuse(server, fd, from, "the server cannot start a thread");
		return;
	}
	client->used = true;
	pthread_mutex_lock(&server->lock);
	server->clients_seen++;
	pthread_mutex_unlock(&server->lock);
}

static void *accept_main(void *arg)
{
	struct xfer_server *server = arg;
	struct pollfd wait = { .fd = server->cfg.listen_fd, .events = POLLIN };

	while (!atomic_load(&server->stop)) {
		if (poll(&wait, 1, ACCEPT_MS) > 0)
			take_client(server);
	}
	return NULL;
}

int xfer_server_start(struct xfer_server **ret_server, const struct xfer_server_cfg *cfg,
		      struct err *e)
{
	struct xfer_server *server = calloc(1, sizeof(*server));
	int err = 0;

	if (server)
		server->clients = calloc(cfg->max_clients, sizeof(*server->clients));
	if (!server || !server->clients) {
		free(server);
		return err_set(e, -ENOMEM, "cannot serve");
	}
	server->cfg = *cfg;
	pthread_mutex_init(&server->lock, NULL);
	sock_set_nonblocking(cfg->listen_fd);
	err = pthread_create(&server->id, NULL, accept_main, server);
	if (err) {
		xfer_server_end(server, NULL);
		return err_set(e, -err, "cannot start a thread");
	}
	server->started = true;
	*ret_server = server;
	return 0;
}

bool xfer_server_is_done(struct xfer_server *server)
{
	bool done;

	pthread_mutex_lock(&server->lock);
	done = server->cfg.tests && server->served.tests >= server->cfg.tests;
	pthread_mutex_unlock(&server->lock);
	return done;
}

void xfer_server_end(struct xfer_server *server, struct result *res)
{
	uint64_t i;

	if (!server)
		return;
	atomic_store(&server->stop, true);
	if (server->started)
		pthread_join(server->id, NULL);
	for (i = 0; i < server->cfg.max_clients; i++) {
		if (server->clients[i].used)
			pthread_join(server->clients[i].id, NULL);
	}
	if (res) {
		result_metric_u64(res, "served_clients", server->clients_seen);
		result_metric_u64(res, "served_tests", server->served.tests);
		result_metric_u64(res, "refused_clients", server->clients_refused);
		result_metric_u64(res, "refused_keys", server->served.bad_keys);
		result_metric_u64(res, "refused_tests", server->served.refused);
		result_metric_u64(res, "malformed_messages", server->served.malformed);
		result_metric_u64(res, "payload_sent_bytes", server->served.sent_bytes);
		result_metric_u64(res, "payload_received_bytes", server->served.received_bytes);
	}
	pthread_mutex_destroy(&server->lock);
	free(server->clients);
	free(server);
}
