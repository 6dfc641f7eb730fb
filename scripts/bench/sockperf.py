# SPDX-License-Identifier: GPL-2.0-or-later
"""sockperf ping-pong: after a lost datagram it waits for the answer until its end, and has no figure."""
import re
import sys

from bench.wire import Failed

TRIES = 3


class Lost(Failed):
    """A lost datagram ended the run, which says nothing of the path's rate."""


def rate(child):
    """Transactions per second of an ended ping-pong."""
    found = re.search(r"\[Valid Duration\] RunTime=([\d.]+) sec; SentMessages=\d+; "
                      r"ReceivedMessages=(\d+)", child.text(child.out))
    if found:
        return int(found[2]) / float(found[1])
    lost = "No valid observations" in child.text(child.out) + child.text(child.err)
    raise (Lost if lost else Failed)(f"sockperf: {child.last_words()}")


def again_if_lost(name, run, *args):
    """What run(*args) returns. Beside other load the kernel's backlog may drop a datagram of any program."""
    for tries_left in reversed(range(TRIES)):
        try:
            return run(*args)
        except Lost as error:
            if not tries_left:
                raise
            print(f"{name}: once more, a datagram was lost: {error}", file=sys.stderr, flush=True)
    return None
