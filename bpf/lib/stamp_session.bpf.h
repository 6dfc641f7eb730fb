/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/stamp_session.bpf.h - state of sessions.
 */
#ifndef LIB_STAMP_SESSION_BPF_H
#define LIB_STAMP_SESSION_BPF_H

#include "lib/stamp.bpf.h"

struct stamp_session_key {
	__be32 src[4], dst[4];
	__be16 src_port, dst_port;
	__be16 ssid;
	__u16 version;
};

/* A session arrives on one queue, so one CPU writes it. */
struct stamp_session {
	__u32 sequence;		/* the next one's */
	__u32 received;
	__u64 last_mono_ns;	/* of the last answer */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__type(key, struct stamp_session_key);
	__type(value, struct stamp_session);
	__uint(max_entries, STAMP_SESSIONS);
} stamp_sessions SEC(".maps");

static __always_inline struct stamp_session *session_of(struct stamp_work *work, __be16 ssid)
{
	static const struct stamp_session fresh;
	struct stamp_reflect_rec *rec = stamp_rec();
	struct stamp_session_key key = {
		.src_port = work->src_port, .dst_port = work->dst_port,
		.ssid = ssid, .version = work->version,
	};
	struct stamp_session *session;

	__builtin_memcpy(key.src, work->src, sizeof(key.src));
	__builtin_memcpy(key.dst, work->dst, sizeof(key.dst));
	session = bpf_map_lookup_elem(&stamp_sessions, &key);
	if (session && work->came_mono_ns - session->last_mono_ns < STAMP_IDLE_NS)
		return session;
	if (rec)
		ADD_ONCE(rec->sessions, 1);
	bpf_map_update_elem(&stamp_sessions, &key, &fresh, BPF_ANY);
	return bpf_map_lookup_elem(&stamp_sessions, &key);
}

static __always_inline void take_session(struct stamp_work *work, struct stamp_session *session)
{
	session->received++;
	work->sequence = session->sequence;
	work->received = session->received;
	if (session->sequence) {
		work->last_sequence = session->sequence - 1;
		work->last_sent_ns = session->last_mono_ns + work->utc_offset_ns;
	}
}

/* T3, taken as late as possible; stored in the session, if any, for its next answer. */
static __always_inline __u64 leave(struct stamp_work *work, struct stamp_session *session)
{
	__u64 now_ns = bpf_ktime_get_ns();

	if (session) {
		session->sequence = work->sequence + 1;
		session->last_mono_ns = now_ns;
	}
	return now_ns;
}

#endif
