# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that all bench and soak scripts have: --quick, and where the document goes."""
import datetime
import os
import sys

from bench.report import write_document
from bench.wire import TOP

SECONDS = 0.1           # the shortest run that the tool and the bare loop take


def add_options(parser):
    parser.add_argument("--quick", action="store_true", help="the shortest run, to see that it "
                        "works: its figures mean nothing")


def parse(parser, kind=None, **quick):
    """Parse, with --quick and -o. The values in `quick` are the defaults under --quick.

    The document goes to docs/bench/DATE-KIND.json by default; without a kind, and with
    --quick, only where -o says.
    """
    add_options(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the JSON document (default " + (
        f"docs/bench/DATE-{kind}.json; with --quick none)" if kind else "none)"))
    args = parser.parse_args()
    if args.quick:
        parser.set_defaults(**quick)
        args = parser.parse_args()
    elif kind and not args.output:
        args.output = os.path.join(TOP, "docs/bench",
                                   f"{datetime.date.today().isoformat()}-{kind}.json")
    return args


def save(name, doc, path):
    """Write the document, if it is wanted."""
    if path:
        write_document(doc, path)
        print(f"{name}: wrote {path}", file=sys.stderr, flush=True)
