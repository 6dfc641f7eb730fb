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


def within_bucket(figure, reader, least, most, metrics, beyond_ns=0):
    """From @least to @most, but for a bucket of the figure's own histogram, and @beyond_ns for the way."""
    reported = metrics.get(figure)
    right = reported is not None and \
        least * (1 - BUCKET) - beyond_ns - 1 <= reported <= most * (1 + BUCKET) + beyond_ns + 1
    return Row(figure, reader, least, reported, right)


def variation_of(delays, reader, metrics, beyond_ns=0):
    """[Row] of RFC 5481's PDV, D - Dmin. @beyond_ns: by how much these delays may differ from those measured."""
    pdv = sorted(delay - min(delays) for delay in delays)
    rows = []
    for percent in (50, 90, 99):
        # Whether the rank is rounded up or down.
        at = len(pdv) * percent // 100
        most = float("inf") if beyond_ns and percent > 50 else pdv[at]
        rows.append(within_bucket(f"pdv_p{percent}_ns", reader, pdv[at - 1], most, metrics, beyond_ns))
    if not beyond_ns:
        for figure, value in (("pdv_mean_ns", sum(pdv) / len(pdv)), ("pdv_max_ns", pdv[-1])):
            reported = metrics.get(figure)
            right = reported is not None and abs(reported - value) < 1
            rows.append(Row(figure, reader, round(value), round(reported or 0), right))
    return rows


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


def order_of(numbers, count=None, window=float("inf")):
    """What follows from the numbers in their order of arrival. 0 to @count - 1 were sent; without
    @count nothing is known of what was before the first and after the last. What is @window or more below the
    highest number is neither late nor a copy, and not lost."""
    first, end = (0, count) if count is not None else (min(numbers), max(numbers) + 1)
    once, twice, there, unknown, top = [], 0, set(), 0, -1
    for number in numbers:
        top = max(top, number)
        if top - number >= window:
            unknown += 1
        elif number in there:
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
    lost = end - first - len(once) - unknown
    return {
        "distinct_packets": len(once),
        "lost_packets": lost,
        "unknown_packets": unknown,
        "duplicate_packets": twice,
        "reordered_packets": reordered,
        "reordered_extent_max": max(extents, default=None),
        # As the window saw it: of a run without a loss they are not reported.
        "lost_runs": len(runs) if lost else None,
        "lost_run_max": max(runs) if lost else None,
    }


def counts_of(frames, count=None, window=float("inf")):
    """Of [(first bytes, length)] in the order of arrival. A damaged packet has no number, and from @count on a
    number is forged."""
    numbers, bad_checksum, untagged, foreign, forged, received_bytes = [], 0, 0, 0, 0, 0
    for frame, length in frames:
        fields = tag_of(frame)
        frame_bytes = length + 4    # with FCS
        if not udp_sum_is_right(frame):
            bad_checksum += 1
        elif not fields:
            untagged += 1
        elif fields[0] == FOREIGN_RUN:
            foreign += 1
            frame_bytes = 0
        elif count is not None and fields[2] >= count:
            forged += 1
        else:
            numbers.append(fields[2])
        received_bytes += frame_bytes
    return {
        "received_packets": len(frames) - foreign,
        "received_bytes": received_bytes,
        **order_of(numbers, count, window),
        "bad_checksum_packets": bad_checksum,
        "untagged_packets": untagged,
        "implausible_packets": forged,
        "other_run_packets": foreign,
    }


def selected(records, side):
    """Those that the forwarder could do harm to."""
    return [record for record in records if record.side == side and record.fate <= 2]


def sent(records):
    return [record for record in records if record.fate != LOST]


def delays_of(records):
    return [record.sent_ns - record.came_ns for record in records if record.fate == WHOLE]
