// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/filter_code.c - translate classic BPF to the kernel's BPF, instruction by instruction.
 *
 * The kernel translates for sockets only. Here a byte in the linear part of the packet is read
 * directly, any other by a helper. A packet that ends before a byte that is read does not match, as
 * with libpcap.
 *
 * At tc the kernel keeps the outermost VLAN tag in the packet's metadata. For packets with such a
 * tag the program is generated a second time: the first 20 bytes, including the tag, are assembled
 * on the stack, and what follows is read 4 bytes earlier.
 */
#include "proto/filter_code.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <linux/filter.h>

#define CTX	BPF_REG_6
#define A	BPF_REG_7
#define X	BPF_REG_8
#define FP	BPF_REG_10

/* On the stack. */
#define MEM	(-(int)(BPF_MEMWORDS * sizeof(uint32_t)))
#define READ	(MEM - 8)		/* result of a helper */
#define HEAD	(READ - 24)		/* bytes 0 to 19 of a tagged frame, in three words */

#define TAG_BYTES	4
#define TAG_AT		12
#define HEAD_STARTS	16		/* reads of up to 4 bytes that start below this use the
					 * head */
#define FAST_BYTES	0x7000		/* above this, use the helper */

#define LOAD_BYTES	26		/* bpf_skb_load_bytes() */
#define XDP_LENGTH	188		/* bpf_xdp_get_buff_len() */
#define XDP_LOAD_BYTES	189		/* bpf_xdp_load_bytes() */

struct coder {
	const struct filter *filter;
	enum filter_hook hook;
	bool tagged;			/* second copy, for tagged frames */
	struct bpf_insn *insns;
	uint32_t *targets;		/* per op: the op that it jumps to + 1; 0: none */
	uint32_t *starts;		/* start of each op's code */
	bool *reached;
	size_t nr, room;
};

/* The pseudo-op after the last: the packet does not match. */
static uint32_t drop(const struct coder *c)
{
	return c->filter->nr;
}

static void emit(struct coder *c, uint8_t code, uint8_t dst, uint8_t src, int off, uint32_t imm)
{
	if (c->nr < c->room)
		c->insns[c->nr] = (struct bpf_insn){
			.code = code, .dst_reg = dst & 15, .src_reg = src & 15,
			.off = (int16_t)off, .imm = (int32_t)imm,
		};
	c->nr++;
}

static void emit_jump(struct coder *c, uint8_t code, uint8_t dst, uint8_t src, uint32_t imm,
		      uint32_t to)
{
	if (c->nr < c->room)
		c->targets[c->nr] = to + 1;
	emit(c, code, dst, src, 0, imm);
}

/* Sets the jump's target to the next instruction. */
static void land(struct coder *c, size_t jump)
{
	if (jump < c->room)
		c->insns[jump].off = (int16_t)(c->nr - jump - 1);
}

static void mov(struct coder *c, uint8_t dst, uint8_t src)
{
	emit(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void set(struct coder *c, uint8_t dst, uint32_t imm)
{
	emit(c, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

/* Unconditional, but the code after it must look reachable, or the verifier rejects it. */
static void give_up(struct coder *c)
{
	set(c, BPF_REG_0, 0);
	emit_jump(c, BPF_JMP32 | BPF_JEQ | BPF_K, BPF_REG_0, 0, 0, drop(c));
}

static uint8_t size_bits(unsigned int bytes)
{
	return bytes == 1 ? BPF_B : bytes == 2 ? BPF_H : BPF_W;
}

static void from_wire(struct coder *c, uint8_t reg, unsigned int bytes)
{
	if (bytes > 1)
		emit(c, BPF_ALU | BPF_END | BPF_TO_BE, reg, 0, 0, bytes * 8);
}

/* The frame's length including the tag. */
static void length(struct coder *c, uint8_t to)
{
	if (c->hook == FILTER_TC) {
		emit(c, BPF_LDX | BPF_MEM | BPF_W, to, CTX, offsetof(struct __sk_buff, len), 0);
		if (c->tagged)
			emit(c, BPF_ALU | BPF_ADD | BPF_K, to, 0, 0, TAG_BYTES);
	} else if (c->hook == FILTER_XDP) {
		emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, CTX, offsetof(struct xdp_md, data), 0);
		emit(c, BPF_LDX | BPF_MEM | BPF_W, to, CTX, offsetof(struct xdp_md, data_end), 0);
		emit(c, BPF_ALU64 | BPF_SUB | BPF_X, to, BPF_REG_1, 0, 0);
	} else {
		mov(c, BPF_REG_1, CTX);
		emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, XDP_LENGTH);
		emit(c, BPF_ALU | BPF_MOV | BPF_X, to, BPF_REG_0, 0, 0);
	}
}

/* Reads @bytes at the offset in register 2 to READ; register 0 is 0, or the packet is too short. */
static void call_load(struct coder *c, unsigned int bytes, int to)
{
	mov(c, BPF_REG_1, CTX);
	mov(c, BPF_REG_3, FP);
	emit(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, (uint32_t)to);
	set(c, BPF_REG_4, bytes);
	emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, c->hook == FILTER_TC ? LOAD_BYTES : XDP_LOAD_BYTES);
}

/*
 * Loads register 0 with @bytes at offset @k or, with @by_register, at the offset in register 2,
 * which must not exceed it.
 */
static void load_packet(struct coder *c, unsigned int bytes, uint32_t k, bool by_register)
{
	int data = c->hook == FILTER_TC ? (int)offsetof(struct __sk_buff, data) :
					  (int)offsetof(struct xdp_md, data);
	int end = c->hook == FILTER_TC ? (int)offsetof(struct __sk_buff, data_end) :
					 (int)offsetof(struct xdp_md, data_end);
	bool fast = by_register || k < FAST_BYTES, slow = c->hook != FILTER_XDP;
	size_t far = 0, outside = 0, done = 0;

	if (!fast && !slow) {
		give_up(c);
		return;
	}
	if (fast && by_register) {
		far = c->nr;
		if (slow)
			emit(c, BPF_JMP | BPF_JGT | BPF_K, BPF_REG_2, 0, 0, FAST_BYTES);
		else
			emit_jump(c, BPF_JMP | BPF_JGT | BPF_K, BPF_REG_2, 0, FAST_BYTES, drop(c));
	}
	if (fast) {
		emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, CTX, data, 0);
		emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_3, CTX, end, 0);
		if (by_register)
			emit(c, BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0);
		mov(c, BPF_REG_4, BPF_REG_1);
		emit(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_4, 0, 0, bytes + (by_register ? 0 : k));
		outside = c->nr;
		if (slow)
			emit(c, BPF_JMP | BPF_JGT | BPF_X, BPF_REG_4, BPF_REG_3, 0, 0);
		else
			emit_jump(c, BPF_JMP | BPF_JGT | BPF_X, BPF_REG_4, BPF_REG_3, 0, drop(c));
		emit(c, BPF_LDX | BPF_MEM | size_bits(bytes), BPF_REG_0, BPF_REG_1,
		     by_register ? 0 : (int)k, 0);
	}
	if (fast && slow) {
		done = c->nr;
		emit(c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
		if (by_register)
			land(c, far);
		land(c, outside);
	}
	if (slow) {
		if (!by_register)
			set(c, BPF_REG_2, k);
		call_load(c, bytes, READ);
		emit_jump(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 0, drop(c));
		emit(c, BPF_LDX | BPF_MEM | size_bits(bytes), BPF_REG_0, FP, READ, 0);
	}
	if (fast && slow)
		land(c, done);
	from_wire(c, BPF_REG_0, bytes);
}

/*
 * The same from the head, at an offset below HEAD_STARTS in register 2. Uses shifts: older
 * verifiers reject stack reads at a variable offset.
 */
static void load_head(struct coder *c, unsigned int bytes)
{
	size_t first;

	length(c, BPF_REG_3);
	mov(c, BPF_REG_4, BPF_REG_2);
	emit(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_4, 0, 0, bytes);
	emit_jump(c, BPF_JMP | BPF_JGT | BPF_X, BPF_REG_4, BPF_REG_3, 0, drop(c));
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_0, FP, HEAD, 0);
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_4, FP, HEAD + 8, 0);
	first = c->nr;
	emit(c, BPF_JMP | BPF_JLT | BPF_K, BPF_REG_2, 0, 0, 8);
	mov(c, BPF_REG_0, BPF_REG_4);
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_4, FP, HEAD + 16, 0);
	emit(c, BPF_ALU | BPF_SUB | BPF_K, BPF_REG_2, 0, 0, 8);
	land(c, first);
	emit(c, BPF_ALU | BPF_LSH | BPF_K, BPF_REG_2, 0, 0, 3);
	emit(c, BPF_ALU64 | BPF_LSH | BPF_X, BPF_REG_0, BPF_REG_2, 0, 0);
	set(c, BPF_REG_5, 63);
	emit(c, BPF_ALU | BPF_SUB | BPF_X, BPF_REG_5, BPF_REG_2, 0, 0);
	/* A shift by 64 in two steps: shifting by the register width does nothing. */
	emit(c, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_4, 0, 0, 1);
	emit(c, BPF_ALU64 | BPF_RSH | BPF_X, BPF_REG_4, BPF_REG_5, 0, 0);
	emit(c, BPF_ALU64 | BPF_OR | BPF_X, BPF_REG_0, BPF_REG_4, 0, 0);
	emit(c, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 64 - 8 * bytes);
}

/* Register 0 becomes the value that @op loads. */
static void load(struct coder *c, const struct filter_op *op, unsigned int bytes)
{
	bool by_x = BPF_MODE(op->code) == BPF_IND;
	size_t after, done;

	if (!by_x && (!c->tagged || op->k >= HEAD_STARTS)) {
		load_packet(c, bytes, op->k - (c->tagged ? TAG_BYTES : 0), false);
		return;
	}
	if (!by_x) {
		set(c, BPF_REG_2, op->k);
		load_head(c, bytes);
		return;
	}
	emit(c, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_2, X, 0, 0);
	if (op->k) {
		emit(c, BPF_ALU | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, op->k);
		/* Beyond 32 bits. */
		emit_jump(c, BPF_JMP32 | BPF_JLT | BPF_K, BPF_REG_2, 0, op->k, drop(c));
	}
	if (!c->tagged) {
		load_packet(c, bytes, 0, true);
		return;
	}
	after = c->nr;
	emit(c, BPF_JMP | BPF_JGT | BPF_K, BPF_REG_2, 0, 0, HEAD_STARTS - 1);
	load_head(c, bytes);
	done = c->nr;
	emit(c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	land(c, after);
	emit(c, BPF_ALU | BPF_SUB | BPF_K, BPF_REG_2, 0, 0, TAG_BYTES);
	load_packet(c, bytes, 0, true);
	land(c, done);
}

/* False: not supported. */
static bool code_load(struct coder *c, const struct filter_op *op)
{
	bool to_x = BPF_CLASS(op->code) == BPF_LDX;
	uint8_t to = to_x ? X : A;
	unsigned int bytes = BPF_SIZE(op->code) == BPF_B ? 1 : BPF_SIZE(op->code) == BPF_H ? 2 : 4;

	switch (BPF_MODE(op->code)) {
	case BPF_IMM:
		set(c, to, op->k);
		return true;
	case BPF_LEN:
		length(c, to);
		return true;
	case BPF_MEM:
		if (op->k >= BPF_MEMWORDS)
			return false;
		emit(c, BPF_LDX | BPF_MEM | BPF_W, to, FP, MEM + 4 * (int)op->k, 0);
		return true;
	case BPF_MSH:
		if (!to_x)
			return false;
		load(c, op, 1);
		emit(c, BPF_ALU | BPF_AND | BPF_K, BPF_REG_0, 0, 0, 15);
		emit(c, BPF_ALU | BPF_LSH | BPF_K, BPF_REG_0, 0, 0, 2);
		break;
	case BPF_ABS:
		/* Linux extensions, which libpcap uses only on interfaces. */
		if (op->k >= (uint32_t)SKF_AD_OFF)
			return false;
		/* fallthrough */
	case BPF_IND:
		if (to_x)
			return false;
		load(c, op, bytes);
		break;
	default:
		return false;
	}
	emit(c, BPF_ALU | BPF_MOV | BPF_X, to, BPF_REG_0, 0, 0);
	return true;
}

static bool code_alu(struct coder *c, const struct filter_op *op)
{
	uint8_t what = BPF_OP(op->code), by_x = BPF_SRC(op->code) == BPF_X;
	bool shift = what == BPF_LSH || what == BPF_RSH, divide = what == BPF_DIV || what == BPF_MOD;

	if (what > BPF_XOR || (op->code & 0xff00))
		return false;
	if (what == BPF_NEG) {
		emit(c, BPF_ALU | BPF_NEG, A, 0, 0, 0);
	} else if (divide && !by_x && !op->k) {
		give_up(c);
	} else if (shift && !by_x && op->k > 31) {
		set(c, A, 0);
	} else {
		if (divide && by_x)
			emit_jump(c, BPF_JMP32 | BPF_JEQ | BPF_K, X, 0, 0, drop(c));
		if (shift && by_x) {
			emit(c, BPF_JMP32 | BPF_JLE | BPF_K, X, 0, 2, 31);
			set(c, A, 0);
			emit(c, BPF_JMP | BPF_JA, 0, 0, 1, 0);
		}
		emit(c, BPF_ALU | what | (by_x ? BPF_X : BPF_K), A, by_x ? X : 0, 0, by_x ? 0 : op->k);
	}
	return true;
}

static bool code_jump(struct coder *c, const struct filter_op *op, uint32_t next)
{
	uint8_t what = BPF_OP(op->code), by_x = BPF_SRC(op->code) == BPF_X;

	if (what == BPF_JA) {
		emit_jump(c, BPF_JMP | BPF_JA, 0, 0, 0, next + op->k);
		return true;
	}
	if (what != BPF_JEQ && what != BPF_JGT && what != BPF_JGE && what != BPF_JSET)
		return false;
	emit_jump(c, BPF_JMP32 | what | (by_x ? BPF_X : BPF_K), A, by_x ? X : 0, by_x ? 0 : op->k,
		  next + op->jt);
	if (op->jf)
		emit_jump(c, BPF_JMP | BPF_JA, 0, 0, 0, next + op->jf);
	return true;
}

static void leave(struct coder *c, uint32_t value)
{
	set(c, BPF_REG_0, value);
	emit(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static bool code_return(struct coder *c, const struct filter_op *op)
{
	if (BPF_RVAL(op->code) == BPF_K) {
		leave(c, !!op->k);
		return true;
	}
	if (BPF_RVAL(op->code) != BPF_A)
		return false;
	emit(c, BPF_JMP32 | BPF_JEQ | BPF_K, A, 0, 2, 0);
	leave(c, 1);
	leave(c, 0);
	return true;
}

static bool code_op(struct coder *c, uint32_t at)
{
	const struct filter_op *op = &c->filter->ops[at];

	switch (BPF_CLASS(op->code)) {
	case BPF_LD:
	case BPF_LDX:
		return code_load(c, op);
	case BPF_ST:
	case BPF_STX:
		if (op->k >= BPF_MEMWORDS)
			return false;
		emit(c, BPF_STX | BPF_MEM | BPF_W, FP, BPF_CLASS(op->code) == BPF_ST ? A : X,
		     MEM + 4 * (int)op->k, 0);
		return true;
	case BPF_ALU:
		return code_alu(c, op);
	case BPF_JMP:
		return code_jump(c, op, at + 1);
	case BPF_RET:
		return code_return(c, op);
	default:
		if (BPF_MISCOP(op->code) == BPF_TAX)
			emit(c, BPF_ALU | BPF_MOV | BPF_X, X, A, 0, 0);
		else
			emit(c, BPF_ALU | BPF_MOV | BPF_X, A, X, 0, 0);
		return true;
	}
}

/* Bytes 0 to 7, 8 to 15, and 16 to 19 of the frame on the wire, each as an integer, at HEAD. */
static void build_head(struct coder *c)
{
	size_t none;

	set(c, BPF_REG_2, 0);
	call_load(c, TAG_AT, HEAD);
	emit_jump(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 0, drop(c));
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, FP, HEAD, 0);
	emit(c, BPF_ALU | BPF_END | BPF_TO_BE, BPF_REG_1, 0, 0, 64);
	emit(c, BPF_STX | BPF_MEM | BPF_DW, FP, BPF_REG_1, HEAD, 0);
	emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, FP, HEAD + 8, 0);
	emit(c, BPF_ALU | BPF_END | BPF_TO_BE, BPF_REG_1, 0, 0, 32);
	emit(c, BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_1, 0, 0, 32);
	emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, CTX, offsetof(struct __sk_buff, vlan_proto), 0);
	emit(c, BPF_ALU | BPF_END | BPF_TO_BE, BPF_REG_2, 0, 0, 16);
	emit(c, BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_2, 0, 0, 16);
	emit(c, BPF_ALU64 | BPF_OR | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0);
	emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, CTX, offsetof(struct __sk_buff, vlan_tci), 0);
	emit(c, BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_2, 0, 0, 0xffff);
	emit(c, BPF_ALU64 | BPF_OR | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0);
	emit(c, BPF_STX | BPF_MEM | BPF_DW, FP, BPF_REG_1, HEAD + 8, 0);
	emit(c, BPF_ST | BPF_MEM | BPF_DW, FP, 0, HEAD + 16, 0);
	/* Two reads of two bytes: the frame may end between them. */
	for (int i = 0; i < 2; i++) {
		set(c, BPF_REG_2, TAG_AT + 2 * i);
		call_load(c, 2, READ);
		none = c->nr;
		emit(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 0, 0);
		emit(c, BPF_LDX | BPF_MEM | BPF_H, BPF_REG_1, FP, READ, 0);
		emit(c, BPF_ALU | BPF_END | BPF_TO_BE, BPF_REG_1, 0, 0, 16);
		emit(c, BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_1, 0, 0, 48 - 16 * i);
		emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_2, FP, HEAD + 16, 0);
		emit(c, BPF_ALU64 | BPF_OR | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0);
		emit(c, BPF_STX | BPF_MEM | BPF_DW, FP, BPF_REG_1, HEAD + 16, 0);
		land(c, none);
	}
}

/* All jumps are forward: every jump to @at was seen before it. */
static void note_reached(struct coder *c, uint32_t at)
{
	const struct filter_op *op = &c->filter->ops[at];

	if (BPF_CLASS(op->code) == BPF_JMP && BPF_OP(op->code) == BPF_JA) {
		c->reached[at + 1 + op->k] = true;
	} else if (BPF_CLASS(op->code) == BPF_JMP) {
		c->reached[at + 1 + op->jt] = true;
		c->reached[at + 1 + op->jf] = true;
	} else if (BPF_CLASS(op->code) != BPF_RET) {
		c->reached[at + 1] = true;
	}
}

/* Translates the whole filter once; false: op *ret_at is not supported. */
static bool code_ops(struct coder *c, uint32_t *ret_at)
{
	size_t first = c->nr, i;
	bool drops = false;
	uint32_t at;

	if (c->tagged)
		build_head(c);
	c->reached[0] = true;
	/* The verifier rejects unreachable code. */
	for (at = 0; at < c->filter->nr; at++) {
		c->starts[at] = (uint32_t)c->nr;
		if (!c->reached[at])
			continue;
		note_reached(c, at);
		if (!code_op(c, at)) {
			*ret_at = at;
			return false;
		}
	}
	for (i = first; i < c->nr && i < c->room; i++)
		drops |= c->targets[i] == drop(c) + 1;
	c->starts[at] = (uint32_t)c->nr;
	if (drops)
		leave(c, 0);
	for (i = first; i < c->nr && i < c->room; i++) {
		if (c->targets[i])
			c->insns[i].off = (int16_t)(c->starts[c->targets[i] - 1] - i - 1);
	}
	return true;
}

/* The verifier rejects unreachable instructions, and removes those that are never executed. */
static void fill(struct coder *c, size_t jump)
{
	land(c, jump);
	while (c->nr + 1 < c->room)
		set(c, BPF_REG_0, 0);
	emit(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int code_all(struct coder *c, struct err *e)
{
	size_t pad, tagged = 0;
	uint32_t at = 0;
	bool able;
	int i;

	mov(c, CTX, BPF_REG_1);
	set(c, A, 0);
	set(c, X, 0);
	for (i = MEM; i < 0; i += 8)
		emit(c, BPF_ST | BPF_MEM | BPF_DW, FP, 0, i, 0);
	pad = c->nr;
	emit(c, BPF_JMP | BPF_JNE | BPF_K, A, 0, 0, 0);
	if (c->hook == FILTER_TC) {
		emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, CTX,
		     offsetof(struct __sk_buff, vlan_present), 0);
		tagged = c->nr;
		emit(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_1, 0, 0, 0);
	}
	able = code_ops(c, &at);
	if (able && c->hook == FILTER_TC) {
		land(c, tagged);
		c->tagged = true;
		able = code_ops(c, &at);
	}
	if (!able)
		return err_usage(e, "the filter uses more than a frame's bytes and length "
				 "(instruction %u of %u in tcpdump -d)", at, c->filter->nr);
	if (c->nr >= c->room)
		return err_usage(e, "the filter is too long: %zu instructions, at most %zu",
				 c->nr + 1, c->room);
	fill(c, pad);
	return 0;
}

int filter_code(const struct filter *filter, enum filter_hook hook, struct bpf_insn *ret_code,
		size_t nr, struct err *e)
{
	struct coder c = { .filter = filter, .hook = hook, .insns = ret_code, .room = nr };
	int err;

	c.targets = calloc(nr, sizeof(*c.targets));
	c.starts = calloc(filter->nr + 1, sizeof(*c.starts));
	c.reached = calloc(filter->nr + 1, sizeof(*c.reached));
	if (c.targets && c.starts && c.reached)
		err = code_all(&c, e);
	else
		err = err_set(e, -ENOMEM, "cannot translate a filter");
	free(c.targets);
	free(c.starts);
	free(c.reached);
	return err;
}
