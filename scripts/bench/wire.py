# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab to send in, and the programs that run in it: started, bounded, timed, ended."""
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.environ.get("TOOL") or os.path.join(TOP, "build/ethgauge")
IFACE = "eg0"
END_LIMIT_S = 3         # from the signal to the end of a process


class Failed(Exception):
    """One run, or the whole of it, could not be done; the text says why."""


class Stopped(Exception):
    """A signal asked for the end."""


stop_signal = 0


def on_signal(number, _frame):
    """Only noted: an exception might come between a start and the note of its pid."""
    global stop_signal
    stop_signal = stop_signal or number


def catch_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)


def stopped_by():
    """The signal that asked for the end; 0: none."""
    return stop_signal


def whole_seconds(seconds):
    """For programs that take no fraction of a second."""
    return max(1, math.ceil(seconds))


def wait_until(fact, limit_s):
    """True once fact() holds; False after limit_s."""
    until = time.monotonic() + limit_s
    while not fact():
        if stop_signal:
            raise Stopped
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def anonymous_kb(pid):
    """Memory of a process of its own: heap and stacks, without maps and pages of files. 0: it has ended."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("RssAnon:")), 0)


class Child:
    """A program in one end of the lab, bounded by timeout(1), in a session of its own."""

    running = []

    def __init__(self, lab, end, cpus, argv, limit_s, kill_after_s=2):
        """@kill_after_s: what timeout(1) leaves it from a signal to its end."""
        self.argv = argv
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        # --foreground: a signal reaches the program once, not once more through its group.
        self.process = subprocess.Popen(
            ["timeout", "--foreground", "-k", str(kill_after_s), str(limit_s), "nsenter",
             f"--net=/run/netns/{lab}-{end}", "taskset", "-c", ",".join(map(str, cpus)), *argv],
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, start_new_session=True)
        Child.running.append(self)

    def ended(self):
        return self.process.poll() is not None

    def text(self, file):
        file.seek(0)
        return file.read().decode(errors="replace")

    def last_words(self):
        """The last line that it said, of whichever output has one."""
        for file in (self.err, self.out):
            lines = [line.strip() for line in self.text(file).splitlines() if line.strip()]
            if lines:
                return lines[-1]
        return f"exit status {self.process.returncode}"

    def document(self):
        try:
            return json.loads(self.text(self.out))
        except ValueError:
            raise Failed(f"{os.path.basename(self.argv[0])}: {self.last_words()}") from None

    def stop(self, number=signal.SIGINT):
        """Ends it, by its pid and at last with all that it started."""
        if not self.ended():
            self.process.send_signal(number)
            try:
                self.process.wait(END_LIMIT_S)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        if self in Child.running:
            Child.running.remove(self)


def run(*argv, data=None):
    """A short command's output."""
    done = subprocess.run(["timeout", "-k", "2", "60", *argv], input=data, text=True,
                          capture_output=True, check=False, start_new_session=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Failed(f"{os.path.basename(argv[0])}: "
                     f"{said[-1] if said else f'exit status {done.returncode}'}")
    return done.stdout


class Lab:
    """A wire between two namespaces, NAME-a and NAME-b."""

    def __init__(self, name, queues):
        self.name = name
        run(TOOL, "lab", "up", "--name", name, "--queues", str(queues), "--quiet")
        self.src_mac, self.dst_mac = (self.link(end)["address"] for end in "ab")

    def link(self, end):
        return json.loads(run("nsenter", f"--net=/run/netns/{self.name}-{end}", "ip", "-s", "-j", "link", "show",
                              "dev", IFACE))[0]

    def sent_packets(self):
        """As the driver of the sending end counts."""
        return self.link("a")["stats64"]["tx"]["packets"]


def lab_down(name):
    run(TOOL, "lab", "down", "--name", name, "--quiet")


def cannot(programs=(), built=(TOOL,), make="make", setup="--bench"):
    """Why nothing can be measured on this machine; None: it can."""
    if os.geteuid():
        return "it makes namespaces and loads BPF programs: run it as root"
    if not all(os.access(path, os.X_OK) for path in built):
        return f"the programs are not built; run: {make}"
    missing = [name for name in programs if not shutil.which(name)]
    return f"{missing[0]} is missing; run: sudo scripts/setup {setup}" if missing else None


def run_main(script, labs, work):
    """The exit status of work(). Whatever ends it, its programs end, and the labs of these names are taken away."""
    catch_signals()
    try:
        status = work() or 0
    except Stopped:
        status = 128 + stopped_by()
    except (Failed, subprocess.SubprocessError) as error:
        print(f"{script}: {error}", file=sys.stderr)
        status = 128 + stopped_by() if stopped_by() else 4
    finally:
        for child in list(Child.running):
            child.stop(signal.SIGTERM)
        for name in labs:
            try:
                lab_down(name)
            except Failed as error:
                print(f"{script}: {error}", file=sys.stderr)
                status = status or 4
    return status


class Clocks:
    """What passed on the wall and on the CPUs; softirq work counts as busy."""

    def __init__(self):
        tick_s = 1 / os.sysconf("SC_CLK_TCK")
        with open("/proc/stat", encoding="ascii") as stat:
            user, nice, system, _, _, irq, softirq, steal = map(int, stat.readline().split()[1:9])
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.values = {
            "wall_s": time.monotonic(),
            "host_busy_s": (user + nice + system + irq + softirq) * tick_s,
            "host_stolen_s": steal * tick_s,
            # Of ended children alone, and of what they waited for: the sender.
            "sender_cpu_s": children.ru_utime + children.ru_stime,
        }

    def since(self, before):
        return {key: value - before.values[key] for key, value in self.values.items()}
