// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/knob.c - numeric settings of an interface.
 *
 * Each is a field of a struct that the kernel reads and writes as a whole, so a write reads it
 * first and changes one field.
 */
#include "sys/net/knob.h"

#include <errno.h>
#include <net/if.h>
#include <stddef.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "sys/net/ethtool.h"

#define NO_MAX UINT32_MAX

union answer {
	uint32_t cmd;
	struct ethtool_ringparam rings;
	struct ethtool_channels channels;
	struct ethtool_coalesce coalesce;
};

static const struct {
	uint32_t get, set;
	size_t value, max;
} fields[] = {
#define RING(field) \
	{ ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM, offsetof(struct ethtool_ringparam, field##_pending), \
	  offsetof(struct ethtool_ringparam, field##_max_pending) }
#define CHANNELS(field) \
	{ ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS, offsetof(struct ethtool_channels, field##_count), \
	  offsetof(struct ethtool_channels, max_##field) }
#define COALESCE(field) \
	{ ETHTOOL_GCOALESCE, ETHTOOL_SCOALESCE, offsetof(struct ethtool_coalesce, field), NO_MAX }
	[KNOB_RX_RING] = RING(rx), [KNOB_TX_RING] = RING(tx),
	[KNOB_RX_QUEUES] = CHANNELS(rx), [KNOB_TX_QUEUES] = CHANNELS(tx),
	[KNOB_COMBINED] = CHANNELS(combined),
	[KNOB_RX_USECS] = COALESCE(rx_coalesce_usecs),
	[KNOB_TX_USECS] = COALESCE(tx_coalesce_usecs),
	[KNOB_ADAPTIVE_RX] = COALESCE(use_adaptive_rx_coalesce),
};

static uint32_t *field(union answer *answer, size_t offset)
{
	return (uint32_t *)((char *)answer + offset);
}

int knob_read(const char *ifname, enum knob knob, uint32_t *ret_value, uint32_t *ret_max)
{
	union answer answer = { 0 };
	struct ifreq req = { 0 };
	int err;

	if (knob == KNOB_MTU || knob == KNOB_TXQUEUELEN) {
		err = ethtool_ioctl(ifname, knob == KNOB_MTU ? SIOCGIFMTU : SIOCGIFTXQLEN, &req);
		if (err)
			return err;
		*ret_value = (uint32_t)(knob == KNOB_MTU ? req.ifr_mtu : req.ifr_qlen);
		*ret_max = 0;
		return 0;
	}
	answer.cmd = fields[knob].get;
	err = ethtool(ifname, &answer);
	if (err)
		return err;
	*ret_max = fields[knob].max == NO_MAX ? 0 : *field(&answer, fields[knob].max);
	/* A driver with combined queues has no separate ones, and vice versa. */
	if (fields[knob].max != NO_MAX && !*ret_max)
		return -EOPNOTSUPP;
	*ret_value = *field(&answer, fields[knob].value);
	return 0;
}

int knob_write(const char *ifname, enum knob knob, uint32_t value)
{
	union answer answer = { 0 };
	struct ifreq req = { 0 };
	int err;

	if (knob == KNOB_MTU || knob == KNOB_TXQUEUELEN) {
		*(knob == KNOB_MTU ? &req.ifr_mtu : &req.ifr_qlen) = (int)value;
		return ethtool_ioctl(ifname, knob == KNOB_MTU ? SIOCSIFMTU : SIOCSIFTXQLEN, &req);
	}
	answer.cmd = fields[knob].get;
	err = ethtool(ifname, &answer);
	if (err)
		return err;
	answer.cmd = fields[knob].set;
	*field(&answer, fields[knob].value) = value;
	return ethtool(ifname, &answer);
}
