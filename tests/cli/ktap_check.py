#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads KTAP version 1 on stdin, as Documentation/dev-tools/ktap.rst has it, and prints
"PASSED FAILED SKIPPED"; ends with 1 and the reason where it is none."""
import re
import sys

RESULT = re.compile(r"(ok|not ok) (\d+)( [^#]+?)?(?: # (SKIP|TODO|XFAIL|TIMEOUT|ERROR)( .*)?)?$")


def main():
    lines = sys.stdin.read().split("\n")
    if lines.pop() != "":
        sys.exit("the last line does not end")
    if not lines or lines.pop(0) != "KTAP version 1":
        sys.exit("no version line")
    plan = re.fullmatch(r"1\.\.(\d+)", lines.pop(0)) if lines else None
    if not plan:
        sys.exit("no plan")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    number = 0
    for line in lines:
        if re.search(r"[\x00-\x1f\x7f]", line):
            sys.exit("a control character: %r" % line)
        if line.startswith("# "):
            continue
        found = RESULT.match(line)
        number += 1
        if not found or int(found[2]) != number:
            sys.exit("no result %d: %r" % (number, line))
        counts["skipped" if found[4] == "SKIP" else
               "passed" if found[1] == "ok" else "failed"] += 1
    if number != int(plan[1]):
        sys.exit("%s planned, %d there" % (plan[1], number))
    print(counts["passed"], counts["failed"], counts["skipped"])


main()
