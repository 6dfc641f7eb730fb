// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/ethtool.c - ioctl requests about an interface, including ethtool's.
 */
#include "sys/net/ethtool.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

_Static_assert(ETHTOOL_NAME_SIZE == ETH_GSTRING_LEN + 1, "a name does not fit");

int ethtool_ioctl(const char *ifname, unsigned long request, struct ifreq *req)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	snprintf(req->ifr_name, sizeof(req->ifr_name), "%s", ifname);
	/* ETHTOOL_SFEATURES returns flags for bits that were not granted. */
	err = ioctl(fd, request, req) < 0 ? -errno : 0;
	close(fd);
	return err;
}

int ethtool(const char *ifname, void *command)
{
	struct ifreq req = { .ifr_data = command };

	return ethtool_ioctl(ifname, SIOCETHTOOL, &req);
}

/* The buffer ends where a page begins that cannot be written. */
int ethtool_bounded(const char *ifname, void *command, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
	char *map = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *buffer;
	int err;

	if (map == MAP_FAILED)
		return -errno;
	buffer = map + room - bytes;
	memcpy(buffer, command, bytes);
	err = mprotect(map + room, page, PROT_NONE) ? -errno : ethtool(ifname, buffer);
	if (!err)
		memcpy(command, buffer, bytes);
	munmap(map, room + page);
	return err == -EFAULT ? -EAGAIN : err;
}

int ethtool_read_names(const char *ifname, uint32_t set, struct ethtool_gstrings **ret_names)
{
	struct {
		struct ethtool_sset_info head;
		uint32_t length;
	} info = { .head = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ull << set } };
	struct ethtool_gstrings *names;
	size_t bytes;
	int err = ethtool(ifname, &info);

	if (err)
		return err;
	if (!info.head.sset_mask || !info.length)
		return -EOPNOTSUPP;
	bytes = sizeof(*names) + (size_t)info.length * ETH_GSTRING_LEN;
	names = calloc(1, bytes);
	if (!names)
		return -ENOMEM;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = set;
	names->len = info.length;
	err = ethtool_bounded(ifname, names, bytes);
	/* A kernel that heeds the room it was told answers with none instead. */
	if (!err && !names->len)
		err = -EAGAIN;
	if (err)
		free(names);
	else
		*ret_names = names;
	return err;
}

void ethtool_name(const struct ethtool_gstrings *names, uint32_t i, char ret_name[ETHTOOL_NAME_SIZE])
{
	snprintf(ret_name, ETHTOOL_NAME_SIZE, "%.*s", ETH_GSTRING_LEN,
		 (const char *)names->data + (size_t)i * ETH_GSTRING_LEN);
}
