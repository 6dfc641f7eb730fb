#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""html_check.py FILE...: each page is well-formed, loads nothing, and runs only the script whose
hash its policy names; prints their text.
"""
import base64
import hashlib
import re
import sys
from html.parser import HTMLParser

VOID = {"meta"}
TAGS = VOID | {"html", "head", "title", "style", "script", "body", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol",
               "li", "code", "p", "b", "a", "nav", "section", "div", "span", "pre", "table", "caption", "thead",
               "tbody", "tr", "th", "td", "dl", "dt", "dd", "details", "summary", "figure", "figcaption", "svg", "g",
               "path", "rect", "text", "tspan"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.policy, self.inline = [], [], "", {"style": [], "script": []}

    def handle_starttag(self, tag, attrs):
        self.look(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.look(tag, attrs)

    def look(self, tag, attrs):
        if tag not in TAGS:
            sys.exit("a <%s> in the page" % tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "style", "srcset", "action", "xlink:href") or \
                    name == "href" and not re.fullmatch(r"#\w+", value):
                sys.exit("<%s %s> in the page" % (tag, name))
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"]
        if tag in self.inline:
            self.inline[tag].append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            sys.exit("</%s> closes nothing" % tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in self.inline:
            self.inline[self.open[-1]][-1] += data
        elif self.open:
            self.text.append(data)


def check(path):
    page = Page()
    with open(path, encoding="utf-8", newline="") as source:
        page.feed(source.read())
    page.close()
    if page.open:
        sys.exit("not closed: %s" % page.open)
    if not page.policy.startswith("default-src 'none'; "):
        sys.exit("no policy, or a weak one: %s" % page.policy)
    for kind, texts in page.inline.items():
        allowed = re.search(r"%s-src '([^']*)'(;|$)" % kind, page.policy)
        hashes = ["sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
        if not allowed or (hashes or ["none"]) != [allowed.group(1)]:
            sys.exit("%s: %s in the page, %s in the policy" % (kind, hashes, allowed and allowed.group(1)))
    print("".join(page.text))


for name in sys.argv[1:]:
    check(name)
