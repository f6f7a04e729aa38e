#!/usr/bin/env python3
# takes: 40 s
# behaviour: Settings that people change
"""Settings that people change while the tracker runs, on the control socket and by `homeward settings`."""
import json
import socket
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from servers import free_port
from waiting import in_the_end
from world import claim, expect, main


# How many times as fast the tracker lives while another server is on trial, for two minutes of its own time.
PACE = 6


def order(world, *words):
    """What the daemon itself answers: the page asks it like this."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(60)
        line.connect(world.tracker.socket)
        line.sendall(json.dumps(words).encode() + b"\n")
        answer = b""
        while piece := line.recv(65536):
            answer += piece
    return json.loads(answer)


def shown(world):
    answer = world.tracker.ask("settings", "show", "--json").json()
    return {setting["name"]: setting for setting in answer["settings"]}, answer


@claim("what is set is in force at once, after a kill, and until the file says something else", password="sesame")
def set_at_once(world):
    world.start()
    before, _ = shown(world)
    expect(before["locatorInterval"]["from"] == "file" and before["overspeed"]["from"] == "default", "%s" % before)
    answer = world.tracker.ask("settings", "set", "locatorInterval=77", "tid=zz", "monitoring=manual")
    expect(answer.status == 0 and "set: locatorInterval, tid, monitoring" in answer.text, answer.text + answer.error)
    expect(world.tracker.status()["identity"]["tid"] == "zz", "tid not changed")
    expect(world.tracker.status()["mode"] == "manual", "the mode is not changed")
    world.tracker.kill()
    world.tracker.start()
    expect(world.tracker.wait_for_status(lambda status: status["identity"]["tid"] == "zz"), "no status")
    now, _ = shown(world)
    expect(now["locatorInterval"]["value"] == 77 and now["locatorInterval"]["from"] == "remote", "%s" % now)
    expect(now["monitoring"]["value"] == 0, "%s" % now["monitoring"])
    expect("locatorInterval changed from 0 to 77 by a local user" in world.tracker.log(), "no line of it")
    world.tracker.configure(tid="fi")
    world.tracker.hang_up()
    expect(in_the_end(lambda: world.tracker.status()["identity"]["tid"] == "fi"), "the file does not win")
    expect(world.tracker.ask("settings", "clear").status == 0, "not cleared")
    expect(shown(world)[0]["locatorInterval"]["from"] == "file", "not as in the file")


@claim("all or nothing, with the key, what is wrong and what was expected")
def all_or_nothing(world):
    world.start()
    for words, said in (
            (["tid=zz", "locatorInterval=often"], 'locatorInterval is "often", expected a whole number from -1 to 86400'),
            (["tid=zz", "stateDir=/tmp"], "stateDir is set in the file alone"),
            (["tid=zz", "host="], "host is empty, expected the broker's name"),
            (["tid=zz", "httpHeaders=hunter2"], "httpHeaders is (hidden), expected name:value")):
        answer = order(world, "settings", "set", *words)
        expect(not answer["ok"] and said in answer["error"], "%s: %s" % (words, answer))
    expect(world.tracker.status()["identity"]["tid"] == "rd", "half of it was taken")
    expect(world.tracker.ask("settings", "set", "ping=x").status == 1, "it is taken")
    expect("hunter2" not in world.tracker.log(), "a secret in the journal")


@claim("secrets are only told to be set", password="sesame")
def secrets(world):
    world.start()
    expect(world.tracker.ask("settings", "set", "password=hunter2").status == 2, "a secret on the command line")
    answer = order(world, "settings", "set", 'password="hunter2"', "usePassword=true")
    expect(answer["ok"], "%s" % answer)
    settings, raw = shown(world)
    expect(settings["password"]["isSet"] is True and "value" not in settings["password"], "%s" % settings["password"])
    everything = json.dumps(raw) + world.tracker.ask("settings", "show").text + world.tracker.log()
    expect("hunter2" not in everything and "sesame" not in everything, "a secret came out")
    for name in ("group", "type", "default", "expert", "text", "settable"):
        expect(name in settings["password"], "no %s" % name)


@claim("another broker is on trial: one that is not there is left again after two minutes, with all as it was",
       pace=PACE)
def trial(world):
    world.start()
    nobody = free_port()
    began = time.monotonic()
    answer = order(world, "settings", "set", "port=%d" % nobody, "ping=7")
    expect(answer["ok"] and "on trial: taken back after 120 s" in answer["text"], "%s" % answer)
    _, raw = shown(world)
    expect(raw["trial"] is True, "not on trial")
    expect("on trial" in world.tracker.ask("settings", "show").text, "people are not told")
    back = world.tracker.wait_for_status(lambda s: s["connection"]["port"] != nobody)
    expect(back["connection"]["port"] != nobody, "still there: %s" % back["connection"])
    took = (time.monotonic() - began) * PACE
    expect(took > 115, "after %.0f s" % took)
    expect(world.tracker.wait_for_status(lambda s: s["connection"]["state"] == "connected"), "not connected again")
    settings, raw = shown(world)
    expect(raw["trial"] is False and settings["ping"]["value"] == 0, "%s" % settings["ping"])


@claim("a server that is reached is kept, over a kill")
def kept(world):
    world.start()
    answer = order(world, "settings", "set", "keepalive=33")
    expect(answer["ok"] and "on trial" in answer["text"], "%s" % answer)
    expect(in_the_end(lambda: not shown(world)[1]["trial"]), "still on trial")
    world.tracker.kill()
    world.tracker.start()
    expect(world.tracker.wait_for_status(lambda s: s["connection"]["state"] == "connected"), "not connected")
    expect(shown(world)[0]["keepalive"] == {**shown(world)[0]["keepalive"], "value": 33, "from": "remote"}, "lost")


@claim("a locked board is not changed, and says that it is locked", locked=True)
def locked(world):
    world.start()
    answer = order(world, "settings", "set", "tid=zz")
    expect(not answer["ok"] and answer["error"].startswith("locked"), "%s" % answer)
    expect(world.tracker.status()["identity"]["tid"] == "rd" and shown(world)[1]["locked"] is True, "changed")


@claim("status tells the subscription, the motion of the vehicle, and what the page draws", tacho="linear",
       osmTemplate="https://tile.example.net/{z}/{x}/{y}.png")
def told(world):
    world.start()
    world.feed(world.drive(20))
    status = world.tracker.wait_for_status(lambda s: s["fix"].get("vel"))
    for name in ("vel", "cog", "alt"):
        expect(isinstance(status["fix"].get(name), int), "no %s: %s" % (name, status["fix"]))
    subscription = world.tracker.wait_for_status(lambda s: s["connection"].get("subscription"))["connection"]
    expect("owntracks/ute/board/cmd" in subscription["subscription"], "%s" % subscription)
    expect(status["page"] == {"template": "https://tile.example.net/{z}/{x}/{y}.png", "tacho": "linear"}, "%s" % status)
    world.broker.kill()
    gone = world.tracker.wait_for_status(lambda s: s["connection"]["state"] != "connected")["connection"]
    expect("subscription" not in gone, "subscribed without a broker: %s" % gone)


if __name__ == "__main__":
    main()
