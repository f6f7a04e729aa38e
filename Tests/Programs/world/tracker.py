"""The daemon under test and its command line."""
import json
import os
import shlex
import signal
import socket
import subprocess
import time

from servers import Server, poll

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

    def start(self, before=(), env=None):
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

    def run_to_end(self, before=(), seconds=10):
        """Starts it where it should refuse: exit status (None: it runs) and what it said."""
        with open(self.log_path, "w"):
            pass
        self.start(before)
        poll(lambda: not self.is_alive(), seconds)
        status = None if self.is_alive() else self.process.returncode
        self.kill()
        return status, self.log()

    def ask(self, *words, seconds=10):
        """Runs `homeward` against this daemon."""
        command = [COMMAND_LINE, *words, "--socket", self.socket]
        return Answer(subprocess.run(command, capture_output=True, text=True, timeout=seconds))

    def status(self):
        """What `homeward status --json` knows, or None while the daemon cannot be reached."""
        answer = self.ask("status", "--json")
        return answer.json()["status"] if answer.status == 0 else None

    def wait_for_status(self, predicate, seconds=15):
        """The first status that `predicate` likes, or the last one seen."""
        last = [None]

        def good():
            last[0] = self.status()
            return last[0] is not None and predicate(last[0])

        poll(good, seconds, every=0.2)
        return last[0]

    # What the kernel says about it

    def threads(self):
        return len(os.listdir("/proc/%d/task" % self.pid))

    def memory(self):
        """Kilobytes: {"Rss": ..., "Private_Dirty": ..., ...}."""
        return memory(self.pid)

    def fix_age(self):
        """Seconds since the daemon handled a fix, by its own account; None while it has none. Asked on
        the socket itself: to start a program may take longer than what is measured with it."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(20)
            try:
                line.connect(self.socket)
            except OSError:
                return None
            line.sendall(b'["status"]\n')
            answer = b""
            while piece := line.recv(65536):
                answer += piece
        return json.loads(answer).get("status", {}).get("fix", {}).get("age")


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
