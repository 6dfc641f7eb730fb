// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/reflect.c - answer test packets inside the driver.
 *
 * The far end of probe and blast. Without --stamp it takes no timestamps: it counts its
 * answers, so that loss can be assigned to a direction.
 */
#include "cmd/cmd.h"

#include <net/if.h>
#include <math.h>
#include <string.h>

#include "abi/stamp_packet.h"
#include "engine/echo/reflector.h"
#include "engine/self/environ.h"
#include "engine/self/meter.h"
#include "engine/self/pick_iface.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/secret.h"
#include "lib/unit.h"
#include "proto/stamp_keys.h"
#include "sys/hook/xdp.h"
#include "sys/host/caps.h"

#define KEY_VARIABLE "ETHGAUGE_STAMP_KEY"
#define STAMP_SOURCE_PPS 100000
#define KEPT_ROWS 3600		/* it may run for days */

static const struct reflect_opts {
	const char *ifname;
	uint16_t port;
	bool no_icmp;
	bool any_mac;
	struct opt_strs pools;
	struct unit_rate source_rate;
	bool stamp, stateful, auth, twamp_light, allow_dscp, hide_location;
	const char *key_file, *keys;
	int xdp_mode;
	uint64_t duration_ns;
	uint64_t interval_ns;
} defaults = {
	.port = 7,			/* echo, RFC 862 */
	.source_rate = { .kind = UNIT_RATE_PPS, .value = 1000000 },
	.interval_ns = NSEC_PER_SEC,
};

static const struct opt options[] = {
	PICK_IFACE_ARGUMENT(struct reflect_opts, ifname, "interface on which to answer"),
	{ 'p', "port", OPT_U16, offsetof(struct reflect_opts, port), "N",
	  "UDP port to answer; 0: none; with --stamp 862 unless given" },
	{ 0, "source-rate", OPT_RATE, offsetof(struct reflect_opts, source_rate), "RATE",
	  "most answers per second to one source (IPv6: a /64); with --stamp 100kpps unless given; max: no limit",
	  .rate_kinds = OPT_RATE_PPS | OPT_RATE_MAX },
	{ 0, "stamp", OPT_FLAG, offsetof(struct reflect_opts, stamp), NULL,
	  "answer STAMP (RFC 8762, 8972) and TWAMP Light on the port" },
	{ 0, "stateful", OPT_FLAG, offsetof(struct reflect_opts, stateful), NULL,
	  "with --stamp: number the answers of each session, to separate loss by direction" },
	{ 0, "auth", OPT_FLAG, offsetof(struct reflect_opts, auth), NULL,
	  "with --stamp: answer authenticated packets only; requires a key" },
	{ 0, "key-file", OPT_STR, offsetof(struct reflect_opts, key_file), "FILE",
	  "with --stamp: key file, instead of the environment's ETHGAUGE_STAMP_KEY" },
	{ 0, "keys", OPT_STR, offsetof(struct reflect_opts, keys), "FILE",
	  "with --stamp: keys of sessions, a line each: source address, prefix or any; SSID or any; key" },
	{ 0, "twamp-light", OPT_FLAG, offsetof(struct reflect_opts, twamp_light), NULL,
	  "with --stamp: treat everything after byte 14 as padding: no session identifier, no extensions" },
	{ 0, "allow-dscp", OPT_FLAG, offsetof(struct reflect_opts, allow_dscp), NULL,
	  "with --stamp: send answers with the DSCP that the sender requests" },
	{ 0, "hide-location", OPT_FLAG, offsetof(struct reflect_opts, hide_location), NULL,
	  "with --stamp: answer the Location TLV with zeros" },
	{ 0, "no-icmp", OPT_FLAG, offsetof(struct reflect_opts, no_icmp), NULL,
	  "leave ICMP and ICMPv6 echo requests to the stack" },
	{ 0, "any-mac", OPT_FLAG, offsetof(struct reflect_opts, any_mac), NULL,
	  "also answer frames to other MAC addresses" },
	{ 0, "for", OPT_STRS, offsetof(struct reflect_opts, pools), "PREFIX",
	  "also answer packets to these addresses: 198.18.0.0/15,2001:2::/48; any: all" },
	{ 0, "xdp-mode", OPT_CHOICE, offsetof(struct reflect_opts, xdp_mode), "MODE",
	  "how to attach", .choices = xdp_mode_names },
	{ 'd', "duration", OPT_DURATION, offsetof(struct reflect_opts, duration_ns), "TIME",
	  "stop after this time; 0: run until ^C" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct reflect_opts, interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_REQUIRES, "stateful auth key-file keys twamp-light allow-dscp hide-location", "stamp" },
	{ OPT_EXCLUDES, "twamp-light", "auth keys" },
	{ OPT_EXCLUDES, "keys", "key-file" },
	{ OPT_EXCLUDES, "stamp no-icmp", "port=0" },
	OPT_RULE_END
};

struct run {
	struct reflector *reflector;
	struct result *res;
	struct err *e;
	int err;
};

static bool is_gone(void *ctx)
{
	struct run *run = ctx;

	reflector_tick(run->reflector);
	run->err = reflector_check(run->reflector, run->e);
	return run->err;
}

static void show_row(void *ctx, uint64_t elapsed_ns)
{
	struct run *run = ctx;

	reflector_report_row(run->reflector, run->res, elapsed_ns);
}

static int reflect_check(void *args, const struct opt_given *given, struct err *e)
{
	struct reflect_opts *opts = args;
	struct reflect_pools pools;

	if (opts->stamp && !opt_was_given(given, "port"))
		opts->port = STAMP_PORT;
	if (opts->stamp && !opt_was_given(given, "source-rate"))
		opts->source_rate.value = STAMP_SOURCE_PPS;
	return reflector_dest_pools(&pools, &opts->pools, "--for", e);
}

static void tell_ready(const struct reflect_opts *opts)
{
	const char *echo = opts->no_icmp ? "" : "echo requests";

	if (opts->port)
		log_info("answering on '%s' %s to port %u%s%s", opts->ifname,
			 opts->twamp_light ? "TWAMP Light" : opts->stamp ? "STAMP" : "UDP", opts->port,
			 *echo ? " and " : "", echo);
	else
		log_info("answering on '%s' %s", opts->ifname, echo);
}

/* @ret_keys: where ret_stamp->keys points if sessions have their own. */
static int read_keys(const struct reflect_opts *opts, struct reflector_stamp_cfg *ret_stamp,
		     struct stamp_keys *ret_keys, struct err *e)
{
	FILE *file;
	int err;

	if (opts->keys) {
		file = secret_open(opts->keys, e);
		if (!file)
			return e->no;
		err = stamp_keys_read(ret_keys, file, opts->keys, e);
		fclose(file);
		ret_stamp->keys = ret_keys;
		return err;
	}
	err = secret_read(&ret_stamp->key, opts->key_file, KEY_VARIABLE, e);
	if (!err && opts->auth && !ret_stamp->key.len)
		err = err_usage(e, "--auth requires a key: --key-file or --keys, or %s in the environment",
				KEY_VARIABLE);
	return err;
}

static int run_on(const struct reflect_opts *opts, struct result *res, struct err *e)
{
	struct reflector_stamp_cfg stamp = {
		.stateful = opts->stateful, .authenticated = opts->auth,
		.twamp = opts->twamp_light, .allow_dscp = opts->allow_dscp,
		.hide_location = opts->hide_location,
	};
	struct stamp_keys keys = { 0 };
	struct reflect_pools pools;
	struct reflector_cfg cfg = {
		.ifname = opts->ifname, .mode = (enum xdp_mode)opts->xdp_mode,
		.port = opts->port, .icmp = !opts->no_icmp, .any_mac = opts->any_mac, .pools = &pools,
		.source_pps = opts->source_rate.kind == UNIT_RATE_PPS ? opts->source_rate.value : 0,
		.stamp = opts->stamp ? &stamp : NULL,
	};
	struct run run = { .res = res, .e = e };
	struct loop loop = {
		.duration_ns = opts->duration_ns, .interval_ns = opts->interval_ns,
		.done = is_gone, .tick = show_row, .ctx = &run,
	};
	struct meter *meter;
	int err;

	err = reflector_dest_pools(&pools, &opts->pools, "--for", e);
	if (err)
		return err;
	if (opts->stamp) {
		err = read_keys(opts, &stamp, &keys, e);
		if (err)
			return err;
	}
	result_keep_rows(res, KEPT_ROWS);
	/* Without STAMP the tag is returned unchanged. */
	environ_tx_stamp(res, STAMPED_NOWHERE);
	environ_rx_stamp(res, STAMPED_NOWHERE);
	err = reflector_open(&run.reflector, &cfg, res, e);
	explicit_bzero(&stamp.key, sizeof(stamp.key));
	stamp_keys_clear(&keys);
	if (err)
		return err;
	caps_drop(0);	/* the counters are mapped: reading them needs no system call */
	tell_ready(opts);
	meter = meter_start(opts->ifname);
	loop_run(&loop);
	meter_stop(meter);
	/* Detach first: the report would not count later answers. */
	reflector_stop(run.reflector);
	loop_close(&loop);
	reflector_report(run.reflector, res);
	reflector_close(run.reflector);
	meter_report(meter, NULL, &(struct meter_receiver){ .lost_packets = NAN }, res);
	meter_free(meter);
	return run.err;
}

static int reflect_run(const void *args, struct result *res, struct err *e)
{
	struct reflect_opts opts = *(const struct reflect_opts *)args;
	char ifname[IF_NAMESIZE];
	int err = pick_iface(&opts.ifname, ifname, res, e);

	return err ? err : run_on(&opts, res, e);
}

const struct cmd cmd_reflect = {
	.name = "reflect",
	.summary = "send test packets back from inside the driver",
	.description =
"Returns UDP packets to a port, and ICMP and ICMPv6 echo requests, to their sender by an\n"
"XDP program: the host's network stack never sees them. MAC addresses, IP addresses and\n"
"ports are swapped, and the TTL of UDP is one less; VLAN tags, IP options and payload are\n"
"unchanged. All other packets go on to the stack unchanged and are counted by reason.\n\n"
"The destination must be an address of INTERFACE or in a prefix of --for. On a router\n"
"other packets go to the hosts behind it. Added and deleted addresses are followed.\n\n"
"It never answers broadcast or multicast, fragments, or UDP from its own port or a\n"
"well-known one (below 1024). Packets above --source-rate are dropped and counted: give\n"
"max to measure throughput. It stays attached until ^C, and the kernel detaches it\n"
"however the process ends.\n\n"
"With --stamp, packets to the port are answered as STAMP and TWAMP Light define it: with\n"
"the times of reception and sending, read in the driver, and with extensions, also\n"
"authenticated. A packet that cannot be answered is dropped and counted.",
	.examples =
"  # answer on eth1 until ^C\n"
"  sudo ethgauge reflect eth1\n"
"  # another port, for one minute, result as JSON\n"
"  sudo ethgauge reflect eth1 --port 9 --duration 1m --json\n"
"  # a tester's port without an address, which stands for a network\n"
"  sudo ethgauge reflect eth1 --for 198.18.0.0/15,2001:2::/48\n"
"  # far end of bench --reflector, on a network of your own\n"
"  sudo ethgauge reflect eth1 --source-rate max\n"
"  # delay measurement for routers and perfSONAR, loss by direction\n"
"  sudo ethgauge reflect eth1 --stamp --stateful\n"
"  # authenticated packets only\n"
"  sudo ethgauge reflect eth1 --stamp --auth --key-file /etc/ethgauge/stamp.key\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN,
	.check = reflect_check,
	.run = reflect_run,
};
