// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/account/path.c - this host's interfaces on a test's path, and their loss counters.
 */
#include "engine/account/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "sys/net/counters.h"
#include "sys/net/netns.h"
#include "sys/net/route.h"
#include "sys/net/nic.h"

/* A network namespace that contains some of the interfaces. */
struct space {
	int fd;
	uint32_t inode;
	struct counters before, after;
};

struct node {
	struct path_iface iface;
	struct space *space;
	char where[64];
	struct counters before, after;
};

struct path {
	struct space spaces[PATH_MAX_IFACES];
	size_t nr_spaces;
	struct node nodes[PATH_MAX_IFACES];
	size_t nr_nodes;
	struct node *sender, *sender_peer, *receiver;
	struct space *rx_space;
	uint32_t own_netns;
	const char *tx_ifname, *rx_ifname;
	bool reads_again;
};

/* Enters a namespace unless this thread is in it already: setns() requires a capability. */
static int enter(int fd, struct err *e)
{
	return netns_inode_of(fd) == netns_inode() ? 0 : netns_enter(fd, e);
}

static struct space *add_space(struct path *path, int fd)
{
	uint32_t inode = netns_inode_of(fd);
	size_t i;

	for (i = 0; i < path->nr_spaces; i++) {
		if (path->spaces[i].inode != inode)
			continue;
		close(fd);
		return &path->spaces[i];
	}
	path->spaces[path->nr_spaces] = (struct space){ .fd = fd, .inode = inode };
	return &path->spaces[path->nr_spaces++];
}

static struct node *add_node(struct path *path, struct space *space, int ifindex,
			     const char *ifname)
{
	struct node *node;
	size_t i;

	for (i = 0; i < path->nr_nodes; i++) {
		node = &path->nodes[i];
		if (node->space == space && node->iface.ifindex == (uint32_t)ifindex)
			return node;
	}
	node = &path->nodes[path->nr_nodes++];
	node->space = space;
	node->iface.ifindex = (uint32_t)ifindex;
	node->iface.netns = space->inode;
	snprintf(node->iface.ifname, sizeof(node->iface.ifname), "%s", ifname);
	path_name(path, space->inode, (uint32_t)ifindex, ifname, node->where, sizeof(node->where));
	node->iface.known.where = node->where;
	return node;
}

/* The other end of a veth; call it inside @node's namespace. NULL: not on this host. */
static struct node *add_peer(struct path *path, const struct node *node)
{
	struct nic_link link, peer;
	struct space *space;
	struct err e;
	int fd;

	if (nic_read_link((int)node->iface.ifindex, -1, &link) || !link.peer_ifindex ||
	    link.peer_hidden)
		return NULL;
	fd = link.peer_nsid < 0 ? dup(node->space->fd) : -1;
	if (fd < 0 && netns_open_id(link.peer_nsid, &fd))
		return NULL;
	space = add_space(path, fd);
	if (enter(space->fd, &e)) {
		log_debug("%s", e.msg);
		return NULL;
	}
	if (nic_read_link(link.peer_ifindex, -1, &peer))
		return NULL;
	return add_node(path, space, link.peer_ifindex, peer.ifname);
}

static int find_end(struct path *path, struct space *space, const char *ifname,
		    struct node **ret_node, struct node **ret_peer, struct err *e)
{
	struct nic_facts nic;
	struct node *node;

	if (enter(space->fd, e))
		return e->no;
	if (nic_read(ifname, &nic))
		return err_usage(e, "there is no interface '%s' in that namespace", ifname);
	node = add_node(path, space, nic.ifindex, ifname);
	*ret_node = node;
	*ret_peer = add_peer(path, node);
	return 0;
}

/* Counters of a namespace that cannot be entered are left out. */
static int read_all(void *ctx, struct err *e)
{
	struct path *path = ctx;
	size_t i;

	for (i = 0; i < path->nr_nodes; i++) {
		struct node *node = &path->nodes[i];

		if (!enter(node->space->fd, e))
			counters_read_iface(path->reads_again ? &node->after : &node->before,
					    node->iface.ifname);
	}
	for (i = 0; i < path->nr_spaces; i++) {
		struct space *space = &path->spaces[i];

		if (!enter(space->fd, e))
			counters_read_stack(path->reads_again ? &space->after : &space->before);
	}
	return 0;
}

static int ask_spaces(void *ctx, struct err *e)
{
	struct path *path = ctx;
	size_t i;

	for (i = 0; i < path->nr_spaces; i++) {
		if (!enter(path->spaces[i].fd, e) && route_waits_for_neighbour())
			return 1;
	}
	return 0;
}

bool path_waits_for_neighbour(struct path *path)
{
	struct err ignored;

	return netns_run(ask_spaces, path, &ignored) == 1;
}

static void join(struct node *one, struct node *other)
{
	if (!other)
		return;
	one->iface.known.peer = &other->iface.known;
	other->iface.known.peer = &one->iface.known;
}

static int find_all(void *ctx, struct err *e)
{
	struct path *path = ctx;
	struct node *peer;
	int err;

	err = find_end(path, &path->spaces[0], path->tx_ifname, &path->sender, &path->sender_peer,
		       e);
	if (!err)
		err = find_end(path, path->rx_space, path->rx_ifname, &path->receiver, &peer, e);
	if (err)
		return err;
	join(path->sender, path->sender_peer);
	join(path->receiver, peer);
	return read_all(path, e);
}

int path_open(struct path **ret_path, const char *tx_ifname, const char *rx_ifname, int rx_ns_fd,
	      struct err *e)
{
	struct path *path = calloc(1, sizeof(*path));
	int fd, err;

	if (!path)
		return err_set(e, -ENOMEM, "cannot inspect the path");
	path->own_netns = netns_inode();
	path->tx_ifname = tx_ifname;
	path->rx_ifname = rx_ifname;
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		err = err_set(e, -errno, "cannot open '/proc/thread-self/ns/net'");
		goto fail;
	}
	path->rx_space = add_space(path, fd);
	if (rx_ns_fd >= 0)
		path->rx_space = add_space(path, dup(rx_ns_fd));
	err = netns_run(find_all, path, e);
	if (err)
		goto fail;
	*ret_path = path;
	return 0;
fail:
	path_close(path);
	return err;
}

void path_close(struct path *path)
{
	size_t i;

	if (!path)
		return;
	for (i = 0; i < path->nr_nodes; i++) {
		counters_free(&path->nodes[i].before);
		counters_free(&path->nodes[i].after);
	}
	for (i = 0; i < path->nr_spaces; i++) {
		counters_free(&path->spaces[i].before);
		counters_free(&path->spaces[i].after);
		close(path->spaces[i].fd);
	}
	free(path);
}

struct path_iface *path_find(struct path *path, uint32_t netns, uint32_t ifindex)
{
	size_t i;

	for (i = 0; i < path->nr_nodes; i++) {
		struct path_iface *iface = &path->nodes[i].iface;

		if (iface->netns == netns && iface->ifindex == ifindex)
			return iface;
	}
	return NULL;
}

struct path_iface *path_sender(struct path *path)
{
	return &path->sender->iface;
}

struct path_iface *path_sender_peer(struct path *path)
{
	return path->sender_peer ? &path->sender_peer->iface : NULL;
}

struct path_iface *path_receiver(struct path *path)
{
	return &path->receiver->iface;
}

void path_name(struct path *path, uint32_t netns, uint32_t ifindex, const char *ifname,
	       char *ret_text, size_t size)
{
	const struct path_iface *iface = path_find(path, netns, ifindex);
	char space[40] = "", number[16];

	snprintf(number, sizeof(number), "if%u", ifindex);
	if (!*ifname)
		ifname = iface ? iface->ifname : ifindex ? number : "";
	if (netns && netns != path->own_netns && !netns_name(netns, space, sizeof(space)))
		snprintf(space, sizeof(space), "net:[%u]", netns);
	snprintf(ret_text, size, "%s%s%s", space, *space && *ifname ? ":" : "", ifname);
}

static size_t list_growths(const struct counters *before, const struct counters *after,
			   struct ledger_growth *growths)
{
	size_t nr = 0, i;

	for (i = 0; i < after->nr; i++) {
		uint64_t value = counters_growth(before, &after->all[i]);

		if (value)
			growths[nr++] = (struct ledger_growth){
				after->all[i].source, after->all[i].name, value,
			};
	}
	return nr;
}

/* Softnet counters are the host's; each namespace shows the same ones. */
static void report_stack(struct path *path, struct space *space, struct ledger *ledger)
{
	struct ledger_growth *growths = calloc(space->after.nr + 1, sizeof(*growths));
	char where[64];
	size_t nr, i, kept = 0;

	if (!growths)
		return;
	nr = list_growths(&space->before, &space->after, growths);
	for (i = 0; i < nr; i++) {
		if (space == path->spaces || strcmp(growths[i].source, "softnet"))
			growths[kept++] = growths[i];
	}
	path_name(path, space->inode, 0, "", where, sizeof(where));
	for (i = 0; i < space->after.nr; i++) {
		if (space->after.all[i].silent)
			ledger_add_silent(ledger, where, space->after.all[i].name);
	}
	ledger_add_stack(ledger, where, growths, kept);
	free(growths);
}

void path_report(struct path *path, struct ledger *ledger)
{
	struct ledger_growth *growths;
	struct err ignored;
	size_t i, nr;

	path->reads_again = true;
	netns_run(read_all, path, &ignored);
	for (i = 0; i < path->nr_nodes; i++) {
		struct node *node = &path->nodes[i];

		growths = calloc(node->after.nr + 1, sizeof(*growths));
		if (!growths)
			continue;
		nr = list_growths(&node->before, &node->after, growths);
		ledger_add_iface(ledger, &node->iface.known, growths, nr);
		free(growths);
	}
	for (i = 0; i < path->nr_spaces; i++)
		report_stack(path, &path->spaces[i], ledger);
}
