/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/knob.h - numeric settings of an interface.
 */
#ifndef LIB_KNOB_H
#define LIB_KNOB_H

enum knob {
	KNOB_MTU,
	KNOB_TXQUEUELEN,
	KNOB_RX_RING,
	KNOB_TX_RING,
	KNOB_RX_QUEUES,		/* separate ones, as on veth */
	KNOB_TX_QUEUES,
	KNOB_COMBINED,
	KNOB_RX_USECS,
	KNOB_TX_USECS,
	KNOB_ADAPTIVE_RX,	/* 0 or 1 */
};

#endif
