/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/sha256.bpf.h - one block of SHA-256 (FIPS 180-4 6.2.2).
 */
#ifndef LIB_SHA256_BPF_H
#define LIB_SHA256_BPF_H

#include "abi/sha256.h"
#include "lib/core.bpf.h"

struct sha256 {
	__u32 h[8];
	__u32 block[16];	/* used up */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, struct sha256);
	__uint(max_entries, 1);
} sha256_works SEC(".maps");

static __always_inline __u32 sha256_ror(__u32 word, __u32 by)
{
	return word >> by | word << (32 - by);
}

static __always_inline struct sha256 *sha256_work(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&sha256_works, &zero);
}

/* Not static, so that the verifier checks it only once. */
__attribute__((noinline)) int sha256_block(void)
{
	struct sha256 *work = sha256_work();
	__u32 a, b, c, d, e, f, g, h, t1, t2, word;
	int i;

	if (!work)
		return 0;
	a = work->h[0];
	b = work->h[1];
	c = work->h[2];
	d = work->h[3];
	e = work->h[4];
	f = work->h[5];
	g = work->h[6];
	h = work->h[7];
#pragma clang loop unroll(disable)
	for (i = 0; i < 64; i++) {
		word = work->block[i & 15];
		if (i >= 16) {
			t1 = work->block[(i + 1) & 15];
			t2 = work->block[(i + 14) & 15];
			word += (sha256_ror(t1, 7) ^ sha256_ror(t1, 18) ^ t1 >> 3) +
				work->block[(i + 9) & 15] +
				(sha256_ror(t2, 17) ^ sha256_ror(t2, 19) ^ t2 >> 10);
			work->block[i & 15] = word;
		}
		t1 = h + (sha256_ror(e, 6) ^ sha256_ror(e, 11) ^ sha256_ror(e, 25)) +
		     ((e & f) ^ (~e & g)) + sha256_k[i & 63] + word;
		t2 = (sha256_ror(a, 2) ^ sha256_ror(a, 13) ^ sha256_ror(a, 22)) +
		     ((a & b) ^ (a & c) ^ (b & c));
		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	work->h[0] += a;
	work->h[1] += b;
	work->h[2] += c;
	work->h[3] += d;
	work->h[4] += e;
	work->h[5] += f;
	work->h[6] += g;
	work->h[7] += h;
	return 0;
}

#endif
