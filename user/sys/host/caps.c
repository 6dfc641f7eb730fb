// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/caps.c - require and drop capabilities.
 */
#include "sys/host/caps.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cap-ng.h>

#include "lib/array.h"
#include "lib/log.h"
#include "sys/host/calls.h"
#include "sys/host/keeper.h"

#ifndef CAP_BPF
#define CAP_BPF 39
#endif
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define NOBODY		65534	/* where no user has the name */

static const struct {
	unsigned int need, cap;
	const char *name;
	bool to_load_only;	/* caps_drop() drops it always */
} table[] = {
	{ CAPS_BPF, CAP_BPF, "CAP_BPF" },
	/* Without it the verifier does not allow subtracting packet pointers. */
	{ CAPS_BPF, CAP_PERFMON, "CAP_PERFMON", true },
	{ CAPS_NET_ADMIN, CAP_NET_ADMIN, "CAP_NET_ADMIN" },
	{ CAPS_NET_RAW, CAP_NET_RAW, "CAP_NET_RAW" },
	{ CAPS_SYS_ADMIN, CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
	{ CAPS_FILES, CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE" },
	{ CAPS_FILES, CAP_FOWNER, "CAP_FOWNER" },
	{ CAPS_LIMITS, CAP_IPC_LOCK, "CAP_IPC_LOCK" },
	{ CAPS_LIMITS, CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE" },
	{ CAPS_USER, CAP_SETUID, "CAP_SETUID" },
	{ CAPS_USER, CAP_SETGID, "CAP_SETGID" },
};

#define NR_TABLE	ARRAY_SIZE(table)

/*
 * "cap_bpf,cap_net_admin": @needs, and what is held already, as setcap(8) replaces what a file has.
 */
static void write_caps(char *buf, size_t size, unsigned int needs)
{
	size_t i, len = 0;

	buf[0] = '\0';
	for (i = 0; i < NR_TABLE; i++) {
		if (len < size && ((needs & table[i].need) || capng_have_capability(CAPNG_PERMITTED, table[i].cap)))
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? "," : "", table[i].name);
	}
	for (i = 0; buf[i]; i++)
		buf[i] = (char)tolower((unsigned char)buf[i]);
}

int caps_require(unsigned int needs, struct err *e)
{
	char missing[128] = "", caps[256], file[PATH_MAX];
	ssize_t len;
	size_t i;

	capng_get_caps_process();
	for (i = 0; i < NR_TABLE; i++) {
		if (!(needs & table[i].need) || capng_have_capability(CAPNG_EFFECTIVE, table[i].cap))
			continue;
		if (table[i].need == CAPS_BPF &&
		    capng_have_capability(CAPNG_EFFECTIVE, CAP_SYS_ADMIN))
			continue;
		snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing), "%s%s",
			 *missing ? ", " : "", table[i].name);
	}
	if (!*missing)
		return 0;
	err_machine(e, -EPERM, "this requires %s", missing);
	len = readlink("/proc/self/exe", file, sizeof(file) - 1);
	/* To root that lacks some, as in a container, the file's capabilities give nothing. */
	if (len <= 0 || !geteuid())
		return err_hint(e, "run it as root: sudo ethgauge ...");
	file[len] = '\0';
	write_caps(caps, sizeof(caps), needs);
	return err_hint(e, "run it as root: sudo ethgauge ...; or let every user run it: sudo setcap %s+ep %s", caps,
			file);
}

/* What exec() gives to a program of root. Without CAP_SETPCAP it stays as it is. */
static void empty_bounding_set(void)
{
	unsigned long cap;

	/* Fails after the last one. */
	for (cap = 0; !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
		;
}

/* @who: NULL: the user nobody. False: not permitted, or the user is unknown to the namespace. */
static bool change_user(const struct passwd *who)
{
	const struct passwd *nobody = who ? NULL : getpwnam("nobody");
	uid_t uid = who ? who->pw_uid : nobody && nobody->pw_uid ? nobody->pw_uid : NOBODY;
	gid_t gid = who ? who->pw_gid : nobody && nobody->pw_gid ? nobody->pw_gid : NOBODY;
	int deadly = 0, err;
	pid_t parent = getppid();

	/* It is cleared by a change of the user. */
	prctl(PR_GET_PDEATHSIG, &deadly);
	err = who ? initgroups(who->pw_name, gid) : setgroups(0, NULL);
	if (err || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return false;
	if (deadly) {
		prctl(PR_SET_PDEATHSIG, deadly);
		if (getppid() != parent)
			raise(deadly);
	}
	return true;
}

/* Only those of @keep that are held now; @run_phase: without those to load programs. 0 or negative errno. */
static int keep_only(unsigned int keep, bool run_phase)
{
	bool kept[NR_TABLE];
	size_t i;

	/* Requesting one that is not held would make the kernel refuse all. */
	capng_get_caps_process();
	for (i = 0; i < NR_TABLE; i++)
		kept[i] = (keep & table[i].need) && !(run_phase && table[i].to_load_only) &&
			  capng_have_capability(CAPNG_PERMITTED, table[i].cap);
	capng_clear(CAPNG_SELECT_BOTH);
	for (i = 0; i < NR_TABLE; i++) {
		if (kept[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, table[i].cap);
	}
	if (capng_apply(CAPNG_SELECT_CAPS))
		return errno ? -errno : -EPERM;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

static void drop_rest(unsigned int keep, bool run_phase)
{
	int err = keep_only(keep, run_phase);

	if (err)
		log_debug("cannot drop capabilities: %s", strerror(-err));
	if (!run_phase)
		return;
	err = calls_limit(keep & CAPS_SYS_ADMIN ? CALLS_NETNS : 0);
	if (err)
		log_debug("cannot limit system calls: %s", strerror(-err));
}

void caps_drop(unsigned int keep)
{
	keeper_seal();
	empty_bounding_set();
	if (keep)
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (!geteuid() && !change_user(NULL))
		log_debug("stays root, with few capabilities: cannot become the user 'nobody': %s", strerror(errno));
	drop_rest(keep, true);
}

void caps_limit(unsigned int keep)
{
	empty_bounding_set();
	drop_rest(keep, false);
}

int caps_become(const char *user, struct err *e)
{
	struct passwd *who = NULL;

	if (!geteuid()) {
		who = getpwnam(user);
		if (!who)
			return err_usage(e, "there is no user '%s'", user);
		if (!who->pw_uid)
			return err_usage(e, "'%s' is root: choose an unprivileged user", user);
	}
	keeper_seal();
	empty_bounding_set();
	if (who && !change_user(who))
		return err_set(e, -errno, "cannot become the user '%s'", user);
	/* Also drops capabilities that the new user would keep (ambient, file). */
	drop_rest(0, true);
	return 0;
}

int caps_become_nobody(struct err *e)
{
	int err;

	empty_bounding_set();
	if (!geteuid() && !change_user(NULL))
		log_warn("the listener stays root, without capabilities: it cannot become the user 'nobody': %s",
			 strerror(errno));
	err = keep_only(0, true);
	if (!err)
		err = calls_limit(0);
	if (!err && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		err = -errno;
	return err ? err_set(e, err, "cannot drop the listener's capabilities") : 0;
}
