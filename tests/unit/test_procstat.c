// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc as it is, with CPUs that are away, with 300 of them, and damaged.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/procstat.h"

#include "check.h"

#define NR 4

/* CPU 1 and 2 are away, as after: echo 0 >/sys/devices/system/cpu/cpu1/online */
static const char stat[] =
	"cpu  47388 7 12931 113668 935 3 1415 3292 0 0\n"
	"cpu0 21274 5 6282 59353 84 2 1164 1603 11 0\n"
	"cpu3 26113 2 6649 54315 850 1 251 1688 0 0\n"
	"intr 652682 0 0 17\n"
	"ctxt 959303\n"
	"softirq 1 2 3\n";

static const char softirqs[] =
	"                    CPU0       CPU1       CPU2       CPU3       \n"
	"          HI:          0          0          0          0\n"
	"      NET_TX:        582          0          0        685\n"
	"      NET_RX:    7617669          1          2      60041\n"
	"     RCU:         9          9          9          9\n";

static const char interrupts[] =
	"           CPU0       CPU3\n"
	" 24:          1         31  IO-APIC   5-edge      ACPI:Ged\n"
	" 38:          7       3010 PCI-MSIX-0000:00:03.0   1-edge      eth1-rx-0\n"
	" 39:       3076         11 PCI-MSIX-0000:00:03.0   2-edge      mlx5_comp0@eth1\n"
	" 40:          5         13 PCI-MSIX-0000:00:04.0   0-edge      eth10-rx-0\n"
	"241:          2          0 PCI-MSIX-0000:00:05.0   0-edge      virtio4-input.0\n"
	"LOC:     231417     211915   Local timer interrupts\n"
	"ERR:          5\n"
	"MIS:          3\n";

static void stat_is_read_by_cpu_and_offline_cpus_stay_absent(void **state)
{
	struct procstat_cpu cpus[NR] = { 0 };

	(void)state;
	assert_int_equal(procstat_parse_stat(stat, cpus, NR), 0);
	assert_true(cpus[0].online && cpus[3].online);
	assert_false(cpus[1].online || cpus[2].online);
	assert_int_equal(cpus[0].user_ticks, 21279);
	assert_int_equal(cpus[0].system_ticks, 6282);
	assert_int_equal(cpus[0].idle_ticks, 59437);
	assert_int_equal(cpus[3].irq_ticks, 1);
	assert_int_equal(cpus[3].softirq_ticks, 251);
	assert_int_equal(cpus[3].steal_ticks, 1688);
}

static void cpus_beyond_the_array_are_left_out(void **state)
{
	struct procstat_cpu cpus[2] = { 0 };
	size_t lines;

	(void)state;
	assert_int_equal(procstat_parse_stat(stat, cpus, 1), 0);
	assert_int_equal(procstat_parse_softirqs(softirqs, cpus, 1), 0);
	assert_int_equal(procstat_parse_interrupts(interrupts, &(struct procstat_nic){ 0 }, cpus, 1,
						   &lines), 0);
	assert_int_equal(procstat_parse_softnet("1 2 3\n4 5 6\n", cpus, 1), 0);
	assert_true(cpus[0].online);
	assert_memory_equal(&cpus[1], &(struct procstat_cpu){ 0 }, sizeof(cpus[1]));
}

static void softirqs_are_read_by_column(void **state)
{
	struct procstat_cpu cpus[NR] = { 0 };

	(void)state;
	assert_int_equal(procstat_parse_softirqs(softirqs, cpus, NR), 0);
	assert_int_equal(cpus[0].net_rx_softirqs, 7617669);
	assert_int_equal(cpus[2].net_rx_softirqs, 2);
	assert_int_equal(cpus[3].net_rx_softirqs, 60041);
	assert_int_equal(cpus[3].net_tx_softirqs, 685);
}

static void interrupts_are_those_of_the_column_s_cpu_and_of_the_nic_by_number(void **state)
{
	const uint32_t irqs[] = { 241, 24 };
	const struct procstat_nic nic = { .irqs = irqs, .nr_irqs = 2 };
	struct procstat_cpu cpus[NR] = { 0 };
	size_t lines = 0;

	(void)state;
	assert_int_equal(procstat_parse_interrupts(interrupts, &nic, cpus, NR, &lines), 0);
	assert_int_equal(lines, 2);
	assert_int_equal(cpus[0].interrupts, 1 + 7 + 3076 + 5 + 2 + 231417);
	assert_int_equal(cpus[0].nic_interrupts, 3);
	assert_int_equal(cpus[3].nic_interrupts, 31);
	assert_int_equal(cpus[1].interrupts, 0);
}

static void interrupts_are_the_nic_s_by_its_whole_name(void **state)
{
	const struct procstat_nic nic = { .ifname = "eth1" }, none = { .ifname = "eth" };
	struct procstat_cpu cpus[NR] = { 0 };
	size_t lines = 0;

	(void)state;
	assert_int_equal(procstat_parse_interrupts(interrupts, &nic, cpus, NR, &lines), 0);
	assert_int_equal(lines, 2);
	assert_int_equal(cpus[0].nic_interrupts, 7 + 3076);
	assert_int_equal(cpus[3].nic_interrupts, 3010 + 11);
	assert_int_equal(procstat_parse_interrupts(interrupts, &none, cpus, NR, &lines), 0);
	assert_int_equal(lines, 0);
	assert_int_equal(cpus[0].nic_interrupts, 0);
}

static void softnet_is_read_by_the_cpu_number_in_the_line(void **state)
{
	/* As printed by kernel 6.18. */
	static const char text[] =
		"0000f3a1 00000002 0000001f 00000000 00000000 00000000 00000000 00000000 00000000 "
		"00000000 00000000 00000000 00000000 00000000 00000000\n"
		"00000010 00000003 00000005 00000000 00000000 00000000 00000000 00000000 00000000 "
		"00000000 00000000 00000000 00000003 00000000 00000000\n";
	struct procstat_cpu cpus[NR] = { 0 };

	(void)state;
	assert_int_equal(procstat_parse_softnet(text, cpus, NR), 0);
	assert_int_equal(cpus[0].softnet_packets, 0xf3a1);
	assert_int_equal(cpus[0].softnet_squeezed, 31);
	assert_int_equal(cpus[3].softnet_packets, 16);
	assert_int_equal(cpus[3].softnet_dropped_packets, 3);
	assert_int_equal(cpus[1].softnet_packets, 0);
}

static void softnet_of_old_kernels_is_read_by_the_order_of_online_cpus(void **state)
{
	struct procstat_cpu cpus[NR] = { 0 };

	(void)state;
	procstat_parse_stat(stat, cpus, NR);
	assert_int_equal(procstat_parse_softnet("0a 0b 0c 0 0 0 0 0 0 0 0\n"
						"1a 1b 1c 0 0 0 0 0 0 0 0\n"
						"2a 2b 2c 0 0 0 0 0 0 0 0\n", cpus, NR), 0);
	assert_int_equal(cpus[0].softnet_packets, 0x0a);
	assert_int_equal(cpus[3].softnet_dropped_packets, 0x1b);
	assert_int_equal(cpus[1].softnet_packets, 0);
}

#define MANY 300

static char *text;
static size_t text_len;

static void add(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text_len += (size_t)vsnprintf(text + text_len, (1 << 20) - text_len, fmt, args);
	va_end(args);
}

/* Each row @value(cpu) for CPUs 0, 1, 3, 4, 6, 7, ...: every third is away. */
static void add_row(const char *name, const char *format, unsigned int step)
{
	unsigned int cpu;

	add("%s", name);
	for (cpu = 0; cpu < MANY; cpu++) {
		if (cpu % 3 != 2)
			add(format, step * cpu);
	}
	add("\n");
}

static void three_hundred_cpus_with_holes_are_each_read(void **state)
{
	const struct procstat_nic nic = { .ifname = "eth1" };
	struct procstat_cpu *cpus = calloc(MANY, sizeof(*cpus));
	unsigned int cpu;
	size_t lines = 0;

	(void)state;
	text = malloc(1 << 20);
	text_len = 0;
	for (cpu = 0; cpu < MANY; cpu++) {
		if (cpu % 3 != 2)
			add("cpu%u %u 0 %u %u 0 0 0 0 0 0\n", cpu, cpu, 2 * cpu, 5 * cpu);
	}
	assert_int_equal(procstat_parse_stat(text, cpus, MANY), 0);
	text_len = 0;
	add_row("  ", "CPU%u  ", 1);
	add_row(" 17: ", "%10u ", 7);
	text_len--;
	add(" PCI-MSIX eth1\n");
	add_row("LOC: ", "%10u ", 1);
	assert_int_equal(procstat_parse_interrupts(text, &nic, cpus, MANY, &lines), 0);
	assert_int_equal(lines, 1);
	for (cpu = 0; cpu < MANY; cpu++) {
		bool away = cpu % 3 == 2;

		assert_int_equal(cpus[cpu].online, !away);
		assert_int_equal(cpus[cpu].idle_ticks, away ? 0 : 5 * cpu);
		assert_int_equal(cpus[cpu].nic_interrupts, away ? 0 : 7 * cpu);
		assert_int_equal(cpus[cpu].interrupts, away ? 0 : 8 * cpu);
	}
	free(text);
	free(cpus);
}

static void what_is_not_of_the_form_is_refused_and_changes_nothing(void **state)
{
	static const char *const bad[] = {
		"", "\n", "cpu", "cpu\n", "cpu 1 2 3 4\n", "cpux 1 2 3 4\n", "cpu0", "cpu0 1 2 3\n",
		"cpu0 a b c d\n", "cpu99999999999999999999 1 2 3 4\n",
		"cpu0 99999999999999999999 1 2 3\n", "CPU", "CPUx\nNET_RX: 1\n", "NET_RX: 1\n",
		"zz 1 2\n", "1 2\n",
	};
	struct procstat_cpu cpus[NR] = { 0 };
	const struct procstat_cpu none[NR] = { 0 };
	size_t lines = 77, i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(procstat_parse_stat(bad[i], cpus, NR), -EINVAL);
		assert_int_equal(procstat_parse_softirqs(bad[i], cpus, NR), -EINVAL);
		assert_int_equal(procstat_parse_softnet(bad[i], cpus, NR), -EINVAL);
		assert_int_equal(procstat_parse_interrupts(bad[i], &(struct procstat_nic){ 0 }, cpus,
							   NR, &lines), -EINVAL);
	}
	assert_int_equal(lines, 77);
	assert_memory_equal(cpus, none, sizeof(none));
}

/* Every beginning of each file, and each with every byte changed: the sanitizers watch. */
static void no_damage_leads_beyond_the_text_or_the_array(void **state)
{
	static const char *const files[] = { stat, softirqs, interrupts, "1 2 3\n0a 0b 0c 0 0 0 0\n" };
	const uint32_t irqs[] = { 24 };
	const struct procstat_nic nic = { .irqs = irqs, .nr_irqs = 1, .ifname = "eth1" };
	struct procstat_cpu *cpus = calloc(NR, sizeof(*cpus));
	size_t file, at, lines, k;

	(void)state;
	for (file = 0; file < ARRAY_SIZE(files); file++) {
		for (at = 0; at <= strlen(files[file]); at++) {
			for (k = 0; k < 6; k++) {
				char *copy = k ? strdup(files[file]) : strndup(files[file], at);

				if (k)
					copy[at] = copy[at] ? "\0\n 9:"[k - 1] : '\0';
				procstat_parse_stat(copy, cpus, NR);
				procstat_parse_softirqs(copy, cpus, NR);
				procstat_parse_interrupts(copy, &nic, cpus, NR, &lines);
				procstat_parse_softnet(copy, cpus, NR);
				free(copy);
			}
		}
	}
	free(cpus);
}

static void a_counter_that_went_back_has_not_grown(void **state)
{
	(void)state;
	assert_int_equal(procstat_growth(7, 19), 12);
	assert_int_equal(procstat_growth(19, 7), 0);
	assert_int_equal(procstat_growth(7, 7), 0);
}

static void a_key_is_found_as_a_whole_at_the_start_of_its_line(void **state)
{
	static const char status[] =
		"Name:\tVmHWM: 13\nVmHWMx:\t  17 kB\nVmHWM:\t    5904 kB\nmemlock:\tlots\n";
	uint64_t value = 5;

	(void)state;
	assert_int_equal(procstat_find(status, "VmHWM", &value), 0);
	assert_int_equal(value, 5904);
	assert_int_equal(procstat_find(status, "memlock", &value), -ENOENT);
	assert_int_equal(procstat_find(status, "map_type", &value), -ENOENT);
	assert_int_equal(procstat_find("", "VmHWM", &value), -ENOENT);
	assert_int_equal(value, 5904);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_is_read_by_cpu_and_offline_cpus_stay_absent),
		cmocka_unit_test(cpus_beyond_the_array_are_left_out),
		cmocka_unit_test(softirqs_are_read_by_column),
		cmocka_unit_test(interrupts_are_those_of_the_column_s_cpu_and_of_the_nic_by_number),
		cmocka_unit_test(interrupts_are_the_nic_s_by_its_whole_name),
		cmocka_unit_test(softnet_is_read_by_the_cpu_number_in_the_line),
		cmocka_unit_test(softnet_of_old_kernels_is_read_by_the_order_of_online_cpus),
		cmocka_unit_test(three_hundred_cpus_with_holes_are_each_read),
		cmocka_unit_test(what_is_not_of_the_form_is_refused_and_changes_nothing),
		cmocka_unit_test(no_damage_leads_beyond_the_text_or_the_array),
		cmocka_unit_test(a_counter_that_went_back_has_not_grown),
		cmocka_unit_test(a_key_is_found_as_a_whole_at_the_start_of_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
