// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/probe_stamp.c - probe --stamp: a STAMP or TWAMP Light sender on UDP sockets.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cmd/cmd.h"
#include "engine/echo/stamp.h"
#include "engine/self/meter.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/secret.h"
#include "sys/host/caps.h"

#define KEY_ENVIRONMENT	"ETHGAUGE_STAMP_KEY"
#define KEPT_ROWS	3600

struct probe_stamp_opts {
	struct opt_strs dests;
	bool stamp, twamp_light, auth, poisson, no_loss, ip4, ip6, strict_ssid;
	uint16_t port, src_port, dscp, ttl;
	uint16_t access_id, access_code;
	const char *src_ip, *tlvs, *key_file;
	uint32_t sessions, bytes;
	uint64_t count, duration_ns, interval_ns, wait_ns, seed, ssid_seed;
	struct unit_rate rate;
	int format, reflector;
	uint32_t tlv_bits;		/* by check */
};

static const struct probe_stamp_opts defaults = {
	.port = STAMP_PORT,
	.sessions = 1,
	.count = 100,
	.rate = { .kind = UNIT_RATE_PPS, .value = 10 },
	.interval_ns = NSEC_PER_SEC,
	.wait_ns = NSEC_PER_SEC,
	.seed = 1,
	.access_id = 1,
	.access_code = 1,
};

static const char *const format_names[] = { "ntp", "ptp", NULL };
static const char *const reflector_names[] = { "ask", "stateful", "stateless", NULL };

#define AT(member) offsetof(struct probe_stamp_opts, member)

static const struct opt options[] = {
	{ 0, "DEST", OPT_STRS, AT(dests), NULL, "reflectors: names or addresses",
	  .argument = true },
	{ 0, "stamp", OPT_FLAG, AT(stamp), NULL, "send STAMP packets (RFC 8762, RFC 8972)" },
	{ 0, "twamp-light", OPT_FLAG, AT(twamp_light), NULL,
	  "send TWAMP Light packets instead (RFC 5357 appendix I)" },
	{ 'c', "count", OPT_COUNT, AT(count), "N",
	  "packets per session; 0: until --duration ends, or ^C" },
	{ 'd', "duration", OPT_DURATION, AT(duration_ns), "TIME",
	  "sending time; 0: until --count is reached" },
	{ 'r', "rate", OPT_RATE, AT(rate), "RATE", "packets per second of each session",
	  .rate_kinds = OPT_RATE_PPS },
	{ 0, "poisson", OPT_FLAG, AT(poisson), NULL,
	  "exponential sending intervals (RFC 2330), instead of even ones" },
	{ 0, "seed", OPT_COUNT, AT(seed), "N",
	  "seed of --poisson; if given, also of the session identifiers, which are random otherwise" },
	{ 0, "sessions", OPT_U32, AT(sessions), "N",
	  "sessions to each DEST, each from its own port", .min = 1, .max = 50000 },
	{ 'p', "port", OPT_U16, AT(port), "N", "UDP port of the reflector", .min = 1 },
	{ 0, "src-port", OPT_U16, AT(src_port), "N",
	  "source UDP port of the first session, counted up for the others; 0: any" },
	{ 0, "src-ip", OPT_STR, AT(src_ip), "ADDR", "source address" },
	{ '4', "ipv4", OPT_FLAG, AT(ip4), NULL, "use IPv4 addresses only" },
	{ '6', "ipv6", OPT_FLAG, AT(ip6), NULL, "use IPv6 addresses only" },
	{ 0, "dscp", OPT_U16, AT(dscp), "N", "differentiated services code point; with --tlv class "
	  "also that of answers", .max = 63 },
	{ 0, "ttl", OPT_U16, AT(ttl), "N", "TTL or hop limit; 0: the system's", .max = 255 },
	{ 0, "size", OPT_U32, AT(bytes), "BYTES",
	  "pad the test packet to this UDP payload size; 0: no padding",
	  .max = STAMP_MAX_BYTES },
	{ 0, "format", OPT_CHOICE, AT(format), "FORMAT", "timestamp format in the packets",
	  .choices = format_names },
	{ 0, "tlv", OPT_STR, AT(tlvs), "LIST",
	  "extensions, separated by commas: location, timestamp, class, direct, access, follow-up, hmac; or all" },
	{ 0, "access-id", OPT_U16, AT(access_id), "N", "access ID for --tlv access; 1: 3GPP, 2: non-3GPP", .max = 15 },
	{ 0, "access-code", OPT_U16, AT(access_code), "N",
	  "return code for --tlv access; 1: available, 2: unavailable", .max = 255 },
	{ 0, "auth", OPT_FLAG, AT(auth), NULL, "send authenticated packets (HMAC-SHA-256)" },
	{ 0, "key-file", OPT_STR, AT(key_file), "FILE",
	  "key file, instead of the environment's " KEY_ENVIRONMENT "; implies --auth unless --tlv has hmac" },
	{ 0, "strict-ssid", OPT_FLAG, AT(strict_ssid), NULL,
	  "reject answers with SSID 0, which reflectors without RFC 8972 send" },
	{ 0, "reflector-mode", OPT_CHOICE, AT(reflector), "KIND",
	  "kind of reflector; ask: detect it with two packets first",
	  .choices = reflector_names },
	{ 'w', "wait", OPT_DURATION, AT(wait_ns), "TIME", "longest wait for the last answers" },
	{ 'i', "interval", OPT_DURATION, AT(interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	{ 0, "no-loss", OPT_FLAG, AT(no_loss), NULL, "exit with 1 if a packet was lost" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_AT_MOST_ONE, "ipv4 ipv6" },
	/* STAMP only. */
	{ OPT_EXCLUDES, "twamp-light", "auth tlv key-file strict-ssid" },
	{ OPT_REQUIRES, "access-id access-code", "tlv" },
	OPT_RULE_END
};

static const char *const chosen_by[] = { "--stamp", "--twamp-light", NULL };

static int read_tlvs(struct probe_stamp_opts *opts, struct err *e)
{
	const char *at = opts->tlvs;
	size_t len;
	int type;

	for (; at && *at; at += len + (at[len] == ',')) {
		len = strcspn(at, ",");
		for (type = STAMP_TLV_LOCATION; type < STAMP_TLVS; type++) {
			if (strlen(stamp_tlv_names[type]) == len &&
			    !strncmp(stamp_tlv_names[type], at, len))
				break;
		}
		if (len == 3 && !strncmp(at, "all", 3))
			opts->tlv_bits |= (1u << STAMP_TLV_HMAC) - (1u << STAMP_TLV_LOCATION);
		else if (type < STAMP_TLVS)
			opts->tlv_bits |= 1u << type;
		else
			return err_usage(e, "'%.*s' is not an extension: location, timestamp, class, direct, "
					 "access, follow-up, hmac or all", (int)len, at);
	}
	/* A key authenticates the packets themselves, unless --tlv hmac uses it for the extensions. */
	if (opts->key_file && !(opts->tlv_bits & 1u << STAMP_TLV_HMAC))
		opts->auth = true;
	/* RFC 8972 4.8: authenticated packets protect their extensions, too. */
	if (opts->auth && opts->tlv_bits)
		opts->tlv_bits |= 1u << STAMP_TLV_HMAC;
	return 0;
}

static struct stamp_form form_of(const struct probe_stamp_opts *opts)
{
	return (struct stamp_form){
		.mode = opts->twamp_light ? STAMP_TWAMP_LIGHT : opts->auth ? STAMP_AUTH : STAMP_OPEN,
		.ptp = opts->format == 1,
		/* An answer is no longer than the packet it answers. */
		.bytes = opts->twamp_light && !opts->bytes ? STAMP_TWAMP_BYTES : opts->bytes,
		.tlvs = opts->tlv_bits,
		.dscp = (uint8_t)opts->dscp,
		.access_id = (uint8_t)opts->access_id,
		.access_code = (uint8_t)opts->access_code,
	};
}

static int probe_stamp_check(void *args, const struct opt_given *given, struct err *e)
{
	struct probe_stamp_opts *opts = args;
	struct stamp_form form;
	int err;

	if (opts->duration_ns && !opt_was_given(given, "count"))
		opts->count = 0;
	if (opt_was_given(given, "seed"))
		opts->ssid_seed = opts->seed;
	if (opts->rate.value < 1e-3 || opts->rate.value > 1e6)
		return err_usage(e, "--rate: 0.001pps to 1Mpps");
	if (opts->src_port && opts->src_port + opts->sessions * (uint64_t)opts->dests.nr > 65536)
		return err_usage(e, "--src-port %u leaves too few ports for %u sessions", opts->src_port,
				 opts->sessions * opts->dests.nr);
	err = read_tlvs(opts, e);
	if (err)
		return err;
	form = form_of(opts);
	if (!stamp_can_build(&form))
		return err_usage(e, "--size %u is too small: allowed are %u, and %u or more", opts->bytes,
				 stamp_least_bytes(&form), stamp_least_bytes(&form) + 4);
	if (opts->twamp_light && form.bytes < STAMP_TWAMP_BYTES)
		return err_usage(e, "--size %u is too small: an answer has %u bytes", opts->bytes,
				 STAMP_TWAMP_BYTES);
	return 0;
}

static void configure(struct stamp_cfg *ret_cfg, const struct probe_stamp_opts *opts)
{
	*ret_cfg = (struct stamp_cfg){
		.dests = opts->dests.text,
		.nr_dests = opts->dests.nr,
		.sessions = opts->sessions,
		.port = opts->port,
		.src_port = opts->src_port,
		.src_ip = opts->src_ip,
		.family = opts->ip4 ? AF_INET : opts->ip6 ? AF_INET6 : AF_UNSPEC,
		.dscp = (uint8_t)opts->dscp,
		.ttl = (uint8_t)opts->ttl,
		.strict_ssid = opts->strict_ssid,
		.form = form_of(opts),
		.kind = (enum stamp_kind)opts->reflector,
		.count = opts->count,
		.duration_ns = opts->duration_ns,
		.wait_ns = opts->wait_ns,
		.interval_ns = opts->interval_ns,
		.gap_ns = (uint64_t)((double)NSEC_PER_SEC / opts->rate.value),
		.poisson = opts->poisson,
		.seed = opts->seed,
		.ssid_seed = opts->ssid_seed,
	};
}

static int probe_stamp_run(const void *args, struct result *res, struct err *e)
{
	const struct probe_stamp_opts *opts = args;
	struct secret key = { 0 };
	struct stamp *stamp = NULL;
	struct meter_receiver receiver;
	struct meter *meter = NULL;
	unsigned int i;
	struct stamp_cfg cfg;
	uint64_t lost, sent;
	int err;

	configure(&cfg, opts);
	if (opts->auth || opts->tlv_bits & 1u << STAMP_TLV_HMAC) {
		err = secret_read(&key, opts->key_file, KEY_ENVIRONMENT, e);
		if (!err && !key.len)
			err = err_usage(e, "no key: give one by --key-file FILE or in "
					KEY_ENVIRONMENT);
		if (err)
			return err;
		cfg.form.key = (const uint8_t *)key.bytes;
		cfg.form.key_bytes = key.len;
	}
	result_env_str(res, "protocol", opts->twamp_light ? "TWAMP Light (RFC 5357 appendix I)" :
		       opts->auth ? "STAMP (RFC 8762), authenticated" : "STAMP (RFC 8762)");
	result_keep_rows(res, KEPT_ROWS);
	err = stamp_open(&stamp, &cfg, e);
	if (err)
		goto out;
	caps_drop(0);
	log_info("probing '%s'%s port %u", opts->dests.text[0],
		 opts->dests.nr > 1 ? " and others" : "", opts->port);
	meter = meter_start(NULL);
	for (i = 0; stamp_dest(stamp, i); i++)
		meter_add_route(meter, stamp_dest(stamp, i));
	err = stamp_run(stamp, res, e);
	stamp_report(stamp, opts->no_loss, res);
	lost = stamp_lost(stamp, &sent);
	receiver = (struct meter_receiver){
		.lost_packets = (double)lost, .socket_full_packets = stamp_socket_full(stamp),
	};
	meter_report(meter, NULL, &receiver, res);
out:
	meter_free(meter);
	stamp_close(stamp);
	explicit_bzero(&key, sizeof(key));
	return err;
}

const struct cmd cmd_probe_stamp = {
	.name = "probe",
	.summary = "measure round trips to a STAMP or TWAMP Light reflector",
	.description =
"Runs test sessions of STAMP (RFC 8762, RFC 8972) or TWAMP Light with any reflector. It\n"
"reports the round-trip time without the reflector's processing time, the one-way delay of\n"
"each direction and how far both clocks can be trusted, variation, order, duplicates and\n"
"loss. If the reflector numbers its answers (stateful), loss is reported separately for\n"
"each direction; two packets of an extra session detect this first.\n\n"
"No privilege is required. T1 is taken in this process right before the packet is sent,\n"
"T4 by the kernel before its stack. Runs may last for days: memory does not grow, the\n"
"document has the newest 3600 intervals, and --jsonl prints each interval as it ends.",
	.examples =
"  # 100 packets, 10 a second, to ethgauge reflect eg0 --stamp, or to a router\n"
"  ethgauge probe --stamp 198.18.0.2\n"
"  # 1000 sessions to two reflectors for an hour, Poisson, a line a minute\n"
"  ethgauge probe --stamp 198.18.0.2 2001:2::2 --sessions 500 -r 1pps \\\n"
"      --poisson -d 1h -i 1m --jsonl\n"
"  # authenticated, with all extensions\n"
"  ethgauge probe --stamp 198.18.0.2 --key-file /etc/ethgauge.key --tlv all \\\n"
"      --dscp 46\n"
"  # a TWAMP Light responder on another port, 200 bytes of UDP payload\n"
"  ethgauge probe --twamp-light 198.18.0.2 -p 18760 --size 200\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.chosen_by = chosen_by,
	.check = probe_stamp_check,
	.run = probe_stamp_run,
};
