# One makefile, without recursion except where scripts/setup must run first: make
# knows every file and dependency.
#
#   make help lists the targets and the variables.

O       ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CLANG   ?= clang
CFLAGS  ?= -O2 -g
VERSION := 0.1.0
export LC_ALL := C

# Debian's is in /usr/sbin. Ubuntu's /usr/sbin/bpftool is a wrapper that refuses
# kernels it has no package for, so the first one that answers is taken.
BPFTOOL ?= $(or $(shell for b in bpftool /usr/sbin/bpftool /usr/lib/linux-tools/*/bpftool; do \
	   "$$b" version >/dev/null 2>&1 && echo "$$b" && break; done),bpftool)

V ?= 0
ifeq ($(V),0)
Q   := @
say  = @printf '  %-7s %s\n' $(1) $(2);
endif

# SAN=1: everything with the address and undefined-behaviour sanitizers, in a
# separate tree. The unit tests are always built like this, in the same tree.
SAN ?= 0
ifeq ($(SAN),1)
override O := $(O)/san
S          := $(O)
else
S          := $(O)/san
endif
sanitizers := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# -O1 compiles a third faster, and the unit tests run no slower.
$(S)/%: private san := $(sanitizers) -O1

# The fuzz targets and all that they may link, by clang, with its fuzzer and sanitizers.
F := $(O)/fuzz
$(F)/%: private override CC := $(CLANG)
$(F)/%: private san := $(sanitizers) -fsanitize=fuzzer-no-link

user-src  := $(sort $(shell find user -name '*.c'))
bpf-src   := $(sort $(wildcard bpf/*.bpf.c))
unit-src  := $(sort $(wildcard tests/unit/test_*.c))
profiles  := $(sort $(wildcard user/profiles/*.yaml))
sweeps    := $(sort $(wildcard user/sweeps/*.sweep))
assets    := $(sort $(wildcard user/faces/assets/*))
text-c    := $(O)/gen/assets.c $(O)/gen/profiles.c $(O)/gen/studies.c
user-obj  := $(user-src:%.c=$(O)/%.o) $(text-c:.c=.o)
bpf-obj   := $(bpf-src:%.c=$(O)/%.o)
skels     := $(bpf-src:bpf/%.bpf.c=$(O)/gen/%.skel.h)
tool      := $(O)/ethgauge

# What a unit test may link: the rooms without system calls, and parsers of the kernel's answers.
pure-rooms := lib proto result model compare faces
pure-src  := $(filter $(pure-rooms:%=user/%/%) user/sys/net/%_parse.c,$(user-src))
pure-obj  := $(pure-src:%.c=$(S)/%.o) $(text-c:$(O)/%.c=$(S)/%.o)
unit-obj  := $(unit-src:%.c=$(S)/%.o)
unit-tests := $(unit-src:%.c=$(S)/%)
fuzz-src  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
fuzz-obj  := $(fuzz-src:%.c=$(F)/%.o)
fuzz-pure := $(pure-src:%.c=$(F)/%.o) $(text-c:$(O)/%.c=$(F)/%.o)
fuzz-tests := $(fuzz-src:%.c=$(F)/%)

libs      := -lxdp -lbpf -lelf -lpcap -lz -ljansson -lfyaml -lnl-3 -lnettle -lcap-ng -lseccomp -lmicrohttpd -lcurl -lncursesw -ltinfo -lm -lpthread
pure-libs := -lpcap -lz -ljansson -lfyaml -lnl-3 -lnettle -lncursesw -ltinfo -lm -lpthread
multi     := $(shell $(CC) -print-multiarch 2>/dev/null)
deps      := -MMD -MP
werror    := $(if $(filter-out 0,$(WERROR)),-Werror)
user-cc    = $(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers \
	     $(werror) $(CFLAGS) $(san) \
	     -DTOOL_VERSION='"$(VERSION)"' -Iinclude -Iuser -I$(O)/gen \
	     -isystem /usr/include/libnl3
# Some kernel headers include libc's, which need the host's architecture.
bpf-cc     = $(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter $(werror) -Iinclude -Ibpf \
	     -idirafter /usr/include/$(multi) -D__$(firstword $(subst -, ,$(multi)))__
user-c     = $(user-cc) $(deps)
bpf-c      = $(bpf-cc) $(deps)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all help check test test-docs test-long test-vm regress lint bench bench-all bench-watch bench-rr truth losses mutate fuzz demo doc schema install uninstall clean FORCE \
	lint-run check-run test-run test-long-run test-docs-run fuzz-run

all: $(tool)

# tests/bpf adds its binaries to bpf-tests, tests/bench to bench-bins,
# tests/net to net-bins, vmtest to vm-bins.
bpf-tests  :=
bench-bins :=
net-bins   :=
vm-bins    :=
-include tests/bpf/rules.mk tests/bench/rules.mk tests/net/rules.mk vmtest/rules.mk

$(tool): $(user-obj)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(san) $(LDFLAGS) -o $@ $^ $(libs)

$(O)/gen/profiles.c: scripts/gen-texts Makefile $(profiles)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && scripts/gen-texts proto/profiles.h profile profiles $(profiles) >$@

$(O)/gen/studies.c: scripts/gen-texts Makefile $(sweeps)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && scripts/gen-texts model/study.h study studies $(sweeps) >$@

$(O)/gen/assets.c: scripts/gen-assets Makefile $(assets)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && scripts/gen-assets user/faces/assets >$@

text-o := $(sort $(text-c:.c=.o) $(text-c:$(O)/%.c=$(S)/%.o) $(text-c:$(O)/%.c=$(F)/%.o))
$(text-o): $(O)/flags
$(filter %/assets.o,$(text-o)): $(O)/gen/assets.c
$(filter %/profiles.o,$(text-o)): $(O)/gen/profiles.c
$(filter %/studies.o,$(text-o)): $(O)/gen/studies.c
$(text-o):
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) -c -o $@ $(O)/gen/$(basename $(@F)).c

# Order-only: a clean build makes every skeleton first; later builds know from
# the .d files which object needs which.
$(user-src:%.c=$(O)/%.o): $(O)/%.o: %.c $(O)/flags | $(skels)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) -c -o $@ $<

$(bpf-obj): $(O)/%.o: %.c $(O)/flags
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D) && $(bpf-c) -c -o $@ $<

$(skels): $(O)/gen/%.skel.h: $(O)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)mkdir -p $(@D) && $(BPFTOOL) gen skeleton $< name $*_bpf >$@

# With SAN=1 the two trees are one, and the rule above has made the objects.
$(filter-out $(user-obj) $(text-o),$(pure-obj)) $(unit-obj): $(S)/%.o: %.c $(S)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) -c -o $@ $<

$(filter-out $(text-o),$(fuzz-pure)) $(fuzz-obj): $(F)/%.o: %.c $(F)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(user-c) -c -o $@ $<

$(unit-tests): %: %.o $(pure-obj)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(san) $(LDFLAGS) -o $@ $^ -lcmocka $(pure-libs)

# Rewritten only when the flags change, so that new CFLAGS rebuild everything.
# As the first step of every build, it also detects causes of obscure failures.
quote = '$(subst ','\'',$(1))'
by-root = a build by root? run: sudo make clean $(filter O=%,$(MAKEOVERRIDES))
check-tools = scripts/check-tools $(call quote,$(CC)) $(call quote,$(CLANG)) $(call quote,$(BPFTOOL))
$(sort $(O)/flags $(S)/flags $(F)/flags): FORCE
	@mkdir -p $(@D) 2>/dev/null; \
	stuck=$$(find $(O) ! -writable ! -type l 2>/dev/null | head -n 1); \
	if [ ! -w $(@D) ] || [ -n "$$stuck" ]; then \
		echo "make: cannot write $${stuck:-$(@D)}:" $(call quote,$(strip $(by-root))) \
		     "or build elsewhere with make O=DIR" >&2; \
		exit 1; \
	fi
	@$(if $(wildcard $(@D)/tools),,$(check-tools) && touch $(@D)/tools)
	@echo $(call quote,$(user-c) $(bpf-c)) | cmp -s - $@ || \
		echo $(call quote,$(user-c) $(bpf-c)) >$@
FORCE:

# What tests are compiled with. If it cannot be written, flags reports that.
$(O)/test-tools:
	@mkdir -p $(@D) 2>/dev/null; $(check-tools) --test && { touch $@ 2>/dev/null || :; }
$(unit-obj) $(bpf-test-obj): | $(O)/test-tools

# Facts of this build for the scripts.
tell = V=$(V) BUILD=$(call quote,$(O)) TOOL=$(call quote,$(abspath $(tool))) \
       USER_CC=$(call quote,$(user-cc)) BPF_CC=$(call quote,$(bpf-cc)) \
       UNIT_TESTS=$(call quote,$(unit-tests)) BPF_TESTS=$(call quote,$(bpf-tests)) \
       FUZZ_TESTS=$(call quote,$(fuzz-tests)) FUZZ_SECONDS=$(call quote,$(FUZZ_SECONDS))

lint: $(user-obj) $(bpf-obj)
	$(Q)$(tell) tests/run lint

check: $(O)/test-tools $(tool) $(bpf-obj) $(unit-tests) $(vm-bins)
	$(Q)$(tell) tests/run lint unit cli

# All CPUs, unless -j is given.
jobs = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

# Recursion here, in fuzz and in demo: before scripts/setup has run there may be no
# compiler and no bpftool, and make has looked for them while reading this file.
test:
	$(Q)scripts/setup --as-needed --test
	$(Q)$(MAKE) --no-print-directory $(jobs) test-run

test-run: $(O)/test-tools $(tool) $(bpf-obj) $(unit-tests) $(bpf-tests) $(bench-bins) $(net-bins) $(losses-obj) \
		$(vm-bins)
	$(Q)$(tell) tests/run lint unit bpf cli net

# Soak tests, and others that take minutes.
test-long:
	$(Q)scripts/setup --as-needed --test
	$(Q)$(MAKE) --no-print-directory $(jobs) test-long-run

test-long-run: $(tool) $(net-bins)
	$(Q)$(tell) tests/run long

# Most commands only wait: for ^C after a second.
test-docs:
	$(Q)scripts/setup --as-needed --test
	$(Q)$(MAKE) --no-print-directory $(jobs) test-docs-run

test-docs-run: $(tool)
	$(Q)$(tell) TESTS_JOBS=$${TESTS_JOBS:-4} tests/run docs

# Not as root, except for setup: the virtual machines need no privilege.
test-vm: $(tool) $(bpf-obj) $(bpf-tests) $(net-bins)
	$(Q)vmtest/run $(ARGS)

regress: $(tool) $(vm-bins)
	$(Q)vmtest/regress $(ARGS)

demo:
	$(Q)scripts/setup --as-needed
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)$(tool) demo $(ARGS)

# An archive, so that a target links only what it uses: libFuzzer looks at every counter of coverage
# after each input.
$(F)/pure.a: $(fuzz-pure)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs --thin $@ $^

$(fuzz-tests): %: %.o $(F)/pure.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(san) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(pure-libs)

FUZZ_SECONDS ?= 30
fuzz:
	$(Q)scripts/setup --as-needed --fuzz
	$(Q)$(MAKE) --no-print-directory $(jobs) fuzz-run

fuzz-run: $(fuzz-tests)
	$(Q)$(tell) tests/run fuzz

bench: $(tool) $(bench-bins)
	$(Q)$(tell) scripts/bench-run $(ARGS)

bench-all: $(tool) $(bench-bins)
	$(Q)$(tell) scripts/bench-all $(ARGS)

bench-watch: $(tool) $(bench-bins)
	$(Q)$(tell) scripts/bench-watch $(ARGS)

bench-rr: $(tool) $(bench-bins)
	$(Q)$(tell) scripts/bench-rr $(ARGS)

truth: $(tool) $(truth-forwarder)
	$(Q)scripts/truth --tool $(tool) --forwarder $(truth-forwarder) $(ARGS)

losses: $(tool) $(losses-obj)
	$(Q)TOOL=$(tool) scripts/plant-losses $(ARGS)

# In a copy of the tree, which has its own build.
mutate:
	$(Q)scripts/mutate $(ARGS)

# The pages are made from the tool's own help, so it is built first.
doc: $(O)/man/ethgauge.8

$(O)/man/ethgauge.8: $(tool) scripts/gen-man $(wildcard docs/verbs/*.md)
	$(call say,MAN,$(@D))
	$(Q)scripts/gen-man $(tool) $(@D)

# In git, so that readers of documents need no build; a test checks that it is up to date.
schema: $(tool)
	$(Q)scripts/gen-schema $(tool) >docs/result.schema.json.new && \
		mv docs/result.schema.json.new docs/result.schema.json

install: all doc
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)scripts/install $(call quote,$(O)) $(call quote,$(PREFIX)) $(call quote,$(DESTDIR))

uninstall:
	$(call say,REMOVE,$(DESTDIR)$(PREFIX))
	$(Q)scripts/install --remove $(call quote,$(PREFIX)) $(call quote,$(DESTDIR))

clean:
	$(call say,CLEAN,$(O))
	$(Q)why=$$(rm -rf $(O) 2>&1 | sed -n 1p); [ -z "$$why" ] || \
		{ echo "make: $$why:" $(call quote,$(strip $(by-root))) >&2; exit 1; }

-include $(user-obj:.o=.d) $(bpf-obj:.o=.d) $(pure-obj:.o=.d) $(unit-obj:.o=.d) \
	$(fuzz-pure:.o=.d) $(fuzz-obj:.o=.d)

define help
Targets:
  all      the tool, $(tool) (default)
  demo     install what is missing, build, and show the main job on a private
           link; needs root: sudo make demo
  check    lint, unit tests (always with sanitizers), tests without root
  test     install what is missing (as root), then run the tests; last line:
           N passed, N failed, N skipped
  test-docs
           run every command that README, docs and --help show, and compare its
           output with the one shown; needs root
  test-long
           soak tests, and others that take minutes; needs root
  test-vm  test on other kernels, each in a virtual machine (vmtest/run
           --help); needs setup --vm, and hours without KVM
  regress  compare the cost of a packet on two kernels (vmtest/regress --help); needs
           setup --vm: make regress ARGS="debian:6.1 debian:6.12"
  lint     check includes, headers, line lengths and shell scripts; formatting as a hint
  fuzz     fuzz each parser for FUZZ_SECONDS=$(FUZZ_SECONDS), one for each CPU at a time; as root,
           installs clang's fuzzer runtime if it is missing
  bench    compare with other generators (scripts/bench-run); needs root
  bench-all
           run all benchmarks, about 25 minutes; ARGS=--quick: each for its shortest
           run, and the soak tests, to see that they work (scripts/bench-all)
  bench-watch
           measure the cost of watch for a path (scripts/bench-watch)
  bench-rr compare transactions per second with a bare loop and other programs
           (scripts/bench-rr)
  mutate   break the program in one place after another, and name those that no
           test notices (scripts/mutate, docs/mutate.md); needs root
  truth    compare reported figures with what independent forwarders did to the
           packets, and with tcpdump, ss, nstat and ping (docs/truth.md)
  losses   plant losses of 54 kinds, and compare the ledger with who else counted the
           lost packets (scripts/plant-losses, docs/ledger.md)
  doc      make man pages under $(O)
  schema   make docs/result.schema.json from the dictionary of figures
  install  install tool, man pages, completion, systemd units and documents
           under DESTDIR and PREFIX
  uninstall
           remove what install put there
  clean    remove $(O)

Variables:
  O=DIR          build directory ($(O))
  V=1            show the commands
  WERROR=1       a warning of the compilers fails the build, as in .ci/run
  SAN=1          build with the address and undefined-behaviour sanitizers
  PREFIX=DIR     installation prefix ($(PREFIX)); DESTDIR=DIR is put before it
  CC, CFLAGS, LDFLAGS, CLANG, BPFTOOL
  ARGS=...       options of demo, bench*, truth, losses, mutate, test-vm and regress
  REQUIRE="..."  features whose absence fails a test instead of skipping it
endef
help:
	@:$(info $(help))
