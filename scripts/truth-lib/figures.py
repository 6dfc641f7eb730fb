# SPDX-License-Identifier: GPL-2.0-or-later
"""What figures must be, by their definitions, of what was sent to the receiver."""
import bisect
import collections
import re

from forward import FOREIGN_RUN, LOST, WHOLE, tag_of, udp_sum_is_right

WAY_NS = 2 * 10**6      # veth pairs on a busy machine
BUCKET = 1 / 64         # of the histograms

# One comparison. @reader: who counted @value.
Row = collections.namedtuple("Row", "figure reader value reported right")


def equal(figure, reader, value, metrics, key=None):
    """A figure that is 0 may be left out."""
    reported = metrics.get(key or figure)
    return Row(figure, reader, value, reported, (reported or 0) == (value or 0))


def summed(figure, reader, value, sums):
    """Of the rows of an interval."""
    return Row(f"{figure}, sum of rows", reader, value, sums[figure], sums[figure] == value)


def equal_all(reader, figures, metrics, sums):
    return [equal(key, reader, value, metrics) for key, value in figures.items()] + \
        [summed(key, reader, value, sums) for key, value in figures.items() if key in sums]


def timed(figure, reader, value, metrics):
    """No less than what the forwarder saw, but for a bucket; no more than the way to it on top. A busy
    machine may hold up one packet in ten on that way for any time: percentiles above the median have
    only the lower bound."""
    reported = metrics.get(figure)
    most = float("inf") if re.search("_p9", figure) else value * (1 + BUCKET) + WAY_NS
    right = reported is not None and value * (1 - BUCKET) <= reported <= most
    return Row(figure, reader, value, reported, right)


def share(values, percent):
    return sorted(values)[len(values) * percent // 100]


def metrics_of(document):
    """Of a result and its parts, the first of each name."""
    metrics = {}
    for part in [document, *document.get("parts", [])]:
        for key, value in part.get("metrics", {}).items():
            metrics.setdefault(key, value)
    return metrics


def rows_of(document):
    """{figure: the sum of its rows}"""
    sums = {}
    for part in [document, *document.get("parts", [])]:
        for row in part.get("series", []):
            for key, value in row.items():
                sums[key] = sums.get(key, 0) + (value or 0)
    return sums


def order_of(numbers, count=None):
    """What follows from the numbers in their order of arrival. 0 to @count - 1 were sent; without
    @count nothing is known of what was before the first and after the last."""
    first, end = (0, count) if count is not None else (min(numbers), max(numbers) + 1)
    once, twice, there = [], 0, set()
    for number in numbers:
        if number in there:
            twice += 1
        else:
            there.add(number)
            once.append(number)
    # RFC 4737 3.3 and 4.2.2, duplicates left out. @highest: after each arrival.
    reordered, extents, expected, highest = 0, [], 0, []
    for at, number in enumerate(once):
        if number >= expected:
            expected = number + 1
        else:
            reordered += 1
            extents.append(at - bisect.bisect_right(highest, number))
        highest.append(expected - 1)
    # RFC 3357: rows of lost numbers.
    runs, run = [], 0
    for number in range(first, end + 1):
        if number < end and number not in there:
            run += 1
        elif run:
            runs.append(run)
            run = 0
    return {
        "distinct_packets": len(once),
        "lost_packets": end - first - len(once),
        "duplicate_packets": twice,
        "reordered_packets": reordered,
        "reordered_extent_max": max(extents, default=None),
        "lost_runs": len(runs),
        "lost_run_max": max(runs, default=None),
    }


def counts_of(frames, count=None):
    """Of [(first bytes, length)] in the order of arrival. A damaged packet has no number."""
    numbers, bad_checksum, untagged, foreign, received_bytes = [], 0, 0, 0, 0
    for frame, length in frames:
        fields = tag_of(frame)
        # With FCS, and no shorter than Ethernet has them.
        frame_bytes = max(64, length + 4)
        if not udp_sum_is_right(frame):
            bad_checksum += 1
        elif not fields:
            untagged += 1
        elif fields[0] == FOREIGN_RUN:
            foreign += 1
            frame_bytes = 0
        else:
            numbers.append(fields[2])
        received_bytes += frame_bytes
    return {
        "received_packets": len(frames) - foreign,
        "received_bytes": received_bytes,
        **order_of(numbers, count),
        "bad_checksum_packets": bad_checksum,
        "untagged_packets": untagged,
        "other_run_packets": foreign,
    }


def selected(records, side):
    """Those that the forwarder could do harm to."""
    return [record for record in records if record.side == side and record.fate <= 2]


def sent(records):
    return [record for record in records if record.fate != LOST]


def delays_of(records):
    return [record.sent_ns - record.came_ns for record in records if record.fate == WHOLE]
