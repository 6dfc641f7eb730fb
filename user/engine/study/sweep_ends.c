// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/study/sweep_ends.c - change settings at several interfaces.
 */
#include "engine/study/sweep_ends.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/host/caps.h"
#include "sys/net/netns.h"

int sweep_ends_check(const struct opt_strs *names, struct err *e)
{
	unsigned int i;

	if (names->nr > SWEEP_MAX_ENDS)
		return err_usage(e, "more than %d interfaces", SWEEP_MAX_ENDS);
	for (i = 0; i < names->nr; i++) {
		const char *name = names->text[i], *at = strchr(name, '@');
		size_t len = at ? (size_t)(at - name) : strlen(name);

		if (!len || len >= sizeof(((struct tune_path *)0)->ifname) || memchr(name, '/', len) ||
		    (at && (!at[1] || strchr(at, '/'))))
			return err_usage(e, OPTION("dev") " '%s' is not IFACE or IFACE@NETNS", name);
	}
	return 0;
}

/* An operation at one end, run by a thread in its namespace. */
struct visit {
	const struct sweep_end *end;
	const char *list;	/* NULL: restore */
};

static int visit_end(void *ctx, struct err *e)
{
	const struct visit *visit = ctx;
	struct result *quiet;
	int err;

	if (visit->end->netns && netns_enter(visit->end->fd, e))
		return e->no;
	quiet = result_new("tune");
	err = visit->list ? tune_apply(visit->list, &visit->end->path, quiet, e) :
			    tune_restore(quiet, e);
	result_free(quiet);
	return err;
}

static int refuse_changed(void *ctx, struct err *e)
{
	const struct sweep_end *end = ctx;

	if (end->netns && netns_enter(end->fd, e))
		return e->no;
	if (!tune_nr_saved())
		return 0;
	err_plain(e, -EBUSY, "settings are already changed%s%s, by tune, a running sweep or a killed one",
		  end->netns ? " in " : "", end->netns ? end->netns : "");
	return err_hint(e, "restore them first: %s%s ethgauge tune --restore",
			end->netns ? "ip netns exec " : "", end->netns ? end->netns : "");
}

static int open_end(struct sweep_end *end, const char *name, struct err *e)
{
	const char *at = strchr(name, '@');
	int err;

	*end = (struct sweep_end){ .fd = -1, .netns = at ? at + 1 : NULL };
	snprintf(end->path.ifname, sizeof(end->path.ifname), "%.*s",
		 at ? (int)(at - name) : (int)strlen(name), name);
	if (!at)
		return 0;
	err = caps_require(CAPS_SYS_ADMIN, e);
	return err ? err : netns_need(end->netns, &end->fd, e);
}

int sweep_ends_open(struct sweep_ends *ends, const struct opt_strs *names, struct err *e)
{
	int err = caps_require(CAPS_NET_ADMIN, e);
	unsigned int i;

	ends->nr = 0;
	for (i = 0; !err && i < (names->nr ? names->nr : 1); i++) {
		err = open_end(&ends->ends[i], names->nr ? names->text[i] : "", e);
		ends->nr++;
		if (!err)
			err = netns_run(refuse_changed, &ends->ends[i], e);
	}
	return err;
}

void sweep_ends_close(struct sweep_ends *ends)
{
	while (ends->nr--) {
		if (ends->ends[ends->nr].fd >= 0)
			close(ends->ends[ends->nr].fd);
	}
	ends->nr = 0;
}

int sweep_ends_apply(const struct sweep_ends *ends, const char *list, struct err *e)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < ends->nr; i++)
		err = netns_run(visit_end, &(struct visit){ &ends->ends[i], list }, e);
	return err;
}

int sweep_ends_restore(const struct sweep_ends *ends, struct err *e)
{
	struct err here;
	size_t i;

	/* A failure must not keep the other ends from being restored. */
	for (i = ends->nr; i-- > 0; ) {
		here = (struct err){ 0 };
		if (netns_run(visit_end, &(struct visit){ &ends->ends[i], NULL }, &here))
			*e = here;
	}
	return e->no;
}
