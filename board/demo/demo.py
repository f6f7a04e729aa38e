#!/usr/bin/env python3
"""A drive through a city with the real daemon, a real gpsd and a real broker, told in plain words.

    python3 demo.py --daemon PATH [--speed 20] [--keep] [--picture FILE]

Everything is private: ports of its own on 127.0.0.1, files in a folder that is deleted at the end.
Exit status 0: everything that the daemon had to say arrived, once, and both crossings were told.
"""
import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from coverage import Coverage
from picture import draw
from player import Player
from words import Words, metres

HERE = os.path.dirname(os.path.abspath(__file__))
REGIONS = [
    {"desc": "Home", "lat": 48.15400, "lon": 11.55000, "rad": 120, "rid": "00aa01"},
    {"desc": "Work", "lat": 48.13632, "lon": 11.58520, "rad": 150, "rid": "00aa02"},
]
CUT_AT, CUT_FOR = 0.35, 0.20  # parts of the drive
STEP = 200  # metres between two positions in move mode


class Failure(Exception):
    pass


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def until(question, seconds, complaint):
    """Asks until the answer is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := question():
            return answer
        time.sleep(0.05)
    raise Failure(complaint)


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Stage:
    """Everything that was started, to be ended in the opposite order."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, name, *command, **options):
        log = open(os.path.join(self.folder, name + ".log"), "wb")
        options.setdefault("stdout", log)
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log, **options)
        self.running.append((name, process))
        return process

    def stop(self, name):
        """Ends one by SIGTERM; its exit status."""
        process = next(process for other, process in self.running if other == name)
        self.running = [(other, process) for other, process in self.running if other != name]
        if process.poll() is None:
            process.terminate()
        try:
            return process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def clear(self):
        for name, _ in reversed(list(self.running)):
            self.stop(name)

    def log(self, name):
        with open(os.path.join(self.folder, name + ".log"), encoding="utf-8", errors="replace") as file:
            return file.read().strip().splitlines()


class Broker:
    """A private mosquitto, and what reaches it."""

    def __init__(self, stage, hear):
        self.stage, self.hear = stage, hear
        self.port = free_port()
        settings = os.path.join(stage.folder, "mosquitto.conf")
        with open(settings, "w", encoding="ascii") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        stage.start("mosquitto", program("mosquitto"), "-c", settings)
        until(lambda: listens(self.port), 10, "mosquitto did not start")
        self.ready = threading.Event()
        where = ("-h", "127.0.0.1", "-p", str(self.port))
        ears = stage.start(
            "mosquitto_sub", program("mosquitto_sub"), *where, "-q", "1", "-t", "owntracks/#", "-t", "ready",
            "-F", "%t %p", stdout=subprocess.PIPE)
        threading.Thread(target=self.listen, args=(ears.stdout,), daemon=True).start()
        while not self.ready.wait(0.2):
            subprocess.run([program("mosquitto_pub"), *where, "-t", "ready", "-m", "now"], check=False)

    def listen(self, lines):
        for line in lines:
            topic, _, payload = line.decode("utf-8", "replace").strip().partition(" ")
            if topic == "ready":
                self.ready.set()
            else:
                self.hear(payload)


class Witness(threading.Thread):
    """Counts the positions that gpsd hands out."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.places = {}  # (latitude, longitude) by the receiver's time
        self.line = socket.create_connection(("127.0.0.1", port))
        self.line.sendall(b'?WATCH={"enable":true,"json":true}\n')

    def run(self):
        for text in self.line.makefile(encoding="utf-8", errors="replace"):
            report = json.loads(text)
            if report.get("class") == "TPV" and report.get("mode", 0) >= 2 and "lat" in report:
                self.places[report.get("time")] = (report["lat"], report["lon"])


class Demo:
    def __init__(self, options, stage):
        self.options, self.stage = options, stage
        self.player = Player(os.path.join(HERE, "drive.nmea"), options.speed)
        self.words = Words(REGIONS)
        self.arrived, self.seen, self.twice, self.late = 0, set(), 0, 0
        self.events, self.trail = [], []
        self.shown = []  # of each location and crossing: the message, and whether it waited
        self.hidden = [None, None]  # the parts of the drive where the coverage ended and came back
        self.lock = threading.Lock()
        self.cut_since = None

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def hear(self, payload):
        """One message has reached the broker."""
        try:
            message = json.loads(payload)
        except ValueError:
            self.say(f"          something that is no message: {payload[:60]!r}")
            return
        if message.get("_type") == "lwt":  # the broker's, not the board's
            self.say(self.words.say(message))
            return
        self.twice += payload in self.seen
        self.seen.add(payload)
        self.arrived += 1
        if message.get("_type") == "transition":
            self.events.append((message["event"], message.get("desc")))
        if message.get("_type") == "location":
            self.trail.append(message)
        waited = self.player.moment() - message.get("tst", 0) if self.player.played else 0
        late = ""
        if waited > 25 and message.get("_type") in ("location", "transition"):
            self.late += 1
            late = f"  [waited {waited:.0f} s on the board]"
        self.shown.append((message, bool(late)))
        self.say(self.words.say(message) + late)

    def configure(self, gpsd, broker):
        created = int(time.time()) - 86_400
        settings = {
            "_type": "configuration", "mode": 0, "host": "127.0.0.1", "port": broker, "tls": False,
            "auth": False, "username": "demo", "deviceId": "car", "tid": "HW", "monitoring": 2,
            "locatorDisplacement": STEP, "locatorInterval": 300, "gpsdHost": "127.0.0.1", "gpsdPort": gpsd,
            "reconnectMax": 2, "stateDir": os.path.join(self.stage.folder, "state"),
            "controlSocket": os.path.join(self.stage.folder, "control"),
            "waypoints": [dict(region, _type="waypoint", tst=created) for region in REGIONS],
        }
        os.mkdir(settings["stateDir"], 0o700)
        path = os.path.join(self.stage.folder, "homeward.otrc")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file, indent=2)
        os.chmod(path, 0o600)
        return path

    def run(self):
        broker = Broker(self.stage, self.hear)
        coverage = Coverage(broker.port)
        self.say(f"A drive of {self.player.seconds[-1] / 60:.1f} minutes at {self.options.speed:g} times "
                 "the speed: gpsd -> homewardd -> broker\n")
        self.player.start()
        gpsd = free_port()
        self.stage.start(
            "gpsd", program("gpsd"), "-N", "-n", "-b", "-S", str(gpsd), f"tcp://127.0.0.1:{self.player.port}")
        until(lambda: listens(gpsd), 10, "gpsd did not start")
        witness = Witness(gpsd)
        witness.start()
        daemon = self.stage.start(
            "homewardd", self.options.daemon, "--config", self.configure(gpsd, coverage.port))
        until(lambda: coverage.was_used.is_set() or daemon.poll() is not None, 15,
              "homewardd did not reach the broker")
        time.sleep(1)
        self.player.go.set()
        while not self.player.is_over.wait(0.1):
            if daemon.poll() is not None:
                raise Failure(f"homewardd ended with status {daemon.returncode}")
            self.weather(coverage)
        lost = self.settle() + self.holes()
        status = self.stage.stop("homewardd")
        self.verdict(len(witness.places), status, lost)
        if self.options.picture:
            self.draw([witness.places[time] for time in sorted(witness.places)])

    def draw(self, road):
        def place(message):
            return message["lat"], message["lon"]
        verbs = {"enter": "entered", "leave": "left"}
        crossings = [(place(message), f"{verbs[message['event']]} {message['desc']}")
                     for message, _ in self.shown if message["_type"] == "transition"]
        trail = [(place(message), waited) for message, waited in self.shown if message["_type"] == "location"]
        draw(self.options.picture, road, road[self.hidden[0]:self.hidden[1]], trail, crossings, REGIONS,
             f"{len(road)} positions read in {self.player.seconds[-1] / 60:.1f} minutes, {self.arrived} messages "
             f"published, {self.late} of them later, 0 lost")

    def weather(self, coverage):
        """No coverage for a part of the drive, as under a mountain."""
        part = self.player.played / len(self.player.groups)
        if self.cut_since is None and part >= CUT_AT:
            self.cut_since = part
            self.hidden[0] = self.player.played
            self.say("          ---- no coverage from here: what happens waits on the board ----")
            coverage.cut()
        elif self.cut_since and part >= CUT_AT + CUT_FOR:
            self.cut_since = 0
            self.hidden[1] = self.player.played
            self.say("          ---- coverage is back ----")
            coverage.up()

    def ask(self, *words):
        """One question over the control socket, as `homeward` puts it."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(10)
            line.connect(os.path.join(self.stage.folder, "control"))
            line.sendall(json.dumps(words).encode() + b"\n")
            answer = json.loads(line.makefile().readline() or "{}")
        if not answer.get("ok"):
            raise Failure(f"homewardd answers {words} with {answer}")
        return answer

    def queue(self):
        return self.ask("status")["status"]["queue"]

    def settle(self):
        """Waits until the daemon has nothing left to send; what it gave up, by its own account."""
        until(lambda: self.queue()["count"] == 0, 30, "messages still wait 30 s after the drive")
        time.sleep(0.5)
        queue = self.queue()
        return queue["dropped"] + queue["refused"]

    def holes(self):
        """Places in the trail where a location must be missing: steps too long for the settings."""
        trail = sorted(self.trail, key=lambda message: message["tst"])
        steps = (metres(after["lat"], after["lon"], before) for before, after in zip(trail, trail[1:]))
        return sum(1 for step in steps if step > 1.3 * STEP)

    def verdict(self, positions, status, lost):
        wanted = [("leave", "Home"), ("enter", "Work")]
        self.say(
            f"\n{positions} positions read, {self.arrived} messages arrived ({self.late} of them waited for "
            f"coverage), {len(self.events)} transitions, {lost} lost, {self.twice} twice")
        faults = []
        if positions < 0.95 * self.player.played:
            faults.append(f"gpsd handed out only {positions} of {self.player.played} positions")
        if self.events != wanted:
            faults.append(f"the crossings told were {self.events}, not {wanted}")
        if lost or self.twice:
            faults.append("messages were lost or came twice")
        if not self.late:
            faults.append("nothing waited for coverage")
        if status:
            faults.append(f"homewardd ended with status {status}")
        if faults:
            raise Failure("; ".join(faults))


def program(name):
    """Full path; the daemons are not in an ordinary user's PATH."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/local/sbin")
    if not found:
        raise Failure(f"{name} is not installed: sudo apt-get install gpsd mosquitto mosquitto-clients")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", required=True, help="the program homewardd")
    parser.add_argument("--speed", type=float, default=20, help="times faster than life (default 20)")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the logs")
    parser.add_argument("--picture", metavar="FILE", help="draw the drive and what of it was told, as an SVG")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = tempfile.mkdtemp(prefix="homeward-demo-")
    os.chmod(folder, 0o755)  # mosquitto, started by root, reads its settings as another user
    stage = Stage(folder)
    try:
        Demo(options, stage).run()
        return 0
    except (Failure, OSError) as failure:
        print(f"demo: {failure}", file=sys.stderr)
        for name, _ in list(stage.running):
            for line in stage.log(name)[-5:]:
                print(f"  {name}: {line}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        stage.clear()
        if options.keep:
            print(f"logs: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
