// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/xdp_share.c - share the XDP hook of an interface.
 */
#include "sys/hook/xdp_share.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

/* libxdp has a constant with the name of one in sys/hook/xdp.h. */
#define XDP_MODE_NATIVE	LIBXDP_MODE_NATIVE
#include <xdp/libxdp.h>
#undef XDP_MODE_NATIVE

#include "lib/log.h"
#include "sys/hook/bpf.h"
#include "sys/hook/freplace.h"

#define PROGRAMS 10	/* maximum per dispatcher */
#define FIRST	1	/* run priority; others have 50 unless they request a lower one */

struct xdp_share {
	struct xdp_program *prog;
	int ifindex;
	enum xdp_attach_mode mode;
	__u32 dispatcher_id;		/* in which it was last seen */
};

static int say_libxdp(enum libxdp_print_level level, const char *format, va_list args)
{
	char text[512];

	if (level != LIBXDP_WARN)
		return 0;
	vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = '\0';
	log_debug("libxdp: %s", text);
	return 0;
}

static struct xdp_multiprog *dispatcher_at(int ifindex)
{
	struct xdp_multiprog *mp;

	libxdp_set_print(say_libxdp);
	mp = xdp_multiprog__get_from_ifindex(ifindex);
	if (libxdp_get_error(mp))
		return NULL;
	if (xdp_multiprog__is_legacy(mp)) {
		xdp_multiprog__close(mp);
		return NULL;
	}
	return mp;
}

bool xdp_share_is_possible(int ifindex)
{
	struct xdp_multiprog *mp = dispatcher_at(ifindex);

	xdp_multiprog__close(mp);
	return mp;
}

/* IDs of the programs of that name in the dispatcher; returns their number. */
static size_t find_named(int ifindex, const char *name, __u32 ids[PROGRAMS])
{
	struct xdp_multiprog *mp = dispatcher_at(ifindex);
	struct xdp_program *prog = NULL;
	size_t nr = 0;

	while (mp && nr < PROGRAMS && (prog = xdp_multiprog__next_prog(prog, mp))) {
		if (!strcmp(xdp_program__name(prog), name))
			ids[nr++] = xdp_program__id(prog);
	}
	xdp_multiprog__close(mp);
	return nr;
}

static int detach_id(int ifindex, __u32 id)
{
	struct xdp_multiprog *mp = dispatcher_at(ifindex);
	struct xdp_program *prog = NULL;
	int err = -ENOENT;

	while (mp && err == -ENOENT && (prog = xdp_multiprog__next_prog(prog, mp))) {
		if (xdp_program__id(prog) == id)
			err = xdp_program__detach(prog, ifindex, xdp_multiprog__attach_mode(mp), 0);
	}
	xdp_multiprog__close(mp);
	return err;
}

/*
 * Removes those of our name that no process holds: theirs was killed. libxdp, in this process,
 * holds all that it has read.
 */
static void remove_stale(int ifindex, const char *name)
{
	__u32 ids[PROGRAMS];
	size_t nr = find_named(ifindex, name, ids), i;

	for (i = 0; i < nr; i++) {
		if (!bpf_prog_other_pid(ids[i]) && !detach_id(ifindex, ids[i]))
			log_warn("removed the program '%s' left by a killed process from the "
				 "dispatcher",
				 name);
	}
}

static int attach_error(int err, int ifindex, struct err *e)
{
	char ifname[IF_NAMESIZE] = "?", holder[128] = "";

	if_indextoname((unsigned int)ifindex, ifname);
	if (xdp_holder(ifindex, holder, sizeof(holder))) {
		err_machine(e, err, "cannot share the XDP hook of '%s': it is held by program %s",
			    ifname, holder);
		if (!xdp_share_is_possible(ifindex))
			return err_hint(e, "sharing requires libxdp's dispatcher, and that "
					"program is not one: end it; or use "
					OPTION("hooks") " tc");
	} else {
		err_machine(e, err, "cannot share the XDP hook of '%s'", ifname);
	}
	if (freplace_is_refused())
		return err_hint(e, "this kernel does not allow freplace, which a dispatcher "
				"requires "
				"(ethgauge doctor --has freplace); use " OPTION("hooks") " tc");
	return err_hint(e, "use " OPTION("hooks") " tc; or see libxdp's messages with: -v");
}

static int attach_as(struct xdp_share *share, enum xdp_mode mode)
{
	int err;

	share->mode = mode == XDP_MODE_GENERIC ? XDP_MODE_SKB : LIBXDP_MODE_NATIVE;
	err = xdp_program__attach(share->prog, share->ifindex, share->mode, 0);
	/* Attached alone and without a link: libxdp's last resort, not ours. */
	if (!err && !xdp_share_is_possible(share->ifindex)) {
		xdp_program__detach(share->prog, share->ifindex, share->mode, 0);
		return -EOPNOTSUPP;
	}
	return err;
}

/* The object can be loaded only once, so determine the mode first. */
static enum xdp_mode choose_mode(int ifindex, enum xdp_mode mode)
{
	struct xdp_multiprog *mp = dispatcher_at(ifindex);

	if (mode == XDP_MODE_AUTO)
		mode = mp && xdp_multiprog__attach_mode(mp) == XDP_MODE_SKB ? XDP_MODE_GENERIC :
									       XDP_MODE_NATIVE;
	xdp_multiprog__close(mp);
	return mode;
}

int xdp_share_attach(struct xdp_share **ret_share, int ifindex, struct bpf_object *obj,
		     enum xdp_mode mode, struct err *e)
{
	struct bpf_program *prog = bpf_object__next_program(obj, NULL);
	struct xdp_share *share;
	char holder[128];
	int err = -EBUSY;

	libxdp_set_print(say_libxdp);
	remove_stale(ifindex, bpf_program__name(prog));
	if (xdp_holder(ifindex, holder, sizeof(holder)) && !xdp_share_is_possible(ifindex))
		return attach_error(err, ifindex, e);
	if (freplace_is_refused())
		return attach_error(-EPERM, ifindex, e);
	share = calloc(1, sizeof(*share));
	if (!share)
		return err_set(e, -ENOMEM, "cannot share the XDP hook");
	share->ifindex = ifindex;
	share->prog = xdp_program__from_bpf_obj(obj, bpf_program__section_name(prog));
	err = (int)libxdp_get_error(share->prog);
	if (err)
		share->prog = NULL;
	else
		err = xdp_program__set_run_prio(share->prog, FIRST);
	if (!err)
		err = attach_as(share, choose_mode(ifindex, mode));
	if (err) {
		xdp_program__close(share->prog);
		free(share);
		return attach_error(err, ifindex, e);
	}
	*ret_share = share;
	return 0;
}

void xdp_share_detach(struct xdp_share *share)
{
	int err;

	if (!share)
		return;
	err = xdp_program__detach(share->prog, share->ifindex, share->mode, 0);
	if (err && xdp_share_holds(share))
		log_warn("cannot leave the dispatcher (%s): xdp-loader unload IFACE --id %u",
			 strerrordesc_np(-err), xdp_program__id(share->prog));
	xdp_program__close(share->prog);
	free(share);
}

static __u32 holder_id(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);

	return bpf_xdp_query(ifindex, 0, &query) ? 0 : query.prog_id;
}

/* Each program that joins or leaves creates a new dispatcher; inspecting it is expensive. */
bool xdp_share_holds(struct xdp_share *share)
{
	__u32 id = holder_id(share->ifindex);
	struct xdp_program *prog = NULL;
	struct xdp_multiprog *mp;
	bool found = false;

	if (id && id == share->dispatcher_id)
		return true;
	mp = dispatcher_at(share->ifindex);
	while (mp && !found && (prog = xdp_multiprog__next_prog(prog, mp)))
		found = xdp_program__id(prog) == xdp_program__id(share->prog);
	xdp_multiprog__close(mp);
	share->dispatcher_id = found ? id : 0;
	return found;
}

enum xdp_mode xdp_share_mode(const struct xdp_share *share)
{
	return share->mode == XDP_MODE_SKB ? XDP_MODE_GENERIC : XDP_MODE_NATIVE;
}
