// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor/feature.c - the table of features, and the cached answers.
 */
#include "doctor/feature.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cap-ng.h>

#include "doctor/feature_probe.h"
#include "lib/array.h"
#include "sys/hook/bpf.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

#define BPF_GROUP	"BPF and XDP in this kernel"
#define HOST_GROUP	"this process and this machine"
#define XDP_GROUP	"XDP on the interface"
#define NIC_GROUP	"the interface"

#define COMMAND		"$ "	/* what follows in a remedy is a command, not words */

static const struct feature features[] = {
	{ "btf", BPF_GROUP, false, "5.4",
	  "no tracing programs (drop reasons, fentry); blast, sink, reflect and probe work without",
	  "a kernel with CONFIG_DEBUG_INFO_BTF=y", probe_btf },
	{ "jit", BPF_GROUP, false, "3.0", "programs are interpreted: rates are several times lower",
	  "$ sysctl -w net.core.bpf_jit_enable=1", probe_jit },
	{ "bpf-link", BPF_GROUP, false, "5.9",
	  "XDP programs would not be detached when the process ends: no verb attaches one",
	  "kernel 5.9 or newer", probe_bpf_link },
	{ "xdp-live-frames", BPF_GROUP, false, "5.18",
	  "blast has no live engine and sends through AF_XDP, at about a tenth of the rate on veth",
	  "kernel 5.18 or newer", probe_live_frames },
	{ "af-xdp", BPF_GROUP, false, "4.18", "blast has no afxdp engine",
	  "a kernel with CONFIG_XDP_SOCKETS=y", probe_af_xdp },
	{ "af-xdp-metadata", BPF_GROUP, false, "6.8",
	  "no transmit timestamps (blast --tx-stamp): only the time before the driver is known",
	  "kernel 6.11 or newer, or 6.8 with later fixes", probe_tx_metadata },
	{ "tcx", BPF_GROUP, false, "6.6", "tc programs attach through clsact instead",
	  "kernel 6.6 or newer, with CONFIG_NET_XGRESS=y",
	  probe_tcx },
	{ "clsact", BPF_GROUP, false, "4.5", "on kernels without tcx, no tc programs",
	  "$ modprobe sch_ingress", probe_clsact },
	{ "xdp-metadata", BPF_GROUP, false, "6.3",
	  "XDP programs cannot read the NIC's receive timestamp; they read the host's clock instead",
	  "kernel 6.3 or newer", probe_xdp_metadata },
	{ "tai-clock", BPF_GROUP, false, "6.1",
	  "programs cannot read CLOCK_TAI: --clock tai works only with blast's afxdp engine",
	  "kernel 6.1 or newer", probe_tai_clock },
	{ "kfree-skb-reasons", BPF_GROUP, false, "5.17",
	  "drops in the stack are counted without reason", "kernel 5.17 or newer", probe_drop_reasons },
	{ "tp-btf", BPF_GROUP, false, "5.5", "no typed tracepoints: drops are not observed",
	  "a kernel with CONFIG_DEBUG_INFO_BTF=y and CONFIG_BPF_EVENTS=y", probe_tp_btf },
	{ "fentry", BPF_GROUP, false, "5.5",
	  "no programs at the entry of kernel functions; no verb depends on them",
	  "a kernel with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y", probe_fentry },
	{ "freplace", BPF_GROUP, false, "5.6",
	  "XDP hooks cannot be shared by libxdp's dispatcher: one program per interface",
	  "a kernel that allows it, such as those of Debian and Ubuntu", probe_freplace },
	{ "bpffs", BPF_GROUP, false, "4.4",
	  "XDP hooks cannot be shared by libxdp's dispatcher; no other impact",
	  "$ mount -t bpf bpf /sys/fs/bpf", probe_bpffs },
	{ "unprivileged-bpf", BPF_GROUP, false, NULL,
	  "none: all programs are privileged, and off is the safe setting", NULL,
	  probe_unprivileged },

	{ "capabilities", HOST_GROUP, false, NULL, "verbs that send or receive inside the driver do not run",
	  "sudo ethgauge ...", probe_capabilities },
	{ "memlock", HOST_GROUP, false, NULL,
	  "AF_XDP's packet memory (16 MB per thread) may be refused; before 5.11 every BPF map, too",
	  NULL, probe_memlock },
	{ "veth", HOST_GROUP, false, NULL,
	  "no lab, demo and calibrate: they use network namespaces and veth pairs",
	  "$ modprobe veth", probe_veth },
	{ "cpus", HOST_GROUP, false, NULL,
	  "sender, receiver and everything else share one CPU, which limits their sum",
	  NULL, probe_cpus },
	{ "fast-clock", HOST_GROUP, false, NULL,
	  "reading the clock takes up to a microsecond more per packet, and timestamps are coarser",
	  "if the CPU's TSC is known to be stable, boot with tsc=reliable", probe_clock },
	{ "cpu-frequency", HOST_GROUP, false, NULL,
	  "the first packets of a run are slower, and delays vary with the CPU frequency",
	  "$ cpupower frequency-set -g performance", probe_governor },
	{ "no-left-filters", HOST_GROUP, false, NULL,
	  "they cost time for each packet, though they change none any more; the next verb that attaches to "
	  "the interface removes them",
	  NULL, probe_left_filters },
	{ "no-left-settings", HOST_GROUP, false, NULL,
	  "this network namespace is measured with settings that are not its own",
	  NULL, probe_left_settings },

	{ "link", NIC_GROUP, true, NULL, "nothing is sent or received",
	  "$ ip link set dev IFACE up", probe_link },
	{ "queues", NIC_GROUP, true, NULL,
	  "sending threads contend for the lock of one queue (6 Mpps, with two queues 48)",
	  NULL, probe_queues },
	{ "rings", NIC_GROUP, true, NULL, "the NIC drops bursts longer than the ring",
	  NULL, probe_rings },
	{ "hw-timestamps", NIC_GROUP, true, NULL,
	  "timestamps come from the host's clock: delays include interrupt and scheduling latency", NULL,
	  probe_stamps },
	{ "unmerged-rx", NIC_GROUP, true, NULL,
	  "the NIC merges TCP packets before they can be counted, or refuses XDP",
	  "$ ethtool -K IFACE lro off rx-gro-hw off", probe_unmerged },
	{ "vlan-in-frame", NIC_GROUP, true, NULL,
	  "the NIC strips VLAN tags: XDP programs see tagged frames as untagged",
	  "$ ethtool -K IFACE rxvlan off", probe_vlan },
	{ "whole-tx", NIC_GROUP, true, NULL,
	  "sockets pass super-packets and incomplete checksums down: on veth, XDP at the other end "
	  "sees them like that, and counters before the NIC count them once. Frames of blast and "
	  "reflect are not affected",
	  "$ ethtool -K IFACE tx off tso off gso off", probe_whole_tx },
	{ "irqs", NIC_GROUP, true, NULL,
	  "packets are received on the sender's CPU: there is no interrupt to move to another", NULL,
	  probe_irqs },
	{ "numa-local", NIC_GROUP, true, NULL,
	  "threads on the other NUMA node access each packet across sockets",
	  "pin to the CPUs of /sys/class/net/IFACE/device/local_cpulist", probe_numa },

	{ "xdp-native", XDP_GROUP, true, "4.8",
	  "XDP runs after the driver (generic): several times slower, and later",
	  NULL, probe_xdp_native },
	{ "xdp-generic", XDP_GROUP, true, "4.12", "no XDP at all", NULL, probe_xdp_generic },
	{ "xdp-hook-free", XDP_GROUP, true, NULL,
	  "sink, reflect and probe do not start here: other programs are never replaced",
	  NULL, probe_hook_free },
	{ "xdp-tx", XDP_GROUP, true, "4.8", "reflect cannot answer inside the driver", NULL,
	  probe_xdp_tx },
	{ "xdp-redirect", XDP_GROUP, true, "4.14",
	  "native programs cannot redirect packets to AF_XDP sockets or other devices", NULL,
	  probe_xdp_redirect },
	{ "xdp-xmit", XDP_GROUP, true, "4.14",
	  "blast's live engine cannot send here; it sends through AF_XDP", NULL, probe_xdp_xmit },
	{ "xdp-xmit-ready", XDP_GROUP, true, NULL,
	  "frames sent by XDP are currently dropped without an error", NULL, probe_xdp_xmit_ready },
	{ "multi-buffer", XDP_GROUP, true, "5.18",
	  "native XDP only up to an MTU that fits one page (about 3500 bytes)", NULL,
	  probe_multi_buffer },
	{ "mtu-fits", XDP_GROUP, true, NULL, "native XDP is refused while the MTU is this large",
	  "$ ip link set dev IFACE mtu 1500", probe_mtu },
	{ "af-xdp-copy", XDP_GROUP, true, "4.18", "blast has no afxdp engine here", NULL, probe_copy },
	{ "af-xdp-zerocopy", XDP_GROUP, true, "4.20",
	  "AF_XDP copies each packet: about 2 Mpps per CPU", NULL, probe_zerocopy },
	{ "af-xdp-launch-time", XDP_GROUP, true, "6.14",
	  "a CPU paces packets, not the device's clock", NULL,
	  probe_launch_time },
	{ "xdp-rx-timestamp", XDP_GROUP, true, "6.3",
	  "receive timestamps are taken when the program runs, not when the frame arrived",
	  NULL, probe_rx_timestamp },
	{ "af-xdp-tx-stamp", XDP_GROUP, true, "6.8",
	  "no transmit timestamps from the NIC: blast --tx-stamp sw uses the kernel's instead",
	  NULL, probe_tx_timestamp },
	{ "tc-hooks-free", XDP_GROUP, true, NULL,
	  "another tc program or filter sees the same packets, and may drop them", NULL,
	  probe_tc_free },
};

_Static_assert(ARRAY_SIZE(features) <= FEATURE_MAX, "answers have no room");

const char *feature_state_name(enum feature_state state)
{
	return state == FEATURE_PRESENT ? "present" :
	       state == FEATURE_ABSENT ? "absent" : "unknown";
}

const struct feature *feature_at(size_t i)
{
	return i < ARRAY_SIZE(features) ? &features[i] : NULL;
}

int feature_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (strlen(features[i].name) == len && !memcmp(features[i].name, name, len))
			return (int)i;
	}
	return -ENOENT;
}

int feature_open(struct feature_set **ret_set, const char *ifname, bool may_attach,
		 struct err *e)
{
	struct feature_set *set = calloc(1, sizeof(*set));
	int err = 0;

	if (!set)
		return err_set(e, -ENOMEM, "cannot check features");
	set->ifname = ifname;
	set->may_attach = may_attach;
	getrlimit(RLIMIT_MEMLOCK, &set->memlock);
	if (ifname) {
		err = nic_read(ifname, &set->nic);
		if (!err)
			err = nic_read_link(set->nic.ifindex, -1, &set->link);
	}
	if (err) {
		free(set);
		return err == -ENODEV ? nic_unknown(ifname, e) :
					err_machine(e, err, "cannot read interface '%s'", ifname);
	}
	if (!set->nic.driver[0])
		snprintf(set->nic.driver, sizeof(set->nic.driver), "%s",
			 set->link.loopback ? "loopback" : "unknown");
	bpf_log_init();
	bpf_raise_memlock();
	*ret_set = set;
	return 0;
}

void feature_close(struct feature_set *set)
{
	if (!set)
		return;
	btf__free(set->btf);
	free(set);
}

/* @text with the interface's name for each IFACE. */
static void fill_in(const struct feature_set *set, const char *text, char *ret_text, size_t size)
{
	size_t used = 0;

	while (*text && used + 1 < size) {
		if (set->ifname && !strncmp(text, "IFACE", strlen("IFACE"))) {
			used += (size_t)snprintf(ret_text + used, size - used, "%s", set->ifname);
			used = used < size ? used : size - 1;
			text += strlen("IFACE");
		} else {
			ret_text[used++] = *text++;
		}
	}
	ret_text[used] = '\0';
}

static void take_remedy(const struct feature_set *set, const struct feature *feature, struct feature_answer *answer)
{
	char text[sizeof(answer->remedy)];

	fill_in(set, feature->remedy, text, sizeof(text));
	if (strncmp(text, COMMAND, strlen(COMMAND)))
		feature_fix(answer, "%s", text);
	else if (feature->of_iface)
		feature_command(set, answer, "%s", text + strlen(COMMAND));
	else
		feature_command(NULL, answer, "%s", text + strlen(COMMAND));
}

const struct feature_answer *feature_ask(struct feature_set *set, size_t i)
{
	struct feature_answer *answer = &set->answers[i];
	const struct feature *feature = &features[i];

	if (set->answered[i])
		return answer;
	set->answered[i] = true;
	feature_say(answer, FEATURE_UNKNOWN, "not checked");
	if (feature->of_iface && !set->ifname) {
		feature_say(answer, FEATURE_UNKNOWN, "requires an interface argument");
		return answer;
	}
	feature->probe(set, answer);
	if (answer->state == FEATURE_ABSENT && !answer->remedy[0] && feature->remedy)
		take_remedy(set, feature, answer);
	if (answer->is_command)
		feature_as_root(answer);
	return answer;
}

void feature_say(struct feature_answer *ret, enum feature_state state, const char *fmt, ...)
{
	va_list args;

	ret->state = state;
	va_start(args, fmt);
	vsnprintf(ret->detail, sizeof(ret->detail), fmt, args);
	va_end(args);
}

void feature_denied(const struct feature_set *set, struct feature_answer *ret, const char *what)
{
	feature_say(ret, FEATURE_UNKNOWN, "the check requires %s", what);
	/* Root without a capability does not get it by sudo. */
	if (geteuid())
		feature_command(set, ret, "ethgauge doctor%s%s", set->ifname ? " " : "",
				set->ifname ? set->ifname : "");
}

bool feature_has_cap(unsigned int cap)
{
	return !capng_get_caps_process() && capng_have_capability(CAPNG_EFFECTIVE, cap);
}

/* Root of a child user namespace has all capabilities, but BPF ignores them. */
static bool in_first_user_ns(void)
{
	const ino_t first = 0xEFFFFFFDu;	/* PROC_USER_INIT_INO */
	struct stat st;

	return stat("/proc/self/ns/user", &st) || st.st_ino == first;
}

static bool fully_privileged(void)
{
	if (!in_first_user_ns() || !feature_has_cap(CAP_NET_ADMIN))
		return false;
	return feature_has_cap(CAP_SYS_ADMIN) ||
	       (feature_has_cap(CAP_BPF) && feature_has_cap(CAP_PERFMON));
}

void feature_failed(const struct feature_set *set, struct feature_answer *ret, int err,
		    const char *what)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		if (!fully_privileged()) {
			feature_denied(set, ret, what);
			return;
		}
		feature_say(ret, FEATURE_ABSENT, "this kernel refuses it even for root: %s",
			    strerror(-err));
		return;
	case ENOMEM:
	case ENOBUFS:
	case EAGAIN:
	case EINTR:
	case EMFILE:
	case ENFILE:
	case EBUSY:
	case EIO:
		feature_say(ret, FEATURE_UNKNOWN, "the attempt failed: %s", strerror(-err));
		return;
	case 524:	/* ENOTSUPP, which user space headers do not define */
		err = -EOPNOTSUPP;
		break;
	}
	feature_say(ret, FEATURE_ABSENT, "tried: %s", strerror(-err));
}

struct btf *feature_btf(struct feature_set *set)
{
	if (!set->btf_tried) {
		set->btf_tried = true;
		set->btf = btf__load_vmlinux_btf();
		if (libbpf_get_error(set->btf))
			set->btf = NULL;
	}
	return set->btf;
}

struct errand {
	int (*fn)(void *ctx);
	void *ctx;
	bool entered;
	int err;
};

static void *run_errand(void *arg)
{
	struct errand *errand = arg;

	if (unshare(CLONE_NEWNET)) {
		errand->err = -errno;
		return NULL;
	}
	errand->entered = true;
	errand->err = errand->fn(errand->ctx);
	return NULL;
}

/* In a separate thread: the namespace ends with it, and the caller stays in its own. */
int feature_in_netns(int (*fn)(void *ctx), void *ctx, bool *ret_entered)
{
	struct errand errand = { .fn = fn, .ctx = ctx };
	pthread_t thread;
	int err;

	*ret_entered = false;
	err = pthread_create(&thread, NULL, run_errand, &errand);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	*ret_entered = errand.entered;
	return errand.err;
}
