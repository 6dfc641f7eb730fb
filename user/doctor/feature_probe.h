/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor/feature_probe.h - shared by the probes. Only feature*.c include this.
 */
#ifndef DOCTOR_FEATURE_PROBE_H
#define DOCTOR_FEATURE_PROBE_H

#include <sys/resource.h>

#include "doctor/feature.h"
#include "sys/net/nic.h"

struct btf;

#define FEATURE_MAX 64

struct feature_set {
	const char *ifname;		/* NULL: host features only */
	bool may_attach;
	struct nic_facts nic;		/* of ifname */
	struct nic_link link;
	struct rlimit memlock;		/* at process start */
	struct btf *btf;		/* the kernel's, loaded on first use; or NULL */
	bool btf_tried;
	bool answered[FEATURE_MAX];
	struct feature_answer answers[FEATURE_MAX];
};

typedef void feature_probe(struct feature_set *set, struct feature_answer *ret);

void feature_say(struct feature_answer *ret, enum feature_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* feature_fix.c: how to fix it, in words. */
void feature_fix(struct feature_answer *ret, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The command that fixes it: in the namespace of the set's interface (@set NULL: in any), and at the interface's
 * peer, where it comes after a command that is there already.
 */
void feature_command(const struct feature_set *set, struct feature_answer *ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void feature_command_at_peer(const struct feature_set *set, struct feature_answer *ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* With sudo, where this process is not root's. */
void feature_as_root(struct feature_answer *ret);

/* The namespace of the peer: " in namespace 'b'", " in another namespace"; "" if it is this one. */
void feature_peer_place(const struct feature_set *set, char *ret_text, size_t size);

/* Unknown for lack of privilege (@what: "CAP_BPF"). */
void feature_denied(const struct feature_set *set, struct feature_answer *ret, const char *what);

/*
 * Set the state from errno @err of a trial: the kernel lacks it, or unknown.
 * EPERM is an answer only if this process lacks no privilege.
 */
void feature_failed(const struct feature_set *set, struct feature_answer *ret, int err,
		    const char *what);

/* Of the effective set; @cap is a CAP_* number. */
bool feature_has_cap(unsigned int cap);

/* The kernel's BTF, or NULL. */
struct btf *feature_btf(struct feature_set *set);

/* Runs @fn in a new network namespace; its return, or a negative errno with *ret_entered false. */
int feature_in_netns(int (*fn)(void *ctx), void *ctx, bool *ret_entered);

/* A program of two instructions that returns @verdict: its descriptor, or negative errno. */
int feature_load_xdp(int verdict);

/* Attach XDP_PASS natively to @ifindex and detach it at once; 0 or negative errno. */
int feature_try_native(int ifindex);

/* feature_bpf.c */
feature_probe probe_btf, probe_bpffs, probe_bpf_link, probe_live_frames, probe_af_xdp, probe_tx_metadata, probe_tcx,
	probe_clsact, probe_drop_reasons, probe_tp_btf, probe_fentry, probe_freplace,
	probe_xdp_metadata, probe_tai_clock, probe_jit, probe_unprivileged;
/* feature_host.c */
feature_probe probe_memlock, probe_capabilities, probe_veth, probe_cpus, probe_clock, probe_governor;
/* feature_left.c */
feature_probe probe_left_filters, probe_left_settings;
/* feature_nic.c */
feature_probe probe_link, probe_queues, probe_rings, probe_stamps, probe_unmerged, probe_vlan,
	probe_whole_tx, probe_mtu, probe_irqs, probe_numa;
/* feature_xdp.c */
feature_probe probe_xdp_native, probe_xdp_generic, probe_xdp_tx, probe_xdp_redirect,
	probe_xdp_xmit, probe_xdp_xmit_ready, probe_multi_buffer, probe_copy, probe_zerocopy,
	probe_rx_timestamp, probe_tx_timestamp, probe_launch_time, probe_hook_free, probe_tc_free;

#endif
