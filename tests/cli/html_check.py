#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""html_check.py FILE: the page is well-formed, runs nothing, loads nothing; prints its text."""
import sys
from html.parser import HTMLParser

VOID = {"meta", "rect", "path"}
TAGS = VOID | {"html", "head", "title", "style", "body", "h1", "ul", "li", "code", "p", "b", "table",
               "caption", "thead", "tbody", "tr", "th", "td", "svg"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in TAGS:
            sys.exit("a <%s> in the page" % tag)
        for name, _ in attrs:
            if name.startswith("on") or name in ("src", "href", "style"):
                sys.exit("<%s %s> in the page" % (tag, name))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            sys.exit("</%s> closes nothing" % tag)

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text.append(data)


page = Page()
with open(sys.argv[1], encoding="utf-8") as source:
    page.feed(source.read())
page.close()
if page.open:
    sys.exit("not closed: %s" % page.open)
print("".join(page.text))
