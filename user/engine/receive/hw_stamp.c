// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/hw_stamp.c - hardware timestamps.
 *
 * This requires three things: a NIC configured to timestamp every frame, a driver that passes the
 * timestamps to XDP programs or AF_XDP sockets, and the conversion of the NIC's free-running clock
 * to the clock of the other timestamps.
 */
#include "engine/receive/hw_stamp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "sys/host/clock.h"
#include "sys/net/nic.h"

struct hw_stamp {
	char ifname[16];
	enum hw_stamp_side side;
	int phc_index;
	struct nic_stamping before;
	bool changed;			/* the NIC's timestamp setting was changed */
	struct clock_phc *phc;
	struct stamp_line line;		/* the newest */
	struct stamp_lines *lines;	/* shared with the program, or NULL */
};

static int refuse(const char *ifname, enum hw_stamp_side side, const char *why, struct err *e)
{
	err_machine(e, -EOPNOTSUPP, "'%s' cannot timestamp what it %s: %s", ifname,
		    side == HW_STAMP_RX ? "receives" : "sends", why);
	return err_hint(e, "use software timestamps: " OPTION("%s") " %s; see: ethgauge doctor %s",
			side == HW_STAMP_RX ? "rx-stamp" : "tx-stamp",
			side == HW_STAMP_RX ? "xdp" : "tag", ifname);
}

static int check_nic(const char *ifname, enum hw_stamp_side side, int *ret_phc_index,
		     struct err *e)
{
	struct nic_stamps stamps;
	struct nic_facts nic;
	struct nic_xdp xdp;

	if (nic_read(ifname, &nic))
		return nic_unknown(ifname, e);
	if (nic_read_stamps(ifname, &stamps) || stamps.phc_index < 0 ||
	    !(side == HW_STAMP_RX ? stamps.hw_rx : stamps.hw_tx))
		return refuse(ifname, side, "it has no hardware clock", e);
	if (side == HW_STAMP_RX && !stamps.hw_rx_all)
		return refuse(ifname, side, "it timestamps only PTP packets", e);
	if (nic_read_xdp(nic.ifindex, &xdp))
		return refuse(ifname, side, "XDP programs can read timestamps from kernel 6.3 on", e);
	if (side == HW_STAMP_RX && !(xdp.rx_metadata & NIC_XDP_RX_TIMESTAMP))
		return refuse(ifname, side, "its driver does not pass timestamps to XDP programs", e);
	if (side == HW_STAMP_TX && !(xdp.tx_metadata & NIC_XSK_TX_TIMESTAMP))
		return refuse(ifname, side, "its driver does not pass timestamps to AF_XDP, which "
			      "requires kernel 6.8", e);
	*ret_phc_index = stamps.phc_index;
	return 0;
}

static int enable(struct hw_stamp *stamp, struct err *e)
{
	int err = nic_read_stamping(stamp->ifname, &stamp->before);
	struct nic_stamping want = stamp->before;

	/* Some drivers accept a setting but do not report it. */
	if (err)
		want = stamp->before = (struct nic_stamping){ 0 };
	if (!err && (stamp->side == HW_STAMP_RX ? want.every_received : want.every_sent))
		return 0;
	want.every_received |= stamp->side == HW_STAMP_RX;
	want.every_sent |= stamp->side == HW_STAMP_TX;
	err = nic_set_stamping(stamp->ifname, &want);
	if (err)
		return refuse(stamp->ifname, stamp->side, strerrordesc_np(-err), e);
	stamp->changed = true;
	return 0;
}

int hw_stamp_open(struct hw_stamp **ret_stamp, const char *ifname, enum hw_stamp_side side,
		  enum stamp_clock clock, struct err *e)
{
	struct hw_stamp *stamp = calloc(1, sizeof(*stamp));
	int err;

	if (!stamp)
		return err_set(e, -ENOMEM, "cannot open the NIC's clock");
	snprintf(stamp->ifname, sizeof(stamp->ifname), "%s", ifname);
	stamp->side = side;
	stamp->phc_index = CLOCK_PHC_TAI;
	err = side == HW_STAMP_TX_SOFT ? 0 : check_nic(ifname, side, &stamp->phc_index, e);
	if (!err && side != HW_STAMP_TX_SOFT)
		err = enable(stamp, e);
	if (!err)
		err = clock_phc_open(&stamp->phc, stamp->phc_index, clock, &stamp->line, e);
	if (err) {
		hw_stamp_close(stamp);
		return err;
	}
	*ret_stamp = stamp;
	return 0;
}

void hw_stamp_close(struct hw_stamp *stamp)
{
	int err;

	if (!stamp)
		return;
	clock_phc_close(stamp->phc);
	err = stamp->changed ? nic_set_stamping(stamp->ifname, &stamp->before) : 0;
	if (err)
		log_warn("cannot restore the timestamp setting of '%s': "
			 "%s", stamp->ifname, strerrordesc_np(-err));
	free(stamp);
}

/* Writes the inactive line first, then makes it the active one. */
static void publish(const struct hw_stamp *stamp)
{
	uint32_t next = !stamp->lines->now;

	stamp->lines->line[next] = stamp->line;
	__atomic_store_n(&stamp->lines->now, next, __ATOMIC_RELEASE);
	__atomic_store_n(&stamp->lines->valid, 1, __ATOMIC_RELEASE);
}

void hw_stamp_publish(struct hw_stamp *stamp, struct stamp_lines *lines)
{
	stamp->lines = lines;
	publish(stamp);
}

void hw_stamp_follow(struct hw_stamp *stamp)
{
	if (stamp->lines && clock_phc_follow(stamp->phc, &stamp->line))
		publish(stamp);
}

void hw_stamp_report(const struct hw_stamp *stamp, struct result *res)
{
	char path[32];

	if (stamp->side == HW_STAMP_TX_SOFT)
		return;
	snprintf(path, sizeof(path), "/dev/ptp%d", stamp->phc_index);
	result_env_str(res, "phc", path);
	result_self_u64(res, "phc_error_ns", clock_phc_error_ns(stamp->phc));
}
