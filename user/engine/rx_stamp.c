// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/rx_stamp.c - receive stamps by the NIC.
 *
 * Three things must come together: a NIC that stamps every frame and has been
 * told to, a driver that hands the stamp to XDP programs, and the NIC's clock,
 * which runs by itself and is converted to the one of the senders' stamps.
 */
#include "engine/rx_stamp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "sys/clock.h"
#include "sys/nic.h"

const char *const rx_stamp_names[] = { "xdp", "hw", "auto", NULL };

struct rx_stamp {
	char ifname[16];
	int phc_index;
	struct nic_stamping before;
	bool changed;			/* the NIC was told to stamp */
	struct clock_phc *phc;
	struct stamp_line line;		/* the newest */
	struct stamp_lines *lines;	/* of the program, or NULL */
};

static int refuse(const char *ifname, const char *why, struct err *e)
{
	err_machine(e, -EOPNOTSUPP, "'%s' cannot stamp what it receives: %s", ifname, why);
	return err_hint(e, "without it: --rx-stamp xdp; see: ethgauge doctor %s", ifname);
}

static int check_nic(const char *ifname, int *ret_phc_index, struct err *e)
{
	struct nic_stamps stamps;
	struct nic_facts nic;
	struct nic_xdp xdp;

	if (nic_read(ifname, &nic))
		return err_usage(e, "there is no interface '%s' here", ifname);
	if (nic_read_stamps(ifname, &stamps) || !stamps.hw_rx || stamps.phc_index < 0)
		return refuse(ifname, "it has no clock of its own", e);
	if (!stamps.hw_rx_all)
		return refuse(ifname, "it stamps PTP packets alone", e);
	if (nic_read_xdp(nic.ifindex, &xdp))
		return refuse(ifname, "XDP programs can read stamps from kernel 6.3 on", e);
	if (!(xdp.rx_metadata & NIC_XDP_RX_TIMESTAMP))
		return refuse(ifname, "its driver does not show its stamps to XDP programs", e);
	*ret_phc_index = stamps.phc_index;
	return 0;
}

static int enable(struct rx_stamp *stamp, struct err *e)
{
	int err = nic_read_stamping(stamp->ifname, &stamp->before);
	struct nic_stamping want = stamp->before;

	/* Some drivers only know how it is set, and not how it was. */
	if (err)
		want = stamp->before = (struct nic_stamping){ 0 };
	want.every_received = true;
	if (!err && stamp->before.every_received)
		return 0;
	err = nic_set_stamping(stamp->ifname, &want);
	if (err) {
		err_machine(e, err, "cannot make '%s' stamp what it receives", stamp->ifname);
		return err_hint(e, "without it: --rx-stamp xdp");
	}
	stamp->changed = true;
	return 0;
}

int rx_stamp_open(struct rx_stamp **ret_stamp, const char *ifname, enum stamp_clock clock,
		  struct err *e)
{
	struct rx_stamp *stamp = calloc(1, sizeof(*stamp));
	int err;

	if (!stamp)
		return err_set(e, -ENOMEM, "cannot open the receiver");
	snprintf(stamp->ifname, sizeof(stamp->ifname), "%s", ifname);
	err = check_nic(ifname, &stamp->phc_index, e);
	if (!err)
		err = enable(stamp, e);
	if (!err)
		err = clock_phc_open(&stamp->phc, stamp->phc_index, clock, &stamp->line, e);
	if (err) {
		rx_stamp_close(stamp);
		return err;
	}
	*ret_stamp = stamp;
	return 0;
}

void rx_stamp_close(struct rx_stamp *stamp)
{
	int err;

	if (!stamp)
		return;
	clock_phc_close(stamp->phc);
	err = stamp->changed ? nic_set_stamping(stamp->ifname, &stamp->before) : 0;
	if (err)
		log_warn("'%s' goes on stamping what it receives: %s", stamp->ifname,
			 strerrordesc_np(-err));
	free(stamp);
}

/* First the line that nobody reads, then that it is the one to read. */
static void publish(struct rx_stamp *stamp)
{
	uint32_t next = !stamp->lines->now;

	stamp->lines->line[next] = stamp->line;
	__atomic_store_n(&stamp->lines->now, next, __ATOMIC_RELEASE);
	__atomic_store_n(&stamp->lines->valid, 1, __ATOMIC_RELEASE);
}

void rx_stamp_start(struct rx_stamp *stamp, struct stamp_lines *lines)
{
	stamp->lines = lines;
	publish(stamp);
}

void rx_stamp_follow(struct rx_stamp *stamp)
{
	if (stamp->lines && clock_phc_follow(stamp->phc, &stamp->line))
		publish(stamp);
}

void rx_stamp_report(const struct rx_stamp *stamp, struct result *res)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/ptp%d", stamp->phc_index);
	result_env_str(res, "rx_phc", path);
	result_self_u64(res, "phc_error_ns", clock_phc_error_ns(stamp->phc));
}
