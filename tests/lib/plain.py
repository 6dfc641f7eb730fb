#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plain.py FILE...: fails if a file has what a terminal may obey: any control character but the end of a
line, a mark of direction, or bytes that are no UTF-8."""
import sys
import unicodedata

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        text = file.read().decode()
    odd = sorted({hex(ord(c)) for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\r\n"
                  and not (c == "\t" and name.endswith(".html"))})
    if not text or odd:
        sys.exit("%s: %s" % (name, ", ".join(odd) or "empty"))
