// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/bump.c - an AF_XDP forwarder that holds packets back.
 */
#include "engine/bump.h"

#include <errno.h>

int bump_open(struct bump **ret_bump, const struct bump_cfg *cfg, struct err *e)
{
	(void)ret_bump;
	return err_machine(e, -EOPNOTSUPP, "cannot hold packets of '%s' back", cfg->in_ifname);
}

int bump_start(struct bump *bump, struct err *e)
{
	(void)bump;
	return err_set(e, -EOPNOTSUPP, "cannot hold packets back");
}

void bump_read(const struct bump *bump, struct bump_count *ret_count)
{
	(void)bump;
	*ret_count = (struct bump_count){ 0 };
}

void bump_read_hists(const struct bump *bump, struct hist_rec *ret_intended,
		     struct hist_rec *ret_achieved, struct hist_rec *ret_late)
{
	(void)bump;
	*ret_intended = *ret_achieved = *ret_late = (struct hist_rec){ 0 };
}

void bump_stop(struct bump *bump)
{
	(void)bump;
}

void bump_close(struct bump *bump)
{
	(void)bump;
}
