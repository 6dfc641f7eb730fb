#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare_docs.py DIR RUNS [FACTOR [KERNEL]]: writes RUNS result documents of a made-up
probe into DIR, with 2 % of noise (their part with 1 %). FACTOR multiplies the median round trip and divides
the rate. DIR's name is the seed.
"""
import json
import os
import random
import sys

# A name that no face may take for its own words.
HOSTILE = "<script>alert(1)</script> # \x1b[31m\u202e\u009b & 'q' \"z\""


def document(number, name, factor, kernel):
    rng = random.Random("%s %d" % (name, number))

    def near(mean):
        return int(rng.gauss(mean, mean * 0.02))

    return {
        "format": 1, "tool": "ethgauge 0.1.0", "command": "probe",
        "config": {"INTERFACE": "eth1", "rate": "20kpps", "frame-bytes": 64},
        "environment": {"date": "2026-01-01T00:%02d:%02dZ" % (number, len(name) % 60),
                        "kernel": kernel, "cpus": 2, "driver": "veth"},
        "metrics": {"rtt_p50_ns": near(60000 * factor), "rtt_p99_ns": near(150000),
                    "received_pps": rng.gauss(2e6, 4e4) / factor, "lost_packets": 0,
                    "sent_packets": 20011},
        "self": {"irregular": False, "cpu_busy_ratio": rng.gauss(1, 0.02), "calibration": "none"},
        "parts": [{"name": HOSTILE, "environment": {"engine": "live"},
                   "metrics": {"delay_p50_ns": 3000 + rng.randrange(31)}}],
    }


def main():
    path, runs = sys.argv[1], int(sys.argv[2])
    factor = float(sys.argv[3]) if len(sys.argv) > 3 else 1
    kernel = sys.argv[4] if len(sys.argv) > 4 else "6.1"
    os.makedirs(path)
    for number in range(runs):
        with open("%s/%d.json" % (path, number), "w") as out:
            json.dump(document(number, os.path.basename(path), factor, kernel), out)


main()
