// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/xdp.c - attach to the XDP hook of an interface.
 */
#include "sys/hook/xdp.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "lib/log.h"
#include "sys/hook/bpf.h"
#include "sys/hook/pass.h"
#include "sys/hook/tc_left.h"
#include "sys/host/helper.h"
#include "sys/net/nic.h"

const char *const xdp_mode_names[] = { "auto", "native", "generic", NULL };

struct xdp_port {
	int link_fd;
	enum xdp_mode mode;
	struct helper pass;	/* attaches a lab's pass program again */
};

static const char *attached_mode(__u8 attach_mode)
{
	switch (attach_mode) {
	case XDP_ATTACHED_DRV:
		return "native";
	case XDP_ATTACHED_SKB:
		return "generic";
	case XDP_ATTACHED_HW:
		return "offloaded";
	default:
		return "several modes";
	}
}

static __u32 first_program(const struct bpf_xdp_query_opts *query)
{
	return query->prog_id ? query->prog_id : query->drv_prog_id ? query->drv_prog_id :
	       query->skb_prog_id ? query->skb_prog_id : query->hw_prog_id;
}

bool xdp_holder(int ifindex, char *ret_text, int size)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	struct bpf_prog_info info = { 0 };
	char process[32] = "";
	__u32 id;
	int pid;

	if (bpf_xdp_query(ifindex, 0, &query) || query.attach_mode == XDP_ATTACHED_NONE)
		return false;
	id = first_program(&query);
	if (bpf_prog_info_of(id, &info))
		snprintf(info.name, sizeof(info.name), "?");
	pid = bpf_prog_pid(id);
	if (pid)
		snprintf(process, sizeof(process), ", pid %d", pid);
	snprintf(ret_text, (size_t)size, "'%s' (id %u, %s%s)", info.name, id,
		 attached_mode(query.attach_mode), process);
	return true;
}

/* A link of XDP program @id: its descriptor, or -ENOENT, or -EPERM without CAP_SYS_ADMIN. */
static int link_of(uint32_t id, uint32_t *ret_link_id)
{
	struct bpf_link_info info;
	__u32 link = 0, bytes;
	int fd;

	while (!bpf_link_get_next_id(link, &link)) {
		fd = bpf_link_get_fd_by_id(link);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		bytes = sizeof(info);
		*ret_link_id = link;
		if (!bpf_obj_get_info_by_fd(fd, &info, &bytes) && info.type == BPF_LINK_TYPE_XDP && info.prog_id == id)
			return fd;
		close(fd);
	}
	return errno == EPERM ? -EPERM : -ENOENT;
}

bool xdp_gives_way(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	struct bpf_prog_info info;
	uint32_t link_id;
	int fd;

	if (bpf_xdp_query(ifindex, 0, &query) || !query.drv_prog_id || bpf_prog_info_of(query.drv_prog_id, &info) ||
	    strcmp(info.name, PASS_NAME))
		return false;
	/* That of a running sender is held by a link. */
	fd = link_of(query.drv_prog_id, &link_id);
	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

bool xdp_release(int ifindex, const char *ifname, char *ret_text, int size)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	struct bpf_prog_info info = { 0 };
	uint32_t id, link_id;
	int fd, pid;

	bpf_xdp_query(ifindex, 0, &query);
	id = first_program(&query);
	pid = bpf_prog_pid(id);
	fd = link_of(id, &link_id);
	if (fd >= 0)
		close(fd);
	if (pid && (fd >= 0 || fd == -EPERM)) {
		snprintf(ret_text, (size_t)size, "end the process %d, which has attached it", pid);
		return false;
	}
	if (fd >= 0) {
		snprintf(ret_text, (size_t)size, "bpftool link detach id %u", link_id);
		return true;
	}
	if (!bpf_prog_info_of(id, &info) && !strcmp(info.name, "xdp_dispatcher"))
		snprintf(ret_text, (size_t)size, "xdp-loader unload %s --all", ifname);
	else
		snprintf(ret_text, (size_t)size, "ip link set dev %s %s off", ifname,
			 id == query.skb_prog_id ? "xdpgeneric" : id == query.hw_prog_id ? "xdpoffload" : "xdpdrv");
	return true;
}

static int attach_as(int ifindex, int prog_fd, enum xdp_mode mode)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = mode == XDP_MODE_NATIVE ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);

	return bpf_link_create(prog_fd, ifindex, BPF_XDP, &opts);
}

static int attach_error(int err, int ifindex, enum xdp_mode mode, struct err *e)
{
	char ifname[IF_NAMESIZE] = "?", holder[128], how[128];

	if_indextoname((unsigned int)ifindex, ifname);
	/* EBUSY or EEXIST, depending on the kernel and how the other program is attached. */
	if ((err == -EBUSY || err == -EEXIST) && xdp_holder(ifindex, holder, sizeof(holder))) {
		err_machine(e, -EBUSY, "cannot attach XDP to '%s': the hook is held by program %s",
			    ifname, holder);
		if (strstr(holder, "'" PASS_YIELDING_NAME "'"))
			return err_hint(e, "ethgauge reflect attached it, as its answers would not "
					"arrive otherwise; with CAP_SYS_ADMIN this replaces it");
		if (strstr(holder, "'" PASS_NAME "'") && strstr(holder, ", pid "))
			return err_hint(e, "a sender attached it, as its frames would not arrive "
					"otherwise: start this first, then the sender");
		return err_hint(e, xdp_release(ifindex, ifname, how, sizeof(how)) ?
				"if it is not needed, detach it: %s" : "%s", how);
	}
	err_machine(e, err, "cannot attach %s XDP to '%s'", xdp_mode_names[mode], ifname);
	if (err == -EOPNOTSUPP && mode == XDP_MODE_NATIVE)
		return err_hint(e, "its driver does not support native XDP: use " OPTION("xdp-mode")
				" generic; see: ethgauge doctor %s", ifname);
	if (err == -ERANGE || err == -EINVAL)
		return err_hint(e, "the MTU may be too large for XDP, or receive offloads may "
				"prevent it: ethgauge doctor %s", ifname);
	return err_hint(e, "see: ethgauge doctor %s", ifname);
}

/* Detaches the link of program @id, whoever holds it. */
static bool detach_program(uint32_t id)
{
	uint32_t link_id;
	int fd = link_of(id, &link_id);
	bool detached = fd >= 0 && !bpf_link_detach(fd);

	if (fd >= 0)
		close(fd);
	return detached;
}

/* Frees the hook of a program that yields (sys/hook/pass.h). Requires CAP_SYS_ADMIN. */
static bool take_over(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	struct bpf_prog_info info;

	return !bpf_xdp_query(ifindex, 0, &query) && query.drv_prog_id &&
	       !bpf_prog_info_of(query.drv_prog_id, &info) &&
	       !strcmp(info.name, PASS_YIELDING_NAME) && detach_program(query.drv_prog_id);
}

/* The kernel disables it for generic XDP, and warns with a call trace where the driver, such as virtio_net, goes on. */
static void warn_of_merging(const char *ifname)
{
	struct nic_offloads offloads = { 0 };

	if (!nic_read_offloads(ifname, &offloads) && offloads.gro_hw)
		log_warn("'%s' merges packets (rx-gro-hw), which generic XDP disables; "
			 "if the driver cannot, the kernel's log has a warning of it", ifname);
}

int xdp_attach(struct xdp_port **ret_port, int ifindex, int prog_fd, enum xdp_mode mode,
	       struct err *e)
{
	enum xdp_mode got = mode == XDP_MODE_AUTO ? XDP_MODE_NATIVE : mode;
	char ifname[IF_NAMESIZE] = "?";
	struct helper pass = { 0 };
	struct xdp_port *port;
	struct nic_facts nic;
	int fd;

	if_indextoname((unsigned int)ifindex, ifname);
	if (!nic_read(ifname, &nic) && nic_check_ethernet(ifname, &nic, e))
		return e->no;
	tc_left_remove(ifindex);
	if (got == XDP_MODE_GENERIC)
		warn_of_merging(ifname);
	fd = attach_as(ifindex, prog_fd, got);
	if ((fd == -EBUSY || fd == -EEXIST) && (take_over(ifindex) || !pass_give_way(ifindex, &pass)))
		fd = attach_as(ifindex, prog_fd, got);
	if (fd < 0 && mode == XDP_MODE_AUTO && fd != -EBUSY && fd != -EEXIST && fd != -ENODEV &&
	    fd != -EPERM) {
		got = XDP_MODE_GENERIC;
		warn_of_merging(ifname);
		log_warn("'%s' refuses native XDP (%s): attaching generic XDP, which sees packets "
			 "only after the driver", ifname, strerrordesc_np(-fd));
		fd = attach_as(ifindex, prog_fd, got);
	}
	if (fd < 0) {
		helper_end(&pass);
		return attach_error(fd, ifindex, got, e);
	}
	port = malloc(sizeof(*port));
	if (!port) {
		close(fd);
		helper_end(&pass);
		return err_set(e, -ENOMEM, "cannot attach XDP");
	}
	port->link_fd = fd;
	port->mode = got;
	port->pass = pass;
	*ret_port = port;
	return 0;
}

void xdp_detach(struct xdp_port *port)
{
	if (!port)
		return;
	close(port->link_fd);
	helper_end(&port->pass);
	free(port);
}

enum xdp_mode xdp_port_mode(const struct xdp_port *port)
{
	return port->mode;
}

bool xdp_port_holds(const struct xdp_port *port)
{
	return bpf_link_holds(port->link_fd);
}

bool xdp_needs_frags(const struct nic_facts *nic, enum xdp_mode mode)
{
	return nic->mtu > NIC_LINEAR_MTU && mode != XDP_MODE_GENERIC;
}
