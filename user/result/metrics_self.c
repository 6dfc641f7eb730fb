// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics_self.c - the dictionary: figures of what ethgauge measures of itself and of its host.
 */
#include "result/metric_rows.h"

const struct metric self_metrics[] = {
	{ "calibration", UNIT_NONE, METRIC_NEITHER, "calibrated",
	  "date of the calibration of this machine in its current state (ethgauge calibrate); none: never" },
	{ "calibrated_delay_floor_min_ns", UNIT_NS, METRIC_LOWER, "delay floor, min",
	  "smallest one-way delay over an idle link: the cost of taking timestamps where they are taken",
	  OF("calibrated_delay_floor", MIN) },
	{ "calibrated_delay_floor_p50_ns", UNIT_NS, METRIC_LOWER, "delay floor, p50",
	  "median one-way delay over an idle link", OF("calibrated_delay_floor", P50) },
	{ "calibrated_rtt_floor_p50_ns", UNIT_NS, METRIC_LOWER, "round trip floor, p50",
	  "median round trip over an idle link, with the reflector in the driver",
	  OF("calibrated_rtt_floor", P50) },
	{ "calibrated_delay_error_p50_ns", UNIT_NS, METRIC_LOWER, "late delay error, p50",
	  "no longer written: it included the lateness of the forwarder that inserted the delays",
	  OF("calibrated_delay_error", P50) },
	{ "calibrated_delay_error_p99_ns", UNIT_NS, METRIC_LOWER, "late delay error, p99",
	  "no longer written, as calibrated_delay_error_p50_ns", OF("calibrated_delay_error", P99) },
	{ "calibrated_timing_error_min_ns", UNIT_NS, METRIC_LOWER, "delay error, min",
	  "smallest |measured delay - delay that the forwarder made| of a packet: the path's fixed part",
	  OF("calibrated_timing_error", MIN) },
	{ "calibrated_timing_error_p50_ns", UNIT_NS, METRIC_LOWER, "delay error, p50",
	  "median |measured delay - delay that the forwarder made|; includes the path to and from the "
	  "forwarder, but not its lateness", OF("calibrated_timing_error", P50) },
	{ "calibrated_timing_error_p99_ns", UNIT_NS, METRIC_LOWER, "delay error, p99",
	  "99th percentile of the same", OF("calibrated_timing_error", P99) },
	{ "calibrated_gap_error_p50_ns", UNIT_NS, METRIC_LOWER, "pacing error, p50",
	  "median |inter-arrival time - requested interval| at the receiver, at up to a tenth of the highest rate",
	  OF("calibrated_gap_error", P50) },
	{ "calibrated_gap_error_p99_ns", UNIT_NS, METRIC_LOWER, "pacing error, p99",
	  "99th percentile of |inter-arrival time - requested interval| at the receiver",
	  OF("calibrated_gap_error", P99) },
	{ "calibrated_exact_pps", UNIT_PPS, METRIC_HIGHER, "exact up to",
	  "highest tested rate at which the counts of sender, drivers and receiver agreed, "
	  "with order and delay of every packet checked" },
	{ "calibrated_counted_packets", UNIT_COUNT, METRIC_NEITHER, "counted",
	  "packets sent in the calibration's runs without impairment, all accounted for" },
	{ "calibrated_impaired_packets", UNIT_COUNT, METRIC_NEITHER, "impaired",
	  "packets that were dropped, duplicated or reordered on purpose, and reported exactly so" },
	{ "record_ring_fill_ratio", UNIT_RATIO, METRIC_LOWER, "record ring, fullest",
	  "largest share of the ring of records that was in use; at 100 % records are lost" },
	{ "cpu_user_ratio", UNIT_CPUS, METRIC_LOWER, "user",
	  "cores busy in user mode for this process", .line = "this process" },
	{ "cpu_system_ratio", UNIT_CPUS, METRIC_LOWER, "system",
	  "cores busy in the kernel for this process, including softirqs that interrupted it",
	  .line = "this process" },
	{ "memory_max_bytes", UNIT_BYTES, METRIC_LOWER, "memory",
	  "peak resident memory of this process (VmHWM)", .line = "this process",
	  .level = true },
	{ "bpf_map_bytes", UNIT_BYTES, METRIC_LOWER, "BPF maps",
	  "memory of this process's BPF maps", .line = "this process", .level = true },
	{ "context_switches", UNIT_COUNT, METRIC_LOWER, "context switches",
	  "voluntary context switches of this process's threads",
	  .line = "this process" },
	{ "preemptions", UNIT_COUNT, METRIC_LOWER, "preemptions",
	  "involuntary context switches of this process's threads",
	  .line = "this process" },
	{ "sender_packet_cpu_ns", UNIT_NS, METRIC_LOWER, "sender CPU per packet",
	  "CPU time of the sender per packet received, including the work it causes elsewhere "
	  "(scripts/bench-run)" },
	{ "packet_instructions", UNIT_NONE, METRIC_LOWER, "instructions/packet",
	  "instructions per packet or transaction of a scenario, with sender "
	  "and receiver (vmtest/regress)" },
	{ "packet_ns", UNIT_NS, METRIC_LOWER, "time per packet",
	  "time per packet or transaction of a scenario, back to back (vmtest/regress)" },
	{ "sender_run_ratio", UNIT_RATIO, METRIC_NEITHER, "sender ran",
	  "share of its time that this CPU's sending thread ran" },
	{ "sender_wait_ratio", UNIT_RATIO, METRIC_LOWER, "sender waited",
	  "share of its time that this CPU's sending thread was ready, but other work ran" },

	{ "cpu_busy_ratio", UNIT_CPUS, METRIC_LOWER, "busy",
	  "cores of this host that were not idle, by the kernel's idle time; "
	  "null, like its parts, for runs below 0.1 s", .line = "CPU, whole host", .brief = true },
	{ "cpu_busy_user_ratio", UNIT_CPUS, METRIC_LOWER, "user",
	  "cores of this host in user mode, sampled by the timer tick", .line = "CPU, whole host" },
	{ "cpu_busy_system_ratio", UNIT_CPUS, METRIC_LOWER, "system",
	  "cores of this host in the kernel for a process, sampled by the timer tick",
	  .line = "CPU, whole host" },
	{ "cpu_busy_softirq_ratio", UNIT_CPUS, METRIC_LOWER, "softirq",
	  "cores of this host in softirqs, where packets are processed, sampled by the timer tick; exact, "
	  "like irq, on kernels with CONFIG_IRQ_TIME_ACCOUNTING", .line = "CPU, whole host",
	  .brief = true },
	{ "cpu_busy_irq_ratio", UNIT_CPUS, METRIC_LOWER, "irq",
	  "cores of this host in interrupts, sampled by the timer tick", .line = "CPU, whole host" },
	{ "cpu_steal_ratio", UNIT_CPUS, METRIC_LOWER, "steal",
	  "cores of this virtual machine that the hypervisor gave to others", .line = "CPU, whole host" },
	{ "cpu_busy_unseen_ratio", UNIT_CPUS, METRIC_LOWER, "unaccounted",
	  "busy, but not sampled by the tick: interrupts and softirqs on an otherwise idle CPU, "
	  "where the tick stops", .line = "CPU, whole host" },

	{ "interrupts", UNIT_COUNT, METRIC_LOWER, "interrupts",
	  "interrupts of this host, of all kinds: devices, timers, inter-processor", .line = "events" },
	{ "nic_interrupts", UNIT_COUNT, METRIC_LOWER, "of the NIC",
	  "interrupts of the interface; null if it has none, such as veth", .line = "events" },
	{ "net_rx_softirqs", UNIT_COUNT, METRIC_NEITHER, "NET_RX",
	  "receive softirqs that this host ran", .line = "events" },
	{ "net_tx_softirqs", UNIT_COUNT, METRIC_NEITHER, "NET_TX",
	  "transmit softirqs that this host ran", .line = "events" },
	{ "softnet_packets", UNIT_COUNT, METRIC_NEITHER, "softnet packets",
	  "packets that entered this host's stack, without those that an XDP program dropped "
	  "or sent", .line = "events" },
	{ "softnet_dropped_packets", UNIT_COUNT, METRIC_LOWER, "backlog dropped",
	  "packets dropped because a backlog queue of this host was full", .line = "events" },
	{ "softnet_squeezed", UNIT_COUNT, METRIC_LOWER, "squeezed",
	  "receive softirqs that used up their budget or time with packets still waiting",
	  .line = "events" },
	METRICS_END
};

const struct metric cost_metrics[] = {
	{ "bottleneck", UNIT_TEXT, METRIC_NEITHER, "bottleneck",
	  "the part of this host that limited the result: none, unknown, sender cpu, receiver cpu, "
	  "ring (the device's transmit or receive ring), link (it went down) or socket (the receiver's "
	  "buffer)", .brief = true },
	{ "metered_ns", UNIT_NS, METRIC_NEITHER, "metered",
	  "time that the figures of CPUs, interrupts and softirqs cover, at the sender or the receiver",
	  .line = "measurement cost" },
	{ "metering_ns", UNIT_NS, METRIC_LOWER, "cost",
	  "time for reading these figures, before and after the run",
	  .line = "measurement cost" },
	{ "clock_read_user_ns", UNIT_NS, METRIC_LOWER, "clock read, user",
	  "time of one clock_gettime() of the timestamps' clock: median of 15 times 100, at the start" },
	{ "clock_read_bpf_ns", UNIT_NS, METRIC_LOWER, "clock read, BPF",
	  "time of one reading of the timestamps' clock in a BPF program: median of 15 times 64 "
	  "runs with 64 readings, minus as many runs without, at the start" },
	{ "clock_synchronised", UNIT_NONE, METRIC_NEITHER, "clock synchronised",
	  "true if this host's clock is synchronised (NTP, PTP), by the kernel's state (adjtimex)" },
	{ "clock_error_ns", UNIT_NS, METRIC_LOWER, "clock error, bound",
	  "bound of this host's clock error (adjtimex maxerror); a one-way delay between two "
	  "hosts is exact to within the sum of both" },
	{ "clock_error_estimated_ns", UNIT_NS, METRIC_LOWER, "clock error, estimate",
	  "this host's clock error as estimated by NTP or PTP (adjtimex esterror)" },
	{ "phc_error_ns", UNIT_NS, METRIC_LOWER, "NIC clock error",
	  "largest error of the conversion from the NIC's clock: half the time of a reading, plus the "
	  "deviation of the extrapolation from the previous reading" },
	{ "snapshot_skew_ns", UNIT_NS, METRIC_LOWER, "snapshot skew",
	  "longest time for one reading of all counters" },
	METRICS_END
};
