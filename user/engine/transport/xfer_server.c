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

#include "engine/self/link_downs.h"
#include "engine/transport/xfer_session.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/socket/sock.h"

#define ACCEPT_MS	50
#define RETRY_MS	250		/* when no descriptor or memory was free for a connection */
#define STACK_BYTES	(256u << 10)

/*
 * Connections that have not said who they are have places of their own: they take none from clients,
 * and least of all from those that have the key. An address has some of these places, as it may be of
 * many hosts (NAT). Each is free again when the time for the first message is over.
 */
#define NEW_CONNECTIONS	64u
#define NEW_PER_ADDRESS	16u

struct client {
	struct xfer_server *server;
	pthread_t id;
	bool used;
	bool met;			/* under the server's lock */
	atomic_bool ended;
	struct xfer_session session;
};

struct xfer_server {
	struct xfer_server_cfg cfg;
	struct client *clients;
	pthread_t id;
	bool started, starved;
	atomic_bool stop;
	pthread_mutex_t lock;		/* of the counters */
	struct xfer_served served;
	struct log_limit log;
	uint64_t clients_seen, clients_refused;
	struct link_downs *links;	/* of the interfaces to clients; NULL: not followed */
};

static void *client_main(void *arg)
{
	struct client *client = arg;

	xfer_session_run(&client->session);
	close(client->session.link.fd);
	atomic_store(&client->ended, true);
	return NULL;
}

static uint64_t nr_places(const struct xfer_server *server)
{
	return server->cfg.max_clients + NEW_CONNECTIONS;
}

/* Clients, if @met, or new connections; of @from's network only, unless that is NULL. Under the lock. */
static uint64_t count(const struct xfer_server *server, bool met, const struct sock_addr *from)
{
	uint64_t i, nr = 0;

	for (i = 0; i < nr_places(server); i++) {
		const struct client *client = &server->clients[i];

		nr += client->used && !atomic_load(&client->ended) && client->met == met &&
		      (!from || sock_same_network(&client->session.peer, from));
	}
	return nr;
}

/* A place for a new connection, after those that have ended were freed; NULL and *@ret_why: none. */
static struct client *find_place(struct xfer_server *server, const struct sock_addr *from, const char **ret_why)
{
	struct client *found = NULL;
	uint64_t i, all, same;

	pthread_mutex_lock(&server->lock);
	for (i = 0; i < nr_places(server); i++) {
		struct client *client = &server->clients[i];

		if (client->used && atomic_load(&client->ended)) {
			pthread_join(client->id, NULL);
			client->used = false;
		}
		if (!client->used)
			found = client;
	}
	all = count(server, false, NULL);
	same = count(server, false, from);
	pthread_mutex_unlock(&server->lock);
	*ret_why = same >= NEW_PER_ADDRESS ? "too many connections of this address that have not said who they are" :
		   "too many connections that have not said who they are";
	return same < NEW_PER_ADDRESS && all < NEW_CONNECTIONS ? found : NULL;
}

/* A connection has said who it is: it is a client now, if there is room. With a key, the address does not matter. */
static int admit(void *ctx, struct err *e)
{
	struct client *client = ctx;
	struct xfer_server *server = client->server;
	const struct xfer_server_cfg *cfg = &server->cfg;
	uint64_t all, same;

	pthread_mutex_lock(&server->lock);
	all = count(server, true, NULL);
	same = cfg->key.len ? 0 : count(server, true, &client->session.peer);
	client->met = all < cfg->max_clients && same < cfg->max_per_address;
	if (client->met)
		server->clients_seen++;
	else
		server->clients_refused++;
	pthread_mutex_unlock(&server->lock);
	if (client->met)
		return 0;
	if (all < cfg->max_clients)
		err_set(e, -EUSERS, "the server has %llu clients of this address, as many as it takes",
			(unsigned long long)same);
	else
		err_set(e, -EUSERS, "the server has %llu clients, as many as it takes", (unsigned long long)all);
	return err_hint(e, "try again when one has ended");
}

static void refuse(struct xfer_server *server, int fd, const char *from, const char *why)
{
	struct control_error error = { 0 };
	struct xfer_link link = { .fd = fd };
	struct err e;

	snprintf(error.what, sizeof(error.what), "%s", why);
	sock_set_timeouts(fd, NSEC_PER_SEC / 10);
	xfer_link_send(&link, CONTROL_ERROR, &error, &e);
	log_limited(&server->log, LOG_WARN, "%s: refused: %s", from, why);
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

/* No connection was accepted: poll() would say at once again that there is one, so it waits. */
static void note_starved(struct xfer_server *server, int error)
{
	if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM)
		return;
	if (!server->starved)
		log_warn("cannot accept clients until others end: %s", strerror(error));
	server->starved = true;
	poll(NULL, 0, RETRY_MS);
}

/* No one waits: one that took the place of one that left would not be the end of it. */
static void note_rest(struct xfer_server *server)
{
	if (server->starved)
		log_info("clients are accepted again");
	server->starved = false;
}

static void take_client(struct xfer_server *server, int listen_fd)
{
	struct sock_addr peer = { .len = sizeof(peer.storage) };
	int fd = accept4(listen_fd, &peer.sa, &peer.len, SOCK_CLOEXEC);
	struct client *client;
	char from[SOCK_TEXT_BYTES];
	const char *why;

	if (fd < 0) {
		note_starved(server, errno);
		return;
	}
	sock_text(&peer, from);
	client = find_place(server, &peer, &why);
	if (!client) {
		refuse(server, fd, from, why);
		return;
	}
	sock_keep_alive(fd);
	sock_set_timeouts(fd, XFER_ANSWER_NS);
	client->server = server;
	pthread_mutex_lock(&server->lock);
	client->met = false;
	client->session = (struct xfer_session){
		.cfg = &server->cfg, .link.fd = fd, .peer = peer, .stop = &server->stop,
		.lock = &server->lock, .served = &server->served, .log = &server->log,
		.links = server->links,
		.admit = admit, .ctx = client,
	};
	atomic_store(&client->ended, false);
	client->used = true;
	pthread_mutex_unlock(&server->lock);
	if (start_client(client)) {
		pthread_mutex_lock(&server->lock);
		client->used = false;
		pthread_mutex_unlock(&server->lock);
		refuse(server, fd, from, "the server cannot start a thread");
	}
}

static void *accept_main(void *arg)
{
	struct xfer_server *server = arg;
	unsigned int i, nr = server->cfg.nr_listen_fds;
	struct pollfd waits[XFER_LISTEN_FDS];

	for (i = 0; i < nr; i++)
		waits[i] = (struct pollfd){ .fd = server->cfg.listen_fds[i], .events = POLLIN };
	while (!atomic_load(&server->stop)) {
		int ready = poll(waits, nr, ACCEPT_MS);

		if (!ready)
			note_rest(server);
		if (ready <= 0)
			continue;
		for (i = 0; i < nr; i++) {
			if (waits[i].revents)
				take_client(server, waits[i].fd);
		}
	}
	return NULL;
}

int xfer_server_start(struct xfer_server **ret_server, const struct xfer_server_cfg *cfg,
		      struct err *e)
{
	struct xfer_server *server = calloc(1, sizeof(*server));
	unsigned int i;
	int err = 0;

	if (server) {
		server->cfg = *cfg;
		server->clients = calloc(nr_places(server), sizeof(*server->clients));
	}
	if (!server || !server->clients) {
		free(server);
		return err_set(e, -ENOMEM, "cannot serve");
	}
	pthread_mutex_init(&server->lock, NULL);
	server->links = link_downs_new();
	for (i = 0; i < cfg->nr_listen_fds; i++)
		sock_set_nonblocking(cfg->listen_fds[i]);
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
	for (i = 0; i < nr_places(server); i++) {
		if (server->clients[i].used)
			pthread_join(server->clients[i].id, NULL);
	}
	link_downs_stop(server->links);
	if (res) {
		link_downs_report(server->links, res);
		result_metric_u64(res, "served_clients", server->clients_seen);
		result_metric_u64(res, "served_tests", server->served.tests);
		result_metric_u64(res, "refused_clients", server->clients_refused);
		result_metric_u64(res, "refused_keys", server->served.bad_keys);
		result_metric_u64(res, "refused_tests", server->served.refused);
		result_metric_u64(res, "malformed_messages", server->served.malformed);
		result_metric_u64(res, "tests_memory_max_bytes", server->served.memory_max_bytes);
		result_metric_u64(res, "payload_sent_bytes", server->served.sent_bytes);
		result_metric_u64(res, "payload_received_bytes", server->served.received_bytes);
	}
	pthread_mutex_destroy(&server->lock);
	link_downs_free(server->links);
	free(server->clients);
	free(server);
}
