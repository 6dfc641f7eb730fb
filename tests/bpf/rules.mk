# SPDX-License-Identifier: GPL-2.0-or-later
# One binary that runs every BPF program through BPF_PROG_TEST_RUN.

bpf-test-src := $(sort $(wildcard tests/bpf/*.c))
bpf-test-obj := $(bpf-test-src:%.c=$(O)/%.o)
bpf-tests    += $(O)/tests/bpf/programs

$(bpf-test-obj): $(O)/%.o: %.c $(O)/flags | $(skels)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) -Itests/bpf -c -o $@ $<

# Of the tool itself only what makes the packets in user space, which test_fields.c compares.
$(O)/tests/bpf/programs: $(bpf-test-obj) $(O)/user/proto/packet.o
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(san) $(LDFLAGS) -o $@ $^ -lcmocka -lbpf -lelf -lz

-include $(bpf-test-obj:.o=.d)
