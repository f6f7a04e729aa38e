"""The daemon under test and its command line."""
import json
import os
import shlex
import signal
import socket
import subprocess
import time

from servers import Server
from waiting import IN_THE_END, in_the_end

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
BINARIES = os.environ.get("HOMEWARD_BIN", os.path.join(ROOT, ".build", "release"))
DAEMON = os.path.join(BINARIES, "homewardd")
COMMAND_LINE = os.path.join(BINARIES, "homeward")
TOPIC = "owntracks/ute/board"


def shim(name, folder):
    """Builds what the tracker is to be preloaded with: the path for LD_PRELOAD."""
    library = os.path.join(folder, name + ".so")
    source = os.path.join(HERE, "..", "shims", name + ".c")
    # Without the checked forms of calls: what is to be caught keeps its own name.
    subprocess.run(["gcc", "-shared", "-fPIC", "-U_FORTIFY_SOURCE", "-o", library, source, "-ldl"], check=True)
    return library


class Answer:
    """What `homeward` said."""

    def __init__(self, done):
        self.status, self.text, self.error = done.returncode, done.stdout, done.stderr

    def json(self):
        return json.loads(self.text)


class Tracker(Server):
    """homewardd with a generated configuration that publishes every fix.

    `instead`, or HOMEWARD_TRACKER, names another program to run in its place, to compare with or to
    check the tests themselves: {gpsd} {mqtt} {topic} stand for the two ports and the topic.
    """

    instead = os.environ.get("HOMEWARD_TRACKER")

    def __init__(self, folder, gpsd_port, broker_port, **settings):
        super().__init__("homewardd", folder)
        self.state = os.path.join(folder, "state")
        self.socket = os.path.join(folder, "control")
        self.configuration = os.path.join(folder, "homeward.json")
        os.makedirs(self.state, exist_ok=True)
        self._fast = None
        self.settings = {
            "_type": "configuration", "host": "127.0.0.1", "port": broker_port, "tls": False,
            "auth": False, "username": "ute", "deviceId": "board", "tid": "rd", "pubTopicBase": TOPIC,
            "gpsdHost": "127.0.0.1", "gpsdPort": gpsd_port, "stateDir": self.state,
            "controlSocket": self.socket, "monitoring": 2, "locatorDisplacement": 0,
            "locatorInterval": 0, "ping": 0,
        }
        self.configure(**settings)

    def configure(self, **settings):
        """Changes keys of the file; None takes a key out. The daemon hears of it by SIGHUP."""
        self.settings.update(settings)
        self.settings = {key: value for key, value in self.settings.items() if value is not None}
        self.write(json.dumps(self.settings, indent=1))

    def write(self, text, mode=0o600):
        """The configuration as these very characters."""
        with open(self.configuration, "w") as file:
            file.write(text)
        os.chmod(self.configuration, mode)

    # How many seconds of the daemon's own clock go by in one.
    pace = 1

    def hurry(self, pace):
        """From the next start on its boot-time clock runs so many times as fast; the wall clock does not."""
        self.pace = pace
        base = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        self._fast = {"LD_PRELOAD": shim("fast_clock", self.folder), "CLOCK_FACTOR": str(pace), "CLOCK_BASE": str(base)}

    def start(self, before=(), env=None):
        env = dict(env or {})
        if self._fast:
            preloaded = [one["LD_PRELOAD"] for one in (env, self._fast) if "LD_PRELOAD" in one]
            env = {**env, **self._fast, "LD_PRELOAD": ":".join(preloaded)}
        self.spawn([*before, *self.command()], env=env and dict(os.environ, **env))
        return self

    def command(self):
        if not self.instead:
            return [DAEMON, "--config", self.configuration]
        names = {"gpsd": self.settings["gpsdPort"], "mqtt": self.settings["port"], "topic": TOPIC}
        return shlex.split(self.instead.format(**names))

    def hang_up(self):
        """SIGHUP: read the configuration again."""
        self.process.send_signal(signal.SIGHUP)

    def run_to_end(self, before=()):
        """Starts it where it should refuse: exit status (None: it runs) and what it said."""
        with open(self.log_path, "w"):
            pass
        self.start(before)
        in_the_end(lambda: not self.is_alive())
        status = None if self.is_alive() else self.process.returncode
        self.kill()
        return status, self.log()

    def ask(self, *words):
        """Runs `homeward` against this daemon."""
        command = [COMMAND_LINE, *words, "--socket", self.socket]
        return Answer(subprocess.run(command, capture_output=True, text=True, timeout=2 * IN_THE_END))

    def status(self):
        """What `homeward status --json` knows, or None while the daemon cannot be reached. It is asked on the socket
        itself: to start a program each time is what costs most of a test that waits."""
        try:
            return self.answer("status").get("status")
        except (OSError, ValueError):
            return None

    def answer(self, *words):
        """The daemon's own answer on its socket; OSError where there is none."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(2 * IN_THE_END)
            line.connect(self.socket)
            line.sendall(json.dumps(words).encode() + b"\n")
            answer = b""
            while piece := line.recv(65536):
                answer += piece
        return json.loads(answer)

    def wait_for_status(self, predicate, seconds=IN_THE_END):
        """The first status that `predicate` likes, or the last one seen."""
        last = [None]

        def good():
            last[0] = self.status()
            return last[0] is not None and predicate(last[0])

        in_the_end(good, seconds=seconds, every=0.05)
        return last[0]

    def handles(self, tst):
        """Whether the fix of this time comes to be the newest that it has handled."""
        return in_the_end(lambda: ((self.status() or {}).get("fix") or {}).get("tst", 0) >= tst)

    def is_drained(self):
        """Whether it comes to be that nothing waits: all is confirmed, and it knows."""
        return in_the_end(lambda: ((self.status() or {}).get("queue") or {}).get("count") == 0)

    # What the kernel says about it

    def threads(self):
        return len(os.listdir("/proc/%d/task" % self.pid))

    def memory(self):
        """Kilobytes: {"Rss": ..., "Private_Dirty": ..., ...}."""
        return memory(self.pid)

    def fix_age(self):
        """Seconds since the daemon handled a fix, by its own account; None while it has none."""
        return ((self.status() or {}).get("fix") or {}).get("age")


def memory(pid):
    sizes = {}
    with open("/proc/%d/smaps_rollup" % pid) as file:
        for line in file:
            words = line.split()
            if len(words) == 3 and words[2] == "kB":
                sizes[words[0].rstrip(":")] = int(words[1])
    return sizes


def effort(pid):
    """CPU seconds (the scheduler's own sum) and times that a thread went to sleep by itself."""
    seconds, switches = 0.0, 0
    for thread in os.listdir("/proc/%d/task" % pid):
        folder = "/proc/%d/task/%s/" % (pid, thread)
        try:
            with open(folder + "schedstat") as file:
                seconds += int(file.read().split()[0]) / 1e9
            with open(folder + "status") as file:
                switches += sum(int(l.split()[1]) for l in file if l.startswith("voluntary_ctxt"))
        except OSError:
            continue  # the thread has just ended
    return seconds, switches


def effort_over(pid, seconds):
    """CPU seconds a second and sleeps a second over the next `seconds`."""
    before, start = effort(pid), time.monotonic()
    time.sleep(seconds)
    after, span = effort(pid), time.monotonic() - start
    return (after[0] - before[0]) / span, (after[1] - before[1]) / span
