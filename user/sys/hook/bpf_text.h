/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/bpf_text.h - open a BPF object with the code of one function replaced.
 *
 * The code is written to a copy of the ELF file, over the function's own and padded to its length,
 * so that no offset changes. libbpf's hooks before a load would work too, but no longer know the
 * function's location in each program.
 */
#ifndef SYS_HOOK_BPF_TEXT_H
#define SYS_HOOK_BPF_TEXT_H

#include <stddef.h>

#include "lib/err.h"

struct bpf_insn;
struct bpf_object_skeleton;

struct bpf_text {
	void *elf;
	struct bpf_insn *insns;		/* the function's code in elf: to be overwritten */
	size_t nr;
};

/* Copies the object of @skel, created but not yet open, and finds @function in it. */
int bpf_text_open(struct bpf_text *ret_text, const struct bpf_object_skeleton *skel,
		  const char *function, struct err *e);

/* Opens @skel with that copy; with the original if @text is zeroed. */
int bpf_text_use(const struct bpf_text *text, struct bpf_object_skeleton *skel, struct err *e);

/* After opening, or on failure. */
void bpf_text_close(struct bpf_text *text);

#endif
