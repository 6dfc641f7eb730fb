/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/stamp_key.bpf.h - the key of a session (RFC 8762 4.4).
 */
#ifndef LIB_STAMP_KEY_BPF_H
#define LIB_STAMP_KEY_BPF_H

#include "lib/stamp.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct stamp_key_name);
	__type(value, struct stamp_key);
	__uint(max_entries, 1);		/* set before load */
} stamp_keys SEC(".maps");

/*
 * Puts the key of the packet's session where stamp_hmac() has it; 0: the session has none. A key for its
 * identifier goes before one for any. Not static: verified once.
 */
__attribute__((noinline)) int stamp_take_key(struct xdp_md *ctx)
{
	struct stamp_work *work = stamp_work();
	struct stamp_key_name name = { 0 };
	struct stamp_key *key;
	__be16 *ssid;

	if (!work || stamp_cfg.keyed == STAMP_KEYED_NOT)
		return 0;
	if (stamp_cfg.keyed == STAMP_KEYED_ALIKE) {
		__builtin_memcpy(&work->key, (const void *)&stamp_cfg.key, sizeof(work->key));
		return 1;
	}
	ssid = frame_at(ctx, work->payload + (stamp_cfg.authenticated ?
			offsetof(struct stamp_auth_question, ssid) :
			offsetof(struct stamp_question, ssid)), 2);
	if (!ssid)
		return 0;
	name.bits = STAMP_KEY_NAME_BITS + (work->version == 4 ? 32 : 128);
	name.version = work->version;
	name.ssid = *ssid;
	__builtin_memcpy(name.src, work->src, sizeof(name.src));
	key = bpf_map_lookup_elem(&stamp_keys, &name);
	if (!key) {
		name.any_ssid = 1;
		name.ssid = 0;
		key = bpf_map_lookup_elem(&stamp_keys, &name);
	}
	if (!key)
		return 0;
	__builtin_memcpy(&work->key, key, sizeof(work->key));
	return 1;
}

#endif
