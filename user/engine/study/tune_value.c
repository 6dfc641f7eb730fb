// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/study/tune_value.c - read and write a setting, wherever it is stored.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/study/tune.h"
#include "sys/host/cpu.h"
#include "sys/net/knob.h"
#include "sys/host/sysctl.h"
#include "sys/host/sysfs.h"
#include "sys/net/link.h"
#include "sys/net/nic.h"

/* "24:0 25:1": the CPUs of each of the NIC's interrupts. */
static int read_irqs(const char *ifname, char ret_text[TUNE_TEXT])
{
	struct cpu_nic *nic = malloc(sizeof(*nic));
	char path[64], cpus[32];
	size_t used = 0, i;

	if (!nic)
		return -ENOMEM;
	nic_find_irqs(ifname, nic);
	ret_text[0] = '\0';
	for (i = 0; i < nic->nr_irqs && used < TUNE_TEXT - 32; i++) {
		snprintf(path, sizeof(path), "/proc/irq/%u/smp_affinity_list", nic->irqs[i]);
		if (sysfs_read(path, cpus, sizeof(cpus)) > 0)
			used += (size_t)snprintf(ret_text + used, TUNE_TEXT - used, "%s%u:%s",
						 used ? " " : "", nic->irqs[i], cpus);
	}
	free(nic);
	return used ? 0 : -ENODATA;
}

static void explain_why(const struct tune_item *item, int err, struct tune_value *value)
{
	const char *why = strerror(-err);

	if (item->kind == TUNE_SYSCTL && err == -ENOENT)
		why = item->of_host ? "not in this kernel, or only in the host's network namespace" :
		      "not in this kernel";
	else if (err == -EOPNOTSUPP)
		why = "not supported or not reported by the driver";
	else if (item->kind == TUNE_IRQS && err == -ENODATA)
		why = "it has no interrupts";
	else if (item->kind == TUNE_GOVERNOR && err == -ENOENT)
		why = "no cpufreq: this system cannot set the CPU frequency";
	snprintf(value->why, sizeof(value->why), "%s", why);
}

void tune_read(const struct tune_item *item, const char *ifname, struct tune_value *ret_value)
{
	struct tune_value value = { 0 };
	uint32_t number;
	int err = 0;
	bool on;

	if (item->kind != TUNE_SYSCTL && item->kind != TUNE_GOVERNOR && !ifname[0]) {
		snprintf(value.why, sizeof(value.why), "no interface given");
		*ret_value = value;
		return;
	}
	switch (item->kind) {
	case TUNE_SYSCTL:
		err = sysctl_read(item->name, value.text, sizeof(value.text));
		break;
	case TUNE_KNOB:
		err = knob_read(ifname, (enum knob)item->knob, &number, &value.max);
		if (!err)
			snprintf(value.text, sizeof(value.text), "%u", number);
		break;
	case TUNE_FEATURE:
		err = nic_read_feature(ifname, item->name, &on);
		if (!err)
			snprintf(value.text, sizeof(value.text), "%s", on ? "on" : "off");
		break;
	case TUNE_IRQS:
		err = read_irqs(ifname, value.text);
		break;
	case TUNE_GOVERNOR:
		err = sysfs_read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", value.text,
				 sizeof(value.text));
		err = err < 0 ? err : 0;
		break;
	}
	if (err)
		explain_why(item, err, &value);
	*ret_value = value;
}

static int set_feature(const char *ifname, const char *name, bool on)
{
	const char *const none[] = { NULL }, *const one[] = { name, NULL };
	struct err e = { 0 };

	return link_set_features(ifname, on ? none : one, on ? one : none, &e);
}

int tune_write(const struct tune_item *item, const char *ifname, const char *text)
{
	struct tune_value now;

	/* Do not write an unchanged value: a NIC may reset needlessly. */
	tune_read(item, ifname, &now);
	if (!now.why[0] && !strcmp(now.text, text))
		return 0;
	switch (item->kind) {
	case TUNE_SYSCTL:
		return sysctl_write(item->name, text);
	case TUNE_KNOB:
		return knob_write(ifname, (enum knob)item->knob, (uint32_t)strtoul(text, NULL, 10));
	case TUNE_FEATURE:
		return set_feature(ifname, item->name, !strcmp(text, "on"));
	default:
		return -EOPNOTSUPP;
	}
}
