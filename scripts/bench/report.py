# SPDX-License-Identifier: GPL-2.0-or-later
"""From the runs to ratios, to the JSON document and to the table."""
import datetime
import glob
import itertools
import json
import os
import platform
import random
import re
import statistics
import subprocess

from bench.rows import PKTGEN, ROWS
from bench.wire import Failed, TOOL, run


# Statistics

def interval(values):
    """Bootstrap 95 % interval of the median; seeded, so that a document can be recomputed."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(2000))
    return medians[49], medians[1949]


def rank_sum_p(left, right):
    """Mann-Whitney's two-sided p: all orders while they are few, else the normal law."""
    def rank_sum(picked, other):
        return sum((a > b) + (a == b) / 2 for a in picked for b in other)

    mean = len(left) * len(right) / 2
    seen = abs(rank_sum(left, right) - mean)
    values = left + right
    if len(values) <= 14:
        extreme = total = 0
        for picked in itertools.combinations(range(len(values)), len(left)):
            others = [values[i] for i in range(len(values)) if i not in picked]
            extreme += abs(rank_sum([values[i] for i in picked], others) - mean) >= seen
            total += 1
        return extreme / total
    sigma = (len(left) * len(right) * (len(values) + 1) / 12) ** 0.5
    return min(1.0, 2 * (1 - statistics.NormalDist().cdf((seen - 0.5) / sigma)))


def compare(bench, of, to):
    """Ratio of two cases: each pair is of one round."""
    ours, theirs = bench.by_round(of.id), bench.by_round(to.id)
    rounds = sorted(ours.keys() & theirs.keys())
    if not rounds:
        return None
    pairs = [ours[number] / theirs[number] for number in rounds]
    low, high = interval(pairs)
    return {"of": of.id, "to": to.id, "pairs": pairs, "median": statistics.median(pairs),
            "ci95_low": low, "ci95_high": high,
            "rank_sum_p": rank_sum_p(list(ours.values()), list(theirs.values()))}


def all_ratios(bench):
    """Each row to bare of its size and threads; each of ours to each peer of its size."""
    ratios = []
    for of in bench.measured():
        for to in bench.measured():
            same = (of.frame_bytes, of.threads) == (to.frame_bytes, to.threads)
            # Its own frame size: compared with both sizes, since rates hardly depend on it.
            same |= to.row.name == "xdp-trafficgen" and of.threads == to.threads
            if same and of is not to and (to.row.name == "bare" or
                                          to.row.peer and not of.row.peer and
                                          not of.row.name.startswith("bare")):
                ratios.append(compare(bench, of, to))
    return [ratio for ratio in ratios if ratio]


# Output

def first_line(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return None


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        found = re.search(r"^(?:model name|CPU part)\s*:\s*(.*)$", file.read(), re.M)
    return found.group(1) if found else platform.machine()


def peer_version(row):
    if row.name == "pktgen":
        return first_line(f"{PKTGEN}/pgctrl")
    if row.name == "xdp-trafficgen":
        return "xdp-tools " + run("dpkg-query", "-W", "-f", "${Version}", "xdp-tools")
    said = subprocess.run(["timeout", "5", row.peer, "--version"], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL)
    return (said.stdout or said.stderr).strip().splitlines()[0]


def peer_versions(bench):
    versions = {}
    for case in bench.measured():
        if case.row.peer:
            try:
                versions[case.row.peer] = peer_version(case.row)
            except (Failed, IndexError, OSError):
                versions[case.row.peer] = "unknown"
    return versions


def environment(bench):
    flaws = {os.path.basename(path): first_line(path)
             for path in sorted(glob.glob("/sys/devices/system/cpu/vulnerabilities/*"))}
    return {
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu_model": cpu_model(),
        "cpus": len(bench.cpus),
        "sender_cpu": bench.cpus[0],
        "receiver_cpu": bench.cpus[-1],
        "governor": first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "clocksource":
            first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "mitigations": {name: said for name, said in flaws.items() if said != "Not affected"},
        "driver": "veth",
        "queues": len(bench.cpus),
        "rx_xdp_mode": "native",
        "peers": peer_versions(bench),
        "load_average_start": bench.load_start[0],
        "load_average_end": os.getloadavg()[0],
    }


def shown_argv(argv):
    """Without the paths of this machine."""
    return " ".join(os.path.basename(word) for word in argv)


def row_summary(bench, case):
    rates = list(bench.by_round(case.id).values())
    runs = [run_ for run_ in bench.runs if run_["id"] == case.id]
    return {
        "id": case.id, "row": case.row.name, "what": case.row.what, "threads": case.threads,
        "frame_bytes": sum(run_["received_bytes"] for run_ in runs)
        / sum(run_["received_packets"] for run_ in runs),
        "receiver": shown_argv(case.row.receiver),
        "rounds": len(rates),
        "median_pps": statistics.median(rates), "min_pps": min(rates), "max_pps": max(rates),
        "median_l1_bps": statistics.median(run_["received_l1_bps"] for run_ in runs),
        **{f"median_{key}": None if runs[0][key] is None else
           statistics.median(run_[key] for run_ in runs)
           for key in ("sender_cpu_ns_per_packet", "sender_cpu_cores", "host_busy_cores")},
    }


def document(bench, complete):
    args = bench.args
    return {
        "format": 1,
        "tool": run(TOOL, "--version").strip(),
        "command": "bench-run",
        "date": datetime.date.today().isoformat(),
        "complete": complete,
        "config": {"rounds": args.rounds, "seconds": args.seconds, "frames": args.frames,
                   "only": args.only},
        "environment": environment(bench),
        "rows": [row_summary(bench, case) for case in bench.measured()],
        "ratios": all_ratios(bench),
        "runs": bench.runs,
        "skipped": list(bench.skipped.values()),
        "disagreements": bench.disagreements,
    }


def write_document(doc, path):
    """Aside, then renamed: whoever reads it finds all of it or nothing."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    aside = f"{path}.{os.getpid()}"
    with open(aside, "w", encoding="utf-8") as file:
        json.dump(doc, file, indent=2)
        file.write("\n")
    os.replace(aside, path)


def cell(value, width, digits, mark=""):
    return f"{'-':>{width}}" if value is None else f"{value:{width - len(mark)}.{digits}f}{mark}"


def print_rates(doc):
    to_bare = {ratio["of"]: 100 * ratio["median"] for ratio in doc["ratios"]
               if ratio["to"].split("/")[0] == "bare"}
    print(f"{'received, Mpps':<26}{'median':>9}{'min':>9}{'max':>9}{'Gbit/s L1':>11}"
          f"{'ns/packet':>11}{'of bare':>9}")
    for row in doc["rows"]:
        share = to_bare.get(row["id"], 100 if row["row"] == "bare" else None)
        print(f"{row['id']:<26}{row['median_pps'] / 1e6:9.3f}{row['min_pps'] / 1e6:9.3f}"
              f"{row['max_pps'] / 1e6:9.3f}{row['median_l1_bps'] / 1e9:11.2f}"
              + cell(row["median_sender_cpu_ns_per_packet"], 11, 1) + cell(share, 9, 1, "%"))


def print_ratios(doc):
    peers = [row.name for row in ROWS if row.peer]
    table = {}
    for ratio in doc["ratios"]:
        peer = ratio["to"].split("/")[0]
        if peer in peers:
            table.setdefault(ratio["of"], {})[peer] = ratio["median"]
    peers = [peer for peer in peers if any(peer in cells for cells in table.values())]
    if not table:
        return
    print(f"\n{'times as fast as':<26}" + "".join(f"{peer:>15}" for peer in peers))
    for of, cells in table.items():
        print(f"{of:<26}" + "".join(cell(cells.get(peer), 15, 2) for peer in peers))


def print_disturbed(doc):
    """A loop that never waits has all of its CPU, unless others take it away."""
    shares = [run_["sender_cpu_cores"] / row["threads"] for row in doc["rows"]
              for run_ in doc["runs"] if run_["id"] == row["id"]
              and row["row"].startswith(("bare", "live"))]
    if shares and statistics.median(shares) < 0.9:
        print(f"noise  the senders had {100 * statistics.median(shares):.0f}% of their CPUs in the "
              f"median run: other work was going on")


def print_table(doc):
    env, config = doc["environment"], doc["config"]
    print(f"{doc['tool']}, kernel {env['kernel']}, {env['cpu_model']}, {env['cpus']} CPUs, "
          f"{env['driver']}; {config['rounds']} rounds of {config['seconds']:g} s a row\n")
    print_rates(doc)
    print_ratios(doc)
    print()
    for ratio in doc["ratios"]:
        if ratio["of"].startswith("bare-again/"):
            print(f"noise  {ratio['of']} to {ratio['to']}: {min(ratio['pairs']):.3f} to "
                  f"{max(ratio['pairs']):.3f}")
    print_disturbed(doc)
    for skip in doc["skipped"]:
        print(f"skip   {skip['row']}: {skip['reason']}"
              + (f"; {skip['remedy']}" if skip["remedy"] else ""))
    for wrong in doc["disagreements"]:
        print(f"FAIL   {wrong}")
    if not doc["disagreements"] and any(run_["sent_packets"] for run_ in doc["runs"]):
        print("PASS   in every run of blast: sent = received, none lost")
    if not doc["complete"]:
        print("This run was not completed.")
