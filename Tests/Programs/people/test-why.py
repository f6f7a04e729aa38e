#!/usr/bin/env python3
# takes: 20 s
# behaviour: why
"""What `homeward why` tells is true, in time order, and outlives the tracker; the journal says what was published."""
import json
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, TOPIC
from waiting import in_the_end
from world import claim, expect, main


def reasons(world, *words):
    answer = world.tracker.ask("why", "--json", *words)
    expect(answer.status == 0, "why %s: %s" % (" ".join(words), answer.error))
    return answer.json()["reasons"]


def texts(world, *words):
    return [reason["text"] for reason in reasons(world, *words)]


def command(world, payload):
    world.watcher.publish(TOPIC + "/cmd", payload.encode(), False)


@claim("a kill and a restart take nothing of it away, and its numbers go on")
def restarts(world):
    world.start()
    world.tracker.ask("mode", "manual")
    world.tracker.ask("publish", "--poi", "before")
    before = reasons(world)
    world.tracker.kill()
    world.tracker.start()
    world.settle()
    world.tracker.ask("publish", "--poi", "after")
    after = reasons(world)
    kept = [(reason["number"], reason["text"]) for reason in before]
    found = [(reason["number"], reason["text"]) for reason in after]
    expect(found[:len(kept)] == kept, "%s became %s" % (kept, found))
    expect(len(found) > len(kept) and found[-1][1] == "requested here (homeward publish)", "nothing came after it: %s" % found)
    numbers = [number for number, _ in found]
    expect(numbers == sorted(set(numbers)), "numbers %s" % numbers)
    times = [reason["time"] for reason in after if "time" in reason]
    expect(times == sorted(times), "not in time order: %s" % times)
    world.tracker.stop()
    world.tracker.start()
    in_the_end(world.tracker.status)
    expect(texts(world)[:len(found)] == [text for _, text in found], "a restart lost some")


@claim("refused, unknown and unreadable commands appear as refused, and those that were obeyed as such",
       cmd=True, remoteConfiguration=True)
def commands(world):
    world.start()
    def settings(**keys):
        return json.dumps({"_type": "cmd", "action": "setConfiguration",
                           "configuration": {"_type": "configuration", **keys}})
    for payload, words in ((settings(locatorDisplacement=-5), "command setConfiguration refused: "),
                           (settings(gpsdHost="evil"), "command setConfiguration refused: "),
                           ('{"_type":"cmd","action":"fly"}', 'command fly refused: unknown action "fly"'),
                           ("nonsense", "command refused: "),
                           (settings(locatorInterval=77), "obeyed the command setConfiguration")):
        seen = len(texts(world))
        command(world, payload)
        in_the_end(lambda: len(texts(world)) > seen)
        expect(texts(world)[-1].startswith(words), "%s: %s" % (payload, texts(world)[-3:]))
    expect(sum("obeyed" in text for text in texts(world)) == 1, "obeyed: %s" % texts(world))


@claim("changes of the mode and publishes are in why and in the journal, a crossing once", monitoring=1, downgrade=20)
def journal(world):
    world.start()
    world.tracker.ask("mode", "move")
    world.tracker.ask("region", "add", "Yard", "--here", "--radius", "50")
    world.tracker.ask("publish")
    told = texts(world)
    expect("the mode changed from significant to move: by hand, on this board" in told, "no mode in %s" % told)
    log = world.tracker.log()
    for line in ("the mode changed from significant to move", "published: region Yard was made or changed",
                 "published: requested here (homeward publish)"):
        expect("info: " + line in log, "the journal has no \"%s\": %s" % (line, log[-1500:]))
    sent = world.feed(world.drive(40))
    world.wait_for_locations(sent)
    lines = [line for line in world.tracker.log().splitlines() if "published: moved" in line]
    expect(len(lines) == 1, "move mode wrote %d lines: %s" % (len(lines), lines))


@claim("-f goes on, --region and --since choose")
def choices(world):
    world.start()
    follower = subprocess.Popen([COMMAND_LINE, "why", "-f", "--socket", world.tracker.socket],
                                stdout=subprocess.PIPE, text=True)
    try:
        world.tracker.ask("region", "add", "Yard", "--here", "--radius", "50")
        world.tracker.ask("publish")
        lines = []
        while not lines or not lines[-1].endswith("requested here (homeward publish)\n"):
            lines.append(follower.stdout.readline())
            expect(lines[-1], "it ended: %s" % lines)
    finally:
        follower.terminate()
        follower.wait()
        follower.stdout.close()
    expect(texts(world, "--region", "Yard") == ["region Yard was made or changed"], "%s" % texts(world, "--region", "Yard"))
    expect(texts(world, "--region", "Nowhere") == [], "of no region: %s" % texts(world, "--region", "Nowhere"))
    expect(texts(world, "--since", "1h") == [r["text"] for r in reasons(world) if "time" in r], "an hour: less")
    expect(texts(world, "--since", "now") == [], "of now: %s" % texts(world, "--since", "now"))
    expect(len(texts(world, "--last", "1")) == 1, "--last 1: %s" % texts(world, "--last", "1"))
    wrong = world.tracker.ask("why", "--since", "soon")
    expect(wrong.status == 2 and "expected a time such as" in wrong.error, "%d: %s" % (wrong.status, wrong.error))


@claim("a wipe takes it away")
def wipe(world):
    world.start()
    world.tracker.ask("region", "add", "Yard", "--here", "--radius", "50")
    world.tracker.ask("wipe", "--yes", "--file", world.tracker.configuration)
    expect(in_the_end(lambda: not world.tracker.is_alive()), "it goes on")
    world.tracker.stop()
    world.tracker.start()
    in_the_end(world.tracker.status)
    expect(not [text for text in texts(world) if "Yard" in text], "still there: %s" % texts(world))


if __name__ == "__main__":
    main()
