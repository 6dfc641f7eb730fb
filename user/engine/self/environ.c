// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/self/environ.c - where a result was measured, and by which clock.
 */
#include "engine/self/environ.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "sys/host/clock.h"
#include "sys/host/sysfs.h"
#include "sys/net/nic.h"

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
		text[strcspn(text, ";")] = '\0';	/* drop the list of details */
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
	if (nic.half_duplex)
		result_env_str(res, "duplex", "half");
}

static void report_quality(struct result *res)
{
	struct clock_quality quality;

	if (clock_read_quality(&quality))
		return;
	result_env_u64(res, "tai_offset_s", (uint64_t)quality.tai_offset_s);
	result_self_bool(res, "clock_synchronised", quality.synchronised);
	result_self_u64(res, "clock_error_ns", quality.max_error_ns);
	result_self_u64(res, "clock_error_estimated_ns", quality.estimated_error_ns);
	if (!quality.synchronised)
		result_note(res, "this host's clock is not synchronised (NTP/PTP): one-way delays are right "
			    "only where both ends are on it");
	if (!quality.tai_offset_s)
		result_note(res, "the TAI offset of this host is not set, so its clock 'tai' "
			    "shows UTC, some 37 s behind hosts on which it is set");
}

void environ_clock(struct result *res, enum stamp_clock clock)
{
	uint64_t bpf_ns = clock_bpf_cost_ns(clock);

	result_env_str(res, "clock", clock_names[clock]);
	result_self_u64(res, "clock_read_user_ns", clock_user_cost_ns(clock));
	if (bpf_ns)
		result_self_u64(res, "clock_read_bpf_ns", bpf_ns);
	if (clock == STAMP_TAI)
		report_quality(res);
}

static const struct {
	const char *word, *at;
} stamps[] = {
	[STAMPED_NOWHERE] = { "none", NULL },
	[STAMPED_BPF] = { "bpf", "in the program that makes the packet, before the driver's transmit" },
	[STAMPED_USER] = { "user", "in user space, before the AF_XDP ring" },
	[STAMPED_CALL] = { "user", "in user space, before and after a socket's system call" },
	[STAMPED_XDP] = { "xdp", "in an XDP program, where the driver hands the packet over" },
	[STAMPED_XDP_GENERIC] = { "xdp", "in an XDP program in the stack, after the driver" },
	[STAMPED_HW] = { "hw", "in the NIC, converted from its clock" },
	[STAMPED_SOCKET_TX] = { "user", "in user space, before the system call that sends" },
	[STAMPED_SOCKET_RX] = { "kernel", "in the kernel, before its stack (SO_TIMESTAMPNS)" },
	[STAMPED_DONE] = { "sw", "in the kernel, when the driver returned the frame" },
};

static void report_stamp(struct result *res, const char *key, const char *key_at,
		       enum environ_stamp place)
{
	result_env_str(res, key, stamps[place].word);
	if (stamps[place].at)
		result_env_str(res, key_at, stamps[place].at);
}

void environ_tx_stamp(struct result *res, enum environ_stamp place)
{
	report_stamp(res, "tx_stamp", "tx_stamp_at", place);
}

void environ_rx_stamp(struct result *res, enum environ_stamp place)
{
	report_stamp(res, "rx_stamp", "rx_stamp_at", place);
}

void environ_done_stamp(struct result *res, enum environ_stamp place)
{
	if (place != STAMPED_NOWHERE)
		report_stamp(res, "tx_done_stamp", "tx_done_stamp_at", place);
}
