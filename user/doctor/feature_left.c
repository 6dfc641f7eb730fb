// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor/feature_left.c - what earlier runs left in this network namespace.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <time.h>

#include "doctor/feature_probe.h"
#include "engine/study/tune.h"
#include "lib/loop.h"
#include "sys/hook/tc_left.h"

/* The local time of day of a CLOCK_BOOTTIME. */
static void clock_text(uint64_t boot_ns, char *ret_text, size_t size)
{
	struct timespec boot;
	time_t then = time(NULL);
	struct tm tm;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	then -= boot.tv_sec - (time_t)(boot_ns / NSEC_PER_SEC);
	strftime(ret_text, size, "%F %T", localtime_r(&then, &tm));
}

void probe_left_filters(struct feature_set *set, struct feature_answer *ret)
{
	struct if_nameindex *names = if_nameindex(), *name;
	char ifname[IF_NAMESIZE] = "", loaded[32];
	struct tc_left first = { 0 }, left;
	int nr = 0, found;

	for (name = names; name && name->if_index && nr >= 0; name++) {
		found = tc_left_find((int)name->if_index, &left, 1);
		if (found > 0 && !nr) {
			first = left;
			snprintf(ifname, sizeof(ifname), "%s", name->if_name);
		}
		nr = found < 0 ? found : nr + found;
	}
	if (!names) {
		feature_failed(set, ret, -errno, "reading the interfaces");
		return;
	}
	if_freenameindex(names);
	if (nr < 0) {
		feature_denied(set, ret, "root (CAP_SYS_ADMIN)");
	} else if (!nr) {
		feature_say(ret, FEATURE_PRESENT, "no tc filter of a killed run");
	} else {
		clock_text(first.loaded_boot_ns, loaded, sizeof(loaded));
		feature_say(ret, FEATURE_ABSENT, "%d tc filter%s of killed runs%s '%s' at the %s of '%s', "
			    "of ethgauge %s, loaded %s", nr, nr > 1 ? "s" : "", nr > 1 ? "; the first:" : ":",
			    first.prog, first.egress ? "egress" : "ingress", ifname, first.verb, loaded);
		/* What an absent feature shows without -v: so whose it was is here, too. */
		feature_command(set, ret, "tc filter del dev %s %s pref %u handle %u bpf  # of ethgauge %s, loaded %s",
				ifname, first.egress ? "egress" : "ingress", first.filter.priority,
				first.filter.handle, first.verb, loaded);
	}
}

void probe_left_settings(struct feature_set *set, struct feature_answer *ret)
{
	size_t nr = tune_nr_saved();

	if (!nr) {
		feature_say(ret, FEATURE_PRESENT, "none that ethgauge changed");
		return;
	}
	feature_say(ret, FEATURE_ABSENT, "%zu setting%s, as ethgauge tune --apply or a killed sweep left "
		    "%s", nr, nr > 1 ? "s" : "", nr > 1 ? "them" : "it");
	feature_command(set, ret, "ethgauge tune --restore");
}
