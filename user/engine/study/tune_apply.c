// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/study/tune_apply.c - change and restore settings.
 *
 * The previous values are on disk before anything is changed, so that --restore works even if the
 * run is killed at any moment.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/study/tune_saved.h"
#include "lib/theory.h"
#include "sys/net/knob.h"
#include "sys/net/nic.h"

struct change {
	const struct tune_item *item;
	char was[TUNE_TEXT], to[TUNE_TEXT];
	char is[TUNE_TEXT];		/* value as read back from the kernel */
};

struct plan {
	const struct tune_path *path;
	size_t nr;
	struct change changes[TUNE_MAX_SAVED];
};

static const char *iface_of(const struct tune_item *item, const struct tune_path *path)
{
	return item->kind == TUNE_SYSCTL ? "" : path->ifname;
}

static int no_advice(const struct tune_item *item, enum tune_state state, struct err *e)
{
	if (state == TUNE_UNTOLD)
		return err_usage(e, "a recommendation for '%s' requires " OPTION("link") " and "
				OPTION("rtt") ", or give it a value",
				 item->name);
	return err_usage(e, "'%s' has no recommended value: give one", item->name);
}

/* Do not lose what would not come back. */
static int check_loss(const struct tune_item *item, const char *ifname, const char *to, struct err *e)
{
	if (item->kind != TUNE_KNOB || item->knob != KNOB_MTU ||
	    strtoul(to, NULL, 10) >= THEORY_IP6_MIN_MTU || !nic_has_ip6(ifname))
		return 0;
	err_usage(e, "'mtu' %s would remove the IPv6 addresses of '%s' permanently", to,
		  ifname);
	return err_hint(e, "if they are not needed: ip -6 address flush dev %s scope global", ifname);
}

static int refuse_unknown(const char *word, size_t len, struct err *e)
{
	const char *near;
	char typed[64];

	snprintf(typed, sizeof(typed), "%.*s", (int)len, word);
	near = tune_near(typed);
	err_usage(e, "unknown setting '%s'", typed);
	return near ? err_hint(e, "did you mean '%s'?", near) : err_hint(e, "ethgauge tune lists the names");
}

/* "NAME" or "NAME=VALUE", of @len bytes. */
static int plan_one(struct plan *plan, const char *word, size_t len, struct err *e)
{
	const char *equals = memchr(word, '=', len);
	size_t name_len = equals ? (size_t)(equals - word) : len, i;
	const struct tune_item *item = tune_find(word, name_len);
	struct change *change = &plan->changes[plan->nr];
	struct tune_value value;
	enum tune_state state;

	if (!item)
		return refuse_unknown(word, name_len, e);
	for (i = 0; i < plan->nr; i++) {
		if (plan->changes[i].item == item)
			return err_usage(e, "'%s' is named twice", item->name);
	}
	if (plan->nr == TUNE_MAX_SAVED)
		return err_usage(e, "too many settings: at most %d", TUNE_MAX_SAVED);
	if (item->kind != TUNE_SYSCTL && !plan->path->ifname[0])
		return err_usage(e, "'%s' is an interface setting, but no interface is given", item->name);
	tune_read(item, iface_of(item, plan->path), &value);
	state = tune_judge(item, plan->path, &value, change->to);
	if (equals) {
		if (len - name_len - 1 >= sizeof(change->to))
			return err_usage(e, "the value of '%s' is too long", item->name);
		snprintf(change->to, sizeof(change->to), "%.*s", (int)(len - name_len - 1), equals + 1);
	}
	if ((equals || state == TUNE_UNKNOWN || state == TUNE_OBSOLETE) &&
	    tune_check_text(item, &value, change->to, e))
		return e->no;
	if (!change->to[0])
		return no_advice(item, state, e);
	if (check_loss(item, iface_of(item, plan->path), change->to, e))
		return e->no;
	change->item = item;
	strcpy(change->was, value.text);
	plan->nr++;
	return 0;
}

static int make_plan(struct plan *plan, const char *list, struct err *e)
{
	size_t len;
	int err;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		err = plan_one(plan, list, len, e);
		if (err || !list[len])
			return err;
	}
}

static bool is_saved(const struct tune_file *file, const struct tune_item *item, int ifindex)
{
	size_t i;

	for (i = 0; i < file->list.nr; i++) {
		if (file->list.saved[i].item == item && file->list.saved[i].ifindex == ifindex)
			return true;
	}
	return false;
}

/* After several changes, the value before the first one is restored. */
static int save(struct tune_file *file, const struct plan *plan, struct err *e)
{
	size_t i;

	for (i = 0; i < plan->nr; i++) {
		const struct change *change = &plan->changes[i];
		const char *ifname = iface_of(change->item, plan->path);
		int ifindex = ifname[0] ? (int)if_nametoindex(ifname) : 0;
		struct tune_saved *saved = &file->list.saved[file->list.nr];

		if (is_saved(file, change->item, ifindex))
			continue;
		if (file->list.nr == TUNE_MAX_SAVED)
			return err_plain(e, -ENOSPC, "too many settings are changed already: "
					 "restore them first");
		saved->item = change->item;
		snprintf(saved->ifname, sizeof(saved->ifname), "%s", ifname);
		saved->ifindex = ifindex;
		strcpy(saved->was, change->was);
		file->list.nr++;
	}
	return tune_file_write(file, e);
}

/* Undoes the first @nr changes, the last one first. False: one could not be undone. */
static bool undo(const struct plan *plan, size_t nr)
{
	bool all = true;

	while (nr--) {
		const struct change *change = &plan->changes[nr];
		const char *ifname = iface_of(change->item, plan->path);
		struct tune_value value;

		tune_write(change->item, ifname, change->was);
		tune_read(change->item, ifname, &value);
		all &= !value.why[0] && !strcmp(value.text, change->was);
	}
	return all;
}

static int change_all(struct plan *plan, size_t *ret_changed, struct err *e)
{
	struct tune_value value;
	size_t i;
	int err;

	for (i = 0; i < plan->nr; i++) {
		struct change *change = &plan->changes[i];
		const char *ifname = iface_of(change->item, plan->path);

		*ret_changed = i + 1;
		err = tune_write(change->item, ifname, change->to);
		if (err) {
			err_set(e, err, "cannot set '%s' to '%s'", change->item->name, change->to);
			/* net/ipv4/tcp_cong.c, tcp_set_default_congestion_control() */
			if (err == -EPERM && !strcmp(change->item->name, "net.ipv4.tcp_congestion_control"))
				return err_hint(e, "no setting is changed; a network namespace may use what "
						"net.ipv4.tcp_allowed_congestion_control of the host names");
			return err_hint(e, "no setting is changed: the earlier ones were restored");
		}
		tune_read(change->item, ifname, &value);
		if (change->item->kind == TUNE_FEATURE && strcmp(value.text, change->to)) {
			err_plain(e, -EOPNOTSUPP, "'%s' stays %s: the driver of '%s' cannot change it",
				  change->item->name, value.text, ifname);
			return err_hint(e, "no setting is changed: the earlier ones were restored");
		}
		strcpy(change->is, value.text);
	}
	return 0;
}

static void report(const struct plan *plan, const char *path, struct result *res)
{
	const struct change *change;

	for (change = plan->changes; change < plan->changes + plan->nr; change++) {
		result_line(res, "%s: %s -> %s", change->item->name, change->was, change->is);
		if (strcmp(change->is, change->to))
			result_note(res, "%s: the kernel set '%s' instead of "
				    "'%s'", change->item->name, change->is,
				    change->to);
	}
	result_note(res, "the previous values are saved in '%s'; restore them: ethgauge tune --restore",
		    path);
}

int tune_apply(const char *list, const struct tune_path *path, struct result *res, struct err *e)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	struct tune_file *file = calloc(1, sizeof(*file));
	size_t changed = 0, nr_before;
	struct err later = { 0 };
	int err;

	if (!plan || !file) {
		err = err_set(e, -ENOMEM, "cannot change settings");
		goto out;
	}
	plan->path = path;
	/* Before reading the values: another run may be about to change them. */
	err = tune_file_open(file, e);
	if (err)
		goto out;
	err = make_plan(plan, list, e);
	if (err)
		goto out_file;
	nr_before = file->list.nr;
	err = save(file, plan, e);
	if (err)
		goto out_file;
	err = change_all(plan, &changed, e);
	if (!err) {
		report(plan, file->path, res);
	} else if (undo(plan, changed)) {
		file->list.nr = nr_before;
		tune_file_write(file, &later);
	} else {
		err_hint(e, "not everything was restored: the previous values are saved in '%s'; "
			 "to try again: ethgauge tune --restore",
			 file->path);
	}
out_file:
	tune_file_close(file);
out:
	free(file);
	free(plan);
	return err;
}

/* True if the setting is done: restored, or gone for good. */
static bool put_back(const struct tune_saved *saved, struct result *res, struct err *e)
{
	struct tune_value value;
	char ifname[IF_NAMESIZE] = "";
	int err;

	/* It may have been renamed. */
	if (saved->ifindex && !if_indextoname((unsigned int)saved->ifindex, ifname)) {
		result_note(res, "%s: interface '%s' no longer exists", saved->item->name,
			    saved->ifname);
		return true;
	}
	err = tune_write(saved->item, ifname, saved->was);
	tune_read(saved->item, ifname, &value);
	if (err || strcmp(value.text, saved->was)) {
		err_set(e, err ? err : -EIO, "cannot restore '%s' to '%s': it is '%s'",
			saved->item->name, saved->was, value.text);
		result_verdict(res, false, "%s: %s, not restored to "
			       "%s", saved->item->name, value.text, saved->was);
		return false;
	}
	result_verdict(res, true, "%s: restored to %s", saved->item->name, value.text);
	return true;
}

int tune_restore(struct result *res, struct err *e)
{
	struct tune_file *file = calloc(1, sizeof(*file));
	struct tune_saved *left;
	struct err later = { 0 };
	size_t nr_left = 0, i;
	int err;

	if (!file)
		return err_set(e, -ENOMEM, "cannot restore settings");
	err = tune_file_open(file, e);
	if (err)
		goto out;
	if (!file->list.nr)
		result_note(res, "nothing to restore: no settings are saved for this network namespace");
	/* Last change first; those that could not be restored stay at the end of the list. */
	left = &file->list.saved[file->list.nr];
	for (i = file->list.nr; i-- > 0; ) {
		if (put_back(&file->list.saved[i], res, e))
			continue;
		*--left = file->list.saved[i];
		nr_left++;
	}
	memmove(file->list.saved, left, nr_left * sizeof(*left));
	file->list.nr = nr_left;
	err = e->no;
	if (tune_file_write(file, err ? &later : e))
		err = err ? err : e->no;
	if (nr_left)
		err_hint(e, "it remains saved in '%s' for another " OPTION("restore"), file->path);
	tune_file_close(file);
out:
	free(file);
	return err;
}

size_t tune_nr_saved(void)
{
	struct tune_file *file = calloc(1, sizeof(*file));
	struct err e = { 0 };
	size_t nr = 0;

	if (file && !tune_file_look(file, &e))
		nr = file->list.nr;
	free(file);
	return nr;
}
