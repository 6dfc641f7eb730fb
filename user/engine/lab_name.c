// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/lab_name.c - labs that stay: named, found again, taken away.
 *
 * Nothing is kept beside the namespaces: what a lab is, is read from the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/lab.h"
#include "engine/lab_parts.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/netns.h"

/* a is named last: where it is, the lab was complete. */
static const enum lab_node pin_order[LAB_NR_NODES] = { LAB_R, LAB_B, LAB_A };

static const char *lab_path(enum lab_middle middle)
{
	static const char *const names[] = {
		[LAB_NO_MIDDLE] = "a-b", [LAB_ROUTER] = "a-r-b with a router",
		[LAB_BRIDGE] = "a-r-b with a bridge", [LAB_OPEN] = "a-r-b with an open middle",
	};

	return names[middle];
}

const char *lab_mark(enum lab_middle middle)
{
	static const char *const marks[] = {
		[LAB_NO_MIDDLE] = "ethgauge lab a-b", [LAB_ROUTER] = "ethgauge lab a-r-b, router",
		[LAB_BRIDGE] = "ethgauge lab a-r-b, bridge", [LAB_OPEN] = "ethgauge lab a-r-b, open",
	};

	return marks[middle];
}

static const struct {
	enum lab_node node;
	const char *ifname;
} all_ports[LAB_MAX_PORTS] = {
	{ LAB_A, LAB_IFNAME }, { LAB_R, LAB_PORT_TO_A }, { LAB_R, LAB_PORT_TO_B },
	{ LAB_B, LAB_IFNAME },
};

struct ns_name {
	char text[LAB_NAME_MAX + sizeof("-a")];
};

static struct ns_name ns_name(const char *lab, enum lab_node node)
{
	struct ns_name name;

	snprintf(name.text, sizeof(name.text), "%.*s-%s", LAB_NAME_MAX, lab, lab_node_name(node));
	return name;
}

int lab_check_name(const char *name, struct err *e)
{
	const char *p;

	if (!*name || strlen(name) > LAB_NAME_MAX)
		return err_usage(e, "'%s' is no name of a lab: 1 to %d characters", name,
				 LAB_NAME_MAX);
	for (p = name; *p; p++) {
		/* isalnum() may know more letters, by locale. */
		bool alnum = (unsigned char)*p < 128 && isalnum((unsigned char)*p);

		if (!alnum && (p == name || (*p != '-' && *p != '_')))
			return err_usage(e, "'%s' is no name of a lab: letters and digits, and "
					 "behind the first also '-' and '_'", name);
	}
	return 0;
}

/* Opens what there is; -1 for the rest. @ret_lost: a name with nothing behind it was met. */
static int open_nodes(struct lab *ret_lab, const char *name, bool *ret_lost, struct err *e)
{
	struct lab lab = { .ns_fd = { -1, -1, -1 } };
	enum lab_node node;
	int err;

	*ret_lost = false;
	for (node = 0; node < LAB_NR_NODES; node++) {
		struct ns_name ns = ns_name(name, node);

		err = netns_open(ns.text, &lab.ns_fd[node]);
		if (err == -ENODATA)
			*ret_lost = true;
		else if (err && err != -ENOENT) {
			err_set(e, err, "cannot open network namespace '%s'", ns.text);
			lab_release(&lab);
			return err;
		}
	}
	*ret_lab = lab;
	return 0;
}

struct look {
	const char *name;
	const struct lab *lab;
	struct lab_view *view;
};

static void lacks(struct lab_view *view, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The first thing that is missing is named; one is enough. */
static void lacks(struct lab_view *view, const char *fmt, ...)
{
	va_list args;

	if (view->lack[0])
		return;
	va_start(args, fmt);
	vsnprintf(view->lack, sizeof(view->lack), fmt, args);
	va_end(args);
}

static int foreign(const char *name, enum lab_node node, struct err *e)
{
	err_set(e, -EEXIST, "network namespace '%s' is there, but not of a lab",
		ns_name(name, node).text);
	return err_hint(e, "take another --name, or remove it: ip netns del %s",
			ns_name(name, node).text);
}

static int read_mark(const char *alias, enum lab_middle *ret_middle)
{
	enum lab_middle middle;

	for (middle = LAB_NO_MIDDLE; middle <= LAB_OPEN; middle++) {
		if (!strcmp(alias, lab_mark(middle))) {
			*ret_middle = middle;
			return 0;
		}
	}
	return -ENOENT;
}

static int look_at_node(struct look *look, enum lab_node node, struct link_net *net,
			struct err *e)
{
	struct lab_view *view = look->view;
	enum lab_middle middle;
	struct link_facts facts;
	size_t i;

	if (link_read(net, "lo", &facts) || read_mark(facts.alias, &middle))
		return foreign(look->name, node, e);
	view->cfg.middle = middle;
	for (i = 0; i < LAB_MAX_PORTS; i++) {
		if (all_ports[i].node != node)
			continue;
		if (link_read(net, all_ports[i].ifname, &facts)) {
			lacks(view, "node '%s' has no '%s'", lab_node_name(node),
			      all_ports[i].ifname);
			continue;
		}
		view->ports[view->nr_ports++] = (struct lab_port_view){
			.node = node, .ifname = all_ports[i].ifname, .facts = facts,
		};
		view->cfg.mtu = facts.mtu;
		view->cfg.queues = facts.queues;
	}
	return 0;
}

static int look_in_thread(void *ctx, struct err *e)
{
	static const enum lab_node order[LAB_NR_NODES] = { LAB_A, LAB_R, LAB_B };
	struct look *look = ctx;
	struct link_net *net;
	size_t i;
	int err;

	for (i = 0; i < LAB_NR_NODES; i++) {
		if (look->lab->ns_fd[order[i]] < 0)
			continue;
		look->view->there = true;
		err = netns_enter(look->lab->ns_fd[order[i]], e);
		if (!err)
			err = link_open(&net, e);
		if (err)
			return err;
		err = look_at_node(look, order[i], net, e);
		link_close(net);
		if (err)
			return err;
	}
	return 0;
}

static int look_at(const struct lab *lab, const char *name, bool lost, struct lab_view *ret_view,
		   struct err *e)
{
	struct lab_view view = { .there = lost };
	struct look look = { .name = name, .lab = lab, .view = &view };
	int err;

	if (lost)
		lacks(&view, "a name without a namespace");
	err = netns_run(look_in_thread, &look, e);
	if (err)
		return err;
	if (view.there && lab->ns_fd[LAB_A] < 0)
		lacks(&view, "node 'a' is not there");
	if (view.there && lab->ns_fd[LAB_B] < 0)
		lacks(&view, "node 'b' is not there");
	if (view.there && lab->ns_fd[LAB_R] < 0 && view.cfg.middle != LAB_NO_MIDDLE)
		lacks(&view, "node 'r' is not there");
	*ret_view = view;
	return 0;
}

static int look_locked(const char *name, struct lab_view *ret_view, struct err *e)
{
	struct lab lab;
	bool lost;
	int err;

	err = open_nodes(&lab, name, &lost, e);
	if (err)
		return err;
	err = look_at(&lab, name, lost, ret_view, e);
	lab_release(&lab);
	return err;
}

/* Looking leaves no trace: where there are no names there is nothing to lock. */
static int lock_if_any(int *ret_lock, struct err *e)
{
	*ret_lock = -1;
	return access(NETNS_DIR, F_OK) ? 0 : netns_lock(ret_lock, e);
}

static void unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

int lab_look(const char *name, struct lab_view *ret_view, struct err *e)
{
	int lock, err;

	err = lock_if_any(&lock, e);
	if (!err)
		err = look_locked(name, ret_view, e);
	unlock(lock);
	return err;
}

static int delete_wires(void *ctx, struct err *e)
{
	static const char *const names[] = {
		LAB_IFNAME, LAB_PORT_TO_A, LAB_PORT_TO_B, LAB_BRIDGE_NAME,
	};
	const struct lab *lab = ctx;
	struct link_facts facts;
	struct link_net *net;
	enum lab_node node;
	size_t i;
	int err;

	for (node = 0; node < LAB_NR_NODES; node++) {
		if (lab->ns_fd[node] < 0)
			continue;
		err = netns_enter(lab->ns_fd[node], e);
		if (!err)
			err = link_open(&net, e);
		if (err)
			return err;
		for (i = 0; i < sizeof(names) / sizeof(names[0]) && !err; i++) {
			if (!link_read(net, names[i], &facts))
				err = link_delete(net, names[i], e);
		}
		link_close(net);
		if (err)
			return err;
	}
	return 0;
}

static int unpin(const char *name, struct err *e)
{
	int err = 0;
	size_t i;

	/* The other way round: with a goes the sign that the lab is complete. */
	for (i = LAB_NR_NODES; i > 0 && !err; i--)
		err = netns_unpin(ns_name(name, pin_order[i - 1]).text, e);
	return err;
}

static int pin(const struct lab *lab, const char *name, struct err *e)
{
	struct err ignored;
	int err = 0;
	size_t i;

	for (i = 0; i < LAB_NR_NODES && !err; i++) {
		if (lab->ns_fd[pin_order[i]] >= 0)
			err = netns_pin(lab->ns_fd[pin_order[i]], ns_name(name, pin_order[i]).text,
					e);
	}
	if (!err)
		return 0;
	/* Only what was named here: the one that failed may be another's. */
	for (i--; i > 0; i--) {
		if (lab->ns_fd[pin_order[i - 1]] >= 0)
			netns_unpin(ns_name(name, pin_order[i - 1]).text, &ignored);
	}
	return err;
}

int lab_pin(const struct lab *lab, const char *name, struct err *e)
{
	int lock, err;

	err = netns_lock(&lock, e);
	if (err)
		return err;
	err = pin(lab, name, e);
	close(lock);
	return err;
}

/* What is there is taken away, after a look whether it is a lab's. */
static int clear_away(const char *name, struct lab_view *ret_view, struct err *e)
{
	struct lab lab;
	bool lost;
	int err;

	err = open_nodes(&lab, name, &lost, e);
	if (err)
		return err;
	err = look_at(&lab, name, lost, ret_view, e);
	/*
	 * The wires first: a namespace lives on with the processes in it, and
	 * where it does not, the kernel takes its time to clean up.
	 */
	if (!err)
		err = netns_run(delete_wires, &lab, e);
	if (!err)
		err = unpin(name, e);
	lab_release(&lab);
	return err;
}

int lab_down(const char *name, bool *ret_was, struct err *e)
{
	struct lab_view view = { 0 };
	int lock, err;

	err = lock_if_any(&lock, e);
	if (!err)
		err = clear_away(name, &view, e);
	if (!err)
		*ret_was = view.there;
	unlock(lock);
	return err;
}

int lab_unpin(const char *name, struct err *e)
{
	bool was;

	return lab_down(name, &was, e);
}

/* Appends "mtu 9000 (asked for 1500)"; text is cut where it does not fit. */
static void differs(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void differs(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list args;

	if (used)
		used += (size_t)snprintf(text + used, size - used, ", ");
	if (used >= size)
		return;
	va_start(args, fmt);
	vsnprintf(text + used, size - used, fmt, args);
	va_end(args);
}

static int compare(const char *name, const struct lab_view *view, const struct lab_cfg *cfg,
		   struct err *e)
{
	uint32_t queues = cfg->queues ? cfg->queues : lab_default_queues();
	uint32_t mtu = cfg->mtu ? cfg->mtu : LAB_DEFAULT_MTU;
	char text[256] = "";
	size_t i;

	if (view->cfg.middle != cfg->middle)
		differs(text, sizeof(text), "path %s (asked for %s)", lab_path(view->cfg.middle),
			lab_path(cfg->middle));
	for (i = 0; i < view->nr_ports; i++) {
		const struct lab_port_view *port = &view->ports[i];

		if (port->facts.mtu != mtu && !strstr(text, "mtu"))
			differs(text, sizeof(text), "mtu %u (asked for %u)", port->facts.mtu, mtu);
		if (port->facts.queues != queues && !strstr(text, "queues"))
			differs(text, sizeof(text), "queues %u (asked for %u)",
				port->facts.queues, queues);
		if (!port->facts.running)
			differs(text, sizeof(text), "'%s' of node '%s' is down", port->ifname,
				lab_node_name(port->node));
	}
	if (!text[0])
		return 0;
	err_set(e, -EEXIST, "lab '%s' is up, but differs: %s", name, text);
	return err_hint(e, "take it down first: ethgauge lab down --name %s", name);
}

static int up_locked(const char *name, const struct lab_cfg *cfg, bool *ret_new, struct err *e)
{
	struct lab_view view;
	struct lab lab;
	int err;

	err = look_locked(name, &view, e);
	if (err)
		return err;
	if (view.there && !view.lack[0]) {
		err = compare(name, &view, cfg, e);
		if (!err)
			*ret_new = false;
		return err;
	}
	if (view.there) {
		log_warn("of lab '%s' only pieces are there (%s): it is built anew", name,
			 view.lack);
		err = clear_away(name, &view, e);
		if (err)
			return err;
	}
	err = lab_build(&lab, cfg, e);
	if (err)
		return err;
	if (loop_signal())
		err = err_set(e, -EINTR, "lab '%s' was not finished", name);
	else
		err = pin(&lab, name, e);
	lab_release(&lab);
	if (!err)
		*ret_new = true;
	return err;
}

int lab_up(const char *name, const struct lab_cfg *cfg, bool *ret_new, struct err *e)
{
	int lock, err;

	err = netns_lock(&lock, e);
	if (err)
		return err;
	err = up_locked(name, cfg, ret_new, e);
	close(lock);
	return err;
}

int lab_open(struct lab *lab, const char *name, struct err *e)
{
	struct lab found;
	struct lab_view view;
	bool lost;
	int err;

	err = open_nodes(&found, name, &lost, e);
	if (err)
		return err;
	err = look_at(&found, name, lost, &view, e);
	if (err)
		goto fail;
	if (!view.there) {
		err_set(e, -ENOENT, "lab '%s' is not up", name);
		err = err_hint(e, "ethgauge lab up --name %s", name);
		goto fail;
	}
	*lab = found;
	return 0;
fail:
	lab_release(&found);
	return err;
}

struct list {
	char (*names)[LAB_NAME_MAX + 1];
	size_t nr;
	bool out_of_memory;
};

static void list_one(void *ctx, const char *ns)
{
	size_t len = strlen(ns), i;
	struct list *list = ctx;
	enum lab_node node;
	char (*grown)[LAB_NAME_MAX + 1];
	struct err ignored;
	char name[LAB_NAME_MAX + 1];

	if (len < 3 || len - 2 > LAB_NAME_MAX || ns[len - 2] != '-' ||
	    lab_node_find(ns + len - 1, &node))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)len - 2, ns);
	if (lab_check_name(name, &ignored))
		return;
	for (i = 0; i < list->nr; i++) {
		if (!strcmp(list->names[i], name))
			return;
	}
	grown = realloc(list->names, (list->nr + 1) * sizeof(*grown));
	if (!grown) {
		list->out_of_memory = true;
		return;
	}
	list->names = grown;
	memcpy(list->names[list->nr++], name, sizeof(name));
}

static int show_one(const char *name,
		    void (*fn)(void *ctx, const char *name, const struct lab_view *view), void *ctx,
		    struct err *e)
{
	struct lab_view view;
	struct err problem;
	int err;

	err = look_locked(name, &view, &problem);
	/* A namespace that only has such a name is none of ours. */
	if (err == -EEXIST)
		return 0;
	if (err)
		*e = problem;
	else if (view.there)
		fn(ctx, name, &view);
	return err;
}

int lab_list(void (*fn)(void *ctx, const char *name, const struct lab_view *view), void *ctx,
	     struct err *e)
{
	struct list list = { 0 };
	int lock, err;
	size_t i;

	err = lock_if_any(&lock, e);
	if (!err)
		err = netns_list(list_one, &list, e);
	if (!err && list.out_of_memory)
		err = err_set(e, -ENOMEM, "cannot list the labs");
	for (i = 0; i < list.nr && !err; i++)
		err = show_one(list.names[i], fn, ctx, e);
	free(list.names);
	unlock(lock);
	return err;
}
