// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/doctor.c - what this machine, and one interface of it, support.
 *
 * It changes nothing, and runs without privilege: what it may not check is
 * "unknown", which is neither present nor absent.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "doctor/feature.h"
#include "engine/self/environ.h"
#include "lib/near.h"

#define NR_STATES 3

struct doctor_opts {
	const char *ifname;
	const char *has;
	bool probe;
};

static const struct doctor_opts defaults;

static const char *feature_name_at(size_t i)
{
	const struct feature *feature = feature_at(i);

	return feature ? feature->name : NULL;
}

static const struct opt options[] = {
	{ 0, "INTERFACE", OPT_IFACE, offsetof(struct doctor_opts, ifname), NULL,
	  "also check this interface", .argument = true, .optional = true },
	{ 0, "has", OPT_STR, offsetof(struct doctor_opts, has), "NAME[,NAME]",
	  "check only these features; the exit code is the answer",
	  .value_at = feature_name_at },
	{ 0, "probe", OPT_FLAG, offsetof(struct doctor_opts, probe), NULL,
	  "attach a native XDP program for an instant; may reset the NIC's queues" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_REQUIRES, "probe", "INTERFACE" },
	OPT_RULE_END
};

/* Names of all features of the host, or of an interface: "btf, jit, ..." */
static void list_names(bool of_iface, char *ret_text, size_t size)
{
	const struct feature *feature;
	size_t used = 0, i;

	ret_text[0] = '\0';
	for (i = 0; (feature = feature_at(i)); i++) {
		if (feature->of_iface != of_iface || used >= size)
			continue;
		used += (size_t)snprintf(ret_text + used, size - used, "%s%s", used ? ", " : "",
					 feature->name);
	}
}

/* The first name of the list *@names, which advances past it and is NULL after the last. */
static bool next_name(const char **names, const char **ret_name, size_t *ret_len)
{
	if (!*names)
		return false;
	*ret_name = *names;
	*ret_len = strcspn(*names, ",");
	*names = (*names)[*ret_len] ? *names + *ret_len + 1 : NULL;
	return true;
}

static int refuse_feature(const char *name, size_t len, struct err *e)
{
	char typed[41], list[448];
	const char *near;

	snprintf(typed, sizeof(typed), "%.*s", (int)(len < 40 ? len : 40), name);
	near = near_known(typed, feature_name_at);
	if (near) {
		err_usage(e, "unknown feature '%s'", typed);
		return err_hint(e, "did you mean '%s'?", near);
	}
	list_names(false, list, sizeof(list));
	err_usage(e, "unknown feature '%s'; features of the machine: %s", typed, list);
	list_names(true, list, sizeof(list));
	return err_hint(e, "features of an interface: %s", list);
}

static int doctor_check(void *args, const struct opt_given *given, struct err *e)
{
	const struct doctor_opts *opts = args;
	const char *names = opts->has, *name;
	size_t len;
	int i;

	(void)given;
	while (next_name(&names, &name, &len)) {
		i = feature_find(name, len);
		if (i < 0) {
			return refuse_feature(name, len, e);
		}
		if (feature_at((size_t)i)->of_iface && !opts->ifname)
			return err_usage(e, "'%s' is a feature of an interface: ethgauge doctor "
					 "INTERFACE --has %s", feature_at((size_t)i)->name,
					 feature_at((size_t)i)->name);
	}
	return 0;
}

/* A verdict for each known answer; an error if one is unknown and none is absent. */
static int tell_has(const struct doctor_opts *opts, struct feature_set *set, struct result *res,
		    struct err *e)
{
	const struct feature_answer *answer, *unknown = NULL;
	const char *names = opts->has, *name, *unknown_name = NULL;
	bool absent = false;
	size_t len;

	while (next_name(&names, &name, &len)) {
		size_t i = (size_t)feature_find(name, len);

		answer = feature_ask(set, i);
		if (answer->state != FEATURE_UNKNOWN) {
			result_verdict(res, answer->state == FEATURE_PRESENT, "%s: %s (%s)",
				       feature_at(i)->name, feature_state_name(answer->state),
				       answer->detail);
		} else {
			result_line(res, "%s: unknown (%s)", feature_at(i)->name,
				    answer->detail);
			unknown = answer;
			unknown_name = feature_at(i)->name;
		}
		absent |= answer->state == FEATURE_ABSENT;
	}
	/* One absent feature decides, even if others are unknown. */
	if (absent || !unknown)
		return 0;
	err_machine(e, -ENODATA, "unknown whether '%s' is present (%s)", unknown_name,
		    unknown->detail);
	return unknown->remedy[0] ? err_hint(e, "%s", unknown->remedy) : e->no;
}

static void tell_all(const struct doctor_opts *opts, struct feature_set *set, struct result *res)
{
	unsigned int nr[NR_STATES] = { 0 };
	const struct feature_answer *answer;
	const struct feature *feature;
	char detail[320];
	bool tell_since;
	size_t i;

	for (i = 0; (feature = feature_at(i)); i++) {
		if (feature->of_iface && !opts->ifname)
			continue;
		answer = feature_ask(set, i);
		nr[answer->state]++;
		/* For an interface, the driver decides, not the kernel's version. */
		tell_since = answer->state == FEATURE_ABSENT && feature->since &&
			     !feature->of_iface;
		snprintf(detail, sizeof(detail), "%s%s%s", answer->detail,
			 tell_since ? "; in Linux since " : "",
			 tell_since ? feature->since : "");
		result_feature(res, feature->group, feature->name,
			       feature_state_name(answer->state), detail, feature->without,
			       answer->remedy[0] ? answer->remedy : NULL, answer->is_command);
	}
	result_line(res, "%u present, %u absent, %u unknown", nr[FEATURE_PRESENT],
		    nr[FEATURE_ABSENT], nr[FEATURE_UNKNOWN]);
}

static int doctor_run(const void *args, struct result *res, struct err *e)
{
	const struct doctor_opts *opts = args;
	struct feature_set *set;
	int err;

	err = feature_open(&set, opts->ifname, opts->probe, e);
	if (err)
		return err;
	if (opts->has) {
		err = tell_has(opts, set, res, e);
	} else {
		if (opts->ifname)
			environ_iface(res, opts->ifname);
		tell_all(opts, set, res);
	}
	feature_close(set);
	return err;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "check what this machine and an interface support",
	.description =
"Checks what the other verbs depend on. Each feature is present, absent or unknown. For\n"
"an absent feature it shows the impact and the command that fixes it. Nothing is changed.\n"
"It runs without privilege, but then more answers are unknown.\n\n"
"With --has, exit codes: 0 all present; 1 at least one absent; 3 none absent, but one\n"
"unknown; 2 no such feature (the message lists the names).",
	.examples =
	"  # check this machine\n"
	"  sudo ethgauge doctor\n"
	"  # also the interface eth1, with the holder of its XDP hook\n"
	"  sudo ethgauge doctor eth1\n"
	"  # for scripts\n"
	"  ethgauge doctor --has btf,af-xdp && echo both\n"
	"  ethgauge doctor eth1 --has xdp-native || echo generic\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.check = doctor_check,
	.run = doctor_run,
};
