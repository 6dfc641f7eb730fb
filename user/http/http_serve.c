// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http/http_serve.c - the listener: libmicrohttpd without a thread, in a process without privilege.
 *
 * A client that comes when all places are taken gets one: of the clients that have not sent their request,
 * the oldest loses its place, else the oldest of all. So slow clients keep no one out.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <microhttpd.h>

#include "http/http_parts.h"
#include "lib/loop.h"
#include "sys/host/helper.h"
#include "sys/socket/sock.h"

#define ADDRESS_CLIENTS	16		/* connections of one address */
#define SPARE_CLIENTS	32		/* that are being closed */
#define CLIENT_BYTES	32768		/* memory of each */
#define HELD_BYTES	HTTP_PAGE_MOST	/* of older pages that clients are taking */
#define TURN_MS		50
#define NAP_NS		10000000ull

/* Each stage has its time, whatever a client sends or takes in it. */
enum stage { STAGE_READ, STAGE_WAIT, STAGE_WRITE };

static const uint64_t stage_ns[] = {
	[STAGE_READ] = 2 * NSEC_PER_SEC, [STAGE_WAIT] = 5 * NSEC_PER_SEC, [STAGE_WRITE] = 5 * NSEC_PER_SEC,
};

struct client {
	struct MHD_Connection *connection;	/* NULL: a free place */
	int fd;
	struct sock_addr from;
	enum stage stage;
	uint64_t accepted_ns, stage_since_ns;
	uint64_t page;		/* number of the one that it gets */
	bool suspended, waited, late, cut;
};

struct server {
	struct MHD_Daemon *daemon;
	const char *path, *type;
	int pair_fd;
	struct client clients[HTTP_CLIENTS + SPARE_CLIENTS];
	uint64_t accepted;		/* connections since the start */
	struct MHD_Response *newest;
	uint64_t page, page_bytes, page_ns;
	bool asked, failed;
};

#define for_each_client(client, server) \
	for ((client) = (server)->clients; \
	     (client) < (server)->clients + sizeof((server)->clients) / sizeof(*(client)); (client)++) \
		if (!(client)->connection) \
			continue; \
		else

static void note_address(struct sock_addr *ret_from, const struct sockaddr *from)
{
	ret_from->len = from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	memcpy(&ret_from->storage, from, ret_from->len);
}

static void enter(struct client *client, enum stage stage)
{
	client->stage = stage;
	client->stage_since_ns = loop_mono_ns();
}

/* MHD closes it when it finds its end; what it has not taken is not kept for it. */
static void cut(struct client *client)
{
	static const struct linger none = { .l_onoff = 1 };

	client->cut = true;
	setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	shutdown(client->fd, SHUT_RDWR);
}

static bool is_before(const struct client *client, const struct client *other)
{
	bool reads = client->stage == STAGE_READ, other_reads = other->stage == STAGE_READ;

	return reads != other_reads ? reads : client->accepted_ns < other->accepted_ns;
}

/* Cuts a client, if there are more than @most, except @newcomer. @from: of its network only; NULL: of all. */
static void make_room(struct server *server, const struct client *newcomer, const struct sock_addr *from, int most)
{
	struct client *client, *found = NULL;
	int nr = 0;

	for_each_client(client, server) {
		if (client->cut || (from && !sock_same_network(&client->from, from)))
			continue;
		nr++;
		if (client != newcomer && (!found || is_before(client, found)))
			found = client;
	}
	if (found && nr > most)
		cut(found);
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **place,
			  enum MHD_ConnectionNotificationCode what)
{
	struct server *server = ctx;
	struct client *client = *place;
	size_t i;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (client)
			client->connection = NULL;
		return;
	}
	/* MHD accepts no more than there are places. */
	for (i = 0; server->clients[i].connection; i++)
		;
	client = &server->clients[i];
	*client = (struct client){
		.connection = connection, .accepted_ns = loop_mono_ns(),
		.fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
	};
	note_address(&client->from,
		     MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
	enter(client, STAGE_READ);
	*place = client;
	server->accepted++;
	make_room(server, client, &client->from, ADDRESS_CLIENTS);
	make_room(server, client, NULL, HTTP_CLIENTS);
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status,
			      const char *why)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(why), (void *)(uintptr_t)why,
						MHD_RESPMEM_PERSISTENT);
	enum MHD_Result queued;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
	/* A persistent connection would occupy a place that another client needs. */
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	queued = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return queued;
}

/* Frequent requests cost no more than rare ones, and slow clients keep no pages without limit. */
static bool is_fresh(struct server *server)
{
	struct client *client;
	uint64_t held = 0;

	if (!server->newest)
		return false;
	for_each_client(client, server) {
		if (client->page && client->page != server->page)
			held += server->page_bytes;
	}
	return loop_mono_ns() - server->page_ns < HTTP_FRESH_NS || held > HELD_BYTES;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **state)
{
	struct client *client =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
	struct server *server = ctx;

	(void)version, (void)upload, (void)state;
	if (client->cut)
		return MHD_NO;
	if (!client->waited && !is_fresh(server) && !strcmp(url, server->path) &&
	    (!strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD))) {
		enter(client, STAGE_WAIT);
		client->suspended = true;
		MHD_suspend_connection(connection);
		if (!server->asked)
			server->asked = !helper_send(server->pair_fd, "", 1, -1);
		return MHD_YES;
	}
	enter(client, STAGE_WRITE);
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		*upload_bytes = 0;
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "read-only: use GET or HEAD\n");
	}
	if (strcmp(url, server->path))
		return refuse(connection, MHD_HTTP_NOT_FOUND, "not found: the only page is /metrics\n");
	if (client->waited && (client->late || server->failed))
		return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "there are no figures now\n");
	client->page = server->page;
	return MHD_queue_response(connection, MHD_HTTP_OK, server->newest);
}

/* Takes @fd. */
static void new_page(struct server *server, int fd)
{
	struct MHD_Response *made = NULL;
	struct stat stat;

	server->asked = false;
	if (fd >= 0 && !fstat(fd, &stat))
		made = MHD_create_response_from_fd64((uint64_t)stat.st_size, fd);
	server->failed = !made;
	if (!made) {
		if (fd >= 0)
			close(fd);
		return;
	}
	MHD_add_response_header(made, MHD_HTTP_HEADER_CONTENT_TYPE, server->type);
	MHD_add_response_header(made, MHD_HTTP_HEADER_CONNECTION, "close");
	if (server->newest)
		MHD_destroy_response(server->newest);
	server->newest = made;
	server->page++;
	server->page_bytes = (uint64_t)stat.st_size;
	server->page_ns = loop_mono_ns();
}

/* False: the other process has ended. */
static bool take_page(struct server *server)
{
	struct client *client;
	char byte;
	int fd, err = helper_receive(server->pair_fd, &byte, 1, &fd);

	if (err)
		return err == -EAGAIN;
	/* Without a descriptor left, there is none. */
	new_page(server, fd);
	for_each_client(client, server) {
		if (client->suspended)
			client->waited = true;
	}
	return true;
}

/* Returns how many clients there are. */
static int pass_stages(struct server *server)
{
	uint64_t now_ns = loop_mono_ns();
	struct client *client;
	bool is_over;
	int nr = 0;

	for_each_client(client, server) {
		nr++;
		is_over = now_ns - client->stage_since_ns > stage_ns[client->stage];
		if (is_over && client->stage == STAGE_WAIT)
			client->waited = client->late = true;
		else if (is_over && !client->cut)
			cut(client);
		if (client->suspended && (client->waited || client->cut)) {
			client->suspended = false;
			MHD_resume_connection(client->connection);
		}
	}
	return nr;
}

static void turn(struct server *server)
{
	int epoll_fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, nr = 0;
	struct pollfd fds[] = {
		{ .fd = server->pair_fd, .events = POLLIN }, { .fd = epoll_fd, .events = POLLIN },
	};
	MHD_UNSIGNED_LONG_LONG due_ms;
	uint64_t accepted;

	for (;;) {
		int ms = nr ? TURN_MS : -1;

		if (MHD_get_timeout(server->daemon, &due_ms) == MHD_YES && (ms < 0 || due_ms < (unsigned int)ms))
			ms = (int)due_ms;
		poll(fds, 2, ms);
		if (fds[0].revents && !take_page(server))
			return;
		nr = pass_stages(server);
		accepted = server->accepted;
		MHD_run(server->daemon);
		nr += (int)(server->accepted - accepted);
		/* It cannot be accepted, for want of a descriptor: it would be tried again at once. */
		if (!nr && fds[1].revents)
			loop_sleep_until(loop_mono_ns() + NAP_NS);
	}
}

/* Messages caused by a client do not belong on this program's stderr. */
static void say_nothing(void *ctx, const char *fmt, va_list args)
{
	(void)ctx, (void)fmt, (void)args;
}

void http_serve(int listen_fd, int pair_fd, const char *path, const char *type)
{
	static struct server server;

	server.path = path;
	server.type = type;
	server.pair_fd = pair_fd;
	server.daemon = MHD_start_daemon(MHD_USE_ERROR_LOG | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0,
		NULL, NULL, answer, &server,
		MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, &server,
		MHD_OPTION_LISTEN_SOCKET, listen_fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)(HTTP_CLIENTS + SPARE_CLIENTS),
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CLIENT_BYTES, MHD_OPTION_END);
	/* The process ends, and all of it with it. */
	if (server.daemon)
		turn(&server);
}
