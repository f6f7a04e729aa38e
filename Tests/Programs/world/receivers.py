"""gpsd's own recordings of real receivers: where they come from, and how one is played to a gpsd.

They are in Debian's source package of gpsd. apt fetches it into a cache folder, with lists and sources of
its own there: nothing of the machine's own apt is changed, and no rights are needed.
"""
import fcntl
import glob
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tarfile
import termios
import threading
import time

from waiting import in_the_end


# In its first second gpsd throws away what it reads from a line: it tries drivers and speeds.
OPENING, SETTLING = 1.5, 0.5
# It sorts reports by the pauses between bytes.
PIECE, PAUSE = 256, 0.004
FETCHING = 90  # seconds for each of apt's two steps


# --- Where the recordings come from -----------------------------------------------------------------

def distribution():
    with open("/etc/os-release") as file:
        found = re.search(r"^VERSION_CODENAME=\W?(\w+)", file.read(), re.M)
    return found.group(1) if found else ""


def source_entries(codename):
    """The machine's own package sources of this distribution, asked for sources."""
    entries = []
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        for block in re.split(r"\n\s*\n", open(path).read()):
            if re.search(r"^Suites:.*\b%s\b" % codename, block, re.M | re.I):
                as_source = re.sub(r"^Types:.*$", "Types: deb-src", block, flags=re.M)
                entries.append((".sources", as_source + "\n"))
    for path in ["/etc/apt/sources.list"] + glob.glob("/etc/apt/sources.list.d/*.list"):
        for line in open(path) if os.path.exists(path) else []:
            if re.match(r"deb\s.*\s%s\s.*\bmain\b" % codename, line):
                entries.append((".list", "deb-src" + line[3:]))
    return entries


def fetch(cache):
    """Puts the source package into the cache; the reason, where that failed."""
    if shutil.which("apt-get") is None:
        return "no apt-get"
    apt = os.path.join(cache, "apt")
    for folder in ("sources", "lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(apt, folder), exist_ok=True)
    entries = source_entries(distribution())
    for number, (kind, text) in enumerate(entries):
        with open(os.path.join(apt, "sources", "source%d%s" % (number, kind)), "w") as file:
            file.write(text)
    if not entries:
        return "apt has no entry for %s" % (distribution() or "this distribution")
    private = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", "Dir::Etc::sourceparts=%s/sources" % apt,
               "-o", "Dir::State::lists=%s/lists" % apt, "-o", "Dir::Cache=%s/cache" % apt,
               "-o", "APT::Sandbox::User=root", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::Retries=1"]
    # Somebody else's repository may have no sources: what counts is whether the package comes.
    said = []
    for words in (["update"], ["source", "--download-only", "gpsd"]):
        try:
            done = subprocess.run(["apt-get", "-q"] + private + words, cwd=cache, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=FETCHING)
        except subprocess.TimeoutExpired:
            return "apt-get %s: not done in %d s" % (words[0], FETCHING)
        said += [line for line in done.stderr.splitlines() if line.startswith(("E:", "W:"))]
    return (said or ["apt-get failed"])[0] if done.returncode != 0 else None


def recordings(cache):
    """[(name, bytes)] of all recordings that came over a serial line, or the reason why there are none."""
    find = lambda: sorted(glob.glob(os.path.join(cache, "gpsd_*.orig.tar.*z")))
    if not find():
        try:
            os.makedirs(cache, exist_ok=True)
            reason = fetch(cache)
        except OSError as error:
            reason = str(error)
        if reason or not find():
            return reason or "no source package of gpsd"
    found = []
    with tarfile.open(find()[-1]) as archive:
        for member in archive:
            if re.search(r"/test/daemon/[^/]+\.log$", member.name):
                data = archive.extractfile(member).read()
                if b"Transport: UDP" not in data[:2000] and b"Transport: TCP" not in data[:2000]:
                    found.append((os.path.basename(member.name)[:-4], without_comments(data)))
    return sorted(found)


def without_comments(data):
    """The lines of remarks on top are not the receiver's."""
    while data.startswith(b"#"):
        data = data[data.index(b"\n") + 1:] if b"\n" in data else b""
    return data


# --- One that never was -----------------------------------------------------------------------------

class FastGpsd(threading.Thread):
    """Speaks as a gpsd does whose receiver gives so many positions a second, with the time of day."""

    def __init__(self, port, hz):
        super().__init__(daemon=True)
        self.hz, self.sent, self.is_stopped = hz, 0, False
        self.listening = socket.create_server(("127.0.0.1", port))
        self.start()

    def run(self):
        while not self.is_stopped:
            try:
                line, _ = self.listening.accept()
                with line:
                    self.speak(line)
            except OSError:
                pass

    def speak(self, line):
        line.sendall(b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n')
        line.recv(1000)
        line.sendall(b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/fast","driver":"u-blox"}]}\r\n')
        start = time.time()
        for count in range(10 ** 6):
            time.sleep(max(0.0, start + count / self.hz - time.time()))
            if self.is_stopped:
                return
            now = start + count / self.hz
            when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".%03dZ" % (now % 1 * 1000)
            line.sendall(b'{"class":"TPV","device":"/dev/fast","mode":3,"time":"%s","lat":48.2,"lon":16.3,'
                         b'"eph":2.5,"speed":0.1}\r\n' % when.encode())
            self.sent += 1

    def close(self):
        self.is_stopped = True
        self.listening.close()


class Relay(threading.Thread):
    """Says to the first who comes what gpsd has said of many receivers, one after the other and as fast as it is
    read, and then what it says of one that is well, once a second."""

    def __init__(self, port, recordings):
        super().__init__(daemon=True)
        self.recordings, self.healthy, self.is_stopped = recordings, None, False
        self.listening = socket.create_server(("127.0.0.1", port))
        self.start()

    def run(self):
        try:
            line, _ = self.listening.accept()
            with line:
                line.sendall(b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n')
                line.recv(1000)
                for said in self.recordings:
                    for report in said.splitlines():
                        if b'"class":"TPV"' in report or b'"class":"SKY"' in report:
                            line.sendall(re.sub(rb'"device":"[^"]*"', b'"device":"/dev/one"', report) + b"\r\n")
                    time.sleep(0.02)
                time.sleep(1)  # what is under way is read
                self.healthy = time.time()
                while not self.is_stopped:
                    self.report(line, time.time())
                    time.sleep(1)
        except OSError:
            pass

    def report(self, line, now):
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".%03dZ" % (now % 1 * 1000)
        north = 48.2 + (now - self.healthy) * 20 / 111_195
        line.sendall(b'{"class":"TPV","device":"/dev/one","mode":3,"time":"%s","lat":%.6f,"lon":16.3,'
                     b'"eph":2.5,"speed":20.0,"track":0.0}\r\n' % (when.encode(), north))

    def close(self):
        self.is_stopped = True
        self.listening.close()


# --- Playing one -------------------------------------------------------------------------------------

class Listener(threading.Thread):
    """Keeps all that gpsd says."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.said = b""
        self.socket = socket.create_connection(("127.0.0.1", port), 5)
        self.socket.sendall(b'?WATCH={"enable":true,"json":true};\n')
        self.socket.settimeout(None)

    def run(self):
        while True:
            try:
                piece = self.socket.recv(65536)
            except OSError:
                return
            if not piece:
                return
            self.said += piece

    def close(self):
        self.socket.close()


def reports(said):
    """The TPV among what gpsd said."""
    for line in said.splitlines():
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if report.get("class") == "TPV":
            yield report


def is_fix(report):
    return report.get("mode", 0) >= 2 and "lat" in report


def fixes(said):
    """The positions among what gpsd said: times as it gave them (None where it gave none)."""
    return [report.get("time") for report in reports(said) if is_fix(report)]


def takes_back(said):
    """Whether gpsd has said "no fix" for a time for which it had given a position."""
    given = set()
    for report in reports(said):
        if is_fix(report):
            given.add(report.get("time"))
        elif report.get("time") in given:
            return True
    return False


def play(gpsd, data, seconds, span=0, so_far=lambda part: None):
    """Whether all of it was written to this gpsd, and read, within about this many seconds; over `span` seconds, where
    that is not faster than gpsd can read. `so_far` hears how much of it is said, 0 to 1."""
    time.sleep(OPENING)
    begin = time.monotonic()
    for start in range(0, len(data), PIECE):
        so_far(start / len(data))
        gpsd.write(data[start:start + PIECE])
        time.sleep(max(PAUSE, begin + span * (start + PIECE) / len(data) - time.monotonic()))
        if time.monotonic() > begin + seconds or not gpsd.is_alive():
            return False
    is_read = in_the_end(lambda: unread(gpsd) == 0)
    time.sleep(SETTLING)
    return is_read


def unread(gpsd):
    return struct.unpack("i", fcntl.ioctl(gpsd._far_end, termios.FIONREAD, b"\0\0\0\0"))[0]
