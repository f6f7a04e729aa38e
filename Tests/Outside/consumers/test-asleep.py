#!/usr/bin/env python3
# takes: 240 s
# limit: 900 s
# behaviour: Presence and Home Assistant
"""To the real Home Assistant a board that sleeps until its next check-in is there, until that is overdue, and it arrives
nowhere when it wakes."""
import datetime
import os
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/world"))
from home import Home  # noqa: E402
from nmea import along, degrees  # noqa: E402
from servers import poll  # noqa: E402
from tracker import ROOT, TOPIC  # noqa: E402
from waiting import in_the_end  # noqa: E402
from world import Skip, as_root, claim, expect, main  # noqa: E402

PLACE, CARD, NEXT = "device_tracker.board_place", "device_tracker.ute_board", "sensor.board_next_check_in"
HOUSE, AWAY = (0.0, 0.0), (900.0, 0.0)
SPAN, PATIENCE = 36, 3600
PARKED = dict(discovery=True, keepalive=5, monitoring=1, extendedData=True, parkedWake=SPAN / 3600,
              ignitionInput="supply:ignition", cmd=True)


def with_clock(world):
    """A command prefix: the board has a clock that can wake it, and an ignition that is off."""
    as_root()
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("no mount namespaces here")
    devices = os.path.join(world.folder, "class")
    for name, text in (("rtc/rtc0/wakealarm", ""), ("rtc/rtc0/since_epoch", "%d\n" % time.time()),
                       ("power_supply/ignition/online", "0\n")):
        path = os.path.join(devices, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    return ["unshare", "-m", "sh", "-c", "mount --bind '%s' /sys/class || exit 99; exec \"$@\"" % devices, "sh"]


def at_home(world):
    """A board that has come home, and a Home Assistant that knows; what its clock is reached by."""
    before = with_clock(world)
    latitude, longitude = degrees(HOUSE)
    world.tracker.configure(waypoints=[
        {"_type": "waypoint", "desc": "Home", "lat": latitude, "lon": longitude, "rad": 120, "tst": 5}])
    home = Home(world).start()
    world.start(before)
    world.feed(along([world.place, AWAY], speed=30.0) + [AWAY] * 8, hz=10)
    home.expect_state(PLACE, "not_home", 60, "away")
    world.feed(along([AWAY, HOUSE], speed=30.0) + [HOUSE] * 8, hz=10)
    for entity in (PLACE, CARD):
        home.expect_state(entity, "home", 60, "back")
    expect(in_the_end(lambda: len(home.arrivals()) >= 4), "of its arrival automations hear only %s" % home.arrivals())
    world.tracker.is_drained()
    home.expect_there("before it sleeps", 60)
    return home, before


def words(world):
    return [message["linux"] for message in world.heard("status", TOPIC + "/status")]


def switched_off(world):
    """What root's side and the shutdown do once it has asked; when it is heard of next, Unix seconds."""
    request = os.path.join(world.folder, "halt")
    expect(in_the_end(lambda: os.path.exists(request), seconds=180), "it does not ask to be switched off")
    clocks = os.path.join(world.folder, "class/rtc")
    done = subprocess.run([os.path.join(ROOT, "board/homeward-halt"), request, "true", clocks, "/nowhere"],
                          capture_output=True, text=True)
    with open(clocks + "/rtc0/wakealarm") as file:
        expect(file.read() == "+%d\n" % SPAN, "its alarm is not set: %s%s" % (done.stdout, done.stderr))
    count = len(words(world))
    world.tracker.stop()
    expect(in_the_end(lambda: [word for word in words(world)[count:] if not word["online"]]), "it goes without a word")
    last = words(world)[-1]
    expect(last["reason"] == "parked" and abs(last["nextCheckIn"] - SPAN - time.time()) < 300, "its last word: %s" % last)
    return last["nextCheckIn"]


def falls_asleep(world):
    world.tracker.configure(parkedShutdown=1)
    world.tracker.hang_up()
    return switched_off(world)


def checks_in(world, before):
    """As its alarm starts it: it finds its place, says so and is switched off again."""
    known = len(world.locations())
    world.tracker.start(before)
    request = os.path.join(world.folder, "halt")
    for _ in range(60):
        world.feed(world.stand(3), hz=1)
        if os.path.exists(request):
            break
    expect("check-in is done" in world.tracker.log(), "it does not check in: %s" % world.tracker.log()[-300:])
    when = switched_off(world)
    expect(len(world.locations()) > known, "it does not say where it is")
    return when


def expect_next(home, when):
    def shown():
        state = home.state(NEXT)
        return state and state[:1] == "2" and datetime.datetime.fromisoformat(state).timestamp()
    expect(in_the_end(lambda: shown() == when), "the next check-in is at %s, and it shows %s" % (when, home.state(NEXT)))


class Watch:
    """From now on: nothing of the board is unavailable, its place does not change, and nobody hears of an arrival."""

    def __init__(self, home):
        self.home, self.arrivals = home, len(home.arrivals())
        self.before = {name: len(told) for name, told in home.histories().items()}

    def judge(self, when):
        time.sleep(1)
        self.home.expect_there(when)
        ours, told = self.home.of_board(), self.home.histories()
        since = {name: told.get(name, [])[self.before.get(name, 0):] for name in ours}
        gone = [name for name, states in since.items() if "unavailable" in states]
        expect(not gone, "%s: unavailable meanwhile: %s" % (when, gone))
        for entity in (PLACE, CARD):
            moved = told[entity][self.before[entity]:]
            expect(not moved and self.home.state(entity) == "home", "%s: %s was %s" % (when, entity, moved))
        heard = self.home.arrivals()[self.arrivals:]
        expect(not heard, "%s: automations hear of an arrival: %s" % (when, heard))


@claim("a board that sleeps is there, with its next check-in, and none of these is an arrival", **PARKED)
def sleeps(world):
    home, before = at_home(world)
    watch = Watch(home)
    expect_next(home, falls_asleep(world))
    watch.judge("asleep")
    for number in (1, 2):
        expect_next(home, checks_in(world, before))
        watch.judge("after check-in %d" % number)
    told = [state for state in home.histories()[NEXT] if state[:1] == "2"]
    expect(len(told) == 3, "its next check-ins were %s" % told)


@claim("a board that sleeps is there for a Home Assistant or a broker that is restarted meanwhile", **PARKED)
def restarted(world):
    home, before = at_home(world)
    when = falls_asleep(world)
    home.restart()
    for entity in (PLACE, CARD):
        home.expect_state(entity, "home", 60, "after a restart of Home Assistant")
    home.expect_there("after a restart of Home Assistant", 60)
    expect_next(home, when)
    world.broker.stop()
    world.broker.start()
    expect_next(home, when)
    home.expect_there("after a restart of the broker", 60)
    watch = Watch(home)
    expect_next(home, checks_in(world, before))
    watch.judge("after its check-in")


def of_status(home):
    """What Home Assistant has from `status` alone."""
    names = ["sensor.board_" + name for name in ("mode", "queue", "network", "satellites", "next_check_in")]
    return {name: home.state(name) for name in names + ["binary_sensor.board_ignition"]}


@claim("a check-in that is an hour overdue makes the board unavailable, and the next one brings it back", **PARKED)
def overdue(world):
    home, before = at_home(world)
    falls_asleep(world)
    watch = Watch(home)
    home.leap(PATIENCE - 100)
    watch.judge("an hour later")
    home.leap(SPAN + 110)
    expect(in_the_end(lambda: set(of_status(home).values()) == {"unavailable"}), "overdue: %s" % of_status(home))
    home.expect_state(PLACE, "home", when="overdue")
    arrivals = len(home.arrivals())
    expect_next(home, checks_in(world, before))
    home.expect_there("after its check-in", 60)
    expect(len(home.arrivals()) == arrivals, "automations hear of an arrival: %s" % home.arrivals()[arrivals:])


def awake(name, end):
    @claim("a board that could sleep and that %s is gone" % name, **PARKED)
    def run(world):
        home, _ = at_home(world)
        end(world)
        expect(poll(lambda: home.state(NEXT) == "unavailable", 60), "it is shown")
        home.expect_gone(name)
        home.expect_state(PLACE, "home", when=name)


awake("is stopped", lambda world: world.tracker.stop())
awake("loses its power", lambda world: world.tracker.kill())


if __name__ == "__main__":
    main()
