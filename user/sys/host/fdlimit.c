// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/fdlimit.c - the limit of open descriptors.
 */
#include "sys/host/fdlimit.h"

#include <errno.h>
#include <sys/resource.h>

int fdlimit_raise(uint64_t need, struct err *e)
{
	struct rlimit limit, more;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return err_set(e, -errno, "cannot read the limit of open files");
	if (limit.rlim_cur >= need)
		return 0;
	more = (struct rlimit){
		.rlim_cur = need, .rlim_max = limit.rlim_max > need ? limit.rlim_max : need,
	};
	if (!setrlimit(RLIMIT_NOFILE, &more))
		return 0;
	err_machine(e, -EMFILE, "this requires %llu open files, but the limit is %llu",
		    (unsigned long long)need, (unsigned long long)limit.rlim_max);
	return err_hint(e, "raise it: sudo, ulimit -Hn %llu, sysctl fs.nr_open; or use fewer "
			OPTION("clients"), (unsigned long long)need);
}
