#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report_docs.py hostile | long ROWS | trials | suite: a made-up result document on stdout.

hostile: every word is one that no face may take for its own. long: a series of ROWS rows whose
round trips are 1000 ns but for one of 123456789 ns, and as many entries. trials: loads and
losses of two frame sizes on a link of 1 Gbit/s, of which only 100 kpps and 50 kpps are clean.
suite: a bench of two sizes and two goals, with its trials, on a link that carries far more.
"""
import json
import sys

WORD = ("</script></style></td><script>window.hostile = 1</script><img src=x onerror=\"window.hostile = 1\"> "
        "' \" ]]> & | `*_[x](javascript:1) \x1b[31m \u202egnp.exe\u2066 \u0085 \x7f")


def document(**more):
    return {"format": 1, "tool": "ethgauge 0.1.0", "command": "probe", **more}


def hostile():
    long = "x" * 100000
    words = {WORD: WORD, "INTERFACE": WORD, "long": long, long: "y", "=cmd|' /C calc'!A0": "=1+1"}
    rows = [{**words, "frame_bytes": WORD, "received_pps": 1}, {"frame_bytes": 64, "lost_ratio": 1e300}]
    bare = {"config": words, "supplied": words, "environment": words, "notes": [WORD, long], "lines": [WORD],
            "verdicts": [{"pass": False, "what": WORD}], "errors": [{"no": 1, "what": WORD}],
            "entries": rows, "streams": rows, "features": rows,
            "metrics": {"rtt_p50_ns": WORD, "sent_packets": {}, "bottleneck": WORD, WORD: 1},
            "self": {"irregular": True, WORD: rows, "bottleneck": WORD},
            "series": [{"elapsed_ns": WORD, "rtt_p50_ns": 7, WORD: 1}, {"elapsed_ns": -1, "rtt_p50_ns": 0}, 7],
            "histograms": {WORD: {"unit": WORD, "buckets": [[1, 2], [3, -4], 5]}, "rtt_ns": 7,
                           "delay_ns": {"unit": "ns", "negative": 1, "above": 1, "buckets": [[0, 1], [1000, 2]]}}}
    swept = {"config": {"metric": "sent_pps", "VERB": WORD},
             "entries": [{WORD: a, "b" + WORD: b, "runs": 1, "median": a} for a in (1, 2) for b in (1, 2)]}
    sized = {"name": WORD, "metrics": {"frame_bytes": 1e300, "throughput_pps": -1, "latency_min_ns": 1e300},
             "entries": [{"load_ratio": -1e300, "lost_ratio": 1e300, "generator": WORD, "irregular": WORD}]}
    ledger = {"name": "ledger", "kind": "ledger", "metrics": {"made_packets": WORD},
              "entries": [{"packets": p, "reason": WORD, "place": "x" + "\u20ac" * 40, "where": WORD}
                          for p in [1e300, -1, WORD, None, 1e308, 3] + [1] * 40]}
    named = {"format": 1, "tool": WORD, "command": WORD, "parts": [sized, sized, ledger],
             "environment": {"date": WORD, "kernel": WORD, "link_bps": WORD}, "self": {"trials": rows}}
    return [named, document(**bare, parts=[{"name": WORD, **bare, "parts": [{"name": long, **swept}]}, 7, {},
                                   # What report_read() makes of a series, but not made by it.
                                   {"name": "own", "series": {"rtt_p50_ns": [1, 2, WORD], WORD: WORD}}])]


def long(rows):
    series = [{"elapsed_ns": i * 1000000, "rtt_max_ns": 123456789 if i == rows // 3 else 1000, "lost_packets": 0}
              for i in range(rows)]
    return document(series=series, entries=[{"number": i, "packets": i % 7} for i in range(rows)])


def trials():
    entries = []
    for size, clean in ((64, 100000), (512, 50000)):
        for load in range(10000, 200001, 10000):
            entries.append({"frame_bytes": size, "offered_pps": load, "received_pps": min(load, clean),
                            "lost_ratio": max(0, load - clean) / load, "irregular": load == 150000})
        # Ahead of what it was asked for, and so no throughput.
        entries.append({"frame_bytes": size, "offered_pps": 7, "received_pps": 900000, "lost_ratio": 0,
                        "irregular": True})
    return document(environment={"link_bps": 1000000000}, entries=entries)


def suite():
    parts = [{"name": "%d-byte frames, goal %s" % (size, goal),
              "metrics": {"frame_bytes": size, "throughput_pps": rate, "load_max_pps": 70000, "latency_mean_ns": 2000},
              "entries": [{"load_ratio": 1.0, "lost_ratio": None, "generator": "irregular"},
                          {"load_ratio": 0.9, "lost_ratio": 0.25, "generator": "regular"},
                          {"load_ratio": 0.5, "lost_ratio": 0, "generator": "regular"}]}
             for size, goal, rate in ((1518, "ndr", 40000), (64, "ndr", 50000), (64, "pdr", 60000))]
    trials = [{"kind": "throughput", "trial_ns": 500000000, "irregular": i % 2, "lost_packets": 1234567}
              for i in range(31)]
    return document(environment={"link_bps": 10000000000}, parts=parts, self={"trials": trials})


json.dump({"hostile": hostile, "long": lambda: long(int(sys.argv[2])), "trials": trials,
           "suite": suite}[sys.argv[1]](), sys.stdout)
