#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Runs a command that may not ask the kernel how good its clock is, as under systemd's ProtectClock.

    deny_clock.py CMD...

A seccomp filter answers adjtimex and clock_adjtime of x86-64 with EPERM.
"""
import ctypes
import os
import struct
import sys

LOAD_NUMBER, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, EPERM = 0x7fff0000, 0x50001
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2


def main():
    code = b"".join(struct.pack("HBBI", *word) for word in (
        (LOAD_NUMBER, 0, 0, 0), (EQUAL, 1, 0, 159), (EQUAL, 0, 1, 305),
        (RETURN, 0, 0, EPERM), (RETURN, 0, 0, ALLOW)))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        sys.exit(f"deny_clock: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[1], sys.argv[1:])


main()
