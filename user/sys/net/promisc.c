// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/promisc.c - enable promiscuous mode of an interface.
 */
#include "sys/net/promisc.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <sys/socket.h>
#include <unistd.h>

int promisc_open(int ifindex, struct err *e)
{
	const struct packet_mreq mreq = { .mr_ifindex = ifindex, .mr_type = PACKET_MR_PROMISC };
	int fd, err;

	/* Protocol 0: the socket itself receives nothing. */
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_machine(e, -errno, "cannot open a packet socket");
	if (!setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &mreq, sizeof(mreq)))
		return fd;
	err = err_machine(e, -errno, "cannot make an interface promiscuous");
	close(fd);
	return err;
}
