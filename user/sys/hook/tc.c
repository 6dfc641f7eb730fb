// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/tc.c - hold a tc hook of an interface.
 */
#include "sys/hook/tc.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "abi/beat.h"
#include "lib/loop.h"
#include "sys/hook/bpf.h"
#include "sys/hook/tc_left.h"
#include "sys/net/nic.h"

/* From 6.6 on; Debian 12's headers are older. */
#define TCX_INGRESS	((enum bpf_attach_type)46)
#define TCX_EGRESS	((enum bpf_attach_type)47)
#define TCX_BEFORE	(1U << 3)	/* BPF_F_BEFORE without a reference: before all others */

#define BEAT_BYTES	sizeof(__u64)	/* mapped as a page */

#define TCX_PROGRAMS	64	/* maximum per hook */

const char *const tc_way_names[] = { "auto", "clsact", "tcx", NULL };

struct tc_port {
	int link_fd;			/* tcx; -1: clsact */
	struct bpf_tc_hook hook;	/* clsact */
	struct bpf_tc_opts opts;
	bool made_qdisc;
	int ifindex;
	bool egress;
	volatile __u64 *beat_ns;	/* mapped; NULL: tcx */
	int spare_fd;			/* clsact: for the socket that detaching needs */
	__u32 prog_id;
	__u32 preceding_id;		/* the latest that was reported; 0: none */
};

static int attach_tcx(struct tc_port *port, int ifindex, bool egress, int prog_fd)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = TCX_BEFORE);

	port->link_fd = bpf_link_create(prog_fd, ifindex, egress ? TCX_EGRESS : TCX_INGRESS, &opts);
	return port->link_fd < 0 ? port->link_fd : 0;
}

static struct bpf_tc_hook make_hook(int ifindex, enum bpf_tc_attach_point point)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex, .attach_point = point);

	return hook;
}

void tc_port_beat(struct tc_port *port)
{
	if (port->beat_ns)
		*port->beat_ns = loop_mono_ns();
}

/* Before the filter is there, so that it is never without. */
static int start_beat(struct tc_port *port, int prog_fd, int beat_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int own_fd = -1, err = 0;
	void *memory;

	if (beat_fd < 0) {
		own_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, TC_BEAT_MAP, sizeof(__u32), sizeof(__u64), 1, &opts);
		if (own_fd < 0)
			return own_fd;
		beat_fd = own_fd;
		err = bpf_prog_bind_map(prog_fd, own_fd, NULL);
	}
	if (!err) {
		memory = mmap(NULL, BEAT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, beat_fd, 0);
		if (memory == MAP_FAILED)
			err = -errno;
		else
			port->beat_ns = memory;
	}
	if (own_fd >= 0)
		close(own_fd);
	tc_port_beat(port);
	return err;
}

static void stop_beat(struct tc_port *port)
{
	if (port->beat_ns)
		munmap((void *)port->beat_ns, BEAT_BYTES);
	port->beat_ns = NULL;
}

/* With no descriptor left the filter could not be removed. */
static int keep_spare(struct tc_port *port)
{
	port->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return port->spare_fd < 0 ? -errno : 0;
}

static void drop_spare(struct tc_port *port)
{
	if (port->spare_fd >= 0)
		close(port->spare_fd);
	port->spare_fd = -1;
}

static int attach_clsact(struct tc_port *port, int ifindex, bool egress, int prog_fd)
{
	struct bpf_tc_hook both = make_hook(ifindex, BPF_TC_INGRESS | BPF_TC_EGRESS);
	int err;

	port->hook = make_hook(ifindex, egress ? BPF_TC_EGRESS : BPF_TC_INGRESS);
	err = bpf_tc_hook_create(&both);
	port->made_qdisc = !err;
	if (err && err != -EEXIST)
		return err;
	port->opts = (struct bpf_tc_opts){ .sz = sizeof(port->opts), .prog_fd = prog_fd, .priority = 1 };
	err = bpf_tc_attach(&port->hook, &port->opts);
	if (err == -EINVAL || err == -EEXIST) {
		/* That priority is taken by filters of another kind: the kernel chooses one. */
		port->opts = (struct bpf_tc_opts){ .sz = sizeof(port->opts), .prog_fd = prog_fd };
		err = bpf_tc_attach(&port->hook, &port->opts);
	}
	if (err && port->made_qdisc)
		bpf_tc_hook_destroy(&both);
	port->opts.prog_fd = 0;
	port->opts.prog_id = 0;
	port->opts.flags = 0;
	return err;
}

static int attach_error(int err, int ifindex, bool egress, struct err *e)
{
	char ifname[IF_NAMESIZE] = "?";

	if (err == -ENODEV || !if_indextoname((unsigned int)ifindex, ifname))
		return err_set(e, -ENODEV, "cannot attach to tc: the interface no longer exists");
	err_machine(e, err, "cannot attach to the tc %s of '%s'", egress ? "egress" : "ingress",
		    ifname);
	return err_hint(e, "the kernel has neither tcx nor clsact, or the hook is full: see: "
			"ethgauge doctor; bpftool net show dev %s", ifname);
}

static __u32 prog_id_of(int prog_fd)
{
	struct bpf_prog_info info = { 0 };
	__u32 bytes = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &bytes) ? 0 : info.id;
}

int tc_attach(struct tc_port **ret_port, int ifindex, bool egress, int prog_fd, int beat_fd,
	      enum tc_way way, struct err *e)
{
	struct tc_port *port = calloc(1, sizeof(*port));
	int err = -EINVAL;

	if (!port)
		return err_set(e, -ENOMEM, "cannot attach to tc");
	port->link_fd = port->spare_fd = -1;
	port->ifindex = ifindex;
	port->egress = egress;
	port->prog_id = prog_id_of(prog_fd);
	tc_left_remove(ifindex);
	if (way != TC_WAY_CLSACT)
		err = attach_tcx(port, ifindex, egress, prog_fd);
	/* A kernel before 6.6 does not know the attach type. */
	if (way == TC_WAY_CLSACT || (way == TC_WAY_AUTO && (err == -EINVAL || err == -EOPNOTSUPP)))
		err = start_beat(port, prog_fd, beat_fd);
	if (!err && port->beat_ns)
		err = keep_spare(port);
	if (!err && port->beat_ns)
		err = attach_clsact(port, ifindex, egress, prog_fd);
	if (err) {
		drop_spare(port);
		stop_beat(port);
		free(port);
		return attach_error(err, ifindex, egress, e);
	}
	*ret_port = port;
	return 0;
}

void tc_detach(struct tc_port *port)
{
	if (!port)
		return;
	if (port->link_fd >= 0) {
		close(port->link_fd);
	} else {
		drop_spare(port);
		bpf_tc_detach(&port->hook, &port->opts);
		if (port->made_qdisc)
			tc_remove_empty(port->hook.ifindex);
	}
	stop_beat(port);
	free(port);
}

const char *tc_port_way(const struct tc_port *port)
{
	return port->link_fd >= 0 ? "tcx" : "clsact";
}

bool tc_port_holds(const struct tc_port *port)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = port->opts.handle, .priority = port->opts.priority);

	if (port->link_fd >= 0)
		return bpf_link_holds(port->link_fd);
	return !bpf_tc_query(&port->hook, &opts);
}

/* All tcx programs run before those of clsact. */
bool tc_port_preceded(struct tc_port *port, bool (*is_own)(const char *name), char *ret_text,
		      size_t size)
{
	__u32 ids[TCX_PROGRAMS] = { 0 }, i;
	LIBBPF_OPTS(bpf_prog_query_opts, opts, .prog_ids = ids, .prog_cnt = TCX_PROGRAMS);
	struct bpf_prog_info info = { 0 };
	char process[32] = "";
	int pid;

	if (bpf_prog_query_opts(port->ifindex, port->egress ? TCX_EGRESS : TCX_INGRESS, &opts))
		return false;
	for (i = 0; i < opts.prog_cnt && ids[i] != port->prog_id; i++) {
		if (ids[i] == port->preceding_id)
			return false;
		if (bpf_prog_info_of(ids[i], &info) || is_own(info.name))
			continue;
		port->preceding_id = ids[i];
		pid = bpf_prog_pid(ids[i]);
		if (pid)
			snprintf(process, sizeof(process), ", pid %d", pid);
		snprintf(ret_text, size, "'%s' (id %u, tcx %s%s)", info.name, ids[i],
			 port->egress ? "egress" : "ingress", process);
		return true;
	}
	return false;
}
