#!/usr/bin/env python3
"""Home Assistant and the rules of OwnTracks Recorder on a live drive of the demo. Not run by Tests/run:
it wants Home Assistant, which is large and has its own ideas of a Python's version. By hand (3.11 takes
2024.3.3; other versions ask for other packages when they are imported):

    python3 -m venv FOLDER
    FOLDER/bin/pip install homeassistant==2024.3.3
    FOLDER/bin/pip install -c FOLDER/lib/python3.11/site-packages/homeassistant/package_constraints.txt \
        paho-mqtt PyNaCl aiohttp_cors janus numpy mutagen PyTurboJPEG hassil home-assistant-intents \
        ha-ffmpeg "josepy<2"
    FOLDER/bin/python Tests/EndToEnd/world/consumers.py

Home Assistant is the real one: its core with its mqtt, owntracks, zone and device_tracker integrations,
connected to the broker that the daemon sends to. Any line of warning or worse that it logs while it
listens is a fault, and the device has to be where the drive is. The Recorder is not run (Debian does not
have it): its conditions for taking a message, as its source has them, are looked at one by one.
"""
import asyncio
import json
import logging
import math
import os
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../board/demo"))
from player import dated, epochs  # noqa: E402  (of the demo)

from nmea import Epoch  # noqa: E402
from servers import Feeder, free_port, poll  # noqa: E402
from tracker import ROOT, TOPIC  # noqa: E402
from world import World, expect  # noqa: E402

HOME = {"_type": "waypoint", "desc": "Home", "lat": 48.15400, "lon": 11.55000, "rad": 120, "tst": 1385997757}
WORK = {"_type": "waypoint", "desc": "Work", "lat": 48.13632, "lon": 11.58520, "rad": 150, "tst": 1385997758}
ENTITY, PROBE = "device_tracker.ute_board", "device_tracker.ute_probe"


# --- The drive ----------------------------------------------------------------------------------------

def drive(world):
    """The demo's drive at 20 times its speed with a hole in the coverage, and all that people can ask for
    beside it; every type of message that the daemon sends goes out at least once."""
    groups, seconds = epochs(os.path.join(ROOT, "board", "demo", "drive.nmea"))
    first = int(time.time() - seconds[-1] / 2)
    played = [
        Epoch(first + second, 0, 0, b"".join(dated(fields, first + second) for fields in group))
        for group, second in zip(groups, seconds)]
    world.tracker.start()
    connected = lambda status: status["connection"]["colour"] == "green" and status["gps"]["reached"]
    world.tracker.wait_for_status(connected)
    feeder = Feeder(world.gpsd, played, 20)
    poll(lambda: len(feeder.sent) > 200, 60)
    world.proxy.cut("refuse")
    poll(lambda: len(feeder.sent) > 310, 60)
    world.proxy.restore()
    feeder.join()
    ask(world, "publish", "--poi", "the gate")
    ask(world, "region", "add", "Barn", "--radius", "80")
    ask(world, "region", "move", "Barn", "--lat", "48.1", "--lon", "11.6")
    ask(world, "region", "rm", "Barn")
    for mode in ("manual", "quiet", "significant", "move"):
        ask(world, "mode", mode)
        ask(world, "publish")
    waits = lambda status: status["queue"]["count"] > 0
    world.tracker.wait_for_status(lambda status: not waits(status))
    time.sleep(1)
    world.tracker.kill()
    expect(poll(lambda: world.heard("lwt"), 10), "no will after a kill")
    time.sleep(1)


def ask(world, *words):
    answer = world.tracker.ask(*words)
    print("# homeward %s: %s" % (" ".join(words), (answer.text + answer.error).strip().splitlines()[:1]))


# --- OwnTracks Recorder -------------------------------------------------------------------------------

def recorder_refuses(message):
    """Why the Recorder would log a complaint or keep less than it was sent; None where it takes it."""
    if len(message.topic.split("/")) < 3:
        return "a topic of fewer than three levels"
    if not message.payload:
        return None  # passed over in silence
    value = message.json()
    if value is None:
        return "no JSON object"
    kind = value.get("_type")
    if kind in ("beacon", "card", "cmd", "lwt", "steps", "waypoints", "dump"):
        return None
    if kind not in ("location", "transition", "waypoint"):
        return "an unknown _type"
    for key in ("lat", "lon"):
        if not isinstance(value.get(key), (int, float)) or math.isnan(value[key]):
            return "%s is no number" % key
    if not isinstance(value.get("tst"), int):
        return "tst is no whole number"
    for key in ("tid", "t", "event", "desc"):
        if key in value and not isinstance(value[key], str):
            return "%s is no text" % key
    return None


def one_file_each(messages):
    """The Recorder files waypoints by their tst: two of one second overwrite each other."""
    kept = {}
    for value in (message.json() for message in messages):
        if value and value.get("_type") == "waypoint":
            kept.setdefault(value["tst"], set()).add(value["desc"])
    return [names for names in kept.values() if len(names) > 1]


# --- Home Assistant ------------------------------------------------------------------------------------

# Said of the zone that the owntracks integration makes of any waypoint, a phone's too: its own affair.
OWN_AFFAIR = ("homeassistant.helpers.entity", "does not have a platform")


class Complaints(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines, self.is_open = [], False

    def emit(self, record):
        line = "%s %s: %s" % (record.levelname, record.name, record.getMessage())
        if record.exc_info:
            line += " " + logging.Formatter().formatException(record.exc_info)
        is_own = record.name == OWN_AFFAIR[0] and OWN_AFFAIR[1] in line
        if self.is_open and not is_own:
            self.lines.append(line)
        else:
            print("# Home Assistant of itself: %s" % line)


async def home_assistant(folder, broker_port):
    """A core with what the owntracks integration needs, connected to this broker."""
    from homeassistant import bootstrap, config, config_entries, core, loader
    from homeassistant.setup import async_setup_component
    os.makedirs(folder)
    with open(os.path.join(folder, "configuration.yaml"), "w"):
        pass
    hass = core.HomeAssistant(folder)
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    settings = {
        "homeassistant": {}, "http": {"server_host": "127.0.0.1", "server_port": free_port()},
        "zone": [{"name": "Work", "latitude": WORK["lat"], "longitude": WORK["lon"], "radius": WORK["rad"]}],
    }
    for domain in ("homeassistant", "persistent_notification"):
        expect(await async_setup_component(hass, domain, settings), "%s was not set up" % domain)
    await config.async_process_ha_core_config(hass, {
        "name": "Test", "latitude": HOME["lat"], "longitude": HOME["lon"], "elevation": 500,
        "unit_system": "metric", "time_zone": "UTC"})
    for domain in ("http", "zone", "device_tracker"):
        expect(await async_setup_component(hass, domain, settings), "%s was not set up" % domain)
    entries = (("mqtt", {"broker": "127.0.0.1", "port": broker_port}),
               ("owntracks", {"webhook_id": "hook", "secret": "secret", "cloudhook": False}))
    for domain, data in entries:
        entry = config_entries.ConfigEntry(version=1, minor_version=2, domain=domain, title=domain, data=data,
                                           source="user", options={})
        await hass.config_entries.async_add(entry)
        expect(entry.state is config_entries.ConfigEntryState.LOADED, "%s: %s" % (domain, entry.reason))
    await hass.async_start()
    await hass.async_block_till_done()
    return hass


def check_device(states, zones, world):
    """`states`: what the device was, one after the other: (state, latitude, longitude, accuracy)."""
    names = [state for state, _, _, _ in states]
    course = [name for index, name in enumerate(names) if index == 0 or names[index - 1] != name]
    expect(course == ["home", "not_home", "Work"], "the device went %s" % " -> ".join(course))
    expect(all(accuracy > 0 for _, _, _, accuracy in states), "an accuracy of 0")
    outside = [m for m in world.locations() if not m["inregions"]]
    seen = {(latitude, longitude) for _, latitude, longitude, _ in states}
    missing = [m for m in outside if (m["lat"], m["lon"]) not in seen]
    expect(not missing, "%d of %d positions outside are not in it" % (len(missing), len(outside)))
    for name in ("Home", "Work", "Barn"):
        expect("zone.ute_board_" + name.lower() in zones, "waypoint %s is no zone: %s" % (name, zones))


class House(threading.Thread):
    """Home Assistant on a thread of its own: what it complained of, how its device went."""

    def __init__(self, folder, broker_port):
        super().__init__(daemon=True)
        self.folder, self.broker_port = folder, broker_port
        self.complaints, self.states, self.zones, self.failure = Complaints(), [], [], None
        self.is_up, self.is_listening, self.is_over = (threading.Event() for _ in range(3))
        logging.getLogger().addHandler(self.complaints)

    def run(self):
        try:
            asyncio.run(self.live())
        except Exception as error:
            self.failure = error
            traceback.print_exc()
        self.is_up.set()

    async def live(self):
        from homeassistant.core import callback
        hass = await home_assistant(self.folder, self.broker_port)

        @callback
        def changed(event):
            new = event.data["new_state"]
            if event.data["entity_id"] == PROBE:
                self.is_listening.set()
            if event.data["entity_id"] == ENTITY and new and "latitude" in new.attributes:
                values = (new.attributes[key] for key in ("latitude", "longitude", "gps_accuracy"))
                self.states.append((new.state, *values))

        hass.bus.async_listen("state_changed", changed)
        self.complaints.is_open = True
        self.is_up.set()
        await hass.async_add_executor_job(self.is_over.wait)
        await hass.async_block_till_done()
        self.complaints.is_open = False
        self.zones = hass.states.async_entity_ids("zone")
        await hass.async_stop(force=True)


def main():
    try:
        from homeassistant.const import __version__
    except ImportError:
        print("skip consumers: this Python has no Home Assistant")
        return 0
    world = World(
        has_proxy=True, locatorDisplacement=200, locatorInterval=300, reconnectMax=2, waypoints=[HOME, WORK])
    try:
        house = House(os.path.join(world.folder, "hass"), world.broker.port)
        house.start()
        house.is_up.wait(60)
        if house.failure or not house.is_up.is_set():
            print("not ok consumers: Home Assistant did not start: %s" % house.failure)
            return 1
        # Its subscription comes some time after it is up.
        probe = {"_type": "location", "lat": 1, "lon": 2, "acc": 3, "tid": "pr", "tst": 1385997757}
        while not house.is_listening.wait(0.3):
            world.watcher.publish("owntracks/ute/probe", json.dumps(probe).encode())
        drive(world)
        house.is_over.set()
        house.join(30)
        return verdict(world, __version__, house.complaints.lines, house.states, house.zones)
    finally:
        world.close()


def verdict(world, version, complaints, states, zones):
    messages = list(world.watcher.messages)
    kinds = {}
    for message in messages:
        kind = (message.json() or {}).get("_type")
        kinds[kind] = kinds.get(kind, 0) + 1
    sent = ", ".join("%d %s" % (count, kind) for kind, count in sorted(kinds.items(), key=str))
    faults = []
    try:
        check_device(states, zones, world)
    except AssertionError as fault:
        faults.append("Home Assistant: %s" % fault)
    faults += ["Home Assistant logs: %s" % line for line in complaints]
    refused = [(recorder_refuses(message), message) for message in messages]
    faults += ["Recorder: %s in %s %s" % (why, m.topic, m.payload[:200]) for why, m in refused if why]
    faults += ["Recorder: waypoints of one tst: %s" % sorted(names) for names in one_file_each(messages)]
    for fault in faults:
        print("not ok consumers: %s" % fault)
    if not faults:
        print("ok consumers: Home Assistant %s and the Recorder's rules take %s (%d states of the device)" % (
            version, sent, len(states)))
    else:
        print("# sent: %s; %d states of the device" % (sent, len(states)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
