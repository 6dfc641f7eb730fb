// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/caps.c - require and drop capabilities.
 */
#include "sys/host/caps.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cap-ng.h>

#include "lib/log.h"

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
};

static bool keep_files;

int caps_require(unsigned int needs, struct err *e)
{
	char missing[128] = "";
	size_t i;

	capng_get_caps_process();
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
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
	return err_hint(e, "run it as root: sudo ethgauge ...");
}

void caps_keep_files(void)
{
	keep_files = true;
}

void caps_drop(unsigned int keep)
{
	bool held[sizeof(table) / sizeof(table[0])];
	size_t i;

	/* Requesting one that is not held would make the kernel refuse all. */
	capng_get_caps_process();
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		held[i] = capng_have_capability(CAPNG_PERMITTED, table[i].cap);
	capng_clear(CAPNG_SELECT_BOTH);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if ((keep & table[i].need) && !table[i].to_load_only && held[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, table[i].cap);
	}
	if (keep_files)
		capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_DAC_OVERRIDE);
	if (capng_apply(CAPNG_SELECT_CAPS))
		log_debug("cannot drop capabilities: %s", strerror(errno));
}

int caps_become(const char *user, struct err *e)
{
	struct passwd *who;
	bool files;

	if (!geteuid()) {
		errno = 0;
		who = getpwnam(user);
		if (!who)
			return err_usage(e, "there is no user '%s'", user);
		if (!who->pw_uid)
			return err_usage(e, "'%s' is root: choose an unprivileged user", user);
		/* -o is written at the end, where root was able to write. */
		if (keep_files)
			prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		if (initgroups(user, who->pw_gid) || setresgid(who->pw_gid, who->pw_gid, who->pw_gid) ||
		    setresuid(who->pw_uid, who->pw_uid, who->pw_uid))
			return err_set(e, -errno, "cannot become the user '%s'", user);
	}
	/* Also drops capabilities that the new user would keep (ambient, file). */
	capng_get_caps_process();
	files = keep_files && capng_have_capability(CAPNG_PERMITTED, CAP_DAC_OVERRIDE);
	capng_clear(CAPNG_SELECT_BOTH);
	if (files)
		capng_updatev(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_DAC_OVERRIDE,
			      CAP_FOWNER, -1);
	if (capng_apply(CAPNG_SELECT_CAPS))
		log_debug("cannot drop capabilities: %s", strerror(errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		log_debug("cannot refuse new privileges: %s", strerror(errno));
	return 0;
}

/* False: not allowed, as in a container without CAP_SETUID, or the user is unknown to the namespace. */
static bool leave_root(void)
{
	struct passwd *who = getpwnam("nobody");
	uid_t uid = who && who->pw_uid ? who->pw_uid : NOBODY;
	gid_t gid = who && who->pw_gid ? who->pw_gid : NOBODY;

	return !setgroups(0, NULL) && !setresgid(gid, gid, gid) && !setresuid(uid, uid, uid);
}

int caps_become_nobody(struct err *e)
{
	unsigned long cap;

	/* Fails after the last one, or without CAP_SETPCAP. */
	for (cap = 0; !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
		;
	if (!geteuid() && !leave_root())
		log_warn("the listener stays root, without capabilities: it cannot become the user 'nobody': %s",
			 strerror(errno));
	capng_get_caps_process();
	capng_clear(CAPNG_SELECT_BOTH);
	if (capng_apply(CAPNG_SELECT_CAPS))
		return err_set(e, -errno, "cannot drop the listener's capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return err_set(e, -errno, "cannot refuse new privileges");
	return 0;
}
