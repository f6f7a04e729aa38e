#!/usr/bin/env python3
"""gpsd's own recordings of real receivers, played through a real gpsd to a program.

    receivers.py [--cache FOLDER] [--only TEXT] [--jobs N] [--raw FILE] [-- COMMAND ...]

The recordings are in Debian's source package of gpsd; apt fetches it into the cache folder (where it is
not to be had, all of it counts as one skip). Each recording gets a gpsd and a COMMAND of its own, in
which {port} is gpsd's port and {folder} an empty folder. Of what COMMAND prints, every line that is a
JSON object with "lat" is a position and is judged: a place on Earth other than 0/0, an accuracy ("acc")
above 0, a time ("tst") between 1994 and tomorrow where there is one. It must live until it is told to end.
--raw keeps what gpsd said, for the adapter's own test (HOMEWARD_GPSD_LINES).
"""
import argparse
import concurrent.futures
import fcntl
import glob
import json
import math
import os
import queue
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios
import threading
import time

from servers import Gpsd, Server, free_port, poll

EARLIEST = 757_382_400  # 1994: the oldest recording is of 1997
DAY = 86_400
# gpsd throws away what waits in a line that it opens, and sorts reports by the pauses between bytes.
SETTLING = 0.5
PIECE, PAUSE = 256, 0.004
LIMIT = 60  # seconds for one recording


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
               "-o", "APT::Sandbox::User=root"]
    for words in (["update"], ["source", "--download-only", "gpsd"]):
        done = subprocess.run(["apt-get", "-q"] + private + words, cwd=cache, capture_output=True, text=True)
        if done.returncode != 0:
            return "apt-get %s: %s" % (words[0], (done.stderr.strip().splitlines() or ["failed"])[-1])
    return None


def recordings(cache):
    """[(name, bytes)] of all recordings that came over a serial line, or the reason why there are none."""
    os.makedirs(cache, exist_ok=True)
    find = lambda: sorted(glob.glob(os.path.join(cache, "gpsd_*.orig.tar.*z")))
    if not find():
        reason = fetch(cache)
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


def unread(gpsd):
    return struct.unpack("i", fcntl.ioctl(gpsd._far_end, termios.FIONREAD, b"\0\0\0\0"))[0]


def play(data, ports, command):
    """(faults, positions, what gpsd said) of one recording."""
    folder = tempfile.mkdtemp(prefix="hw-receiver-")
    port = ports.get()
    gpsd = Gpsd(folder, port).start()
    consumer = Server("consumer", folder)
    listener = Listener(gpsd.port)
    listener.start()
    try:
        if command:
            known = {"{port}": str(gpsd.port), "{folder}": folder}
            consumer.spawn([re.sub(r"\{port\}|\{folder\}", lambda m: known[m[0]], word) for word in command])
        poll(lambda: b'"class":"WATCH"' in listener.said, 10)
        time.sleep(SETTLING)
        end = time.monotonic() + LIMIT
        for start in range(0, len(data), PIECE):
            gpsd.write(data[start:start + PIECE])
            time.sleep(PAUSE)
            if time.monotonic() > end or not gpsd.is_alive():
                break
        poll(lambda: unread(gpsd) == 0, 5)
        time.sleep(SETTLING)
        faults = [] if gpsd.is_alive() else ["gpsd itself ended"]
        if command:
            faults += ending(consumer)
        found, positions = judge(consumer.log())
        return faults + found, positions, listener.said
    finally:
        listener.close()
        consumer.kill()
        gpsd.close()
        ports.put(port)
        shutil.rmtree(folder, True)


def ending(consumer):
    if not consumer.is_alive():
        return ["the program ended by itself with %d" % consumer.process.returncode]
    status = consumer.stop()
    return [] if status in (0, -signal.SIGTERM) else ["told to end, the program ended with %s" % status]


# --- Judging -----------------------------------------------------------------------------------------

def judge(text):
    """(what is wrong, how many positions) of a program's lines."""
    faults, positions = [], 0
    for line in text.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and "lat" in said:
            positions += 1
            faults += ["%s in %s" % (fault, line[:160]) for fault in absurdities(said)]
    return faults, positions


def absurdities(said):
    lat, lon, acc, tst = (said.get(key) for key in ("lat", "lon", "acc", "tst"))
    is_number = lambda value: isinstance(value, (int, float)) and math.isfinite(value)
    if not (is_number(lat) and is_number(lon) and abs(lat) <= 90 and abs(lon) <= 180):
        yield "no place on Earth"
    elif lat == 0 and lon == 0:
        yield "the place 0/0"
    if not (is_number(acc) and acc > 0):
        yield "no accuracy"
    if tst is not None and not (is_number(tst) and EARLIEST < tst < time.time() + DAY):
        yield "an impossible time"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/homeward-receivers"))
    parser.add_argument("--only", default="", help="recordings with this in their name")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--raw", help="keep what gpsd said in this file")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    found = recordings(options.cache)
    if isinstance(found, str):
        print("skip receivers: gpsd's recordings are not to be had (%s)" % found)
        print("0 passed, 0 failed, 1 skipped")
        return 0
    found = [one for one in found if options.only in one[0]]
    failed, total, raw = 0, 0, []
    ports = queue.Queue()
    for _ in range(options.jobs):
        ports.put(free_port())
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda one: play(one[1], ports, options.command), found)
        for (name, _), (faults, positions, said) in zip(found, results):
            total += positions
            raw.append(b"#" + name.encode() + b"\n" + said)
            if faults:
                failed += 1
                print("not ok %s: %s (%d faults)" % (name, faults[0], len(faults)))
            else:
                print("ok %s: %d positions" % (name, positions))
    if options.raw:
        with open(options.raw, "wb") as file:
            file.writelines(raw)
    print("%d passed, %d failed; %d positions" % (len(found) - failed, failed, total))
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
