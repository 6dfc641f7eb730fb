#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""records_check.py exact RECORDS DOCUMENT PREFIX | hdr HGRM HLOG DOCUMENT PREFIX

Holds what sink and probe export against what their result document says.

exact: every figure of the document, of all streams and of each, against the one
that the records give by definition: counts, minimum, mean, maximum and standard
deviation just so, percentiles to a bucket, which is 1/64 of the value; and the
inter-arrival times, if the document has them, of each stream's arrivals.

hdr: both HdrHistogram files, the log as the package hdrhistogram reads it.
"""
import csv
import gzip
import json
import math
import statistics
import sys

POINTS = {"p50_ns": .5, "p90_ns": .9, "p99_ns": .99, "p99_9_ns": .999, "p99_99_ns": .9999}
failed = []


def check(ok, *words):
    if not ok:
        failed.append(" ".join(map(str, words)))


def read_records(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, newline="")
    with opened as lines:
        yield from csv.DictReader(lines)


def exact_percentile(times, share):
    """The smallest that at least the share of them do not exceed."""
    return times[max(math.ceil(share * len(times)), 1) - 1]


# How many values a percentile requires: ten beyond it.
LEAST = {"p50_ns": 20, "p90_ns": 100, "p99_ns": 1000, "p99_9_ns": 10000, "p99_99_ns": 100000}


def check_times(name, prefix, times, figures, count="packets"):
    times = sorted(times)
    check(figures[f"{prefix}_{count}"] == len(times), name, "times:", len(times))
    check(figures[f"{prefix}_min_ns"] == times[0], name, "min", times[0])
    check(figures[f"{prefix}_max_ns"] == times[-1], name, "max", times[-1])
    mean = sum(times) / len(times)
    check(math.isclose(figures[f"{prefix}_mean_ns"], mean, rel_tol=1e-12), name, "mean", mean)
    # No row of the streams has it.
    if "stream" not in figures:
        stddev = statistics.pstdev(times)
        check(math.isclose(figures.get(f"{prefix}_stddev_ns", -1), stddev, rel_tol=1e-12), name, "stddev", stddev)
    for point, share in POINTS.items():
        key = f"{prefix}_{point}"
        # No row has the last one.
        if figures.get(key) is None:
            check(len(times) < LEAST[point] or point == "p99_99_ns" and key not in figures, name, "has no", key)
            continue
        check(len(times) >= LEAST[point], name, "has", key, "of", len(times))
        want = exact_percentile(times, share)
        check(abs(figures[key] - want) <= want / 64, name, key, figures[key], "exact", want)


def check_counts(name, rows, figures):
    kinds = [row["kind"] for row in rows]
    check(figures["received_packets"] == len(rows), name, "packets", len(rows))
    check(figures["received_bytes"] == sum(int(row["frame_bytes"]) for row in rows), name, "bytes")
    check(figures["reordered_packets"] == kinds.count("late"), name, "late")
    check(figures["duplicate_packets"] == kinds.count("duplicate"), name, "duplicates")
    distinct = {(row["stream"], row["sequence"]) for row in rows if row["stream"]}
    check(figures["distinct_packets"] == len(distinct), name, "distinct", len(distinct))


def by_stream(rows):
    streams = {}
    for row in rows:
        streams.setdefault(row["stream"], []).append(row)
    return streams


def gaps(rows):
    """The times between the arrivals of a stream, whatever their numbers."""
    times = sorted(int(row["received_mono_ns"]) for row in rows)
    return [after - before for before, after in zip(times, times[1:])]


def exact(records, document, prefix):
    doc = json.load(open(document))
    rows = list(read_records(records))
    tagged = [row for row in rows if row["stream"]]
    check(doc["metrics"]["record_packets"] == len(rows), "records", len(rows))
    check_counts("all", rows, doc["metrics"])
    delays = [int(row[f"{prefix}_ns"]) for row in rows if row[f"{prefix}_ns"]]
    check_times("all", prefix, delays, doc["metrics"])
    if "gap_count" in doc["metrics"]:
        check_times("all", "gap", [gap for own in by_stream(tagged).values() for gap in gaps(own)],
                    doc["metrics"], "count")
    for row in tagged:
        check(int(row["received_mono_ns"]) - int(row["sent_mono_ns"]) == int(row[f"{prefix}_ns"]),
              "not the difference of its times:", row)
    for of in doc.get("streams", []):
        own = [row for row in tagged if int(row["stream"]) == of["stream"]]
        check_counts(f"stream {of['stream']}", own, of)
        check_times(f"stream {of['stream']}", prefix, [int(row[f"{prefix}_ns"]) for row in own], of)
    streams = {row["stream"] for row in tagged}
    check(len(doc.get("streams", [1])) == len(streams), "streams", len(streams))


def read_log(path):
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader

    log = HistogramLogReader(path, HdrHistogram(1, (1 << 40) - 1, 2))
    while True:
        histogram = log.get_next_interval_histogram()
        if not histogram:
            return
        yield histogram


def counts_of(histogram):
    return [(item.value_iterated_to, item.count_added_in_this_iter_step)
            for item in histogram.get_recorded_iterator()]


def check_histogram(name, prefix, histogram, figures):
    """Against a row or the metrics of the document."""
    lowest, highest = histogram.get_lowest_equivalent_value, histogram.get_highest_equivalent_value
    total = figures[f"{prefix}_packets"]
    check(histogram.get_total_count() == total, name, "count", histogram.get_total_count())
    check(lowest(histogram.get_min_value()) == lowest(figures[f"{prefix}_min_ns"]), name, "min")
    check(highest(histogram.get_max_value()) == highest(figures[f"{prefix}_max_ns"]), name, "max")
    mean = figures[f"{prefix}_mean_ns"]
    check(abs(histogram.get_mean_value() - mean) <= mean / 64 + 1, name, "mean")
    for point, share in POINTS.items():
        want = figures.get(f"{prefix}_{point}")
        if want is None:
            continue
        rank, below = max(math.ceil(share * total), 1), 0
        for value, count in counts_of(histogram):
            below += count
            if below >= rank:
                # One value each stands at the extremes, out of the middle of its bucket.
                check(abs(value - want) <= want / 64 + 1, name, point, value, "document", want)
                break


def read_table(path):
    rows, foot = [], {}
    with open(path) as lines:
        check(next(lines).split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"],
              "head of", path)
        for line in lines:
            if line.startswith("#["):
                for part in line.strip("#[]\n").split(","):
                    key, value = part.split("=")
                    foot[key.strip()] = float(value)
            elif line.split():
                rows.append([float(word) for word in line.split()])
    return rows, foot


def hdr(hgrm, hlog, document, prefix):
    doc = json.load(open(document))
    metrics = doc["metrics"]
    untagged, tagged = None, {}
    end_ms = None
    for histogram in read_log(hlog):
        if histogram.get_tag():
            tagged[histogram.get_tag()] = histogram
            continue
        start = histogram.get_start_time_stamp()
        check(end_ms is None or abs(start - end_ms) <= 2, "a hole in the log:", end_ms, start)
        end_ms = histogram.get_end_time_stamp()
        # The package takes 0 for the minimum of an empty one.
        if untagged and histogram.get_total_count():
            untagged.add(histogram)
        elif histogram.get_total_count():
            untagged = histogram
    check_histogram("all", prefix, untagged, metrics)
    streams = {f"stream-{of['stream']}": of for of in doc.get("streams", [])}
    check(streams.keys() == tagged.keys(), "tags", list(tagged))
    for tag, histogram in tagged.items():
        check_histogram(tag, prefix, histogram, streams[tag])

    rows, foot = read_table(hgrm)
    check(foot["Total count"] == metrics[f"{prefix}_packets"], "total", foot)
    check(foot["Max"] == metrics[f"{prefix}_max_ns"], "max", foot)
    check(abs(foot["Mean"] - metrics[f"{prefix}_mean_ns"]) < .01, "mean", foot)
    check(rows[-1][:3] == [foot["Max"], 1, foot["Total count"]], "last row", rows[-1])
    for before, row in zip(rows, rows[1:]):
        check(before[0] <= row[0] and before[1] < row[1] and before[2] <= row[2], "order", row)
    # The log of the run in one line has the very counts of the table.
    if sum(1 for _ in read_log(hlog)) == 1:
        upto, seen = {}, 0
        for value, count in counts_of(untagged):
            seen += count
            upto[min(value, foot["Max"])] = seen
        for value, level, count, *_ in rows:
            check(upto.get(value) == count, "row", value, count, upto.get(value))
            check(count >= level * foot["Total count"] - 1e-6, "level", level, count)


{"exact": exact, "hdr": hdr}[sys.argv[1]](*sys.argv[2:])
for words in failed[:20]:
    print(words, file=sys.stderr)
sys.exit(bool(failed))
