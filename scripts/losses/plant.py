# SPDX-License-Identifier: GPL-2.0-or-later
"""One loss in a lab of its own: planted, sent into, and counted by another than the tool."""
import json
import os
import re
import shutil
import subprocess

from bench.wire import Child, Failed, TOOL, lab_down, run
from losses.cases import ALL, Counter

COUNT = 1009
LIMIT_S = 60
FOREIGN = os.path.join(os.path.dirname(TOOL), "tests/net/verdict.bpf.o")


def inside(lab, node, *words):
    return run("nsenter", f"--net=/run/netns/{lab}-{node}", *words)


def mib(lab, node):
    """All counters of /proc/net, as nstat names them."""
    values = {}
    for name in ("snmp", "netstat"):
        lines = inside(lab, node, "cat", f"/proc/net/{name}").splitlines()
        for names, numbers in zip(lines[::2], lines[1::2]):
            group, *names = names.split()
            group = group.rstrip(":").replace("TcpExt", "")
            values.update({group + key: int(value) for key, value in zip(names, numbers.split()[1:])})
    for name in ("snmp6", "xfrm_stat"):
        lines = inside(lab, node, "sh", "-c", f"cat /proc/net/{name} 2>/dev/null || :").splitlines()
        values.update({line.split()[0]: int(line.split()[1]) for line in lines})
    return values


def read(lab, counter):
    node, kind, name = counter
    if kind == "mib":
        return mib(lab, node).get(name, 0)
    if kind == "nft":
        return sum(map(int, re.findall(r"counter packets (\d+)", inside(lab, node, "nft", "list", "ruleset"))))
    if kind == "qdisc":
        return json.loads(inside(lab, node, "tc", "-s", "-j", "qdisc", "show", "dev", name))[0]["drops"]
    assert kind == "dropped"
    return json.loads(inside(lab, node, "ip", "-s", "-j", "link", "show", "dev", name))[0]["stats64"]["tx"]["dropped"]


class Cannot(Exception):
    """This kernel, or a program of this machine, lacks what plants the loss."""


class Planted:
    """A lab with the loss in it; blast runs from begin() to end()."""

    def __init__(self, lab, case):
        self.lab, self.case = lab, case
        self.child, self.before = None, 0

    def begin(self):
        case = self.case
        run(TOOL, "lab", "up", "--name", self.lab, "--path", "a-r-b", "--middle", case.middle, "--quiet")
        for node, command in case.plant:
            try:
                inside(self.lab, node, *command.replace("{obj}", FOREIGN).split())
            except Failed as why:
                raise Cannot(f"{command}: {why}") from None
        if isinstance(case.counted, Counter):
            self.before = read(self.lab, case.counted)
        words = list(case.words)
        for name, value in (("--rate", "20kpps"), ("--wait", "500ms")):
            if name not in words:
                words += [name, value]
        argv = [TOOL, "blast", "eg0", *words, "--count", str(COUNT), "--interval", "0", "--json",
                "--sink", f"{case.sink}@{self.lab}-b"]
        self.child = Child(self.lab, "a", sorted(os.sched_getaffinity(0)), argv, LIMIT_S)

    def counted(self):
        """Packets lost, by another."""
        counted = self.case.counted
        if isinstance(counted, Counter):
            return read(self.lab, counted) - self.before
        return COUNT if counted == ALL else counted

    def end(self):
        """{"planted", "rows": [{"packets", "reason", "place", "where"}], "received", "unattributed", "right"}"""
        document = self.child.document()
        ledger = next((part for part in document.get("parts", []) if part["name"] == "ledger"), None)
        if not ledger:
            raise Failed(f"{self.case.what}: no ledger: {self.child.last_words()}")
        rows, received = [], 0
        for entry in ledger["entries"]:
            if entry["reason"] == "received":
                received = entry["packets"]
            elif entry["packets"] and entry["reason"] != "unattributed":
                rows.append({"packets": entry["packets"], "reason": entry["reason"], "place": entry["place"],
                             "where": entry["where"].removeprefix(f"{self.lab}-"), "source": entry["source"]})
        figures = ledger["metrics"]
        found = {"planted": self.counted(), "rows": rows, "received": received, "made": figures["made_packets"],
                 "unattributed": figures["unattributed_packets"], "overclaimed": figures["overclaimed_packets"]}
        found["right"] = self.is_right(found)
        return found

    def is_right(self, found):
        rows = found["rows"]
        return (found["unattributed"] == found["overclaimed"] == 0 and found["made"] == COUNT and
                sum(row["packets"] for row in rows) == found["planted"] == COUNT - found["received"] and
                found["planted"] > 0 and
                all(re.search(self.case.reasons, row["reason"]) and re.match(self.case.place, row["where"])
                    for row in rows))

    def remove(self):
        if self.child:
            self.child.stop()
        lab_down(self.lab)


def remove_left():
    """What a run left that was killed."""
    for name in os.listdir("/run/netns") if os.path.isdir("/run/netns") else []:
        found = re.fullmatch(r"(losses|other|crowd)(\d+)-[a-z0-9]+", name)
        if found and not os.path.exists(f"/proc/{found[2]}"):
            run("ip", "netns", "del", name)


def cannot():
    """Why nothing can be planted here; None: it can."""
    if os.geteuid():
        return "needs root: it makes network namespaces"
    if not os.path.exists(FOREIGN):
        return f"no {FOREIGN}: 'make losses' builds it"
    if subprocess.run([TOOL, "doctor", "--has", "kfree-skb-reasons"], capture_output=True, check=False).returncode:
        return "needs a kernel that gives reasons for drops (5.17)"
    missing = [name for name in ("nft", "tc", "bridge", "ip", "sysctl") if not shutil.which(name)]
    return f"needs {', '.join(missing)}: scripts/setup --test" if missing else None
