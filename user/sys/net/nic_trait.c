// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/nic_trait.c - drivers' requirements for sending XDP frames through them.
 *
 * Taken from each driver's ndo_xdp_xmit, which returns an error that is not reported while the
 * driver has no program. A driver that is not listed either has no requirement (igc, tun, mvneta)
 * or is unknown.
 */
#include <string.h>

#include "lib/array.h"
#include "sys/net/nic.h"

#define OWN_RINGS "has XDP transmit rings only while an XDP program is attached to it"

static const struct nic_xdp_trait traits[] = {
	{ "veth", false, true, false,
	  "delivers XDP frames only while its peer is up and runs an XDP program (or has GRO on, "
	  "which is not enough for a reflector)" },
	{ "virtio_net", true, false, true,
	  "transmits XDP frames only while an XDP program is attached to it and with one extra "
	  "queue pair per CPU; live frames crash Linux 6.1 and are dropped by later kernels" },
	{ "mlx5_core", true, false, false, OWN_RINGS },
	{ "bonding", true, false, false,
	  "passes XDP to its slaves, and those transmit XDP frames only while a program is attached "
	  "to the bond" },
	{ "i40e", true, false, false, OWN_RINGS "; zero-copy as well" },
	{ "ice", true, false, false, OWN_RINGS "; zero-copy as well" },
	{ "ixgbe", true, false, false, OWN_RINGS "; zero-copy as well" },
	{ "igb", true, false, false,
	  "transmits XDP frames only while an XDP program is attached to it; zero-copy as well" },
	{ "ena", true, false, false, OWN_RINGS },
	{ "bnxt_en", true, false, false, OWN_RINGS },
	{ "gve", true, false, false, OWN_RINGS },
};

const struct nic_xdp_trait *nic_xdp_trait(const char *driver)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(traits); i++) {
		if (!strcmp(traits[i].driver, driver))
			return &traits[i];
	}
	return NULL;
}

bool nic_leaves_checksums(const char *driver)
{
	return !strcmp(driver, "veth") || !strcmp(driver, "tun");
}
