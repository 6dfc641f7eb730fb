/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/bpf_text.h - open a BPF object with other code in one of its functions.
 *
 * The code goes into a copy of the ELF file, over the function's own: as long as that, so that
 * no offset moves. libbpf's hooks before a load would do too, but know the function's place in
 * each program no more.
 */
#ifndef SYS_HOOK_BPF_TEXT_H
#define SYS_HOOK_BPF_TEXT_H

#include <stddef.h>

#include "lib/err.h"

struct bpf_insn;
struct bpf_object_skeleton;

struct bpf_text {
	void *elf;
	struct bpf_insn *insns;		/* of the function, in elf: to be written over */
	size_t nr;
};

/* Copies the object of @skel, which is created and not yet open, and finds @function in it. */
int bpf_text_open(struct bpf_text *ret_text, const struct bpf_object_skeleton *skel,
		  const char *function, struct err *e);

/* Opens @skel with that copy; of a @text of zeros with its own. */
int bpf_text_use(const struct bpf_text *text, struct bpf_object_skeleton *skel, struct err *e);

/* Once opened or given up. */
void bpf_text_close(struct bpf_text *text);

#endif
