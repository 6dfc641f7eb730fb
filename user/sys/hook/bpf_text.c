// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/bpf_text.c - replace the code of a function in a BPF object.
 */
#include "sys/hook/bpf_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>
#include <gelf.h>
#include <linux/bpf.h>

/* True: @ret_at and @ret_bytes locate the function's code in the file. */
static bool find(Elf *elf, const char *function, size_t *ret_at, size_t *ret_bytes)
{
	Elf_Scn *symbols = NULL;
	GElf_Shdr header, text;
	GElf_Sym symbol;
	const char *name;
	int i;

	while ((symbols = elf_nextscn(elf, symbols))) {
		if (!gelf_getshdr(symbols, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		for (i = 0; gelf_getsym(elf_getdata(symbols, NULL), i, &symbol); i++) {
			name = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (!name || strcmp(name, function) ||
			    !gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &text))
				continue;
			*ret_at = text.sh_offset + symbol.st_value;
			*ret_bytes = symbol.st_size;
			return true;
		}
	}
	return false;
}

int bpf_text_open(struct bpf_text *ret_text, const struct bpf_object_skeleton *skel,
		  const char *function, struct err *e)
{
	size_t at = 0, bytes = 0;
	bool found = false;
	char *copy;
	Elf *elf;

	copy = malloc(skel->data_sz);
	if (!copy)
		return err_set(e, -ENOMEM, "cannot copy BPF object '%s'", skel->name);
	memcpy(copy, skel->data, skel->data_sz);
	elf_version(EV_CURRENT);
	elf = elf_memory(copy, skel->data_sz);
	if (elf)
		found = find(elf, function, &at, &bytes);
	elf_end(elf);
	if (!found || at > skel->data_sz || bytes > skel->data_sz - at) {
		free(copy);
		return err_set(e, -ENOENT, "BPF object '%s' has no function '%s'", skel->name,
			       function);
	}
	*ret_text = (struct bpf_text){
		.elf = copy, .insns = (struct bpf_insn *)(copy + at),
		.nr = bytes / sizeof(struct bpf_insn),
	};
	return 0;
}

int bpf_text_use(const struct bpf_text *text, struct bpf_object_skeleton *skel, struct err *e)
{
	const void *own = skel->data;
	int err;

	if (text->elf)
		skel->data = text->elf;
	err = bpf_object__open_skeleton(skel, NULL);
	skel->data = own;
	return err ? err_set(e, err, "cannot open BPF object '%s'", skel->name) : 0;
}

void bpf_text_close(struct bpf_text *text)
{
	free(text->elf);
	text->elf = NULL;
}
