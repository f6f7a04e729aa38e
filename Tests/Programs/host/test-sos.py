#!/usr/bin/env python3
# takes: 60 s
# behaviour: SOS
"""A call for help reaches the broker in quiet mode, past a backlog and over a kill, until somebody acknowledges it."""
import json
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import TOPIC
from waiting import in_the_end
from world import claim, expect, main

# Between two, seconds of the tracker's own time.
REPEAT = 60


def alarms(world):
    return world.heard("alarm", TOPIC + "/alarm")


def calls(world):
    return [message for message in world.locations() if message.get("t") == "GTSOS"]


def words(world):
    return [(message["event"], message["count"]) for message in alarms(world)]


def order(world, action):
    world.watcher.publish(TOPIC + "/cmd", json.dumps({"_type": "cmd", "action": action}).encode())


@claim("quiet mode publishes a call for help again and again, also after a kill, until a command acknowledges it",
       monitoring=-1, cmd=True, availability=True, pace=20)
def until_acknowledged(world):
    world.tracker.start()
    world.settle()
    expect(not world.locations(), "quiet mode publishes %s" % world.locations())
    expect(world.tracker.ask("sos", "--acknowledge").status != 0, "acknowledged, and nobody has called")
    answer = world.tracker.ask("sos")
    expect(answer.status == 0 and "until it is acknowledged" in answer.text, "%s%s" % (answer.text, answer.error))
    expect(in_the_end(lambda: alarms(world) and calls(world)), "not published")
    first = alarms(world)[0]
    expect(first["alarm"] == "sos" and words(world)[0] == ("begin", 1) and first["lat"] == calls(world)[0]["lat"],
           "%s beside %s" % (first, calls(world)))
    expect(in_the_end(lambda: ("repeat", 2) in words(world) and len(calls(world)) > 1), "not again: %s" % words(world))
    expect(world.tracker.status()["sos"]["times"] >= 2 and "SOS:" in world.tracker.ask("status").text, "not in the status")
    expect("SOS: published" in world.tracker.ask("why").text, "no reason: %s" % world.tracker.ask("why").text)
    world.tracker.kill()
    before = alarms(world)[-1]["count"]
    world.tracker.start()
    expect(in_the_end(lambda: alarms(world)[-1]["count"] > before), "forgotten by a kill: %s" % words(world))
    order(world, "acknowledgeSos")
    expect(in_the_end(lambda: words(world)[-1][0] == "end"), "not acknowledged: %s" % words(world))
    told = words(world)
    world.lasts(3 * REPEAT)
    expect(words(world) == told, "published after that: %s" % words(world)[len(told):])
    expect("sos" not in world.tracker.status(), "the status has it still")


@claim("a call for help passes what waits from before it, and none of it is lost",
       has_proxy=True, maxInFlight=1, pace=20)
def passes(world):
    world.start()
    world.cut_off()
    waiting = world.feed(world.drive(200))
    expect(world.tracker.ask("sos").status == 0, "not taken")
    expect("SOS" in world.tracker.ask("why").text, "no reason")
    world.proxy.restore()
    expect(in_the_end(lambda: alarms(world)), "not published")
    messages = list(world.watcher.messages)
    place = next(index for index, message in enumerate(messages) if message.topic == TOPIC + "/alarm")
    late = [message for message in messages[:place] if (message.json() or {}).get("tst") in waiting]
    expect(len(late) < len(waiting) / 2, "behind %d of %d that waited" % (len(late), len(waiting)))
    world.wait_for_locations(waiting)
    expect(world.tracker.is_drained() and calls(world), "no location of the call")


@claim("a button on a chip that is not there is named, and the positions go on", sosInput="gpio:1000:22:low")
def no_chip(world):
    world.start()
    expect("sosInput: /dev/gpiochip1000, line 22: " in world.tracker.log(), "not named")
    answer = world.tracker.ask("config", "check", "--config", world.tracker.configuration)
    expect("sosInput" not in answer.text + answer.error, "%s%s" % (answer.text, answer.error))


if __name__ == "__main__":
    main()
