#!/usr/bin/env python3
# takes: 30 s
# behaviour: The configuration file
"""A configuration that is missing, wrong or open to all stops the start; SIGHUP takes all or nothing."""
import json
import os
import resource
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along
from tracker import COMMAND_LINE, DAEMON
from waiting import in_the_end, stays
from world import claim, expect, main


def expect_refusal(world, *words, before=()):
    """Exit status 78 and one line with these words."""
    status, text = world.tracker.run_to_end(before)
    expect(status == 78, "exit status %s, not 78: %s" % (status, text.strip()))
    lines = text.strip().splitlines()
    expect(len(lines) == 1, "%d lines: %s" % (len(lines), lines[:3]))
    for word in words:
        expect(word in lines[0], "no word of %s: %s" % (word, lines[0]))


@claim("no such file: status 78, one line that names it")
def missing(world):
    os.remove(world.tracker.configuration)
    expect_refusal(world, world.tracker.configuration)


@claim("a file the daemon may not read: status 78, one line that names it")
def unreadable(world):
    os.chmod(world.tracker.configuration, 0)
    as_nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
    os.chmod(world.folder, 0o755)
    expect_refusal(world, world.tracker.configuration, before=as_nobody)


def at_once(*words):
    """Exit status and the one line of a command that does not read what has no end, nor has memory for it."""
    def little():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    done = subprocess.run([COMMAND_LINE, *words], capture_output=True, text=True, timeout=60, preexec_fn=little)
    lines = (done.stdout + done.stderr).strip().splitlines()
    expect(len(lines) == 1, "%s says %d lines: %s" % (words, len(lines), lines[:3]))
    return done.returncode, lines[0]


@claim("what is no file, or has no end, is refused at once by every command that takes a file", has_broker=False,
       has_gpsd=False)
def no_file(world):
    pipe, large, link = (os.path.join(world.folder, name) for name in ("pipe", "large.jsonl", "link"))
    os.mkfifo(pipe)
    os.symlink("/dev/zero", link)
    with open(large, "wb") as file:
        file.truncate(600 << 20)
    commands = [("config", "check"), ("config", "import"), ("replay",), ("region", "import"), ("replay", "--config"),
                ("replay", "--from-state"), ("card", "--name", "x", "--face")]
    for words in commands:
        rest = (pipe,) if words[-1] in ("--config", "--from-state") else ()
        for path, word in ((pipe, "a pipe"), ("/dev/zero", "a device"), (link, "a device"), (world.folder, "a folder"),
                           (large, "629145600 bytes, expected at most")):
            status, line = at_once(*words, path, *rest)
            expect(status == 2 and path in line and word in line, "%s %s: %s %s" % (words, path, status, line))
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run([COMMAND_LINE, "region", "import", "-"], stdin=zeros, capture_output=True, text=True,
                              timeout=60)
    expect(done.returncode == 2 and "standard input: more, expected at most" in done.stderr, done.stderr)
    os.remove(world.tracker.configuration)
    os.mkfifo(world.tracker.configuration)
    expect_refusal(world, "is no file")


@claim("no JSON: status 78, one line with file and line")
def syntax(world):
    world.tracker.write('{\n "_type": "configuration",\n "host" "x"\n}')
    expect_refusal(world, world.tracker.configuration, "3")


@claim("a wrong value: status 78, one line with file, key and value")
def value(world):
    world.tracker.configure(monitoring=7)
    expect_refusal(world, world.tracker.configuration, "monitoring", "7")


@claim("a wrong type: status 78, one line with file and key")
def wrong_type(world):
    world.tracker.configure(keepalive="often")
    expect_refusal(world, world.tracker.configuration, "keepalive", "often")


@claim("a password in a file for all to read: status 78 and the command that mends it")
def readable_by_all(world):
    world.tracker.configure(password="Secret-1", auth=True)
    os.chmod(world.tracker.configuration, 0o644)
    expect_refusal(world, world.tracker.configuration, "chmod")
    expect("Secret-1" not in world.tracker.log(), "the password is in the log")


@claim("a password among the daemon's own words: status 64, and it is not repeated")
def words(world):
    world.tracker.command = lambda: [DAEMON, "--config", world.tracker.configuration, "--set", "password=s3cret"]
    status, text = world.tracker.run_to_end()
    expect(status == 64 and "--set password" in text and "file" in text, "status %s: %s" % (status, text))
    expect("s3cret" not in text, "it is repeated: %s" % text)


@claim("keys of the apps that mean nothing here are accepted", theme="dark", locatorPriority=2,
       willTopic="x", moveModeLocatorInterval=10)
def app_keys(world):
    world.start()


@claim("unknown keys and skipped regions are named in the journal, at the start and at a reload", locatorInterv=5,
       waypoints=[{"_type": "waypoint", "desc": "North", "lat": 98, "lon": 11, "rad": 100}])
def remarks(world):
    world.start()
    log = world.tracker.log()
    expect("unknown key locatorInterv, ignored (did you mean locatorInterval?)" in log, log[:2000])
    expect("lat is 98, expected -90 to 90" in log, log[:2000])
    world.tracker.configure(montoring=0)
    world.tracker.hang_up()
    named = in_the_end(lambda: "unknown key montoring, ignored (did you mean monitoring?)" in world.tracker.log())
    expect(named, "the log of a reload does not name it")


@claim("a region that a file does not date is there, once, however often the file is touched", has_gpsd=False,
       waypoints=[{"_type": "waypoint", "desc": "Home", "lat": 48.1, "lon": 11.5, "rad": 100}])
def undated(world):
    world.tracker.start()
    status = world.tracker.wait_for_status(lambda status: status["regions"] == 1)
    expect(status, "no region of the file")
    expect(world.tracker.ask("region", "rm", "Home").status == 0, "not removed")
    world.tracker.configure(ping=20)
    os.utime(world.tracker.configuration, (1, 1))
    expect(world.tracker.ask("reload").status == 0, "no reload")
    listed = json.loads(world.tracker.ask("region", "list", "--json").text)["regions"]
    expect(listed == [], "a touched file brings back what was removed: %s" % listed)


@claim("a bad file at SIGHUP changes nothing and is named in the log")
def bad_reload(world):
    world.start()
    text = json.dumps(dict(world.tracker.settings, monitoring=0, ping="seldom"))
    world.tracker.write(text)
    world.tracker.hang_up()
    named = in_the_end(lambda: "ping" in world.tracker.log() and world.tracker.configuration in world.tracker.log())
    expect(named, "the log does not name file and key")
    world.wait_for_locations(world.feed(world.drive(20)))
    expect(world.locations()[-1]["m"] == 2, "half of the file was taken")


@claim("a reload says what counts from the next start, and which certificate is not there", has_gpsd=False)
def reloaded(world):
    gone = os.path.join(world.folder, "gone.pem")
    world.tracker.configure(tlsCaFile=gone)
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    missing = 'tlsCaFile is "%s", expected a file that is there' % gone
    expect(missing in world.tracker.log(), "the journal of the start does not name it: %s" % world.tracker.log())
    settings, socket, state = dict(world.tracker.settings), world.tracker.socket, world.tracker.state
    world.tracker.write(json.dumps(dict(settings, stateDir=state + "2", controlSocket=socket + "2", tid="zz")))
    answer = world.tracker.ask("reload")
    lines = answer.text.splitlines()
    expect(answer.status == 0 and lines[0] == "configuration read again", answer.text)
    later = "note: %s counts from the next start: sudo systemctl restart homeward"
    expect(lines[1:3] == [later % "stateDir", later % "controlSocket"], answer.text)
    expect(len(lines) == 4 and lines[3].startswith("note: line ") and lines[3].endswith(missing), answer.text)
    expect("stateDir counts from the next start" in world.tracker.log(), world.tracker.log())
    status = world.tracker.status()
    expect(status["store"]["path"] == state and status["identity"]["tid"] == "zz", "%s" % status["identity"])
    world.tracker.write(json.dumps(dict(settings, tlsCaFile="", tid="yy")))
    answer = world.tracker.ask("reload")
    expect(answer.text == "configuration read again\n", answer.text)


@claim("an empty file at a reload is called empty, and changes nothing", has_broker=False, has_gpsd=False)
def emptied(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    world.tracker.write("")
    answer = world.tracker.ask("reload")
    words = world.tracker.configuration + ": line 1: the file is empty, expected an object"
    expect(answer.status == 1 and words in answer.error and words in world.tracker.log(), answer.error)


@claim("a check counts regions, and what deletes one apart from them", has_broker=False, has_gpsd=False)
def counted(world):
    world.tracker.configure(waypoints=[
        {"_type": "waypoint", "desc": "Gym", "lat": 43.5, "lon": 16, "rad": 100, "tst": 1700000000},
        {"_type": "waypoint", "desc": "Mill", "lat": -1000000, "lon": -1000000, "tst": 1700000000}])
    status, line = at_once("config", "check", world.tracker.configuration)
    expect(status == 0 and line.endswith(": good, 1 region, 1 deletion"), line)


@claim("a good file at SIGHUP changes the displacement")
def displacement(world):
    world.start()
    world.tracker.configure(locatorDisplacement=200)
    world.tracker.hang_up()
    world.settle()
    sent = world.feed(along([(0, 0), (900, 0)]))
    expect(world.tracker.handles(max(sent)) and world.tracker.is_drained(), "positions wait")
    expect(in_the_end(lambda: len(world.published(sent)) >= 3), "%d positions" % len(world.published(sent)))
    count = len(world.published(sent))
    expect(count <= 5, "%d positions on 900 m with a displacement of 200 m" % count)


@claim("a good file at SIGHUP changes the mode")
def mode(world):
    world.start()
    world.tracker.configure(monitoring=0)
    world.tracker.hang_up()
    status = world.tracker.wait_for_status(lambda status: status["mode"] == "manual")
    expect(status and status["mode"] == "manual", "mode %s" % (status or {}).get("mode"))
    sent = world.feed(world.drive(20))
    expect(world.tracker.handles(max(sent)), "the drive is not handled")
    expect(stays(lambda: not world.published(sent), 1), "positions in manual mode")


@claim("a good file at SIGHUP moves the daemon to another broker topic")
def topic(world):
    world.start()
    world.tracker.configure(pubTopicBase="owntracks/ute/board/moved")
    world.tracker.hang_up()
    world.settle()
    moved = in_the_end(lambda: world.heard("location", "owntracks/ute/board/moved"))
    expect(moved, "nothing on the new topic")
    expect(world.tracker.is_alive(), "the daemon ended")
    world.feed(world.stand(2))


if __name__ == "__main__":
    main()
