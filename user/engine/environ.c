// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/environ.c - where a result was taken.
 */
#include "engine/environ.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "sys/nic.h"
#include "sys/sysfs.h"

void environ_host(struct result *res)
{
	struct utsname host;
	time_t now = time(NULL);
	struct tm utc;
	char text[128];

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	result_env_str(res, "date", text);
	uname(&host);
	result_env_str(res, "kernel", host.release);
	result_env_u64(res, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (sysfs_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
		       sizeof(text)) > 0)
		result_env_str(res, "clocksource", text);
	if (sysfs_read("/sys/devices/system/cpu/vulnerabilities/spectre_v2", text,
		       sizeof(text)) > 0) {
		text[strcspn(text, ";")] = '\0';	/* the rest is a list of details */
		result_env_str(res, "spectre_v2", text);
	}
}

void environ_iface(struct result *res, const char *ifname)
{
	struct nic_facts nic;

	if (nic_read(ifname, &nic))
		return;
	result_env_str(res, "driver", nic.driver);
	result_env_u64(res, "mtu", nic.mtu);
	result_env_u64(res, "rx_queues", nic.rx_queues);
	result_env_u64(res, "tx_queues", nic.tx_queues);
	if (nic.speed_bps)
		result_env_u64(res, "link_bps", nic.speed_bps);
}
