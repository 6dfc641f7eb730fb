// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/tune.c - show, change and restore path-related settings.
 */
#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "engine/self/environ.h"
#include "engine/study/tune.h"
#include "lib/statedir.h"
#include "lib/theory.h"
#include "sys/host/caps.h"
#include "sys/net/nic.h"
#include "sys/net/route.h"

static const struct tune_opts {
	const char *target;		/* an interface or an address; NULL: host settings only */
	struct unit_rate link;
	uint64_t rtt_ns;		/* 0: not known */
	const char *apply;
	bool restore, explain;
} defaults = {
	.link = { UNIT_RATE_MAX },
};

static const struct opt options[] = {
	{ 0, "TARGET", OPT_STR, offsetof(struct tune_opts, target), NULL,
	  "interface of the path, or an address at its far end", .argument = true, .optional = true },
	{ 0, "link", OPT_RATE, offsetof(struct tune_opts, link), "RATE",
	  "bottleneck rate of the path, such as 10G; max: the interface's speed",
	  .rate_kinds = OPT_RATE_BPS | OPT_RATE_MAX },
	{ 0, "rtt", OPT_DURATION, offsetof(struct tune_opts, rtt_ns), "TIME",
	  "round-trip time of the path", .min = 1, .max = 3600000000000ull },
	{ 0, "explain", OPT_FLAG, offsetof(struct tune_opts, explain), NULL,
	  "describe each setting" },
	{ 0, "apply", OPT_STR, offsetof(struct tune_opts, apply), "NAME[=VALUE],...",
	  "change only these settings; without VALUE, to the recommended value",
	  .value_at = tune_name_at },
	{ 0, "restore", OPT_FLAG, offsetof(struct tune_opts, restore), NULL,
	  "restore all settings changed in this network namespace" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_EXCLUDES, "restore", "TARGET link rtt explain apply" },
	{ OPT_EXCLUDES, "apply", "explain" },
	OPT_RULE_END
};

static int find_path(const struct tune_opts *opts, struct result *res, struct tune_path *path,
		     struct err *e)
{
	struct nic_facts nic;
	uint32_t mtu;
	int err;

	path->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	path->page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	path->rtt_ns = opts->rtt_ns;
	if (opts->target && if_nametoindex(opts->target)) {
		snprintf(path->ifname, sizeof(path->ifname), "%s", opts->target);
	} else if (opts->target) {
		err = route_find_path_mtu(opts->target, path->ifname, &mtu, e);
		if (err && tune_find(opts->target, strcspn(opts->target, "=")))
			err_hint(e, "a setting is not a target: ethgauge tune shows it, and --apply %s changes it",
				 opts->target);
		if (err)
			return err;
		result_env_str(res, "interface", path->ifname);
		if (mtu)
			result_env_u64(res, "path_mtu", mtu);
	}
	if (path->ifname[0]) {
		environ_iface(res, path->ifname);
		if (!nic_read(path->ifname, &nic))
			path->link_bps = (double)nic.speed_bps;
	}
	if (opts->link.kind == UNIT_RATE_BPS)
		path->link_bps = opts->link.value;
	return 0;
}

static void tell_item(const struct tune_opts *opts, const struct tune_item *item,
		      const struct tune_value *value, enum tune_state state, const char *asks,
		      struct result *part)
{
	result_entry_open(part);
	result_entry_str(part, "setting", item->name);
	result_entry_str(part, "value", value->text);
	result_entry_str(part, "recommended", asks);
	result_entry_str(part, "state", tune_state_name(state));
	result_entry_str(part, "source", item->source);
	if (opts->explain)
		result_entry_str(part, "effect", item->effect);
	result_entry_close(part);
	result_entry_open(part);
	result_entry_str(part, "setting", item->name);
	result_entry_str(part, "effect", item->effect);
	result_entry_str(part, "why_unknown", value->why);
	result_entry_close_self(part, "details");
}

/* The unknown settings of a group by reason, each reason once. */
static void tell_unknown(const struct tune_path *path, const char *group, struct result *part)
{
	struct tune_value first, other;
	const struct tune_item *item;
	size_t i, k, used;
	char names[512];

	for (i = 0; (item = tune_at(i)); i++) {
		if (strcmp(item->group, group) || item->rule == TUNE_GONE)
			continue;
		tune_read(item, path->ifname, &first);
		if (!first.why[0])
			continue;
		used = 0;
		for (k = 0; (item = tune_at(k)); k++) {
			if (strcmp(item->group, group) || item->rule == TUNE_GONE)
				continue;
			tune_read(item, path->ifname, &other);
			if (strcmp(first.why, other.why))
				continue;
			if (k < i)
				break;
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", item->name);
		}
		if (!item)
			result_note(part, "unknown, %s: %s", first.why, names);
	}
}

static void tell_group(const struct tune_opts *opts, const struct tune_path *path, const char *group,
		       unsigned int nr[], struct result *part)
{
	const struct tune_item *item;
	struct tune_value value;
	enum tune_state state;
	char asks[TUNE_TEXT];
	size_t i;

	for (i = 0; (item = tune_at(i)); i++) {
		if (strcmp(item->group, group))
			continue;
		tune_read(item, path->ifname, &value);
		state = tune_judge(item, path, &value, asks);
		nr[state]++;
		tell_item(opts, item, &value, state, asks, part);
		if (state == TUNE_CHANGE || state == TUNE_OBSOLETE)
			result_note(part, "%s: %s", item->name, item->effect);
	}
	tell_unknown(path, group, part);
}

static void show(const struct tune_opts *opts, const struct tune_path *path, struct result *res)
{
	unsigned int nr[TUNE_OBSOLETE + 1] = { 0 };
	const char *group = "";
	size_t i, saved;

	if (path->link_bps > 0) {
		result_metric_real(res, "theory_link_bps", path->link_bps);
		if (path->rtt_ns)
			result_metric_real(res, "theory_bdp_bytes",
					   theory_bdp_bytes(path->link_bps, (double)path->rtt_ns));
	}
	for (i = 0; tune_at(i); i++) {
		if (!strcmp(tune_at(i)->group, group))
			continue;
		group = tune_at(i)->group;
		tell_group(opts, path, group, nr, result_part(res, PART_SETTINGS, group));
	}
	result_line(res, "%u as recommended, %u to change, %u without advice, %u unknown, %u obsolete",
		    nr[TUNE_OK], nr[TUNE_CHANGE], nr[TUNE_FREE], nr[TUNE_UNKNOWN], nr[TUNE_OBSOLETE]);
	if (nr[TUNE_UNTOLD])
		result_note(res,
			    "advice for %u more requires the path's speed and round-trip time: --link 10G --rtt 25ms",
			    nr[TUNE_UNTOLD]);
	if (nr[TUNE_CHANGE])
		result_note(res, "nothing was changed; to change a setting: ethgauge tune --apply NAME[=VALUE]");
	saved = tune_nr_saved();
	if (saved)
		result_note(res, "%zu settings changed by --apply; to restore: ethgauge tune --restore", saved);
}

static int tune_run(const void *args, struct result *res, struct err *e)
{
	const struct tune_opts *opts = args;
	struct tune_path path = { 0 };
	int err;

	if (opts->apply || opts->restore) {
		err = caps_require(CAPS_NET_ADMIN, e);
		if (err)
			return err;
	}
	if (opts->restore)
		return tune_restore(res, e);
	err = find_path(opts, res, &path, e);
	if (err)
		return err;
	if (opts->apply)
		return tune_apply(opts->apply, &path, res, e);
	show(opts, &path, res);
	return 0;
}

const struct cmd cmd_tune = {
	.name = "tune",
	.summary = "show, recommend, apply and restore path-related settings",
	.description =
"Shows the settings of the kernel and of an interface that affect throughput and delay:\n"
"value, recommended value for the path, and source of the advice. The recommended buffers\n"
"are twice the bandwidth-delay product, so give --link and --rtt. Where no value is better\n"
"in general, the state is \"no advice\"; --explain describes what the setting does.\n\n"
"Only --apply changes settings, and only the named ones. The old values are written to\n"
STATEDIR_DEFAULT " (or $STATE_DIRECTORY) before the first change, so that --restore works\n"
"after a crash, too. After a reboot there is nothing to restore. Settings belong to network\n"
"namespaces: run it in the right one.",
	.examples =
"  # values now and recommended for a path of 10 Gbit/s and 25 ms through eth1\n"
"  ethgauge tune eth1 --link 10G --rtt 25ms --explain\n"
"  # change two settings: one to the recommended value, one to a given value\n"
"  sudo ethgauge tune --link 10G --rtt 25ms \\\n"
"      --apply tcp_rmem,tcp_congestion_control=bbr\n"
"  # restore the old values\n"
"  sudo ethgauge tune --restore\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.run = tune_run,
};
