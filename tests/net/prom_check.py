#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""prom_check.py [DASHBOARD] <TEXT: holds TEXT against Prometheus' text format 0.0.4, for
where there is no promtool: HELP and TYPE before each family, whole families, no series
twice, histograms that add up. With DASHBOARD, every metric that it asks for must be there.
prom_check.py --until WORD FILES PATH: reads PATH over and over, until it has held so many
different texts, and WORD; each of them must be sound. Prints what is wrong; exit 1.
"""
import json
import os
import re
import sys
import time

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)?\}})? (\S+)$")
faults = []


def parse(text):
    """Families in order: name -> (type, {(sample, labels): value})."""
    families, helped, current = {}, set(), None
    for line in text.split("\n")[:-1]:
        words = line.split(" ", 3)
        if words[:2] == ["#", "HELP"]:
            if words[2] in helped or not words[3:]:
                faults.append("HELP twice or empty: " + line)
            helped.add(words[2])
        elif words[:2] == ["#", "TYPE"]:
            current = words[2]
            if current in families or current not in helped:
                faults.append("TYPE twice, or without HELP: " + line)
            families[current] = (words[3], {})
        else:
            match = SAMPLE.match(line)
            if not match:
                faults.append("no sample: " + line)
                continue
            name, labels, value = match.groups()
            base = re.sub("_(bucket|sum|count)$", "", name) if current and \
                families[current][0] in ("histogram", "summary") else name
            if base != current:
                faults.append("outside of its family: " + line)
                continue
            key = (name, tuple(sorted(re.findall(LABEL, labels or ""))))
            if key in families[current][1]:
                faults.append("twice: " + line)
            families[current][1][key] = float(value)
    return families


def check_types(families):
    for name, (kind, samples) in families.items():
        if (kind == "counter") != name.endswith("_total"):
            faults.append(f"{name} is a {kind}")
        # promtool has the same rule.
        if kind in ("counter", "gauge") and name.endswith(("_count", "_sum", "_bucket")):
            faults.append(f"{name} ends as part of a histogram")
        if kind != "histogram":
            continue
        for (sample, labels), value in samples.items():
            if not sample.endswith("_count"):
                continue
            rising = [n for (s, own), n in samples.items() if s.endswith("_bucket") and
                      set(labels) <= set(own)]
            if rising != sorted(rising) or rising[-1] != value:
                faults.append(f"{name} {labels} does not add up")


def check_dashboard(families, path):
    asked = set()
    with open(path) as file:
        board = json.load(file)
    for panel in board["panels"]:
        for target in panel["targets"]:
            asked |= set(re.findall(r"ethgauge_[a-z0-9_]+", target["expr"]))
    for variable in board["templating"]["list"]:
        asked |= set(re.findall(r"ethgauge_[a-z0-9_]+", json.dumps(variable["query"])))
    told = {name + end for name in families for end in ("", "_bucket", "_sum", "_count")}
    faults.extend("the dashboard asks for " + name for name in sorted(asked - told))
    if len(asked) < 10:
        faults.append("the dashboard asks for little")


def check(text):
    families = parse(text)
    if not text.endswith("\n") or not families:
        faults.append("not whole")
    check_types(families)
    return families


def check_until(word, count, path):
    seen, text, end = set(), "", time.monotonic() + 120 * int(os.environ.get("TESTS_SLOW", "1"))
    while not faults and (len(seen) < int(count) or word not in text):
        if time.monotonic() > end:
            faults.append(f"{len(seen)} texts, and the last one " + ("has " if word in text else "is without ") + word)
        with open(path) as file:
            text = file.read()
        if text not in seen:
            check(text)
            seen.add(text)
        time.sleep(0.01)


def main():
    if sys.argv[1:2] == ["--until"]:
        check_until(*sys.argv[2:])
    else:
        families = check(sys.stdin.read())
        if sys.argv[1:]:
            check_dashboard(families, sys.argv[1])
    print("\n".join(faults))
    sys.exit(bool(faults))


main()
