// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/xdp_share.c - share the XDP hook of an interface.
 */
#include "sys/hook/xdp_share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <bpf/libbpf.h>

/* libxdp has a constant with the name of one in sys/hook/xdp.h. */
#define XDP_MODE_NATIVE	LIBXDP_MODE_NATIVE
#include <xdp/libxdp.h>
#undef XDP_MODE_NATIVE

#include "lib/log.h"
#include "sys/hook/bpf.h"
#include "sys/hook/freplace.h"
#include "sys/host/caps.h"
#include "sys/host/child.h"
#include "sys/host/helper.h"

#define PROGRAMS 10	/* maximum per dispatcher */
#define FIRST	1	/* run priority; others have 50 unless they request a lower one */

struct xdp_share {
	struct helper helper;
	bool attached;
	int ifindex, prog_fd;
	enum xdp_mode mode;		/* native or generic */
	__u32 dispatcher_id;		/* in which it was last seen */
};

/* The helper's side. */
struct joined {
	struct bpf_object *obj;
	struct xdp_program *prog;	/* from the first time on */
	int ifindex;			/* 0: in no dispatcher */
	__u32 dispatcher_id;		/* in which it was last seen */
	enum xdp_attach_mode mode;
};

enum what { JOIN, LEAVE, LOOK };

struct request {
	enum what what;
	int ifindex;			/* JOIN */
	enum xdp_mode mode;
};

/* With the program's descriptor after JOIN. */
struct answer {
	int value;			/* 0 or negative errno; LOOK: whether the dispatcher has the program */
	enum xdp_mode mode;		/* JOIN: native or generic */
	__u32 prog_id;
	unsigned int removed;		/* JOIN: programs of killed processes */
	struct err e;			/* JOIN */
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
static unsigned int remove_stale(int ifindex, const char *name)
{
	__u32 ids[PROGRAMS];
	size_t nr = find_named(ifindex, name, ids), i;
	unsigned int removed = 0;

	for (i = 0; i < nr; i++)
		removed += !bpf_prog_other_pid(ids[i]) && !detach_id(ifindex, ids[i]);
	return removed;
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
		return err_hint(e, "this kernel does not allow freplace, which a dispatcher requires "
				"(ethgauge doctor --has freplace); use " OPTION("hooks") " tc");
	return err_hint(e, "use " OPTION("hooks") " tc; or see libxdp's messages with: -v");
}

static __u32 holder_id(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);

	return bpf_xdp_query(ifindex, 0, &query) ? 0 : query.prog_id;
}

static int join_as(struct joined *joined, int ifindex, enum xdp_mode mode)
{
	int err;

	joined->mode = mode == XDP_MODE_GENERIC ? XDP_MODE_SKB : LIBXDP_MODE_NATIVE;
	err = xdp_program__attach(joined->prog, ifindex, joined->mode, 0);
	/* Attached alone and without a link: libxdp's last resort, not ours. */
	if (!err && !xdp_share_is_possible(ifindex)) {
		xdp_program__detach(joined->prog, ifindex, joined->mode, 0);
		return -EOPNOTSUPP;
	}
	if (!err) {
		joined->ifindex = ifindex;
		joined->dispatcher_id = holder_id(ifindex);
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

/* Its rights to see what other processes hold end with the first time: from then on nothing counts as left. */
static int make_program(struct joined *joined, int ifindex, unsigned int *ret_removed)
{
	struct bpf_program *prog = bpf_object__next_program(joined->obj, NULL);
	int err;

	*ret_removed = remove_stale(ifindex, bpf_program__name(prog));
	joined->prog = xdp_program__from_bpf_obj(joined->obj, bpf_program__section_name(prog));
	err = (int)libxdp_get_error(joined->prog);
	if (err)
		joined->prog = NULL;
	return err ? err : xdp_program__set_run_prio(joined->prog, FIRST);
}

static void join(struct joined *joined, const struct request *request, struct answer *answer)
{
	int ifindex = request->ifindex, err = 0;
	char holder[128];

	if (!joined->prog)
		err = make_program(joined, ifindex, &answer->removed);
	if (!err && xdp_holder(ifindex, holder, sizeof(holder)) && !xdp_share_is_possible(ifindex))
		err = -EBUSY;
	else if (!err && freplace_is_refused())
		err = -EPERM;
	if (!err)
		err = join_as(joined, ifindex, choose_mode(ifindex, request->mode));
	if (err) {
		answer->value = attach_error(err, ifindex, &answer->e);
		return;
	}
	answer->mode = joined->mode == XDP_MODE_SKB ? XDP_MODE_GENERIC : XDP_MODE_NATIVE;
}

static bool is_joined(struct joined *joined)
{
	__u32 id = holder_id(joined->ifindex);
	struct xdp_multiprog *mp = joined->ifindex ? dispatcher_at(joined->ifindex) : NULL;
	struct xdp_program *prog = NULL;
	bool found = false;

	while (mp && !found && (prog = xdp_multiprog__next_prog(prog, mp)))
		found = xdp_program__id(prog) == xdp_program__id(joined->prog);
	xdp_multiprog__close(mp);
	if (found)
		joined->dispatcher_id = id;
	return found;
}

/* libxdp leaves them where the interface is gone, and would remove those of other namespaces with that number, too. */
static void remove_pins(int ifindex, __u32 dispatcher_id)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/fs/bpf/xdp/dispatch-%d-%u", ifindex, dispatcher_id);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}

/* Of no effect where others removed it, or the interface. */
static int leave(struct joined *joined)
{
	int err = joined->ifindex ? xdp_program__detach(joined->prog, joined->ifindex, joined->mode, 0) : 0;

	if (err && !is_joined(joined)) {
		if (holder_id(joined->ifindex) != joined->dispatcher_id)
			remove_pins(joined->ifindex, joined->dispatcher_id);
		err = 0;
	}
	joined->ifindex = 0;
	return err;
}

/*
 * All but stderr, @socket and what an object has before it is loaded: maps, and files that reserve the numbers of maps.
 * A link that stays open here would stay attached, the end of another helper's socket would keep that one.
 */
static void close_others(int socket)
{
	static const char placeholder[] = "/memfd:libbpf";
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char is[64];
	ssize_t len;

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	while (dir && (entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		len = readlinkat(dirfd(dir), entry->d_name, is, sizeof(is) - 1);
		if (len < 0 || fd <= STDERR_FILENO || fd == socket || fd == dirfd(dir))
			continue;
		is[len] = '\0';
		if (strcmp(is, "anon_inode:bpf-map") && strncmp(is, placeholder, strlen(placeholder)))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void serve(int socket, void *obj)
{
	struct joined joined = { .obj = obj };
	struct request request;
	bool limited = false;

	prctl(PR_SET_NAME, "ethgauge-share");
	child_ignore_signals();
	close_others(socket);
	while (!helper_receive(socket, &request, sizeof(request), NULL)) {
		struct answer answer = { 0 };

		if (request.what == JOIN)
			join(&joined, &request, &answer);
		else if (request.what == LEAVE)
			answer.value = leave(&joined);
		else
			answer.value = is_joined(&joined);
		answer.prog_id = joined.prog ? xdp_program__id(joined.prog) : 0;
		if (request.what == JOIN && !limited) {
			caps_limit(CAPS_BPF | CAPS_NET_ADMIN | CAPS_SYS_ADMIN | CAPS_FILES);
			limited = true;
		}
		if (helper_send(socket, &answer, sizeof(answer),
				request.what == JOIN && !answer.value ? xdp_program__fd(joined.prog) : -1))
			break;
	}
	leave(&joined);
}

static int ask(struct xdp_share *share, const struct request *request, struct answer *ret_answer, int *ret_fd)
{
	int err = helper_send(share->helper.fd, request, sizeof(*request), -1);

	return err ? err : helper_receive(share->helper.fd, ret_answer, sizeof(*ret_answer), ret_fd);
}

int xdp_share_open(struct xdp_share **ret_share, struct bpf_object *obj, struct err *e)
{
	struct xdp_share *share = calloc(1, sizeof(*share));
	int err;

	if (!share)
		return err_set(e, -ENOMEM, "cannot share the XDP hook");
	share->prog_fd = -1;
	err = helper_start(&share->helper, serve, obj);
	if (err) {
		free(share);
		return err_set(e, err, "cannot share the XDP hook");
	}
	*ret_share = share;
	return 0;
}

void xdp_share_close(struct xdp_share *share)
{
	if (!share)
		return;
	xdp_share_detach(share);
	helper_end(&share->helper);
	if (share->prog_fd >= 0)
		close(share->prog_fd);
	free(share);
}

int xdp_share_attach(struct xdp_share *share, int ifindex, enum xdp_mode mode, struct err *e)
{
	const struct request request = { .what = JOIN, .ifindex = ifindex, .mode = mode };
	struct answer answer;
	int fd = -1, err = ask(share, &request, &answer, &fd);

	if (err)
		return err_set(e, err, "cannot share the XDP hook");
	if (answer.removed)
		log_warn("removed a program left by a killed process from the dispatcher");
	if (answer.value) {
		*e = answer.e;
		return answer.value;
	}
	/* It stays the same one. */
	if (share->prog_fd < 0)
		share->prog_fd = fd;
	else
		close(fd);
	share->ifindex = ifindex;
	share->mode = answer.mode;
	share->dispatcher_id = 0;
	share->attached = true;
	return 0;
}

void xdp_share_detach(struct xdp_share *share)
{
	struct answer answer = { 0 };
	int err;

	if (!share || !share->attached)
		return;
	share->attached = false;
	err = ask(share, &(struct request){ .what = LEAVE }, &answer, NULL);
	if (!err)
		err = answer.value;
	if (err)
		log_warn("cannot leave the dispatcher (%s): xdp-loader unload IFACE --id %u",
			 strerrordesc_np(-err), answer.prog_id);
}

int xdp_share_prog_fd(const struct xdp_share *share)
{
	return share->prog_fd;
}

/* Each program that joins or leaves creates a new dispatcher; inspecting it is expensive. */
bool xdp_share_holds(struct xdp_share *share)
{
	__u32 id = holder_id(share->ifindex);
	struct answer answer;
	bool found;

	if (id && id == share->dispatcher_id)
		return true;
	found = !ask(share, &(struct request){ .what = LOOK }, &answer, NULL) && answer.value;
	share->dispatcher_id = found ? id : 0;
	return found;
}

enum xdp_mode xdp_share_mode(const struct xdp_share *share)
{
	return share->mode;
}
