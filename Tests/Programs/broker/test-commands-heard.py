#!/usr/bin/env python3
# takes: 60 s
# behaviour: Whether commands arrive
"""A board that hears no commands asks for them anew, and says that it is deaf until one has come."""
import json
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from rights import Rights
from servers import program
from tracker import DAEMON, TOPIC
from waiting import in_the_end, stays
from world import claim, expect, main

RIGHTS = Rights()
COMMANDS = TOPIC + "/cmd"
ALL = "topic readwrite %s/#" % TOPIC
MOST = "\n".join("topic readwrite %s%s" % (TOPIC, suffix) for suffix in ("", "/event", "/cmd/answer", "/dump"))
READ, WRITE = "%s\ntopic read %s" % (MOST, COMMANDS), "%s\ntopic write %s" % (MOST, COMMANDS)
LOGIN = dict(has_broker=False, auth=True, password="secret", cmd=True, pace=4)
LARGE = 400_000


def allow(world, name, text):
    """Other rights, taken over by a broker that goes on; and the board looks anew."""
    RIGHTS.change(world, name, text)
    greeted = taken_in(world)

    def is_new():
        # One that has only just been made is left as it is.
        return world.tracker.ask("reconnect").status == 0 and taken_in(world) > greeted

    expect(in_the_end(is_new), "no new connection")


def taken_in(world):
    """How often the broker has taken the board in."""
    return world.broker.log().count(" as ute-board ")


def begin(world):
    world.broker.start()
    world.listen()
    world.tracker.start()


def connection(world):
    return (world.tracker.status() or {}).get("connection", {})


def state(world):
    return connection(world).get("commands", {}).get("state")


def told(world, word):
    """The connection once this is known of its commands."""
    expect(in_the_end(lambda: state(world) == word), "commands are %s, expected %s" % (state(world), word))
    return connection(world)


def finding(world, subject):
    found = world.tracker.ask("doctor", "--json", "--file", world.tracker.configuration).json()
    return next(one for one in found if one["subject"] == subject)


def text(world):
    return " ".join(world.tracker.ask("status").text.split())


def is_obeyed(world, name):
    """Whether a command is answered, sent again until it is."""
    order = json.dumps({"_type": "cmd", "action": "reportLocation", "id": name}).encode()

    def answered():
        publish(world, "-q", "1", "-t", COMMANDS, "-m", order)
        return any((m.json() or {}).get("id") == name for m in list(world.watcher.messages)
                   if m.topic == COMMANDS + "/answer")

    return in_the_end(answered)


def publish(world, *words, given=None):
    subprocess.run([program("mosquitto_pub"), "-h", "127.0.0.1", "-p", str(world.broker.port), *words], input=given,
                   check=True, timeout=60)


def own(world):
    """What the board has sent to itself."""
    return [m for m in list(world.watcher.messages) if m.topic == COMMANDS and (m.json() or {}).get("action") == "echo"]


def overrun(world, *more):
    world.start()
    told(world, "heard")
    before = len(own(world))
    said = [message.payload for message in own(world)]
    expect(before == 1 and len(said[0]) < 80, "it has sent %s to itself" % said)
    expect(not own(world)[0].is_retained, "the broker keeps it")
    publish(world, *more, "-t", COMMANDS, "-s", given=bytes(LARGE))
    expect(in_the_end(lambda: "it sent a packet of 4" in world.tracker.log()), "it has not come: %s" % world.tracker.log())
    expect(is_obeyed(world, "after"), "no command is obeyed after it: %s" % connection(world))
    found = told(world, "heard")
    expect(found["colour"] == "green" and COMMANDS in found["subscription"], "%s" % found)


@claim("3.1: one message of 400 kB on the command topic deafens nobody", mqttProtocolLevel=3, cmd=True)
def large3(world):
    overrun(world)


@claim("3.1.1: the same", mqttProtocolLevel=4, cmd=True)
def large4(world):
    overrun(world, "-q", "1")


@claim("3.1.1: nor one that the broker keeps", mqttProtocolLevel=4, cmd=True)
def kept(world):
    overrun(world, "-r")


@claim("a right to read that is taken away is found out, amber with its topic, and green when it is back",
       broker=RIGHTS.settings("taken", ALL), **LOGIN)
def taken(world):
    begin(world)
    found = told(world, "heard")
    expect(found["colour"] == "green" and found["commands"]["topic"] == COMMANDS, "%s" % found)
    expect("came back" in text(world), "status: %s" % text(world))
    allow(world, "taken", WRITE)
    found = told(world, "missing")
    expect(found["colour"] == "amber" and found["word"] == "hearsNoCommands", "%s" % found)
    expect("NOT HEARD" in text(world), "status: %s" % text(world))
    line = finding(world, "broker")
    expect(line["verdict"] == "warn" and "topic readwrite %s" % COMMANDS in line["remedy"], "%s" % line)
    expect("no commands arrive" in world.tracker.log(), "no line in the journal")
    expect(told(world, "missing")["colour"] == "amber", "%s" % connection(world))
    allow(world, "taken", ALL)
    expect(told(world, "heard")["colour"] == "green", "%s" % connection(world))
    expect(is_obeyed(world, "back"), "no command is obeyed")
    expect("commands arrive again" in world.tracker.log() or "asked to" in world.tracker.log(), world.tracker.log())


@claim("5: who may not publish on its own command topic is not called deaf, and the broker's code says why",
       broker=RIGHTS.settings("five", READ), **LOGIN)
def barred5(world):
    begin(world)
    found = told(world, "barred")
    expect(found["colour"] == "green" and "0x87" in found["commands"]["why"], "%s" % found)
    expect("not tried out" in text(world), "status: %s" % text(world))
    expect(finding(world, "commands")["verdict"] == "ok", "%s" % finding(world, "commands"))
    expect(is_obeyed(world, "heard"), "no command is obeyed")


@claim("3.1.1: there that cannot be told apart, which is said, until somebody else's command has come",
       broker=RIGHTS.settings("four", READ), mqttProtocolLevel=4, **LOGIN)
def barred4(world):
    begin(world)
    found = told(world, "unclear")
    expect(found["colour"] == "green", "%s" % found)
    line = finding(world, "commands")
    expect(line["verdict"] == "warn" and "does not say which" in line["text"], "%s" % line)
    expect("publish on" in line["remedy"], "the remedy is %s" % line)
    expect(is_obeyed(world, "heard"), "no command is obeyed")
    found = told(world, "barred")
    expect("why" not in found["commands"] and "those of others come" in text(world), "%s %s" % (found, text(world)))


@claim("3.1.1: who may not read there is unclear as well, and never called well", broker=RIGHTS.settings("mute", WRITE),
       mqttProtocolLevel=4, **LOGIN)
def mute(world):
    begin(world)
    told(world, "unclear")
    expect(finding(world, "commands")["verdict"] == "warn", "%s" % finding(world, "commands"))


@claim("a session that another client has taken is asked for anew", cmd=True, mqttProtocolLevel=4)
def stolen(world):
    world.start()
    told(world, "heard")
    before = len(own(world))
    publish(world, "-i", world.tracker.status()["identity"]["clientId"], "-t", "other", "-m", "mine")
    expect(in_the_end(lambda: len(own(world)) > before), "it has not looked anew")
    expect(told(world, "heard")["colour"] == "green" and is_obeyed(world, "again"), "no command is obeyed")


@claim("the trial connection of a doctor without a daemon publishes nothing, and leaves no will", has_gpsd=False, cmd=True)
def trial(world):
    world.tracker.configure()
    done = subprocess.run([DAEMON, "--probe", "--config", world.tracker.configuration], capture_output=True, text=True,
                          timeout=60)
    expect('"state":"connected"' in done.stdout, done.stdout + done.stderr)
    expect(stays(lambda: not world.watcher.messages, 2), "%s" % [(m.topic, m.payload) for m in world.watcher.messages])


if __name__ == "__main__":
    main()
