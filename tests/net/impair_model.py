#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What impair must have done, worked out again from its man page alone.

    impair_model.py EVENTS SEED COUNT RULE...

EVENTS is the file of --events; RULE is KIND=WHICH[:ARG] in the order of the
man page, where all options of the run must stand. Prints a JSON object: events
that are missing, unexpected, and different; and the numbers of
packets by kind. Frames are 60 bytes.
"""
import csv
import json
import sys

KINDS = ["loss", "ce", "remark", "corrupt", "checksum", "truncate", "fragment", "duplicate", "reorder", "delay"]
MASK = (1 << 64) - 1
FRAME_BYTES = 60


def draw(seed, rule, number, ordinal):
    """The upper 32 of 64 random bits (splitmix64)."""
    z = (seed + (rule << 40) + (number << 48) + ordinal * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return (z ^ (z >> 31)) >> 32


def share(text):
    return round(float(text.rstrip("%")) / 100 * 2 ** 32)


class Rule:
    def __init__(self, number, text):
        self.kind, which = text.split("=", 1)
        self.number, self.bad = number, False
        which, _, self.arg = which.partition(":")
        self.listed = self.every = self.p = self.chain = None
        if which.startswith("every="):
            every, _, phase = which[6:].partition("+")
            self.every = int(every), int(phase or int(every) - 1)
        elif which.startswith("list="):
            self.listed = set(int(n) for n in which[5:].split(","))
        elif which.startswith("ge("):
            values = dict(word.strip().split("=") for word in which[3:-1].split(","))
            self.chain = [share(values.get(*default)) for default in
                          (("p",), ("r",), ("bad", "100%"), ("good", "0%"))]
        elif which == "all":
            self.every = 1, 0
        else:
            self.p = share(which)

    def takes(self, seed, ordinal):
        if self.every:
            return ordinal % self.every[0] == self.every[1]
        if self.listed is not None:
            return ordinal in self.listed
        if self.p is not None:
            return draw(seed, self.number, 0, ordinal) < self.p
        p, r, bad, good = self.chain
        if draw(seed, self.number, 1, ordinal) < (r if self.bad else p):
            self.bad = not self.bad
        return draw(seed, self.number, 0, ordinal) < (bad if self.bad else good)


def first_bit(seed, rule, ordinal):
    bits, _, offset = (rule.arg or "1").partition("@")
    offset = int(offset or 14) * 8
    # Floyd's algorithm: the first of b bits out of n is one of the first n - b + 1.
    among = FRAME_BYTES * 8 - offset - int(bits) + 1
    return offset + (draw(seed, rule.number, 2, ordinal) * among >> 32)


def expect(seed, rules, ordinal):
    taken = {}
    for rule in rules:
        if rule.takes(seed, ordinal):
            taken.setdefault(rule.kind, rule)
    if "loss" in taken:
        return "loss", "", "", ""
    return ("+".join(kind for kind in KINDS if kind in taken),
            str(first_bit(seed, taken["corrupt"], ordinal)) if "corrupt" in taken else "",
            taken["truncate"].arg if "truncate" in taken else "",
            taken["duplicate"].arg or "1" if "duplicate" in taken else "")


def main():
    path, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rules = [Rule(number, text) for number, text in enumerate(sys.argv[4:])]
    with open(path, encoding="ascii", newline="") as file:
        told = {int(row["ordinal"]): row for row in csv.DictReader(file)}
    said = {"missing": 0, "unexpected": 0, "different": 0, "wrong_sequence": 0, "events": len(told)}
    kinds = dict.fromkeys(KINDS, 0)
    for ordinal in range(count):
        want, row = expect(seed, rules, ordinal), told.pop(ordinal, None)
        for kind in filter(None, want[0].split("+")):
            kinds[kind] += 1
        if not row:
            said["missing"] += want[0] != ""
        elif not want[0]:
            said["unexpected"] += 1
        else:
            said["different"] += want != (row["done"], row["first_bit"], row["cut_bytes"],
                                          row["copies"])
            # One sender, one queue: packet n carries sequence n.
            said["wrong_sequence"] += row["sequence"] != str(ordinal)
    said["unexpected"] += len(told)
    print(json.dumps(said | {"kinds": kinds}))


main()
