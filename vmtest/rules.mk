# SPDX-License-Identifier: GPL-2.0-or-later
# What vmtest/regress runs in its machines beside the tool.

vm-bins := $(O)/vmtest/traffic $(O)/vmtest/paths.bpf.o

$(O)/vmtest/%.bpf.o: vmtest/%.bpf.c $(O)/flags
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D) && $(bpf-c) -c -o $@ $<

$(O)/vmtest/traffic: vmtest/traffic.c $(O)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) $(LDFLAGS) -o $@ $<

-include $(O)/vmtest/traffic.d $(O)/vmtest/paths.bpf.d
