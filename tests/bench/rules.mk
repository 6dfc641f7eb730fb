# SPDX-License-Identifier: GPL-2.0-or-later
# The bare loop that scripts/bench-run compares with. Built on demand, and no
# part of the tool: its objects and skeleton stay under $(O)/tests/bench.

bench-dir  := $(O)/tests/bench
bench-bins := $(bench-dir)/bare

$(bench-dir)/%.bpf.o: tests/bench/%.bpf.c $(O)/flags
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D) && $(bpf-c) -Itests/bench -c -o $@ $<

$(bench-dir)/%.skel.h: $(bench-dir)/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf >$@

$(bench-dir)/%.o: tests/bench/%.c $(bench-dir)/%.skel.h $(O)/flags
	$(call say,CC,$@)
	$(Q)$(user-c) -Itests/bench -I$(bench-dir) -c -o $@ $<

$(bench-bins): %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(san) $(LDFLAGS) -o $@ $^ -lbpf -lelf -lz -lpthread

.SECONDARY: $(bench-bins:%=%.bpf.o) $(bench-bins:%=%.skel.h) $(bench-bins:%=%.o)

-include $(bench-dir)/bare.d $(bench-dir)/bare.bpf.d
