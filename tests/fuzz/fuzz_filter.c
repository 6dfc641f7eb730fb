// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever expression filters packets: libpcap compiles it, or says why not, and the code made of it
 * is a whole function for each hook: jumps stay within it, go forward and land on an instruction.
 */
#include <netdb.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proto/filter_code.h"

#define CODE_MAX 8192
#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of libc's, which libpcap calls: no name is looked up. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **ret)
{
	(void)node;
	(void)service;
	(void)hints;
	(void)ret;
	return EAI_NONAME;
}

static void check_ops(const struct filter *filter)
{
	uint32_t i;

	must(filter->nr);
	for (i = 0; i < filter->nr; i++) {
		const struct filter_op *op = &filter->ops[i];

		if (BPF_CLASS(op->code) != BPF_JMP)
			continue;
		if (BPF_OP(op->code) == BPF_JA)
			must(op->k < filter->nr - i - 1);
		else
			must(i + 1 + op->jt < filter->nr && i + 1 + op->jf < filter->nr);
	}
	must(BPF_CLASS(filter->ops[filter->nr - 1].code) == 0x06);
}

/* The second half of an instruction of 16 bytes is no place to go to. */
static bool is_second(const struct bpf_insn *code, size_t i)
{
	return i && code[i - 1].code == (BPF_LD | BPF_DW | BPF_IMM);
}

static void check_code(const struct bpf_insn *code, size_t nr)
{
	size_t i, to;

	for (i = 0; i < nr; i++) {
		unsigned int class = BPF_CLASS(code[i].code), op = BPF_OP(code[i].code);

		must(code[i].dst_reg <= 10 && code[i].src_reg <= 10);
		if ((class != BPF_JMP && class != BPF_JMP32) || op == BPF_CALL || op == BPF_EXIT || is_second(code, i))
			continue;
		to = i + 1 + (size_t)code[i].off;
		must(code[i].off >= 0 && to < nr && !is_second(code, to));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum filter_hook hooks[] = { FILTER_TC, FILTER_XDP, FILTER_XDP_FRAGS };
	struct bpf_insn *code = calloc(CODE_MAX, sizeof(*code));
	char *text = strndup((const char *)data, size);
	struct filter *filter = NULL;
	struct err e = { 0 };
	size_t i;

	must(code && text);
	if (filter_compile(&filter, text, strlen(text) % 2 ? FILTER_L3 : FILTER_ETHERNET, &e)) {
		must(!filter && e.no && e.msg[0]);
	} else {
		check_ops(filter);
		for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
			e = (struct err){ 0 };
			if (filter_code(filter, hooks[i], code, CODE_MAX, &e))
				must(e.no && e.msg[0]);
			else
				check_code(code, CODE_MAX);
			/* What does not fit is refused. */
			must(filter_code(filter, hooks[i], code, 4, &e));
		}
	}
	filter_free(filter);
	free(text);
	free(code);
	return 0;
}
