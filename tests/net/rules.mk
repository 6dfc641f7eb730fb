# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests on wires run beside the tool: parts of it without a verb around them.

net-dir    := $(O)/tests/net
net-bins   += $(net-dir)/bump_driver

$(net-dir)/%.bpf.o: tests/net/%.bpf.c $(O)/flags
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D) && $(bpf-c) -Itests/net -c -o $@ $<

$(net-dir)/%.skel.h: $(net-dir)/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf >$@

$(net-dir)/%.o: tests/net/%.c $(net-dir)/%.skel.h $(O)/flags
	$(call say,CC,$@)
	$(Q)$(user-c) -Itests/net -I$(net-dir) -c -o $@ $<

$(net-bins): %: %.o $(filter-out $(O)/user/main.o $(O)/user/cmd/%,$(user-obj))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(san) $(LDFLAGS) -o $@ $^ $(libs)

.SECONDARY: $(net-bins:%=%.bpf.o) $(net-bins:%=%.skel.h) $(net-bins:%=%.o)

-include $(net-bins:%=%.d) $(net-bins:%=%.bpf.d)

# No part of the tool is in it.
truth-forwarder := $(net-dir)/truth_forwarder
net-bins        += $(truth-forwarder)

$(truth-forwarder): tests/net/truth_forwarder.c $(O)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $(CFLAGS) $(san) $(LDFLAGS) -o $@ $< -lpcap

# Programs of another user, which plant losses.
losses-obj := $(net-dir)/verdict.bpf.o
