#!/usr/bin/env python3
"""One life of a board that is parked and wakes to check in, in the guest: from its start until it asks to be switched off.

The words of the command line are JSON: {"network": true, "receiver": true, "offset": SECONDS that the true time is ahead of the
guest's}. The folder of the board is /share/life, as the life before has left it. The last line says how it went, and
carries that folder on.

With "disk" its store lies on a device of its own, which is not carried on; with "place", [east, north], it stands there, in or out
of a region; "alarm" is what its clock has been set to before. cut.py may cut its power meanwhile: the world is then
listened to for a while longer, and the last line is of the moment of the cut.

"volts" are its battery's, "settings" its own, and "order" is what `homeward` is told once its place has arrived."""
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

from cut import CLOCK, Cut, number, stand_by
from nmea import HOME, burst, degrees
from servers import Broker, Gpsd
from subscriber import Subscriber
from tracker import ROOT, TOPIC, Tracker
from waiting import in_the_end

LIFE = "/share/life"
# Of the guest's time. A first life waits ten minutes, a check-in at most `parkedWakeLimit`.
SECONDS = 1500
SETTINGS = {
    "monitoring": 1, "ping": 15, "statusInterval": 3600, "resendLost": 0, "parkedWake": 6, "pubRetain": True,
    "vehicleBattery": "file:%s/volts" % LIFE, "vehicleBatteryLow": 11.9, "vehicleBatteryOff": 11.5, "cmd": True,
}
REGION = {"_type": "waypoint", "desc": "Yard", "lat": HOME[0], "lon": HOME[1], "rad": 40, "tst": 5}


def stands(gpsd, place, offset, is_over):
    """A receiver that reports where it stands, once a second of the guest's time, dated by the true time."""
    while not is_over.wait(1):
        gpsd.write(burst(int(time.time() + offset), *degrees(place), 0.0, 0.0))


def packed(is_on_disk):
    def kept(entry):
        return None if is_on_disk and entry.name == "life/state" else entry

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        archive.add(LIFE, "life", filter=kept)
    return base64.b64encode(buffer.getvalue()).decode()


def switched_off(tracker, request):
    """What root's side and the shutdown of the system do: what homeward-halt said, and the tracker's exit status."""
    done = subprocess.run([os.path.join(ROOT, "board/homeward-halt"), request, "true"], capture_output=True, text=True)
    return (done.stdout + done.stderr).strip(), tracker.stop(signal.SIGTERM)


def heard_of(watcher, is_on_disk, cut):
    """What reached the broker. A board that was cut off has said its last."""
    def is_last(message):
        return message.topic == TOPIC + "/status" and not message.json()["linux"]["online"]

    if cut.is_made():
        time.sleep(3)
    else:
        watcher.wait(lambda messages: any(is_last(message) for message in messages))
    heard = [(m.topic, m.json()) for m in list(watcher.messages)
             if m.payload and m.topic.startswith("owntracks/") and not (is_on_disk and m.is_retained)]
    watcher.close()
    return heard


def ordered(tracker, watcher, words):
    """What `homeward` answers to these words, once the board's place has arrived."""
    watcher.wait(lambda messages: any(m.topic == TOPIC and m.json()["_type"] == "location" for m in messages))
    return tracker.ask(*words).text


def main():
    plan = json.loads(sys.argv[1])
    is_on_disk, place, cut = plan.get("disk", False), plan.get("place"), Cut()
    os.makedirs(LIFE + "/state", exist_ok=True)
    found = stand_by(LIFE + "/state", plan) if is_on_disk else []
    with open(LIFE + "/volts", "w") as file:
        file.write("%s\n" % plan.get("volts", 11.2))
    broker = Broker(LIFE, port=1883)
    gpsd = Gpsd(LIFE, port=2947)
    watcher = None
    if plan["network"]:
        broker.start()
        watcher = Subscriber(broker.port, ["owntracks/#"])
    is_over = threading.Event()
    if plan["receiver"]:
        gpsd.start()
        threading.Thread(
            target=stands, args=(gpsd, place or (0.0, 0.0), plan.get("offset", 0), is_over), daemon=True).start()
    tracker = Tracker(LIFE, gpsd.port, broker.port, **{**SETTINGS, **plan.get("settings", {})})
    tracker.socket = "/run/homeward/control"
    os.makedirs("/run/homeward", exist_ok=True)
    tracker.configure(controlSocket=tracker.socket, waypoints=[REGION] if place else None)
    if not cut.is_made():
        tracker.start()
    answer = ordered(tracker, watcher, plan["order"]) if plan.get("order") else ""
    request = "/run/homeward/halt"
    is_asked = in_the_end(lambda: os.path.exists(request) or cut.is_made(), every=0.2, seconds=SECONDS)
    asked = time.clock_gettime(time.CLOCK_BOOTTIME)
    said, status = switched_off(tracker, request) if not cut.is_made() else ("", None)
    alarm, now = number(CLOCK + "/wakealarm"), number(CLOCK + "/since_epoch")
    is_over.set()
    off = time.clock_gettime(time.CLOCK_BOOTTIME)
    if is_on_disk:
        cut.is_too_late()
    heard = heard_of(watcher, is_on_disk, cut) if watcher else []
    broker.stop()
    gpsd.stop()
    print(json.dumps({
        "asked": bool(is_asked), "seconds": round(off, 1), "askedAfter": round(asked, 1), "alarm": alarm, "clock": now,
        "said": said, "answer": answer, "status": status, "heard": heard, "log": tracker.log()[-3000:], "found": found,
        "life": packed(is_on_disk), **cut.moment()}))


if __name__ == "__main__":
    main()
