// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/lab/lab_name.c - pinned labs: name, open by name, remove.
 *
 * No state exists apart from the namespaces: a lab's configuration is read from the kernel.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/lab/lab.h"
#include "engine/lab/lab_parts.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/net/netns.h"

/* a is named last: if it exists, the lab was complete. */
static const enum lab_node pin_order[LAB_NR_NODES] = { LAB_R, LAB_B, LAB_A };

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
		for (i = 0; i < ARRAY_SIZE(names) && !err; i++) {
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

	/* In reverse order: removing a removes the mark that the lab is complete. */
	for (i = LAB_NR_NODES; i > 0 && !err; i--)
		err = netns_unpin(lab_ns_name(name, pin_order[i - 1]).text, e);
	return err;
}

static int pin(const struct lab *lab, const char *name, struct err *e)
{
	struct err ignored;
	int err = 0;
	size_t i;

	for (i = 0; i < LAB_NR_NODES && !err; i++) {
		if (lab->ns_fd[pin_order[i]] >= 0)
			err = netns_pin(lab->ns_fd[pin_order[i]], lab_ns_name(name, pin_order[i]).text,
					e);
	}
	if (!err)
		return 0;
	/* Only those named here: the one that failed may be another lab's. */
	for (i--; i > 0; i--) {
		if (lab->ns_fd[pin_order[i - 1]] >= 0)
			netns_unpin(lab_ns_name(name, pin_order[i - 1]).text, &ignored);
	}
	return err;
}

/* Removes what exists, after checking that it is a lab's. */
static int clear_away(const char *name, struct lab_view *ret_view, struct err *e)
{
	struct lab lab;
	int err;

	err = lab_open_nodes(&lab, name, ret_view, e);
	if (err)
		return err;
	/*
	 * Links first: a namespace lives on while processes are in it, and otherwise the kernel
	 * removes it only some time later.
	 */
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

	err = lab_lock_if_any(&lock, e);
	if (!err)
		err = clear_away(name, &view, e);
	if (!err)
		*ret_was = view.there;
	lab_unlock(lock);
	return err;
}

/* Appends "mtu 9000 (asked for 1500)"; truncates. */
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
	err_plain(e, -EEXIST, "lab '%s' is up, but differs: %s", name, text);
	return err_hint(e, "take it down first: ethgauge lab down --name %s", name);
}

static int up_locked(const char *name, const struct lab_cfg *cfg, bool *ret_new, struct err *e)
{
	struct lab_view view;
	struct lab lab;
	int err;

	err = lab_look_locked(name, &view, e);
	if (err)
		return err;
	if (view.there && !view.lack[0]) {
		err = compare(name, &view, cfg, e);
		if (!err)
			*ret_new = false;
		return err;
	}
	if (view.there) {
		log_warn("lab '%s' is incomplete (%s): rebuilding it", name,
			 view.lack);
		err = clear_away(name, &view, e);
		if (err)
			return err;
	}
	err = lab_build(&lab, cfg, e);
	if (err)
		return err;
	if (loop_signal())
		err = err_set(e, -EINTR, "interrupted before lab '%s' was complete", name);
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
	struct lab_view view;
	struct lab found;
	int err;

	err = lab_open_nodes(&found, name, &view, e);
	if (err)
		return err;
	if (!view.there) {
		lab_release(&found);
		err_set(e, -ENOENT, "lab '%s' is not up", name);
		return err_hint(e, "ethgauge lab up --name %s", name);
	}
	*lab = found;
	return 0;
}
