// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/tc.c - hold the egress hook of an interface.
 */
#include "sys/tc.h"

#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lib/log.h"
#include "sys/nic.h"

/* uapi of 6.6; older headers have neither. */
#define ATTACH_TCX_EGRESS	47
#define FLAG_BEFORE		(1u << 3)

const char *const tc_mode_names[] = { "auto", "tcx", "clsact", NULL };

struct tc_port {
	enum tc_mode mode;
	int link_fd;			/* tcx; -1: none */
	int ifindex;
	bool own_hook;			/* clsact: the hook was not there before */
	uint32_t handle, priority;
};

static int attach_clsact(struct tc_port *port, int prog_fd)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = port->ifindex,
		    .attach_point = BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = prog_fd);
	int err;

	err = bpf_tc_hook_create(&hook);
	if (err && err != -EEXIST)
		return err;
	port->own_hook = !err;
	/* Without a handle and a priority of ours the kernel gives free ones: nobody is replaced. */
	err = bpf_tc_attach(&hook, &opts);
	port->handle = opts.handle;
	port->priority = opts.priority;
	return err;
}

static void detach_clsact(struct tc_port *port)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = port->ifindex,
		    .attach_point = BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = port->handle, .priority = port->priority);
	bool in = true, out = true;

	if (port->priority && bpf_tc_detach(&hook, &opts))
		log_debug("the tc filter was gone already");
	/* Others may have come to the hook meanwhile. */
	if (port->own_hook && !nic_read_filters(port->ifindex, false, &in) &&
	    !nic_read_filters(port->ifindex, true, &out) && !in && !out) {
		hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS;
		bpf_tc_hook_destroy(&hook);
	}
}

static int attach(struct tc_port *port, int prog_fd, enum tc_mode mode)
{
	LIBBPF_OPTS(bpf_link_create_opts, before, .flags = FLAG_BEFORE);
	char ifname[IF_NAMESIZE] = "?";
	int fd = -EOPNOTSUPP;

	if (mode != TC_MODE_CLSACT) {
		fd = bpf_link_create(prog_fd, port->ifindex, ATTACH_TCX_EGRESS, &before);
		if (fd >= 0) {
			port->mode = TC_MODE_TCX;
			port->link_fd = fd;
			return 0;
		}
		if (mode == TC_MODE_TCX || fd == -EPERM || fd == -ENODEV)
			return fd;
		if_indextoname((unsigned int)port->ifindex, ifname);
		log_warn("this kernel has no tcx links (%s): a tc filter is put on '%s', which stays "
			 "if this process is killed; then: tc qdisc del dev %s clsact",
			 strerrordesc_np(-fd), ifname, ifname);
	}
	port->mode = TC_MODE_CLSACT;
	return attach_clsact(port, prog_fd);
}

int tc_attach_egress(struct tc_port **ret_port, int ifindex, int prog_fd, enum tc_mode mode,
		     struct err *e)
{
	struct tc_port *port = calloc(1, sizeof(*port));
	char ifname[IF_NAMESIZE] = "?";
	int err;

	if (!port)
		return err_set(e, -ENOMEM, "cannot attach to tc");
	port->link_fd = -1;
	port->ifindex = ifindex;
	err = attach(port, prog_fd, mode);
	if (!err) {
		*ret_port = port;
		return 0;
	}
	tc_detach(port);
	if_indextoname((unsigned int)ifindex, ifname);
	err_machine(e, err, "cannot attach a tc program to what leaves '%s'", ifname);
	return err_hint(e, mode == TC_MODE_TCX ? "tcx links came with Linux 6.6: --tc-mode clsact" :
			"see: ethgauge doctor %s", ifname);
}

void tc_detach(struct tc_port *port)
{
	if (!port)
		return;
	if (port->link_fd >= 0)
		close(port->link_fd);
	else
		detach_clsact(port);
	free(port);
}

enum tc_mode tc_port_mode(const struct tc_port *port)
{
	return port->mode;
}
