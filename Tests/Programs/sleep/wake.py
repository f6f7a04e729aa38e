#!/usr/bin/env python3
"""One life of a board that is parked and wakes to check in, in the guest: from its start until it asks to be switched off.

The words of the command line are JSON: {"network": true, "receiver": true, "offset": SECONDS that the true time is ahead of the
guest's}. The folder of the board is /share/life, as the life before has left it. The last line says how it went, and
carries that folder on."""
import base64
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time

from nmea import HOME, burst
from servers import Broker, Gpsd
from subscriber import Subscriber
from tracker import ROOT, TOPIC, Tracker
from waiting import in_the_end

LIFE = "/share/life"
CLOCK = "/sys/class/rtc/rtc0"
# Of the guest's time. A first life waits ten minutes, a check-in at most `parkedWakeLimit`.
SECONDS = 1500
SETTINGS = {
    "monitoring": 1, "ping": 15, "statusInterval": 3600, "resendLost": 0, "parkedWake": 6, "pubRetain": True,
    "vehicleBattery": "file:%s/volts" % LIFE, "vehicleBatteryLow": 11.9, "vehicleBatteryOff": 11.5, "cmd": True,
}


def number(path):
    with open(path) as file:
        return int(file.read().split(".")[0].strip() or 0)


def stands(gpsd, offset, is_over):
    """A receiver that reports where it stands, once a second of the guest's time, dated by the true time."""
    while not is_over.wait(1):
        gpsd.write(burst(int(time.time() + offset), HOME[0], HOME[1], 0.0, 0.0))


def packed():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        archive.add(LIFE, "life")
    return base64.b64encode(buffer.getvalue()).decode()


def main():
    plan = json.loads(sys.argv[1])
    os.makedirs(LIFE, exist_ok=True)
    with open(LIFE + "/volts", "w") as file:
        file.write("11.2\n")
    broker = Broker(LIFE, port=1883)
    gpsd = Gpsd(LIFE, port=2947)
    heard, watcher = [], None
    if plan["network"]:
        broker.start()
        watcher = Subscriber(broker.port, ["owntracks/#"])
    is_over = threading.Event()
    if plan["receiver"]:
        gpsd.start()
        threading.Thread(target=stands, args=(gpsd, plan.get("offset", 0), is_over), daemon=True).start()
    tracker = Tracker(LIFE, gpsd.port, broker.port, **SETTINGS)
    tracker.socket = "/run/homeward/control"
    os.makedirs("/run/homeward", exist_ok=True)
    tracker.configure(controlSocket=tracker.socket)
    tracker.start()
    request = "/run/homeward/halt"
    is_asked = in_the_end(lambda: os.path.exists(request), every=0.2, seconds=SECONDS)
    asked = time.clock_gettime(time.CLOCK_BOOTTIME)
    done = subprocess.run([os.path.join(ROOT, "board/homeward-halt"), request, "true"], capture_output=True, text=True)
    # What the shutdown of the system does.
    status = tracker.stop(signal.SIGTERM)
    alarm, now = number(CLOCK + "/wakealarm"), number(CLOCK + "/since_epoch")
    is_over.set()
    off = time.clock_gettime(time.CLOCK_BOOTTIME)
    if watcher:
        watcher.wait(lambda messages: any(
            m.topic == TOPIC + "/status" and not m.json()["linux"]["online"] for m in messages))
        heard = [(m.topic, m.json()) for m in list(watcher.messages) if m.payload and m.topic.startswith("owntracks/")]
        watcher.close()
    broker.stop()
    gpsd.stop()
    print(json.dumps({
        "asked": bool(is_asked), "seconds": round(off, 1), "askedAfter": round(asked, 1), "alarm": alarm, "clock": now,
        "said": (done.stdout + done.stderr).strip(), "status": status, "heard": heard, "log": tracker.log()[-3000:],
        "life": packed()}))


if __name__ == "__main__":
    main()
