// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/lab.c - a private test link, for tests that must not touch a real one.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "engine/lab/lab.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/net/netns.h"

enum action { ACTION_UP, ACTION_EXEC, ACTION_STATUS, ACTION_DOWN };
enum path { PATH_A_B, PATH_A_R_B };
enum middle { MIDDLE_ROUTER, MIDDLE_BRIDGE, MIDDLE_OPEN };

static const char *const actions[] = { "up", "exec", "status", "down", NULL };
static const char *const paths[] = { "a-b", "a-r-b", NULL };
static const char *const middles[] = { "router", "bridge", "open", NULL };

static const struct lab_opts {
	int action, path, middle;
	const char *name;		/* NULL: LAB_DEFAULT_NAME; for status: all */
	const char *node;
	struct opt_rest command;
	uint32_t queues;		/* 0: lab_default_queues() */
	uint32_t mtu;
} defaults = {
	.mtu = LAB_DEFAULT_MTU,
};

static const char *node_at(size_t i)
{
	static const char *const nodes[] = { "a", "b", "r", NULL };

	return nodes[i];
}

static const struct opt options[] = {
	{ .name = "ACTION", .type = OPT_CHOICE, .offset = offsetof(struct lab_opts, action),
	  .help = "what to do", .choices = actions, .argument = true, .selects = true },
	{ .name = "NODE", .type = OPT_STR, .offset = offsetof(struct lab_opts, node),
	  .help = "node to enter: a, b, or r between them", .argument = true,
	  .optional = true, .of = "exec", .value_at = node_at },
	{ .name = "COMMAND", .type = OPT_REST, .offset = offsetof(struct lab_opts, command),
	  .help = "command to run in the node, with its arguments", .argument = true,
	  .optional = true, .of = "exec" },
	{ 0, "name", OPT_STR, offsetof(struct lab_opts, name), "LAB",
	  "name of the lab (default " LAB_DEFAULT_NAME "; for status: all labs)" },
	{ 0, "path", OPT_CHOICE, offsetof(struct lab_opts, path), "PATH",
	  "one link, or two links with a node between", .choices = paths, .of = "up" },
	{ 0, "middle", OPT_CHOICE, offsetof(struct lab_opts, middle), "WHAT",
	  "with --path a-r-b, what node r does", .choices = middles, .of = "up" },
	{ 0, "queues", OPT_U32, offsetof(struct lab_opts, queues), "N",
	  "queues of each interface; 0: one per CPU", .max = LAB_MAX_QUEUES, .of = "up" },
	{ 0, "mtu", OPT_U32, offsetof(struct lab_opts, mtu), "BYTES",
	  "MTU: largest packet without Ethernet header", .min = LAB_MIN_MTU,
	  .max = LAB_MAX_MTU, .of = "up" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_REQUIRES, "ACTION=exec", "NODE" },
	{ OPT_REQUIRES, "ACTION=exec", "COMMAND" },
	{ OPT_REQUIRES, "middle", "path=a-r-b" },
	OPT_RULE_END
};

static int lab_check(void *args, const struct opt_given *given, struct err *e)
{
	const struct lab_opts *opts = args;
	enum lab_node node;

	(void)given;
	if (opts->name && lab_check_name(opts->name, e))
		return e->no;
	if (opts->action == ACTION_EXEC && lab_node_find(opts->node, &node))
		return err_usage(e, "NODE '%s' is not one of: a, b, r", opts->node);
	return 0;
}

static const char *name_of(const struct lab_opts *opts)
{
	return opts->name ? opts->name : LAB_DEFAULT_NAME;
}

static void add_ports(struct result *res, const char *name, const struct lab_view *view)
{
	char text[LAB_NAME_MAX + 8];
	size_t i;

	for (i = 0; i < view->nr_ports; i++) {
		const struct lab_port_view *port = &view->ports[i];
		const uint8_t *mac = port->facts.mac;

		result_entry_open(res);
		result_entry_str(res, "lab", name);
		result_entry_str(res, "node", lab_node_name(port->node));
		snprintf(text, sizeof(text), "%s-%s", name, lab_node_name(port->node));
		result_entry_str(res, "namespace", text);
		result_entry_str(res, "interface", port->ifname);
		result_entry_str(res, "ip4", port->facts.ip4);
		result_entry_str(res, "ip6", port->facts.ip6);
		result_entry_str(res, "wire", port->facts.running ? "up" : "down");
		result_entry_u64(res, "mtu", port->facts.mtu);
		result_entry_u64(res, "queues", port->facts.queues);
		snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
			 mac[2], mac[3], mac[4], mac[5]);
		result_entry_str(res, "mac", text);
		result_entry_close(res);
	}
}

static int run_up(const struct lab_opts *opts, struct result *res, struct err *e)
{
	static const enum lab_middle kinds[] = {
		[MIDDLE_ROUTER] = LAB_ROUTER, [MIDDLE_BRIDGE] = LAB_BRIDGE,
		[MIDDLE_OPEN] = LAB_OPEN,
	};
	struct lab_cfg cfg = {
		.middle = opts->path == PATH_A_B ? LAB_NO_MIDDLE : kinds[opts->middle],
		.queues = opts->queues ? opts->queues : lab_default_queues(),
		.mtu = opts->mtu,
	};
	struct lab_view view;
	bool is_new;
	int err;

	result_config_u64(res, "queues", cfg.queues);
	if (opts->path == PATH_A_B)
		result_config_none(res, "middle");
	err = lab_up(name_of(opts), &cfg, &is_new, e);
	if (err)
		return err;
	err = lab_look(name_of(opts), &view, e);
	if (err)
		return err;
	add_ports(res, name_of(opts), &view);
	if (!is_new)
		result_note(res, "lab '%s' was already up with these options", name_of(opts));
	return 0;
}

static int run_down(const struct lab_opts *opts, struct result *res, struct err *e)
{
	bool was;
	int err;

	err = lab_down(name_of(opts), &was, e);
	if (err)
		return err;
	if (was)
		result_line(res, "lab '%s' is down", name_of(opts));
	else
		result_note(res, "lab '%s' was not up", name_of(opts));
	return 0;
}

/* Returns only if the command cannot be executed. */
static int run_exec(const struct lab_opts *opts, struct err *e)
{
	char **argv = opts->command.argv;
	struct err sysfs_error;
	enum lab_node node;
	struct lab lab;
	int err;

	lab_node_find(opts->node, &node);
	err = lab_open(&lab, name_of(opts), e);
	if (err)
		return err;
	err = lab_enter(&lab, node, e);
	lab_release(&lab);
	if (err)
		return err;
	if (netns_mount_sysfs(&sysfs_error))
		log_warn("/sys shows the interfaces outside the lab: %s", sysfs_error.msg);
	loop_release_signals();
	execvp(argv[0], argv);
	return err_command(e, -errno, "cannot run '%s'", argv[0]);
}

struct status {
	struct result *res;
	size_t nr;
};

static void show_state(void *ctx, const char *name, const struct lab_view *view)
{
	struct status *status = ctx;

	if (view->lack[0]) {
		result_verdict(status->res, false, "lab '%s' is complete (%s)", name, view->lack);
		result_note(status->res, "to remove the rest of lab '%s': "
			    "ethgauge lab down --name %s", name, name);
	}
	add_ports(status->res, name, view);
	status->nr++;
}

static int run_status(const struct lab_opts *opts, struct result *res, struct err *e)
{
	struct status status = { .res = res };
	struct lab_view view;
	int err;

	if (opts->name) {
		err = lab_look(opts->name, &view, e);
		if (err)
			return err;
		show_state(&status, opts->name, &view);
		if (!view.lack[0])
			result_verdict(res, view.there, "lab '%s' is up", opts->name);
		return 0;
	}
	err = lab_list(show_state, &status, e);
	if (!err && !status.nr)
		result_note(res, "no lab is up");
	return err;
}

static int lab_run(const void *args, struct result *res, struct err *e)
{
	const struct lab_opts *opts = args;
	const struct opt *opt;

	if (opts->name || opts->action != ACTION_STATUS)
		result_config_str(res, "name", name_of(opts));
	for (opt = options; opt->name && opts->action != ACTION_UP; opt++) {
		if (!opt->argument && strcmp(opt->name, "name"))
			result_config_none(res, opt->name);
	}
	switch ((enum action)opts->action) {
	case ACTION_UP:
		return run_up(opts, res, e);
	case ACTION_EXEC:
		return run_exec(opts, e);
	case ACTION_STATUS:
		return run_status(opts, res, e);
	case ACTION_DOWN:
		return run_down(opts, res, e);
	}
	return err_set(e, -EINVAL, "no such action");
}

const struct cmd cmd_lab = {
	.name = "lab",
	.summary = "private test links in network namespaces: virtual hosts a and b",
	.description =
"Makes two network namespaces, NAME-a and NAME-b, and connects their interfaces \""
LAB_IFNAME "\"\n"
"by a veth pair. With --path a-r-b a third, NAME-r, is between them, as a router, a\n"
"bridge, or with unconnected interfaces \"ega\" and \"egb\" (open, for ethgauge impair).\n"
"Nothing outside is changed, native XDP works at both ends, and the link is silent: it\n"
"carries only what is sent on it.\n\n"
"  up      create the lab; one that is up with these options is left as it is\n"
"  exec    run a command in a node, and return its exit status\n"
"  status  show the labs that are up; with --name, exit code 1 if it is not\n"
"  down    remove the lab, also an incomplete one",
	.examples =
		"  # a link with jumbo frames, and a ping over it\n"
		"  ethgauge lab up --mtu 9000\n"
		"  ethgauge lab exec a ping -c 3 198.18.0.2\n"
		"  ethgauge lab down\n"
		"  # a second lab, with a router between the ends\n"
		"  ethgauge lab up --name routed --path a-r-b\n"
		"  ethgauge lab exec b --name routed -- ping -c 3 2001:2::1\n"
		"  # list the labs that are up\n"
		"  ethgauge lab status\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_SYS_ADMIN | CMD_NEEDS_NET_ADMIN,
	.check = lab_check,
	.run = lab_run,
};
