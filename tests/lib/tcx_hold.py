#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A stranger at tcx: a program that says the same of every packet.

tcx_hold.py IFACE ingress|egress first|last VERDICT

Attached by a link until it is killed; "ready" on stderr. VERDICT is a number: -1 lets the next
program decide, 0 passes and 2 drops, and in both cases no later program sees the packet.
"""
import ctypes
import os
import platform
import signal
import socket
import struct
import sys

SYS_BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
PROG_LOAD, LINK_CREATE = 5, 28
SCHED_CLS = 3
ATTACH = {"ingress": 46, "egress": 47}
FLAGS = {"first": 1 << 3, "last": 1 << 4}       # BPF_F_BEFORE, BPF_F_AFTER


def bpf(command, attr):
    libc = ctypes.CDLL(None, use_errno=True)
    buf = ctypes.create_string_buffer(attr, len(attr))
    fd = libc.syscall(SYS_BPF, command, buf, len(attr))
    if fd < 0:
        sys.exit(f"tcx_hold: {os.strerror(ctypes.get_errno())}")
    return fd


def main(iface, hook, place, verdict):
    # r0 = verdict; exit
    insns = ctypes.create_string_buffer(struct.pack("<BBhi", 0xB7, 0, 0, int(verdict)) +
                                        struct.pack("<BBhi", 0x95, 0, 0, 0), 16)
    gpl = ctypes.create_string_buffer(b"GPL")
    prog = bpf(PROG_LOAD, struct.pack("=IIQQIIQII16sII", SCHED_CLS, 2, ctypes.addressof(insns),
                                      ctypes.addressof(gpl), 0, 0, 0, 0, 0, b"stranger", 0,
                                      ATTACH[hook]))
    bpf(LINK_CREATE, struct.pack("=IIIIQQ", prog, socket.if_nametoindex(iface), ATTACH[hook],
                                 FLAGS[place], 0, 0))
    print("ready", file=sys.stderr, flush=True)
    signal.pause()


main(*sys.argv[1:])
