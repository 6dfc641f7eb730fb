// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_host.c - the settings of an end's host that bear on a transport test.
 */
#include "engine/transport/xfer_host.h"

#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "sys/host/sysctl.h"
#include "sys/socket/sock.h"

#define SETTING(field, sysctl) \
	{ sysctl, #field, offsetof(struct control_welcome, field), \
	  sizeof(((struct control_welcome *)NULL)->field) }

static const struct setting {
	const char *sysctl, *key;
	size_t offset, size;
} settings[] = {
	SETTING(kernel, "kernel.osrelease"),
	SETTING(congestion, "net.ipv4.tcp_congestion_control"),
	SETTING(tcp_rmem, "net.ipv4.tcp_rmem"),
	SETTING(tcp_wmem, "net.ipv4.tcp_wmem"),
	SETTING(rmem_max, "net.core.rmem_max"),	/* older kernels show it in the first namespace only */
	SETTING(wmem_max, "net.core.wmem_max"),
	SETTING(tcp_timestamps, "net.ipv4.tcp_timestamps"),
	SETTING(tcp_sack, "net.ipv4.tcp_sack"),
	SETTING(tcp_window_scaling, "net.ipv4.tcp_window_scaling"),
	SETTING(tcp_ecn, "net.ipv4.tcp_ecn"),
	SETTING(tcp_moderate_rcvbuf, "net.ipv4.tcp_moderate_rcvbuf"),
};

#define NR_SETTINGS ARRAY_SIZE(settings)

void xfer_host_read(int fd, struct control_welcome *ret_host)
{
	const struct setting *at;
	char *value;

	ret_host->mtu_bytes = sock_mtu_bytes(fd);
	for (at = settings; at < settings + NR_SETTINGS; at++) {
		value = (char *)ret_host + at->offset;
		if (sysctl_read(at->sysctl, value, at->size))
			*value = '\0';
	}
}

void xfer_host_report(const struct control_welcome *server, const struct control_welcome *client,
		      struct result *res)
{
	const char *theirs, *ours;
	const struct setting *at;
	char key[48];

	if (server->mtu_bytes)
		result_env_u64(res, "server_mtu", server->mtu_bytes);
	if (client->mtu_bytes != server->mtu_bytes)
		result_env_u64(res, "client_mtu", client->mtu_bytes);
	for (at = settings; at < settings + NR_SETTINGS; at++) {
		theirs = (const char *)server + at->offset;
		ours = (const char *)client + at->offset;
		snprintf(key, sizeof(key), "server_%s", at->key);
		if (*theirs)
			result_env_str(res, key, theirs);
		snprintf(key, sizeof(key), "client_%s", at->key);
		if (*ours && strcmp(ours, theirs))
			result_env_str(res, key, ours);
	}
}
