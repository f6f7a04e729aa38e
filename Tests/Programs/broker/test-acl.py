#!/usr/bin/env python3
# takes: 20 s
# behaviour: Rights at the broker
"""The list of rights that we ship for mosquitto: the tracker does all it can do with it, and nobody more."""
import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along
from servers import program
from subscriber import Subscriber
from tracker import ROOT, TOPIC
from waiting import in_the_end
from world import claim, expect, main

SHIPPED = os.path.join(ROOT, "board", "mosquitto", "homeward.acl")
SUFFIXES = os.path.join(ROOT, "Sources", "OwnTracks", "Topics.swift")
# Of the apps' own; the tracker says nothing there.
NOT_SAID = {"listento", "request", "cmd"}
FOLDER = tempfile.mkdtemp(prefix="hw-acl-")
atexit.register(shutil.rmtree, FOLDER, True)
with open(os.path.join(ROOT, "docs", "broker.md")) as page:
    PAGE = page.read()
# Those whom the page gives passwords besides the board.
LOOKERS = re.findall(r"mosquitto_passwd /etc/mosquitto/passwords (\w+)", PAGE)
# How it switches on what is off.
SWITCHES = re.findall(r"sudo sed -i ('[^']+') /etc/mosquitto/homeward.acl", PAGE)


def rights(name, is_all):
    """mosquitto's settings with the shipped list, and a client without a login, which watches, may do anything."""
    with open(SHIPPED) as file:
        text = file.read()
    if is_all:
        assert len(SWITCHES) == 2, SWITCHES
        for switch in SWITCHES:
            text = subprocess.run(
                ["sed", switch.strip("'")], input=text, capture_output=True, text=True, check=True).stdout
        text = re.sub(r"^#(pattern .*/listento)$", r"\1", text, flags=re.M)
        assert "#pattern" not in text, text
    acl, passwords = os.path.join(FOLDER, name + ".acl"), os.path.join(FOLDER, "passwords")
    with open(acl, "w") as file:
        file.write("topic readwrite #\n" + text)
    if not os.path.exists(passwords):
        open(passwords, "w").close()
        os.chmod(passwords, 0o600)
        for user in ["ute", "eve"] + LOOKERS:
            subprocess.run([program("mosquitto_passwd"), "-b", passwords, user, "secret"], check=True)
    return "acl_file %s\npassword_file %s\nlog_type all" % (acl, passwords)


def suffixes():
    """The last levels of all topics that the program knows."""
    with open(SUFFIXES) as file:
        cases = re.search(r"enum Suffix.*?\n  }", file.read(), re.S).group(0)
    words = re.findall(r"^ +case (.*)$", cases, re.M)
    return {word.split("=")[-1].strip(' "') for line in words for word in line.split(",")}


def arrives(world, topic, user="ute"):
    """Whether something that this user says there gets to somebody."""
    word = "from %s to %s" % (user, topic)
    subprocess.run(
        [program("mosquitto_pub"), "-h", "127.0.0.1", "-p", str(world.broker.port), "-u", user, "-P", "secret", "-i",
         "try", "-q", "1", "-t", topic, "-m", word], check=True, timeout=60)
    subprocess.run(
        [program("mosquitto_pub"), "-h", "127.0.0.1", "-p", str(world.broker.port), "-q", "1", "-t", "end",
         "-m", word], check=True, timeout=60)
    heard = lambda where: lambda: any(m.topic == where and m.payload.decode() == word for m in world.all.messages)
    expect(in_the_end(heard("end")), "nothing arrives at all")
    return heard(topic)()


def reads(world, topic, seconds=60, user="ute"):
    """Whether this user hears what is said there."""
    listener = subprocess.Popen(
        [program("mosquitto_sub"), "-h", "127.0.0.1", "-p", str(world.broker.port), "-u", user, "-P", "secret", "-i",
         "ear-" + user, "-t", topic, "-C", "1", "-W", str(seconds), "-q", "1"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    in_the_end(lambda: "ear-%s 1 %s\n" % (user, topic) in world.broker.log())
    world.all.publish(topic, b"hear this")
    said, _ = listener.communicate(timeout=120)
    return "hear this" in said


def denied(world):
    """What the broker has refused to the tracker."""
    return [line for line in world.broker.log().splitlines() if "Denied" in line and "ute-board" in line]


@claim("with the shipped list everything that the tracker says by default arrives, and nothing of it is refused",
       has_broker=False, broker=rights("shipped", False), auth=True, password="secret", cmd=True, sub=True,
       availability=True, trips=True, overspeed=30)
def everyday(world):
    talk(world)
    for action in ("status", "dump", "waypoints", "reportSteps", "reportLocation"):
        world.all.publish(TOPIC + "/cmd", b'{"_type":"cmd","action":"%s"}' % action.encode())
    expect(world.tracker.ask("region", "add", "Barn", "--radius", "80", "--publish").status in (0, 2), "no region")
    world.tracker.ask("card", "--name", "Ute")
    world.feed(along([(0, 0), (900, 0)], 20.0))
    wanted = {TOPIC} | {TOPIC + "/" + word for word in ("status", "dump", "waypoints", "step", "info", "alarm", "trip")}
    in_the_end(lambda: wanted <= heard(world))
    expect(wanted <= heard(world), "not heard: %s" % sorted(wanted - heard(world)))
    expect(not denied(world), "refused: %s" % denied(world)[:2])
    found = world.tracker.status()["connection"]
    expect(found["colour"] == "green", "the connection is not in order: %s" % found)
    expect(found["commands"]["state"] == "heard", "commands are %s" % found["commands"])


@claim("with friends and discovery switched on, and their lines too, nothing is refused either", has_broker=False,
       broker=rights("all", True), auth=True, password="secret", cmd=True, sub=True, friends=True, discovery=True,
       legacyListento=True)
def with_friends(world):
    talk(world)
    world.all.publish("owntracks/eve/car", b'{"_type":"location","lat":48.2,"lon":16.3,"tst":1700000000,"tid":"EC"}')
    expect(in_the_end(lambda: "owntracks/eve/car" in world.tracker.ask("friends", "--json").text), "no friend")
    expect(in_the_end(lambda: any(t.startswith("homeassistant/") for t in heard(world))), "no discovery")
    expect(not denied(world), "refused: %s" % denied(world)[:2])
    commands = lambda: world.tracker.status()["connection"]["commands"]["state"]
    expect(in_the_end(lambda: commands() == "heard"), "commands are %s" % commands())
    for filter in ("owntracks/+/+", TOPIC + "/cmd", TOPIC + "/listento"):
        expect(not world.tracker.status()["connection"].get("notSubscribed"), "not subscribed")


@claim("the shipped list lets a tracker write each of its topics, and no other", has_broker=False,
       broker=rights("shipped", False), has_gpsd=False)
def writes(world):
    begin(world)
    for word in sorted(suffixes() - NOT_SAID):
        expect(arrives(world, "%s/%s" % (TOPIC, word)), "%s is refused" % word)
    expect(arrives(world, TOPIC), "positions are refused")
    foreign = ["owntracks/eve/car", "owntracks/eve/car/event", "owntracks/ute",
               "owntracks/eve/car/cmd", "owntracks/ute/board/listento", "owntracks/ute/board/event/x", "other",
               "homeassistant/sensor/x/y/config", "owntracks/+/board".replace("+", "utes")]
    for topic in foreign:
        expect(not arrives(world, topic), "%s takes what is not its business" % topic)


@claim("the shipped list lets a tracker hear its commands and all that it says itself, and nobody else", has_broker=False,
       broker=rights("shipped", False), has_gpsd=False)
def hears(world):
    begin(world)
    for topic in [TOPIC + "/cmd", TOPIC] + ["%s/%s" % (TOPIC, word) for word in ("event", "trip", "cmd/answer")]:
        expect(reads(world, topic), "%s is not heard" % topic)
    for topic in ("owntracks/eve/car", "owntracks/eve/car/event", "owntracks/eve/car/cmd", TOPIC + "/listento", "other"):
        expect(not reads(world, topic, seconds=2), "%s is heard" % topic)


@claim("those to whom the page about the broker gives a password see the board, and write only what they are there for",
       has_broker=False, broker=rights("shipped", False), has_gpsd=False)
def lookers(world):
    begin(world)
    expect(sorted(LOOKERS) == ["homeassistant", "jane", "recorder", "viewer"], "the page has %s" % LOOKERS)
    orders = TOPIC + "/cmd"
    home = "homeassistant/status"
    for user in LOOKERS:
        for topic in (TOPIC, TOPIC + "/event", TOPIC + "/status", TOPIC + "/info"):
            expect(reads(world, topic, user=user), "%s does not see %s" % (user, topic))
        expect(not arrives(world, TOPIC, user=user), "%s poses as the board" % user)
        expect(arrives(world, orders, user=user) == (user in ("jane", "homeassistant")), "%s and the commands" % user)
        expect(arrives(world, home, user=user) == (user == "homeassistant"), "%s and %s" % (user, home))
    expect(reads(world, "homeassistant/device/x/config", user="homeassistant"), "no discovery for Home Assistant")
    expect(arrives(world, "owntracks/jane/phone", user="jane"), "the phone cannot publish")


def begin(world):
    world.broker.start()
    world.listen()
    world.all = Subscriber(world.broker.port, ["#"], name="all", keeps_session=False)
    world._closing.append(world.all.close)


def talk(world):
    begin(world)
    world.start()


def heard(world):
    return {message.topic for message in world.all.messages}


if __name__ == "__main__":
    main()
