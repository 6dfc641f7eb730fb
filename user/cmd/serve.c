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
	bool ipv4, ipv6, open;
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
	  "listen on this address; default: all with a key or --open, else this host's own only" },
	{ 'p', "port", OPT_U16, offsetof(struct serve_opts, port), "N", "control port, TCP", .min = 1 },
	{ '4', "ipv4", OPT_FLAG, offsetof(struct serve_opts, ipv4), NULL, "IPv4 only" },
	{ '6', "ipv6", OPT_FLAG, offsetof(struct serve_opts, ipv6), NULL,
	  "use the IPv6 address of a name given to --bind" },
	{ 0, "data-ports", OPT_STR, offsetof(struct serve_opts, data_ports), "LOW-HIGH",
	  "range of data ports, TCP and UDP, for firewalls; default: the 4096 above --port" },
	{ 0, "key-file", OPT_STR, offsetof(struct serve_opts, key_file), "FILE",
	  "serve only clients with this key; default: the environment's ETHGAUGE_KEY, if set" },
	{ 0, "open", OPT_FLAG, offsetof(struct serve_opts, open), NULL,
	  "serve everyone who reaches the port, without a key: they may load this host and its network" },
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
	{ OPT_AT_MOST_ONE, "open key-file" },
	OPT_RULE_END
};

static int serve_check(void *args, const struct opt_given *given, struct err *e)
{
	struct serve_opts *opts = args;
	struct control_range ignored;

	(void)given;
	return control_parse_range(opts->data_ports, &ignored, e);
}

static int refuse_all(const char *where, struct err *e)
{
	err_usage(e, "%s takes clients of all addresses, and there is no key", where);
	return err_hint(e, "give a key, " OPTION("key-file") " FILE, or allow everyone: " OPTION("open"));
}

static int listen_at(struct xfer_server_cfg *cfg, const char *host, uint16_t port, int family, struct err *e)
{
	struct sock_addr at;
	int fd;

	if (sock_resolve(host, port, family, &at, e))
		return e->no;
	if (host && !cfg->key.len && !cfg->open && sock_is_any(&at))
		return refuse_all(host, e);
	fd = sock_listen(&at, SOCK_STREAM, NULL, e);
	if (fd < 0)
		return fd;
	cfg->listen_fds[cfg->nr_listen_fds++] = fd;
	return 0;
}

/* This host's own addresses: IPv6 may be missing. */
static int listen_inside(struct xfer_server_cfg *cfg, const struct serve_opts *opts, struct err *e)
{
	int err = 0;

	if (!opts->ipv6)
		err = listen_at(cfg, "127.0.0.1", opts->port, AF_INET, e);
	if (err || opts->ipv4)
		return err;
	err = listen_at(cfg, "::1", opts->port, AF_INET6, e);
	return err && !opts->ipv6 && (err == -EAFNOSUPPORT || err == -EADDRNOTAVAIL) ? 0 : err;
}

/* The socket that systemd passes, or new ones. */
static int open_port(struct xfer_server_cfg *cfg, const struct serve_opts *opts, struct result *res, struct err *e)
{
	int fd = sock_activated(), family = opts->ipv4 ? AF_INET : opts->ipv6 ? AF_INET6 : AF_UNSPEC, err;
	struct sock_addr at;

	if (fd < -1)
		return err_set(e, fd, "systemd passed more than one socket");
	if (fd >= 0) {
		cfg->listen_fds[cfg->nr_listen_fds++] = fd;
		if (!cfg->key.len && !cfg->open && !sock_local(fd, &at) && sock_is_any(&at))
			return refuse_all("the socket of systemd", e);
		result_env_str(res, "socket", "from systemd");
		return 0;
	}
	if (opts->at)
		return listen_at(cfg, opts->at, opts->port, family, e);
	if (!cfg->key.len && !cfg->open)
		return listen_inside(cfg, opts, e);
	/* An IPv6 socket accepts IPv4 as well; without IPv6 support, use an IPv4 socket. */
	if (family == AF_UNSPEC) {
		err = listen_at(cfg, NULL, opts->port, AF_INET6, e);
		if (err != -EAFNOSUPPORT)
			return err;
		family = AF_INET;
	}
	return listen_at(cfg, NULL, opts->port, family, e);
}

static void log_start(const struct xfer_server_cfg *cfg, const struct serve_opts *opts)
{
	if (cfg->key.len)
		log_info("serving on port %u, with a key", opts->port);
	else if (cfg->open || opts->at)
		log_info("serving on port %u without a key: whoever reaches it may have this host send and receive, to "
			 "their own address, and use its CPUs", opts->port);
	else
		log_info("serving on port %u of this host's own addresses only: for others, --key-file FILE or --open",
			 opts->port);
}

static bool is_done(void *ctx)
{
	return xfer_server_is_done(ctx);
}

static int serve_run(const void *args, struct result *res, struct err *e)
{
	const struct serve_opts *opts = args;
	struct xfer_server_cfg cfg = {
		.open = opts->open, .max_clients = opts->max_clients,
		.max_per_address = opts->max_per_address ? opts->max_per_address : (opts->max_clients + 1u) / 2,
		.max_streams = opts->max_streams, .max_duration_ns = opts->max_duration_ns,
		.max_bps = opts->max_rate.kind == UNIT_RATE_BPS ? opts->max_rate.value : 0,
		.max_memory_bytes = opts->max_memory_bytes, .tests = opts->tests,
	};
	struct loop loop = { .duration_ns = opts->duration_ns, .done = is_done };
	struct xfer_server *server = NULL;
	int err;

	control_parse_range(opts->data_ports, &cfg.data_ports, e);
	err = secret_read(&cfg.key, opts->key_file, XFER_KEY_VARIABLE, e);
	if (err)
		return err;
	if (cfg.key.len && opts->open)
		return err_usage(e, OPTION("open") " serves without a key, but there is one in " XFER_KEY_VARIABLE);
	err = open_port(&cfg, opts, res, e);
	if (!err)
		err = caps_become(opts->user, e);
	if (!err)
		err = xfer_server_start(&server, &cfg, e);
	if (err)
		goto out;
	log_start(&cfg, opts);
	loop.ctx = server;
	loop_run(&loop);
out:
	xfer_server_end(server, res);
	while (cfg.nr_listen_fds)
		close(cfg.listen_fds[--cfg.nr_listen_fds]);
	return err;
}

const struct cmd cmd_serve = {
	.name = "serve",
	.summary = "serve tcp and udp tests as their far end",
	.description =
"Waits for clients, the verbs tcp and udp, and runs the other end of their tests: many\n"
"clients at once, over one control port and negotiated data ports. The client chooses the\n"
"test, within the limits given here.\n\n"
"Without a key it serves this host only, unless --open lets in everyone who reaches it. With\n"
"a key, only clients that have it are served: both ends prove it (HMAC-SHA-256 over nonces);\n"
"the data is not encrypted. If started as root, it switches to another user as soon as the\n"
"port is bound. Data connections are accepted from the client's address only.\n"
"Invalid control messages are refused, logged and counted.",
	.examples =
"  # in a test network: everyone may use it\n"
"  ethgauge serve --open\n"
"  # for scripts: serve one test and exit\n"
"  ethgauge serve --open --count 1\n"
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
