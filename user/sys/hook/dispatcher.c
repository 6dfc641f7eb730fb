// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/dispatcher.c - keep an XDP program in the kernel's dispatcher.
 */
#include "sys/hook/dispatcher.h"

#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/if_link.h>

#include "lib/err.h"
#include "lib/log.h"
#include "sys/net/netns.h"

#define LOOPBACK_IFINDEX 1	/* the same in every network namespace */

struct dispatcher {
	int prog_fd;
	int ns_fd;		/* keeps the namespace alive */
	int link_fd;
};

static int attach(void *ctx, struct err *e)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_SKB_MODE);
	struct dispatcher *d = ctx;
	int err;

	err = netns_new(&d->ns_fd, e);
	if (err)
		return err;
	d->link_fd = bpf_link_create(d->prog_fd, LOOPBACK_IFINDEX, BPF_XDP, &opts);
	return d->link_fd < 0 ? err_set(e, d->link_fd, "cannot attach to its loopback device") : 0;
}

struct dispatcher *dispatcher_hold(int prog_fd)
{
	struct dispatcher *d = malloc(sizeof(*d));
	struct err e;

	if (!d)
		return NULL;
	*d = (struct dispatcher){ .prog_fd = prog_fd, .ns_fd = -1, .link_fd = -1 };
	if (!netns_run(attach, d, &e))
		return d;
	log_debug("cannot keep the generator in the XDP dispatcher: %s", e.msg);
	dispatcher_release(d);
	return NULL;
}

void dispatcher_release(struct dispatcher *dispatcher)
{
	if (!dispatcher)
		return;
	if (dispatcher->link_fd >= 0)
		close(dispatcher->link_fd);
	if (dispatcher->ns_fd >= 0)
		close(dispatcher->ns_fd);
	free(dispatcher);
}
