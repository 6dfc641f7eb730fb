# SPDX-License-Identifier: GPL-2.0-or-later
# One binary that runs every BPF program through BPF_PROG_TEST_RUN.

bpf-test-src := $(sort $(wildcard tests/bpf/*.c))
bpf-test-obj := $(bpf-test-src:%.c=$(O)/%.o)
bpf-tests    += $(O)/tests/bpf/programs

$(bpf-test-obj): $(O)/%.o: %.c $(O)/flags | $(skels)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) -Itests/bpf -c -o $@ $<

# Of the tool itself only what makes packets and fragments, which test_fields.c and test_impair.c compare, the order of
# test_order.c at a socket, and what test_filter.c tests.
bpf-test-parts := $(addprefix $(O)/user/,proto/packet.o proto/fragment.o proto/filter.o proto/filter_code.o proto/seqwin.o lib/err.o lib/hist.o lib/pdv.o lib/redact.o lib/sha256.o lib/spread.o)
bpf-test-libs  := -lcmocka -lbpf -lelf -lpcap -lz -lnettle -lm

$(O)/tests/bpf/programs: $(bpf-test-obj) $(bpf-test-parts)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(san) $(LDFLAGS) -o $@ $^ $(bpf-test-libs)

-include $(bpf-test-obj:.o=.d)

# The same of the programs that other clangs make: the oldest and the newest that Debian has,
# as what one verifies another does not. build/clang-19/tests/bpf/programs.
clang-version := $(shell $(CLANG) -dumpversion 2>/dev/null | cut -d . -f 1)
other-clangs  := $(foreach v,$(filter-out $(clang-version),14 19),$(if $(shell command -v clang-$v),$v))

# $(1): a clang's version; C: its directory.
define by-other-clang
bpf-tests += $(C)/tests/bpf/programs

$(bpf-src:%.c=$(C)/%.o): $(C)/%.o: %.c $(O)/flags
	$$(call say,BPF,$$@)
	$$(Q)mkdir -p $$(@D) && $$(subst $$(CLANG) -target,clang-$(1) -target,$$(bpf-c)) -c -o $$@ $$<

$(bpf-src:bpf/%.bpf.c=$(C)/gen/%.skel.h): $(C)/gen/%.skel.h: $(C)/bpf/%.bpf.o
	$$(call say,SKEL,$$@)
	$$(Q)mkdir -p $$(@D) && $$(BPFTOOL) gen skeleton $$< name $$*_bpf >$$@

$(bpf-test-src:%.c=$(C)/%.o): $(C)/%.o: %.c $(O)/flags | $(bpf-src:bpf/%.bpf.c=$(C)/gen/%.skel.h)
	$$(call say,CC,$$@)
	$$(Q)mkdir -p $$(@D) && $$(subst -I$(O)/gen,-I$(C)/gen,$$(user-c)) -Itests/bpf -c -o $$@ $$<

$(C)/tests/bpf/programs: $(bpf-test-src:%.c=$(C)/%.o) $(bpf-test-parts)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(CFLAGS) $$(san) $$(LDFLAGS) -o $$@ $$^ $(bpf-test-libs)

-include $(bpf-src:%.c=$(C)/%.d) $(bpf-test-src:%.c=$(C)/%.d)
endef
$(foreach v,$(other-clangs),$(eval C := $(O)/clang-$v)$(eval $(call by-other-clang,$v)))
