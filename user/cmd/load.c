// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/load.c - many clients that fetch and send URLs, and their transaction times.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/self/meter.h"
#include "engine/web/load.h"
#include "engine/web/load_body.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/host/caps.h"
#include "sys/host/fdlimit.h"

#define OTHER_FILES	64	/* of this process, besides its connections */
#define MAX_THREADS	256

struct load_opts {
	struct opt_strs urls;
	uint32_t clients, threads;
	const char *ramp, *sources, *pause, *cycle_pause;
	uint64_t cycles, count, duration_ns, interval_ns;
	const char *method, *data, *upload;
	struct opt_strs headers;
	int http;			/* enum transfer_http */
	bool fresh, cookies, insecure, no_failures;
	const char *cacert, *log;
	uint16_t follow;
	uint64_t connect_timeout_ns, timeout_ns;
	struct unit_rate rate, client_rate;
	uint64_t seed;
	/* Parsed from the texts of some options. */
	struct load_step ramp_step;
	struct load_range pause_range, cycle_pause_range;
	struct load_sources source_range;
};

static const struct load_opts defaults = {
	.clients = 1,
	.threads = 1,
	.interval_ns = NSEC_PER_SEC,
	.connect_timeout_ns = 10 * NSEC_PER_SEC,
	.timeout_ns = 60 * NSEC_PER_SEC,
	.seed = 1,
};

static const char *const http_names[] = { "1.1", "1.0", "2", "2-direct", NULL };

static const struct opt options[] = {
	{ 0, "URL", OPT_STRS, offsetof(struct load_opts, urls), NULL,
	  "http, https, ftp or ftps URLs, requested in this order; {client} and {cycle} become numbers",
	  .argument = true },
	{ 0, "clients", OPT_U32, offsetof(struct load_opts, clients), "N",
	  "number of clients, each with its own connections and cookies", .min = 1, .max = 1000000 },
	{ 0, "threads", OPT_U32, offsetof(struct load_opts, threads), "N",
	  "number of threads that share the clients", .min = 1, .max = MAX_THREADS },
	{ 0, "ramp", OPT_STR, offsetof(struct load_opts, ramp), "N/TIME",
	  "start N more clients every TIME, such as 10/s or 100/5s; default: all at once" },
	{ 0, "sources", OPT_STR, offsetof(struct load_opts, sources), "RANGE",
	  "local addresses, assigned to clients in turn: A, A-B or A/PREFIX" },
	{ 'r', "rate", OPT_RATE, offsetof(struct load_opts, rate), "RATE",
	  "transaction rate, such as 1000/s, independent of answers (open loop); max: each client sends "
	  "when its last answer has arrived", .rate_kinds = OPT_RATE_PPS | OPT_RATE_MAX },
	{ 0, "cycles", OPT_COUNT, offsetof(struct load_opts, cycles), "N",
	  "each client ends after N rounds of all URLs; 0: no limit" },
	{ 'c', "count", OPT_COUNT, offsetof(struct load_opts, count), "N",
	  "stop after N transactions of all clients; 0: no limit" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct load_opts, duration_ns), "TIME",
	  "stop after this time; 10 s if no limit is given" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct load_opts, interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	{ 'X', "method", OPT_STR, offsetof(struct load_opts, method), "METHOD",
	  "HTTP method, instead of GET, POST with --data or PUT with --upload" },
	{ 0, "data", OPT_STR, offsetof(struct load_opts, data), "TEXT",
	  "send TEXT by POST; @FILE: the contents of the file" },
	{ 0, "upload", OPT_STR, offsetof(struct load_opts, upload), "FILE",
	  "send FILE by PUT or FTP; a number such as 10M: this many zero bytes" },
	{ 'H', "header", OPT_STRS, offsetof(struct load_opts, headers), "LINE",
	  "header 'Name: value' of each HTTP request; may be repeated" },
	{ 0, "http", OPT_CHOICE, offsetof(struct load_opts, http), "VERSION",
	  "HTTP version; 2: negotiated by TLS, 2-direct: without negotiation", .choices = http_names },
	{ 0, "fresh", OPT_FLAG, offsetof(struct load_opts, fresh), NULL,
	  "open a new connection for each request, with a full TLS handshake" },
	{ 0, "cookies", OPT_FLAG, offsetof(struct load_opts, cookies), NULL,
	  "each client keeps and returns cookies" },
	{ 0, "follow", OPT_U16, offsetof(struct load_opts, follow), "N",
	  "follow at most N redirects in a row; 0: count a redirect as an answer", .max = 50 },
	{ 0, "insecure", OPT_FLAG, offsetof(struct load_opts, insecure), NULL,
	  "do not verify the server's certificate" },
	{ 0, "cacert", OPT_STR, offsetof(struct load_opts, cacert), "FILE",
	  "trust only the CA certificates in FILE (PEM)" },
	{ 0, "pause", OPT_STR, offsetof(struct load_opts, pause), "TIME",
	  "pause of a client between two URLs; 1s-5s: random in this range" },
	{ 0, "cycle-pause", OPT_STR, offsetof(struct load_opts, cycle_pause), "TIME",
	  "pause after the last URL, before the next cycle" },
	{ 0, "connect-timeout", OPT_DURATION, offsetof(struct load_opts, connect_timeout_ns), "TIME",
	  "time limit for a connection, TLS included; 0: libcurl's 300 s" },
	{ 0, "timeout", OPT_DURATION, offsetof(struct load_opts, timeout_ns), "TIME",
	  "time limit for a whole request; 0: none" },
	{ 0, "client-rate", OPT_RATE, offsetof(struct load_opts, client_rate), "RATE",
	  "limit of each client in each direction, in bit/s", .rate_kinds = OPT_RATE_BPS },
	{ 0, "log", OPT_STR, offsetof(struct load_opts, log), "FILE",
	  "write a CSV line for each request to FILE" },
	{ 0, "seed", OPT_COUNT, offsetof(struct load_opts, seed), "N",
	  "seed of random pauses" },
	{ 0, "no-failures", OPT_FLAG, offsetof(struct load_opts, no_failures), NULL,
	  "exit with 1 if a transaction failed, or none was made" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_AT_MOST_ONE, "data upload" },
	/* With a rate, the clock alone decides when transactions start. */
	{ OPT_EXCLUDES, "rate=pps", "pause cycle-pause" },
	OPT_RULE_END
};

static int check_words(struct load_opts *opts, struct err *e)
{
	const struct {
		const char *option, *text;
		struct load_step *step;
		struct load_range *range;
	} words[] = {
		{ "--ramp", opts->ramp, &opts->ramp_step, NULL },
		{ "--pause", opts->pause, NULL, &opts->pause_range },
		{ "--cycle-pause", opts->cycle_pause, NULL, &opts->cycle_pause_range },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!words[i].text)
			continue;
		if (words[i].step && load_parse_step(words[i].text, words[i].step))
			return err_usage(e, "%s '%s' is not N/TIME, such as 10/s or 100/5s",
					 words[i].option, words[i].text);
		if (words[i].range && load_parse_range(words[i].text, words[i].range))
			return err_usage(e, "%s '%s' is neither a time such as 250ms nor a range "
					 "such as 1s-5s", words[i].option, words[i].text);
	}
	if (opts->sources)
		return load_parse_sources("--sources", opts->sources, &opts->source_range, e);
	return 0;
}

static int check_body(const struct load_opts *opts, struct err *e)
{
	unsigned int i;
	const char *p;

	for (i = 0; i < opts->urls.nr; i++) {
		if (transfer_is_ftp(opts->urls.text[i]) && (opts->data || opts->method))
			return err_usage(e, "--data and --method require HTTP, and '%s' is not HTTP",
					 opts->urls.text[i]);
	}
	for (p = opts->method; p && *p; p++) {
		if (*p < 'A' || *p > 'Z')
			return err_usage(e, "--method '%s' is not a method, such as HEAD or DELETE",
					 opts->method);
	}
	for (i = 0; i < opts->headers.nr; i++) {
		if (!strchr(opts->headers.text[i], ':') || strpbrk(opts->headers.text[i], "\r\n"))
			return err_usage(e, "--header number %u is not 'Name: value'", i + 1);
	}
	return 0;
}

static int load_check_opts(void *args, const struct opt_given *given, struct err *e)
{
	struct load_opts *opts = args;
	char url[4096];
	unsigned int i;
	int err;

	for (i = 0; i < opts->urls.nr; i++) {
		err = load_expand(url, sizeof(url), opts->urls.text[i], opts->clients, 0);
		if (err)
			return err_usage(e, "URL number %u is too long: a URL may have %zu characters",
					 i + 1, sizeof(url) - 1);
		err = transfer_check_url(url, e);
		if (err)
			return err;
	}
	err = check_words(opts, e);
	if (!err)
		err = check_body(opts, e);
	if (err)
		return err;
	if (opts->threads > opts->clients)
		return err_usage(e, "--threads %u is more than --clients %u",
				 opts->threads, opts->clients);
	if (opt_was_given(given, "client-rate") && opts->client_rate.value < 8)
		return err_usage(e, "--client-rate: at least 8 bit/s");
	if (!opts->cycles && !opts->count && !opts->duration_ns)
		opts->duration_ns = 10 * NSEC_PER_SEC;
	return 0;
}

/* Everything that needs privilege, or may fail before the run starts. */
static int prepare(const struct load_opts *opts, struct load_body *body, struct load_body *cacert, FILE **ret_log,
		   struct err *e)
{
	int err;

	err = transfer_init(e);
	if (!err)
		err = load_check_sources(&opts->source_range, opts->clients, e);
	if (!err)
		err = fdlimit_raise(opts->clients * load_files(opts->urls.text, opts->urls.nr,
							      opts->fresh) +
				    OTHER_FILES + 3 * opts->threads, e);
	if (!err)
		err = load_body_open(body, opts->data, opts->upload, e);
	if (!err && opts->cacert)
		err = load_body_read(cacert, opts->cacert, e);
	if (!err && opts->log) {
		*ret_log = fopen(opts->log, "we");
		if (!*ret_log)
			err = err_set(e, -errno, "cannot write '%s'", opts->log);
	}
	if (err)
		return err;
	caps_drop(0);
	return 0;
}

static void configure(struct load_cfg *cfg, const struct load_opts *opts, const struct load_body *body,
		      const struct load_body *cacert)
{
	*cfg = (struct load_cfg){
		.transfer = {
			.method = opts->method,
			.post = opts->data,
			.upload = opts->upload,
			.body = body->data,
			.body_fd = body->fd,
			.body_bytes = body->bytes,
			.headers = opts->headers.text,
			.nr_headers = opts->headers.nr,
			.http = (enum transfer_http)opts->http,
			.fresh = opts->fresh,
			.cookies = opts->cookies,
			.insecure = opts->insecure,
			.cacert = cacert->data,
			.cacert_bytes = cacert->bytes,
			.connect_timeout_ns = opts->connect_timeout_ns,
			.timeout_ns = opts->timeout_ns,
			.speed_bytes = opts->client_rate.kind == UNIT_RATE_BPS ?
				       (uint64_t)(opts->client_rate.value / 8) : 0,
		},
		.urls = opts->urls.text,
		.nr_urls = opts->urls.nr,
		.clients = opts->clients,
		.threads = opts->threads,
		.ramp = opts->ramp_step,
		.rate = load_step_of(&opts->rate),
		.sources = opts->source_range,
		.cycles = opts->cycles,
		.count = opts->count,
		.duration_ns = opts->duration_ns,
		.pause = opts->pause_range,
		.cycle_pause = opts->cycle_pause_range,
		.max_redirects = opts->follow,
		.seed = opts->seed,
	};
}

struct load_run {
	struct load *load;
	struct result *res;
	struct err *e;
	struct meter *meter;
	bool has_route;
	int err;
};

static bool is_done(void *ctx)
{
	struct load_run *run = ctx;
	const struct sockaddr *to = run->has_route ? NULL : load_first_server(run->load);
	bool done;

	if (to)
		meter_add_route(run->meter, to);
	run->has_route |= to != NULL;
	run->err = load_check(run->load, &done, run->e);
	return done;
}

static void tick(void *ctx, uint64_t elapsed_ns)
{
	struct load_run *run = ctx;

	load_report_row(run->load, run->res, elapsed_ns);
}

static int run_clients(const struct load_opts *opts, const struct load_cfg *cfg,
		       struct load_run *run)
{
	struct loop loop = {
		.interval_ns = opts->interval_ns, .done = is_done, .tick = tick, .ctx = run,
	};
	int err;

	err = load_open(&run->load, cfg, run->e);
	if (err)
		return err;
	log_info("loading '%s'%s with %u client%s", cfg->urls[0], cfg->nr_urls > 1 ? " and others" : "",
		 cfg->clients, cfg->clients > 1 ? "s" : "");
	run->meter = meter_start(NULL);
	err = load_start(run->load, run->e);
	if (!err)
		loop_run(&loop);
	load_stop(run->load);
	loop_close(&loop);
	meter_stop(run->meter);
	load_report(run->load, run->res);
	meter_report(run->meter, NULL, NULL, run->res);
	load_report_limit(run->load, run->res);
	meter_free(run->meter);
	load_judge(run->load, opts->no_failures, run->res);
	return err ? err : run->err;
}

static int load_run(const void *args, struct result *res, struct err *e)
{
	const struct load_opts *opts = args;
	struct load_run run = { .res = res, .e = e };
	struct load_body body = { .fd = -1 }, cacert = { .fd = -1 };
	struct load_cfg cfg;
	char version[128];
	FILE *log = NULL;
	int err;

	err = prepare(opts, &body, &cacert, &log, e);
	if (err)
		goto out;
	transfer_version(version, sizeof(version));
	result_env_str(res, "client", version);
	configure(&cfg, opts, &body, &cacert);
	cfg.log = log;
	err = run_clients(opts, &cfg, &run);
	load_close(run.load);
	if (log && (ferror(log) | fclose(log)) && !err)
		err = err_set(e, -EIO, "cannot write '%s'", opts->log);
	log = NULL;
out:
	if (log)
		fclose(log);
	load_body_close(&cacert);
	load_body_close(&body);
	return err;
}

const struct cmd cmd_load = {
	.name = "load",
	.summary = "load HTTP and FTP servers with many clients: times, rates, failures",
	.description =
"Runs clients that fetch or send URLs by libcurl, thousands per thread, each with its own\n"
"connections, cookies and, on request, source address. It counts transactions, bytes in\n"
"both directions and failures by kind, and has histograms of connect time, TLS handshake\n"
"time, time to first byte and total time.\n\n"
"Without --rate each client requests the next URL when it has the answer to the last one,\n"
"after --pause. With --rate the clock starts transactions, each on a free client, and their\n"
"time counts from when they were due: waiting caused by a slow server is included.\n\n"
"A redirect that is followed (--follow) is a further request of the same transaction.\n"
"Load only your own servers, or those whose owner has agreed.",
	.examples =
"  # 50 clients for 10 s, with persistent connections\n"
"  ethgauge load http://198.18.0.2/1k.bin --clients 50\n"
"  # 2000 clients, 100 more each second, a new connection for each request\n"
"  ethgauge load http://198.18.0.2/1k.bin --clients 2000 --ramp 100/s \\\n"
"      --fresh -d 1m\n"
"  # 1000 transactions a second, in order: a page, its picture, a form\n"
"  ethgauge load https://198.18.0.2/ https://198.18.0.2/a.png --clients 100 \\\n"
"      -r 1000/s --insecure\n"
"  # each client from its own address, three cycles with a pause of 1 to 5 s\n"
"  ethgauge load http://198.18.0.2/ http://198.18.0.2/b --clients 200 \\\n"
"      --sources 198.18.0.10-198.18.0.209 --cycles 3 --cycle-pause 1s-5s \\\n"
"      --cookies --follow 5\n"
"  # 20 clients send 10 MB each by FTP, each to its own file\n"
"  ethgauge load 'ftp://user:word@198.18.0.2/up-{client}' --clients 20 \\\n"
"      --upload 10M --cycles 1\n"
"  # a test for scripts: 100,003 requests, none may fail, each logged\n"
"  ethgauge load http://198.18.0.2/ --clients 10 -c 100003 --no-failures \\\n"
"      --log r.csv --json\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.check = load_check_opts,
	.run = load_run,
};
