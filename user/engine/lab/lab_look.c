// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/lab/lab_look.c - find pinned labs: by name, and all of them.
 *
 * No state exists apart from the namespaces: a lab's configuration is read from the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/lab/lab.h"
#include "engine/lab/lab_parts.h"
#include "lib/log.h"
#include "sys/net/netns.h"

const char *lab_path(enum lab_middle middle)
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

struct lab_ns_name lab_ns_name(const char *lab, enum lab_node node)
{
	struct lab_ns_name name;

	snprintf(name.text, sizeof(name.text), "%.*s-%s", LAB_NAME_MAX, lab, lab_node_name(node));
	return name;
}

int lab_check_name(const char *name, struct err *e)
{
	const char *p;

	if (!*name || strlen(name) > LAB_NAME_MAX)
		return err_usage(e, "'%s' is not a lab name: 1 to %d characters", name,
				 LAB_NAME_MAX);
	for (p = name; *p; p++) {
		/* isalnum() depends on the locale. */
		bool alnum = (unsigned char)*p < 128 && isalnum((unsigned char)*p);

		if (!alnum && (p == name || (*p != '-' && *p != '_')))
			return err_usage(e, "'%s' is not a lab name: letters and digits, after "
					 "the first also '-' and '_'", name);
	}
	return 0;
}

/* @ret_lost: found a name without a namespace. */
static int open_nodes(struct lab *ret_lab, const char *name, bool *ret_lost, struct err *e)
{
	struct lab lab = { .ns_fd = { -1, -1, -1 } };
	enum lab_node node;
	int err;

	*ret_lost = false;
	for (node = 0; node < LAB_NR_NODES; node++) {
		struct lab_ns_name ns = lab_ns_name(name, node);

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

/* Names the first missing piece only. */
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
	err_plain(e, -EEXIST, "network namespace '%s' exists, but is not part of a lab",
		  lab_ns_name(name, node).text);
	return err_hint(e, "choose another " OPTION("name") ", or remove it: ip netns del %s",
			lab_ns_name(name, node).text);
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

bool lab_is_here(void)
{
	enum lab_middle middle;
	struct link_facts facts;
	struct link_net *net;
	struct err e;
	bool is_lab;

	if (link_open(&net, &e))
		return false;
	is_lab = !link_read(net, "lo", &facts) && !read_mark(facts.alias, &middle);
	link_close(net);
	return is_lab;
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
		lacks(&view, "node 'a' is missing");
	if (view.there && lab->ns_fd[LAB_B] < 0)
		lacks(&view, "node 'b' is missing");
	if (view.there && lab->ns_fd[LAB_R] < 0 && view.cfg.middle != LAB_NO_MIDDLE)
		lacks(&view, "node 'r' is missing");
	*ret_view = view;
	return 0;
}

int lab_open_nodes(struct lab *ret_lab, const char *name, struct lab_view *ret_view, struct err *e)
{
	bool lost;
	int err;

	err = open_nodes(ret_lab, name, &lost, e);
	if (err)
		return err;
	err = look_at(ret_lab, name, lost, ret_view, e);
	if (err)
		lab_release(ret_lab);
	return err;
}

int lab_look_locked(const char *name, struct lab_view *ret_view, struct err *e)
{
	struct lab lab;
	int err;

	err = lab_open_nodes(&lab, name, ret_view, e);
	if (!err)
		lab_release(&lab);
	return err;
}

int lab_lock_if_any(int *ret_lock, struct err *e)
{
	*ret_lock = -1;
	return access(NETNS_DIR, F_OK) ? 0 : netns_lock(ret_lock, e);
}

void lab_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

int lab_look(const char *name, struct lab_view *ret_view, struct err *e)
{
	int lock, err;

	err = lab_lock_if_any(&lock, e);
	if (!err)
		err = lab_look_locked(name, ret_view, e);
	lab_unlock(lock);
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

	err = lab_look_locked(name, &view, &problem);
	/* A namespace that merely has such a name is not ours. */
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

	err = lab_lock_if_any(&lock, e);
	if (!err)
		err = netns_list(list_one, &list, e);
	if (!err && list.out_of_memory)
		err = err_set(e, -ENOMEM, "cannot list the labs");
	for (i = 0; i < list.nr && !err; i++)
		err = show_one(list.names[i], fn, ctx, e);
	free(list.names);
	lab_unlock(lock);
	return err;
}
