# SPDX-License-Identifier: GPL-2.0-or-later
# One binary that runs every BPF program through BPF_PROG_TEST_RUN.

bpf-test-src := $(sort $(wildcard tests/bpf/*.c))
bpf-test-obj := $(bpf-test-src:%.c=$(O)/%.o)
bpf-tests    += $(O)/tests/bpf/programs

$(bpf-test-obj): $(O)/%.o: %.c $(O)/flags | $(skels)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) -Itests/bpf -c -o $@ $<

# Of the tool itself only what makes packets, which test_fields.c compares, and what test_filter.c tests.
$(O)/tests/bpf/programs: $(bpf-test-obj) $(addprefix $(O)/user/,proto/packet.o proto/filter.o \
			 proto/filter_code.o lib/err.o lib/spread.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(san) $(LDFLAGS) -o $@ $^ -lcmocka -lbpf -lelf -lpcap -lz -lm

-include $(bpf-test-obj:.o=.d)
