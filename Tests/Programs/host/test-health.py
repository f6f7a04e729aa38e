#!/usr/bin/env python3
# takes: 40 s
# behaviour: Life and memory
"""`homeward health` by itself: good is 0, every kind of fault is 1 and says what is wrong."""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import Answer, COMMAND_LINE, shim
from waiting import IN_THE_END, glance, in_the_end
from world import claim, expect, main


def health(world, *words):
    command = [COMMAND_LINE, "health", "--socket", world.tracker.socket, "--file", world.tracker.configuration]
    return Answer(subprocess.run([*command, *words], capture_output=True, text=True, timeout=2 * IN_THE_END))


def until_good(world):
    last = [None]

    def good():
        last[0] = health(world)
        return last[0].status == 0

    expect(in_the_end(good, every=0.3), "never good: %s %s" % (last[0].text, last[0].error))


def expect_fault(answer, kind, text):
    lines = [line for line in answer.text.splitlines() if line.startswith("fault ")]
    expect(answer.status == 1, "status %d: %s%s" % (answer.status, answer.text, answer.error))
    expect(len(lines) == 1, "not one fault: %s" % answer.text)
    expect(lines[0].startswith("fault %s: " % kind) and text in lines[0], "it says: %s" % lines[0])


@claim("a tracker that runs is good, and says it in JSON as well")
def good(world):
    world.start()
    until_good(world)
    expect(health(world).text.splitlines()[0] == "good", health(world).text)
    found = health(world, "--json").json()
    expect(found["healthy"] is True and found["faults"] == [] and found["uptime"] > 0, str(found))


@claim("no sky and no broker are notes, no faults", has_broker=False)
def notes(world):
    world.tracker.start()
    until_good(world)
    text = health(world).text
    expect("note gpsd: no position" in text, text)
    expect("note daemon: broker: " in text, text)


@claim("fault daemon: nobody answers")
def daemon(world):
    expect_fault(health(world), "daemon", "not running")
    found = health(world, "--json")
    expect(found.status == 1 and found.json()["faults"][0]["kind"] == "daemon", found.text)


@claim("fault loop: it takes the question and answers nothing")
def loop(world):
    world.tracker.start()
    until_good(world)
    world.tracker.process.send_signal(signal.SIGSTOP)
    answer = health(world)
    world.tracker.process.send_signal(signal.SIGCONT)
    expect_fault(answer, "loop", "did not answer")


@claim("fault store: the disk takes nothing")
def store(world):
    library, flag = shim("read_only_disk", world.folder), os.path.join(world.folder, "read-only")
    env = {"LD_PRELOAD": library, "READ_ONLY_FOLDER": world.tracker.state, "READ_ONLY_WHILE": flag}
    world.tracker.start(env=env)
    until_good(world)
    with open(flag, "w"):
        pass
    world.tracker.ask("mode", "manual")
    world.tracker.wait_for_status(lambda status: status["queue"]["storeFailing"])
    expect_fault(health(world), "store", "read-only")


@claim("fault gpsd: it is not reached", has_gpsd=False)
def gpsd(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected")
    expect_fault(health(world), "gpsd", "not reached")
    left = health(world, "--except", "gpsd,store")
    expect(left.status == 0 and "note gpsd: gpsd is not reached" in left.text, left.text)


@claim("fault configuration: the next start would be refused")
def configuration(world):
    world.tracker.start()
    until_good(world)
    world.tracker.write('{"_type": "configuration", "host": "localhost", "port": "many"}')
    expect_fault(health(world), "configuration", "port")


@claim("fault configuration: there is none")
def no_configuration(world):
    world.tracker.start()
    until_good(world)
    os.remove(world.tracker.configuration)
    expect_fault(health(world), "configuration", "homeward.json")


@claim("--within waits for 10 s of unbroken health")
def within(world):
    begin = time.monotonic()
    process = subprocess.Popen(
        [COMMAND_LINE, "health", "--socket", world.tracker.socket, "--file", world.tracker.configuration,
         "--within", "120"], stdout=subprocess.PIPE, text=True)
    time.sleep(2)
    world.tracker.start()
    text, _ = process.communicate(timeout=150)
    expect(process.returncode == 0, text)
    expect(time.monotonic() - begin > 11, "after %.1f s" % (time.monotonic() - begin))


@claim("fault restarts: good every time, and never for 10 s")
def restarts(world):
    world.tracker.start()
    until_good(world)
    for _ in range(5):
        process = subprocess.Popen(
            [COMMAND_LINE, "health", "--socket", world.tracker.socket, "--file", world.tracker.configuration,
             "--within", "14", "--json"], stdout=subprocess.PIPE, text=True)
        # Whenever it begins to look: none of them lives for 10 s.
        while not glance(lambda: process.poll() is not None, 5):
            world.tracker.kill()
            world.tracker.start()
        text, _ = process.communicate()
        kinds = [fault["kind"] for fault in json.loads(text)["faults"]]
        expect(process.returncode == 1, text)
        # The last look may have been while there was none.
        if kinds == ["restarts"]:
            return
    expect(False, text)


@claim("words that mean nothing are refused with what was expected")
def words(world):
    unknown, short = health(world, "--except", "weather"), health(world, "--within", "3")
    expect(unknown.status == 2 and "daemon, loop" in unknown.error, unknown.error)
    expect(short.status == 2 and "10 or more" in short.error, short.error)


if __name__ == "__main__":
    main()
