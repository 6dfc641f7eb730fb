#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rows_check.py COLUMN... <JSON: check the rows of a result's series against its totals. Reads the
document, with --jsonl after its interval lines.

Every count of the rows must sum to the total, which is in the metrics of the same part or, where that
has none, of its parts together. COLUMNs are those that must have been compared. A rate is its count over
the time since the row before. Only corrections may be below 0. Prints "N rows".
"""
import json
import os
import sys

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "result.schema.json")
# The state at the end of the row, or of the whole row: no sum.
GAUGES = {"load_clients", "load_in_flight", "tcp_cwnd_packets", "flow_active_count", "flow_table_count"}
RATES = {"sent_pps": "sent_packets", "received_pps": "received_packets", "answered_pps": "answered_packets",
         "seen_pps": "seen_packets", "impair_seen_pps": "impair_seen_packets"}
SIGNED = {"lost_packets"}


def fail(*words):
    sys.exit(" ".join(map(str, words)))


def counts():
    with open(SCHEMA, encoding="utf-8") as source:
        figures = json.load(source)["$defs"]["dictionary"]["properties"]
    return {key for key, figure in figures.items()
            if figure["$comment"].split(",")[0] in ("unit: count", "unit: bytes") and
            not key.endswith("_per_s")} - GAUGES


def total_of(node, key):
    if key in node.get("metrics", {}):
        return node["metrics"][key]
    found = [total_of(part, key) for part in node.get("parts", [])]
    found = [value for value in found if value is not None]
    return sum(found) if found else None


def check_series(node, keys, compared):
    rows = node["series"]
    sums, before_ns = {}, 0
    for row in rows:
        length_ns = row["elapsed_ns"] - before_ns
        if length_ns <= 0:
            fail(node.get("name"), "a row has no length:", row)
        before_ns = row["elapsed_ns"]
        for key in keys & row.keys():
            sums[key] = sums.get(key, 0) + row[key]
            if row[key] < 0 and key not in SIGNED:
                fail(node.get("name"), key, "is negative:", row)
        for rate, count in RATES.items():
            if rate in row and abs(row[rate] * length_ns / 1e9 - row[count]) > 1e-6 * row[count] + 1e-6:
                fail(node.get("name"), rate, "is not that of the row's length", length_ns, ":", row)
    for key, found in sums.items():
        total = total_of(node, key)
        if total is None:
            continue
        if found != total:
            fail(node.get("name"), key, ": the rows sum to", found, "and the total is", total,
                 [row.get(key) for row in rows])
        compared.add(key)
    return len(rows)


def check(node, keys, compared):
    nr = 0
    if node.get("series") and not node.get("name", "").startswith("arrivals"):
        nr += check_series(node, keys, compared)
    return nr + sum(check(part, keys, compared) for part in node.get("parts", []))


def every_row(node):
    return node.get("series", []) + [row for part in node.get("parts", []) for row in every_row(part)]


def main():
    decoder, text, at, found = json.JSONDecoder(), sys.stdin.read().strip(), 0, []
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    *lines, document = found
    if document.get("type") == "interval":
        fail("there is no document")
    if lines and len(lines) != len(every_row(document)):
        fail(len(lines), "interval lines, and", len(every_row(document)), "rows")
    compared = set()
    nr = check(document, counts(), compared)
    for key in sys.argv[1:]:
        if key not in compared:
            fail(key, "was not compared, only", *sorted(compared))
    print(nr, "rows")


main()
