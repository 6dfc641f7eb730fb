// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_all.c - watch several interfaces at the same time.
 */
#include "engine/watch/watch_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/watch/watch_cost.h"
#include "engine/watch/watch_drops.h"

struct watch_all {
	struct watch_all_cfg cfg;
	struct result *res;
	struct watch *watches[OPT_MAX_IFACES];
	struct watch_flows *flows[OPT_MAX_IFACES];	/* NULL: not requested */
	struct watch_drops *drops;			/* likewise */
	unsigned int nr;
	struct watch_cost cost;
};

/* Loads the programs of all before it attaches any, so that all begin at the same time. */
static int open_ifaces(struct watch_all *all, struct err *e)
{
	struct watch_cfg_iface cfg = all->cfg.iface;
	unsigned int nr = all->cfg.ifaces->nr, i;
	int err = 0;

	cfg.flow = all->cfg.flows ? &all->cfg.flow : NULL;
	for (i = 0; !err && i < nr; i++) {
		cfg.ifname = all->cfg.ifaces->names[i];
		err = watch_open(&all->watches[i], &cfg, e);
	}
	for (i = 0; !err && i < nr; i++) {
		err = watch_start(all->watches[i], all->res, e);
		all->flows[i] = watch_flows(all->watches[i]);
	}
	if (!err)
		all->nr = nr;
	return err;
}

int watch_all_open(struct watch_all **ret_all, const struct watch_all_cfg *cfg,
		   struct result *res, struct err *e)
{
	struct watch_all *all = calloc(1, sizeof(*all));
	int err;

	if (!all)
		return err_set(e, -ENOMEM, "cannot watch");
	all->cfg = *cfg;
	all->res = res;
	watch_cost_open(&all->cost);
	err = open_ifaces(all, e);
	if (!err && cfg->drops)
		err = watch_drops_open(&all->drops, cfg->ifaces->names, cfg->ifaces->nr, res, e);
	if (err)
		watch_all_close(all);
	else
		*ret_all = all;
	return err;
}

void watch_all_close(struct watch_all *all)
{
	unsigned int i;

	if (!all)
		return;
	watch_drops_close(all->drops);
	watch_cost_close(&all->cost);
	for (i = 0; i < OPT_MAX_IFACES; i++)
		watch_close(all->watches[i]);
	free(all);
}

void watch_all_poll(struct watch_all *all)
{
	unsigned int i;

	if (all->cfg.cost)
		watch_cost_poll(&all->cost);
	for (i = 0; i < all->nr; i++)
		watch_poll(all->watches[i]);
	for (i = 0; i < all->nr && all->flows[i]; i++)
		watch_flows_poll(all->flows[i]);
}

void watch_all_row(struct watch_all *all, uint64_t elapsed_ns)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		watch_report_row(all->watches[i], elapsed_ns);
	for (i = 0; i < all->nr && all->flows[i]; i++)
		watch_flows_row(all->flows[i], elapsed_ns);
	if (all->drops)
		watch_drops_row(all->drops, elapsed_ns);
}

static void report_cpus(struct watch_all *all, double cpus)
{
	if (cpus > 0)
		result_self_real(all->res, "program_cpu_ratio", cpus);
}

static double report(struct watch_all *all, uint64_t elapsed_ns)
{
	double cpus = 0;
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		cpus += watch_report(all->watches[i], elapsed_ns, all->cfg.cost);
	return cpus;
}

void watch_all_report(struct watch_all *all, uint64_t elapsed_ns)
{
	report_cpus(all, report(all, elapsed_ns));
}

void watch_all_report_tables(struct watch_all *all)
{
	unsigned int i;

	if (all->drops)
		watch_drops_report_live(all->drops);
	for (i = 0; i < all->nr && all->flows[i]; i++)
		watch_flows_report_live(all->flows[i]);
}

void watch_all_sort(struct watch_all *all, enum watch_sort sort)
{
	unsigned int i;

	for (i = 0; i < all->nr && all->flows[i]; i++)
		watch_flows_sort(all->flows[i], sort);
}

void watch_all_stop(struct watch_all *all)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		watch_stop(all->watches[i]);
}

void watch_all_report_end(struct watch_all *all, uint64_t elapsed_ns)
{
	double cpus = report(all, elapsed_ns);
	unsigned int i;

	for (i = 0; i < all->nr && all->flows[i]; i++)
		cpus += watch_flows_report(all->flows[i], elapsed_ns);
	if (all->drops)
		watch_drops_report(all->drops);
	report_cpus(all, cpus);
	for (i = 0; i < all->nr; i++)
		watch_report_notes(all->watches[i]);
	if (all->cost.err)
		result_note(all->res, "the programs' cost could not be timed: %s",
			    strerror(-all->cost.err));
}
