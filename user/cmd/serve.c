// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/serve.c - the far end of tcp and udp.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "engine/transport/xfer_server.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/host/caps.h"
#include "sys/socket/sock.h"

struct serve_opts {
	const char *at, *data_ports, *key_file, *user;
	uint16_t port;
	bool ipv4, ipv6;
	uint16_t max_clients, max_per_address, max_streams;
	uint64_t max_duration_ns, max_memory_bytes, tests, duration_ns;
	struct unit_rate max_rate;
};

static const struct serve_opts defaults = {
	.port = CONTROL_PORT, .user = "nobody", .max_clients = 16, .max_streams = 64,
	.max_duration_ns = 3600 * NSEC_PER_SEC, .max_memory_bytes = 512 << 20,
};

static const struct opt options[] = {
	{ 'B', "bind", OPT_STR, offsetof(struct serve_opts, at), "ADDR",
	  "listen on this address; default: all addresses" },
	{ 'p', "port", OPT_U16, offsetof(struct serve_opts, port), "N", "control port, TCP", .min = 1 },
	{ '4', "ipv4", OPT_FLAG, offsetof(struct serve_opts, ipv4), NULL, "IPv4 only" },
	{ '6', "ipv6", OPT_FLAG, offsetof(struct serve_opts, ipv6), NULL,
	  "use the IPv6 address of a name given to --bind" },
	{ 0, "data-ports", OPT_STR, offsetof(struct serve_opts, data_ports), "LOW-HIGH",
	  "range of data ports, TCP and UDP, for firewalls; default: any" },
	{ 0, "key-file", OPT_STR, offsetof(struct serve_opts, key_file), "FILE",
	  "serve only clients with this key; default: the environment's ETHGAUGE_KEY, if set" },
	{ 0, "max-clients", OPT_U16, offsetof(struct serve_opts, max_clients), "N",
	  "maximum number of concurrent clients", .min = 1, .max = 1024 },
	{ 0, "max-per-address", OPT_U16, offsetof(struct serve_opts, max_per_address), "N",
	  "maximum number of concurrent clients of one address, without a key; 0: half of all" },
	{ 0, "max-streams", OPT_U16, offsetof(struct serve_opts, max_streams), "N",
	  "maximum number of connections per test", .min = 1, .max = CONTROL_MAX_STREAMS },
	{ 0, "max-duration", OPT_DURATION, offsetof(struct serve_opts, max_duration_ns), "TIME",
	  "longest duration of a test; 0: no limit" },
	{ 0, "max-rate", OPT_RATE, offsetof(struct serve_opts, max_rate), "RATE",
	  "highest payload rate of a test in each direction, in bit/s",
	  .rate_kinds = OPT_RATE_BPS | OPT_RATE_MAX },
	{ 0, "max-memory", OPT_COUNT, offsetof(struct serve_opts, max_memory_bytes), "BYTES",
	  "maximum memory of all tests; one test may take half of it", .min = 1 << 20 },
	{ 'c', "count", OPT_COUNT, offsetof(struct serve_opts, tests), "N",
	  "stop after N tests; 0: no limit" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct serve_opts, duration_ns), "TIME",
	  "stop after this time; 0: run until ^C" },
	{ 0, "user", OPT_STR, offsetof(struct serve_opts, user), "NAME",
	  "if started as root, switch to this user after binding the port" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_AT_MOST_ONE, "ipv4 ipv6" },
	OPT_RULE_END
};

static int parse_ports(const char *text, uint16_t *ret_first, uint16_t *ret_last, struct err *e)
{
	unsigned int first, last;
	int end = 0;

	if (!text)
		return 0;
	if (sscanf(text, "%5u-%5u%n", &first, &last, &end) != 2 || text[end] || !first ||
	    last > UINT16_MAX || first > last)
		return err_usage(e, "--data-ports '%s' is not LOW-HIGH, such as 14881-14999", text);
	if (first < CONTROL_MIN_PORT)
		return err_usage(e, "--data-ports %s: clients use no data port below %u", text, CONTROL_MIN_PORT);
	*ret_first = (uint16_t)first;
	*ret_last = (uint16_t)last;
	return 0;
}

static int serve_check(void *args, const struct opt_given *given, struct err *e)
{
	struct serve_opts *opts = args;
	uint16_t first, last;

	(void)given;
	return parse_ports(opts->data_ports, &first, &last, e);
}

/* The socket that systemd passes, or a new one. */
static int open_port(const struct serve_opts *opts, struct result *res, struct err *e)
{
	int fd = sock_activated(), family = opts->ipv4 ? AF_INET : opts->ipv6 ? AF_INET6 : AF_UNSPEC;
	struct sock_addr at;

	if (fd < -1)
		return err_set(e, fd, "systemd passed more than one socket");
	if (fd >= 0) {
		result_env_str(res, "socket", "from systemd");
		return fd;
	}
	/* An IPv6 socket accepts IPv4 as well; without IPv6 support, use an IPv4 socket. */
	if (!opts->at && family == AF_UNSPEC) {
		if (sock_resolve(NULL, opts->port, AF_INET6, &at, e) == 0) {
			fd = sock_listen(&at, SOCK_STREAM, NULL, e);
			if (fd != -EAFNOSUPPORT)
				return fd;
		}
		family = AF_INET;
	}
	if (sock_resolve(opts->at, opts->port, family, &at, e))
		return e->no;
	return sock_listen(&at, SOCK_STREAM, NULL, e);
}

static bool is_done(void *ctx)
{
	return xfer_server_is_done(ctx);
}

static int serve_run(const void *args, struct result *res, struct err *e)
{
	const struct serve_opts *opts = args;
	struct xfer_server_cfg cfg = {
		.listen_fd = -1, .max_clients = opts->max_clients,
		.max_per_address = opts->max_per_address ? opts->max_per_address : (opts->max_clients + 1u) / 2,
		.max_streams = opts->max_streams, .max_duration_ns = opts->max_duration_ns,
		.max_bps = opts->max_rate.kind == UNIT_RATE_BPS ? opts->max_rate.value : 0,
		.max_memory_bytes = opts->max_memory_bytes, .tests = opts->tests,
	};
	struct loop loop = { .duration_ns = opts->duration_ns, .done = is_done };
	struct xfer_server *server = NULL;
	int err;

	parse_ports(opts->data_ports, &cfg.first_port, &cfg.last_port, e);
	err = secret_read(&cfg.key, opts->key_file, XFER_KEY_VARIABLE, e);
	if (err)
		return err;
	cfg.listen_fd = open_port(opts, res, e);
	if (cfg.listen_fd < 0)
		return cfg.listen_fd;
	err = caps_become(opts->user, e);
	if (!err)
		err = xfer_server_start(&server, &cfg, e);
	if (err)
		goto out;
	log_info("serving on port %u%s", opts->port, cfg.key.len ? ", with a key" : "");
	loop.ctx = server;
	loop_run(&loop);
out:
	xfer_server_end(server, res);
	close(cfg.listen_fd);
	return err;
}

const struct cmd cmd_serve = {
	.name = "serve",
	.summary = "serve tcp and udp tests as their far end",
	.description =
"Waits for clients, the verbs tcp and udp, and runs the other end of their tests: many\n"
"clients at once, over one control port and negotiated data ports. The client chooses the\n"
"test, within the limits given here.\n\n"
"If started as root, it switches to another user as soon as the port is bound. With a key,\n"
"only clients that have it are served: both ends prove it (HMAC-SHA-256 over nonces); the\n"
"data is not encrypted. Data connections are accepted from the client's address only.\n"
"Invalid control messages are refused, logged and counted.",
	.examples =
"  ethgauge serve\n"
"  # for scripts: serve one test and exit\n"
"  ethgauge serve --count 1\n"
"  # on a public network: with a key, fixed data ports, and limits\n"
"  sudo ethgauge serve --key-file /etc/ethgauge.key --data-ports 14881-14999 \\\n"
"        --max-rate 1Gbit --max-duration 60s\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.check = serve_check,
	.run = serve_run,
};
