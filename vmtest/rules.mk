# SPDX-License-Identifier: GPL-2.0-or-later
# What vmtest/regress runs in its machines beside the tool.

vm-bins := $(O)/vmtest/traffic $(O)/vmtest/kicks.so $(O)/vmtest/paths.bpf.o

$(O)/vmtest/%.bpf.o: vmtest/%.bpf.c $(O)/flags
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D) && $(bpf-c) -c -o $@ $<

$(O)/vmtest/traffic: vmtest/traffic.c $(O)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) $(LDFLAGS) -o $@ $<

$(O)/vmtest/kicks.so: vmtest/kicks.c $(O)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) -fPIC -shared $(LDFLAGS) -o $@ $< -ldl

-include $(O)/vmtest/traffic.d $(O)/vmtest/kicks.d $(O)/vmtest/paths.bpf.d
