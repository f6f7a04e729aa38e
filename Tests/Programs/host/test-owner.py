#!/usr/bin/env python3
# takes: 60 s
# behaviour: What the board tells
# behaviour: The owner's program
# behaviour: No way out for long
"""What an owner adds and shows: a program for events, keys of locations, a word on whether the board is there."""
import json
import os
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from subscriber import retained
from tracker import TOPIC, shim
from waiting import in_the_end, stays
from world import Skip, claim, expect, main


def script(world, name, text):
    path = os.path.join(world.folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return file.read().splitlines()


def is_running(pid):
    """Dead and not yet taken note of by the process that adopted it is not running."""
    try:
        with open("/proc/%s/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kept(world):
    """What the broker keeps on /status for later subscribers."""
    found = retained(world.broker.port, [TOPIC + "/status"])
    return found[-1].json()["linux"] if found else None


def happens(world, number):
    """An event, as many a second as one likes."""
    return world.tracker.ask("region", "add", "Place %d" % number, "--here", "--radius", "50")


@claim("a program is run for each event with its word and its message")
def events(world):
    out = os.path.join(world.folder, "events")
    world.tracker.configure(onEvent=script(world, "hook", 'echo "$1 $(cat)" >> %s\n' % out))
    world.start()
    world.tracker.ask("publish", "--poi", "caf\u00e9")
    world.tracker.ask("region", "add", "Home", "--here", "--radius", "50")
    found = in_the_end(lambda: len(lines(out)) >= 2 and lines(out))
    expect(found and [line.split()[0] for line in found] == ["location", "waypoint"], "run for %s" % found)
    expect(json.loads(found[0].partition(" ")[2])["poi"] == "caf\u00e9", "fed with %s" % found[0])
    expect(world.tracker.status()["onEvent"]["run"] == 2, "counted %s" % world.tracker.status()["onEvent"])


@claim("with onEventFor all it is run for automatic locations as well")
def everything(world):
    out = os.path.join(world.folder, "all")
    world.tracker.configure(onEvent=script(world, "hook", 'echo "$1" >> %s\n' % out), onEventFor="all")
    world.start()
    sent = world.feed(world.drive(20))
    world.wait_for_locations(sent)
    in_the_end(lambda: len(lines(out)) >= len(world.locations()))
    expect(lines(out) == ["location"] * len(world.locations()), "%d locations, run for %s" % (
        len(world.locations()), lines(out)))


def memory_group(world, limit):
    """Puts the tracker into a memory cgroup of its own, as its unit does."""
    name = "homeward-test-%d" % world.tracker.pid
    for folder, key in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = os.path.join(folder, name)
        try:
            os.mkdir(group)
            # Last of all: the tracker has to be gone.
            world._closing.insert(0, lambda: in_the_end(lambda: empty(group)) and os.rmdir(group))
            for file, value in ((key, limit), ("cgroup.procs", world.tracker.pid)):
                with open(os.path.join(group, file), "w") as opened:
                    opened.write(str(value))
        except OSError:
            continue
        return
    raise Skip("needs a memory cgroup that can be written to")


def empty(group):
    if not os.path.exists(os.path.join(group, "cgroup.procs")):
        return True
    with open(os.path.join(group, "cgroup.procs")) as file:
        return not file.read().strip()


@claim("programs of the owner that take more memory than there is end, and the tracker goes on")
def fat(world):
    out = os.path.join(world.folder, "events")
    # tail keeps all of a line: ten of them have too much together, and each has less than the tracker.
    piece = "{ head -c 5000000 /dev/zero; sleep 1; } | tail > /dev/null &\n"
    hook = script(world, "hook", "echo begins >> %s\n%swait\n" % (out, piece * 10))
    world.tracker.configure(onEvent=hook)
    world.start()
    memory_group(world, 32 << 20)
    pid = world.tracker.pid
    for number in range(3):
        happens(world, number)
        # While the memory of the one before goes, the kernel may end it before its first word.
        counted = lambda: (world.tracker.status() or {}).get("onEvent", {}).get("run") == number + 1
        expect(in_the_end(counted) or not is_running(pid), "it is not counted: %s" % world.tracker.status())
    expect("begins" in lines(out), "none was run")
    expect(is_running(pid) and world.tracker.status() is not None, "the tracker was ended: %s" % lines(out))


@claim("it is run for a crossing and for an alarm as well", overspeed=10)
def news(world):
    out = os.path.join(world.folder, "events")
    world.tracker.configure(onEvent=script(world, "hook", 'echo "$1 $(cat)" >> %s\n' % out))
    world.start()
    world.tracker.ask("region", "add", "Home", "--here", "--radius", "50")
    world.feed(world.drive(40))
    wanted = {"transition": "leave", "alarm": "begin"}

    def told():
        found = [line.partition(" ") for line in lines(out)]
        said = {word: json.loads(text).get("event") for word, _, text in reversed(found)}
        return all(said.get(word) == event for word, event in wanted.items())

    expect(in_the_end(told), "run for %s" % [line.split()[0] for line in lines(out)])


@claim("what is wrong with an owner's program or file is said once, with what to do")
def trouble(world):
    folder = os.path.join(world.folder, "extra")
    os.makedirs(folder)
    with open(os.path.join(folder, "big"), "w") as file:
        file.write("x" * 5000)
    world.tracker.configure(onEvent=script(world, "hook", "exit 3\n"), extraKeys=folder)
    world.start()
    for number in range(3):
        happens(world, number)
    status = world.tracker.wait_for_status(lambda status: status["onEvent"]["failed"] == 3)["onEvent"]
    expect(status["failed"] == 3, "counted %s" % status)
    log = world.tracker.log()
    expect(log.count("ends with status 3") == 1, "said %d times" % log.count("ends with status 3"))
    expect("sudo -u homeward" in log, "nobody says what to do")
    expect(log.count("extra/big: more than 1024 bytes") == 1, "the large file is not named: %s" % log[-1500:])
    world.tracker.configure(onEvent=os.path.join(world.folder, "gone"))
    world.tracker.hang_up()
    expect(in_the_end(lambda: "gone: cannot be started: No such file" in world.tracker.log()), "not said at the reload")


@claim("a program that hangs is killed with all it started, counted, and holds up nothing")
def hanging(world):
    pids = os.path.join(world.folder, "pids")
    hook = script(world, "hook", "echo $$ >> %s\nsleep 600 & echo $! >> %s\nwait\n" % (pids, pids))
    world.tracker.configure(onEvent=hook, onEventTimeout=1)
    world.start()
    world.tracker.ask("publish", "--poi", "x")
    for number in range(40):
        expect(happens(world, number).status == 0, "an event waits for the program")
    expect(len([m for m in world.locations() if m.get("poi")]) > 0, "nothing is published meanwhile")
    status = world.tracker.wait_for_status(lambda status: status["onEvent"]["killed"] >= 2)["onEvent"]
    expect(status["killed"] >= 2 and status["dropped"] == 0, "counted %s" % status)
    world.tracker.configure(onEvent="")
    world.tracker.hang_up()
    gone = in_the_end(lambda: not [pid for pid in lines(pids) if is_running(pid)])
    expect(gone, "still running: %s" % [pid for pid in lines(pids) if is_running(pid)])
    expect("killed" in world.tracker.log(), "the journal says nothing")


@claim("files and programs of a directory are keys of every location, ours stay ours")
def extras(world):
    folder = os.path.join(world.folder, "extra")
    os.makedirs(folder)
    for name, text in (("rpm", "900\n"), ("driver", "Jane D"), ("lat", "1"), ("big", "x" * 5000)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    script(world, "extra/cargo", "echo '{\"kg\": 12.5}'\n")
    script(world, "extra/hangs", "sleep 600\n")
    world.tracker.configure(extraKeys=folder)
    world.start()

    def complete():
        world.feed(world.drive(5))
        return [m for m in world.locations() if m.get("rpm") == 900 and m.get("cargo")]

    found = in_the_end(complete)
    expect(found, "no location has them: %s" % world.locations()[-1])
    last = found[-1]
    expect(last["driver"] == "Jane D" and last["cargo"] == {"kg": 12.5}, "values %s" % last)
    expect(last["lat"] > 40 and "big" not in last and "hangs" not in last, "keys %s" % last)


@claim("whether the board is there is kept by the broker, through cuts and to the end", has_proxy=True,
       availability=True)
def presence(world):
    world.start()
    said = in_the_end(lambda: kept(world))
    expect(said and said["online"] is True and said["mode"] == 2, "after the start %s" % said)
    world.tracker.ask("mode", "manual")
    expect(in_the_end(lambda: (kept(world) or {}).get("mode") == 0), "after the mode %s" % kept(world))
    world.proxy.cut("refuse")
    world.tracker.wait_for_status(lambda status: status["connection"]["state"] != "connected")
    for number in range(30):
        happens(world, number)
    world.watcher.messages.clear()
    world.proxy.restore()
    first = in_the_end(lambda: [m for m in world.watcher.messages if not m.is_retained])
    expect(first and first[0].topic == TOPIC + "/status", "first came %s" % first[0].topic)
    told = first[0].json()["linux"]
    expect(told["online"] is True and told["queueLength"] >= 30 and "fix" in told, "told %s" % told)
    world.tracker.stop()
    expect(in_the_end(lambda: (kept(world) or {}).get("online") is False), "after the end %s" % kept(world))


@claim("when the server has not been reached for long, root's side is asked once, and a server that is back ends it",
       onOutage=2)
def outage(world):
    request = os.path.join(world.folder, "outage")
    world.start()
    expect(stays(lambda: not os.path.exists(request), 3), "asked for though the broker is there")
    world.broker.stop()
    expect(in_the_end(lambda: lines(request)), "nothing is asked for: %s" % world.tracker.status()["connection"])
    os.remove(request)
    expect(stays(lambda: not os.path.exists(request), 4), "asked for twice in one outage")
    expect("requesting /etc/homeward/outage" in world.tracker.log(), "the journal does not say so")


@claim("a name that is not found is no way to the server either", has_broker=False, has_gpsd=False, onOutage=2,
       host="broker.nowhere")
def nameless(world):
    request = os.path.join(world.folder, "outage")
    world.tracker.start(env={"LD_PRELOAD": shim("slow_names", world.folder)})
    expect(in_the_end(lambda: os.path.exists(request)), "nothing is asked for: %s" % world.tracker.status()["connection"])
    expect("name not found" in world.tracker.status()["connection"]["cause"], "%s" % world.tracker.status()["connection"])


if __name__ == "__main__":
    main()
