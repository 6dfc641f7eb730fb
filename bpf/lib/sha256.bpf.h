/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/sha256.bpf.h - one block of SHA-256 (FIPS 180-4 6.2.2).
 */
#ifndef LIB_SHA256_BPF_H
#define LIB_SHA256_BPF_H

#include "lib/core.bpf.h"

/* 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const __u32 sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

struct sha256 {
	__u32 h[8];
	__u32 block[16];	/* used up */
};

CPU_SCRATCH(sha256_works, struct sha256);

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
