#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""browse.py FILE... [--picture PICTURE] [--screens DIR] [--print]: opens each report in a headless Chromium, zooms its
first plot with the mouse and whole again, reads it off, sorts a table; fails on what the console
says and on any request but the file's own. PICTURE.png, PICTURE-dark.png and PICTURE.pdf show the
last one. With --screens, pages of any kind are only opened, and DIR gets two pictures of each: what is seen first, 1200
and 390 pixels wide. With --print they are only printed, and no page but the last is half empty; needs pdftotext.
"""
import base64
import csv
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
           "--remote-debugging-pipe", "--window-size=1200,1600"]
PATIENCE = 30 * int(os.environ.get("TESTS_SLOW", "1"))


class Browser:
    """DevTools protocol by two pipes: the browser reads fd 3 and writes fd 4."""

    def __init__(self, program, profile):
        theirs_in, self.out = os.pipe()
        self.inp, theirs_out = os.pipe()
        # Through high numbers, as 3 and 4 may be taken by what is to be put there.
        shell = "exec 3<&%d 4>&%d; exec \"$@\"" % (theirs_in, theirs_out)
        self.process = subprocess.Popen(["bash", "-c", shell, "sh", program, "--user-data-dir=" + profile, *OPTIONS],
                                        pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True,
                                        env={**os.environ, "TMPDIR": profile})
        os.close(theirs_in)
        os.close(theirs_out)
        self.number, self.rest, self.events, self.session = 0, b"", [], None

    def end(self):
        """Its processes, too: the first one does not wait for all of them."""
        self.process.terminate()
        self.process.wait()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def read(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.rest:
            if not select.select([self.inp], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit("the browser does not answer")
            more = os.read(self.inp, 1 << 20)
            if not more:
                sys.exit("the browser ended")
            self.rest += more
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            got = self.read()
            if got.get("id") == self.number:
                if "error" in got:
                    sys.exit("%s: %s" % (method, got["error"]))
                return got["result"]
            self.events.append(got)

    def new_tab(self):
        self.events, self.session = [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def go(self, path):
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait("Page.loadEventFired")

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def evaluate(self, code):
        got = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            sys.exit("%s: %s" % (code, got["exceptionDetails"]))
        return got["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


def must(what, holds):
    if not holds:
        sys.exit("not true: " + what)


def look(browser, path, picture):
    browser.new_tab()
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable")
    browser.go(path)

    plot = "document.querySelector('svg.live')"
    must("the script runs", browser.evaluate("!!%s" % plot))
    browser.evaluate("%s.scrollIntoView({block: 'center'})" % plot)
    box = browser.evaluate("(r => [r.left, r.top, r.width, r.height])(%s.getBoundingClientRect())" % plot)
    before = browser.evaluate("%s.querySelector('.curve').getAttribute('d')" % plot)
    x, y = box[0] + box[2] * 0.5, box[1] + box[3] * 0.5
    browser.mouse("mouseMoved", x, y)
    must("a plot shows its values", browser.evaluate("[...document.querySelectorAll('.tip')].some("
                                                     "t => !t.hidden && /: .*[0-9]/.test(t.textContent))"))
    browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    browser.mouse("mouseMoved", x + box[2] * 0.2, y, button="left", buttons=1)
    browser.mouse("mouseReleased", x + box[2] * 0.2, y, button="left", clickCount=1)
    zoomed = browser.evaluate("%s.querySelector('.curve').getAttribute('d')" % plot)
    must("dragging zooms", zoomed != before)
    must("a zoomed plot has its scale", browser.evaluate("%s.querySelectorAll('.scale text').length > 3" % plot))
    must("it can be made whole", not browser.evaluate("%s.parentNode.querySelector('.reset').hidden" % plot))
    browser.evaluate("%s.parentNode.querySelector('.reset').click()" % plot)
    must("whole is whole", browser.evaluate("%s.parentNode.querySelector('.reset').hidden" % plot))
    # The script draws just what the tool drew.
    must("the script draws what was there", browser.evaluate("%s.querySelector('.curve').getAttribute('d')" % plot) ==
         before)
    dots = "[...document.querySelectorAll('.dots')].map(d => d.getAttribute('d')).join()"
    before = browser.evaluate(dots)
    browser.evaluate("document.querySelectorAll('svg.live').forEach(s => ['+', '0'].forEach(key => s.dispatchEvent("
                     "new KeyboardEvent('keydown', {key}))))")
    must("the script draws the dots that were there", browser.evaluate(dots) == before)

    table = "[...document.querySelectorAll('table.sort')].find(t => t.tBodies[0].rows.length > 2)"
    if browser.evaluate("!!%s" % table):
        # The last column of numbers, downwards.
        browser.evaluate("window.head = [...%s.tHead.rows[0].cells].filter(c => c.className === 'n').pop();"
                         "head.firstChild.click(); head.firstChild.click()" % table)
        must("a table sorts", browser.evaluate(
            "(v => v.length > 2 && v.every((x, i) => !i || !(x > v[i - 1])))([...%s.tBodies[0].rows].map("
            "r => +r.cells[head.cellIndex].dataset.v))" % table))
    browser.evaluate("""window.saved = [];
        URL.createObjectURL = blob => { window.blob = blob; return "blob:none"; };
        HTMLAnchorElement.prototype.click = function () { saved.push([this.download, blob]); };
        document.querySelectorAll(".save").forEach(button => button.click());""")
    saved = browser.evaluate("Promise.all(saved.map(async ([name, blob]) => [name, blob.type, await blob.text()]))")
    must("each plot and table is saved as CSV", len(saved) == browser.evaluate(
        "document.querySelectorAll('svg.live').length + "
        "[...document.querySelectorAll('table.sort')].filter(t => t.tBodies[0]).length"))
    for name, kind, text in saved:
        rows = list(csv.reader(text.splitlines(), strict=True))
        must("CSV is whole: " + name, name.endswith(".csv") and kind == "text/csv" and len(rows) > 1 and
             len({len(row) for row in rows}) == 1)
        must("CSV has no formula: " + name, not any(re.match(r"[=+@\t]|-(?![0-9])", cell)
                                                   for row in rows for cell in row if cell != "-"))
    if saved and saved[0][2].startswith('"curve"'):
        must("CSV has all points", saved[0][2].count("\n") - 1 == browser.evaluate(
            "[...%s.querySelectorAll('.curve[data-xs]')].reduce((nr, line) => nr + line.dataset.ys.split(' ').filter("
            "y => y !== 'NaN').length, 0)" % plot))
    fold = "document.querySelector('.fold')"
    browser.evaluate("%s.click()" % fold)
    must("all details open", browser.evaluate("![...document.querySelectorAll('details')].some(d => !d.open)"))
    for width in (1200, 390):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
                     mobile=width < 600)
        must("nothing is wider than a page of %d" % width, browser.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
    browser.call("Emulation.clearDeviceMetricsOverride")
    browser.evaluate("%s.click()" % fold)
    browser.evaluate("location.hash = '#' + [...document.querySelectorAll('figure')].pop().id")
    must("an address opens what is folded around it", browser.evaluate(
        "(f => !f.closest('details') || f.closest('details').open)([...document.querySelectorAll('figure')].pop())"))
    must("no word of a document runs", browser.evaluate("window.hostile === undefined"))
    if picture:
        pictures(browser, picture)
    for event in browser.events:
        params = event.get("params", {})
        if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            sys.exit("the console says: %s" % params)
        if event["method"] == "Network.requestWillBeSent":
            url = params["request"]["url"]
            must("a request of %s" % url, url.endswith("/" + os.path.basename(path)))


def pictures(browser, picture):
    for name, scheme in (("", "light"), ("-dark", "dark")):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        pathlib.Path(picture + name + ".png").write_bytes(base64.b64decode(shot))
    printed = browser.call("Page.printToPDF", printBackground=True)["data"]
    pathlib.Path(picture + ".pdf").write_bytes(base64.b64decode(printed))


def screens(browser, path, to):
    browser.new_tab()
    browser.call("Page.enable")
    for name, width, height in (("", 1200, 900), ("-390", 390, 900)):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        browser.events.clear()
        browser.go(path)
        shot = browser.call("Page.captureScreenshot", format="webp", quality=45)["data"]
        pathlib.Path(to, pathlib.Path(path).stem + name + ".webp").write_bytes(base64.b64decode(shot))


def prints(browser, path):
    """How far down each printed page its last word is, in percent."""
    browser.new_tab()
    browser.call("Page.enable")
    browser.events.clear()
    browser.go(path)
    printed = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    words = subprocess.run(["pdftotext", "-bbox", "-", "-"], input=printed, stdout=subprocess.PIPE, check=True).stdout
    filled = []
    for page in re.findall(r'<page [^>]*height="([0-9.]+)">(.*?)</page>', words.decode(), re.S):
        lowest = max([float(y) for y in re.findall(r'yMax="([0-9.]+)"', page[1])], default=0)
        filled.append(round(100 * lowest / float(page[0])))
    must("%s: half-empty pages, filled to %s %%" % (os.path.basename(path), filled),
         filled and all(share > 55 for share in filled[:-1]))


def main():
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        print("no chromium")
        sys.exit(77)
    files, picture, to = sys.argv[1:], None, None
    if "--screens" in files:
        at = files.index("--screens")
        to = files[at + 1]
        del files[at:at + 2]
    only_print = "--print" in files
    if only_print:
        files.remove("--print")
    if "--picture" in files:
        at = files.index("--picture")
        picture = files[at + 1]
        del files[at:at + 2]
    profile = tempfile.mkdtemp()
    browser = Browser(program, profile)
    try:
        for file in files:
            if to:
                screens(browser, file, to)
            elif only_print:
                prints(browser, file)
            else:
                look(browser, file, picture if file == files[-1] else None)
    finally:
        browser.end()
        # One that was killed may still be writing.
        for _ in range(100):
            shutil.rmtree(profile, ignore_errors=True)
            if not os.path.exists(profile):
                break
            time.sleep(0.05)


main()
