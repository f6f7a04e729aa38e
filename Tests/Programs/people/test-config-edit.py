#!/usr/bin/env python3
# takes: 10 s
# behaviour: The configuration file
"""The configuration file as people change it: by keys, by imports, and with what they get wrong."""
import base64
import json
import os
import pty
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, DAEMON
from world import claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}


def said(*words, text=""):
    """Status and both streams of a command."""
    done = subprocess.run([COMMAND_LINE, *words], capture_output=True, text=True, timeout=60, input=text)
    return done.returncode, done.stdout, done.stderr


def on_a_terminal(*words, typed):
    """What is shown there."""
    terminal, inside = pty.openpty()
    os.write(terminal, typed.encode())
    with subprocess.Popen([COMMAND_LINE, *words], stdin=inside, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        os.close(inside)
        shown = child.communicate(timeout=60)[0]
    os.close(terminal)
    return shown


def a_file(world, name, content, mark=b""):
    path = os.path.join(world.folder, name)
    with open(path, "wb") as file:
        file.write(mark + (content if isinstance(content, bytes) else json.dumps(content).encode()))
    os.chmod(path, 0o600)
    return path


def own(world):
    return a_file(world, "own.otrc", {"_type": "configuration", "host": "h", "username": "jane", "deviceId": "van"})


def read(path):
    with open(path) as file:
        return json.load(file)


@claim("config set takes yes, off and the names of modes", **ALONE)
def words(world):
    path = own(world)
    for key, text, value in (("tls", "off", False), ("cmd", "yes", True), ("monitoring", "move", 2)):
        status, _, error = said("config", "set", key, text, "--file", path)
        expect(status == 0 and read(path)[key] == value, "%s %s: %s" % (key, text, error))


@claim("config set changes keys that are right only together in one command, or none of them", **ALONE)
def together(world):
    path = own(world)
    status, out, error = said("config", "set", "tlsClientCert", "/c.pem", "--file", path)
    expect(status == 2 and "tlsClientCert and tlsClientKey come together" in error, error)
    pair = ("tlsClientCert", "/c.pem", "tlsClientKey", "/c.key")
    status, out, error = said("config", "set", *pair, "--file", path)
    expect(status == 0 and "tlsClientCert set to /c.pem, tlsClientKey set to /c.key; tell" in out, out + error)
    expect((read(path)["tlsClientCert"], read(path)["tlsClientKey"]) == ("/c.pem", "/c.key"), str(read(path)))
    status, _, error = said("config", "set", "host", "b", "port", "99999", "--file", path)
    expect(status == 2 and "port is" in error and read(path)["host"] == "h", error)


@claim("config set says how the tracker learns of it, and which certificate is not there", **ALONE)
def learnt(world):
    path = own(world)
    out = said("config", "set", "stateDir", "/x", "--file", path)[1]
    expect(out == "stateDir set to /x; it counts from the next start: sudo systemctl restart homeward\n", out)
    out = said("config", "set", "locatorInterval", "60", "controlSocket", "/y/z", "--file", path)[1]
    expect("; it counts from the next start: sudo systemctl restart homeward\n" in out and "reload" not in out, out)
    gone = os.path.join(world.folder, "gone.pem")
    out = said("config", "set", "tlsCaFile", gone, "--file", path)[1]
    note = 'tlsCaFile is "%s", expected a file that is there' % gone
    expect(out == "tlsCaFile set to %s; tell the daemon: homeward reload\nnote: %s\n" % (gone, note), out)
    expect(json.loads(said("config", "set", "tlsCaFile", gone, "--file", path, "--json")[1])["note"] == note, out)
    # That is said where it is set, and not of every other key.
    out = said("config", "set", "ping", "30", "--file", path)[1]
    expect(out == "ping set to 30; tell the daemon: homeward reload\n", out)


@claim("a refusal of config set names the words that it takes, and no line of a text that was not written", **ALONE)
def refused(world):
    path = own(world)
    before = read(path)
    for words, wanted in ((("monitoring", "fast"), "or quiet, manual, significant, move"), (("tls", "maybe"), "or yes, no, on, off"),
                          (("waypoints", "[]"), "regions are changed in the file, or by homeward region"),
                          (("vehicleBatteryOff", "13"), path + ': vehicleBatteryOff is 13.0, expected 0, or below')):
        status, _, error = said("config", "set", *words, "--file", path)
        expect(status == 2 and wanted in error and "line" not in error and read(path) == before, error)
    # A mistake that was there before, wherever it stands then, is named by its line in the file, by config check.
    path = a_file(world, "bad.otrc", {"_type": "configuration", "host": "h", "username": "u", "ping": "seldom", "tid": "xx"})
    status, out, error = said("config", "set", "tid", "yy", "--file", path)
    expect(status == 0 and (read(path)["tid"], read(path)["ping"]) == ("yy", "seldom"), out + error)
    path = a_file(world, "torn.otrc", b'{"host": ')
    status, _, error = said("config", "set", "tid", "yy", "--file", path)
    expect(status == 2 and error.startswith(path + ": line 1, column "), error)


@claim("an empty file is called empty, and begun by config set and config import", **ALONE)
def empty(world):
    words = ": line 1: the file is empty, expected an object"
    for content in (b"", b" \n"):
        path = a_file(world, "empty.otrc", content)
        status, out, _ = said("config", "check", path)
        expect(status == 78 and out.startswith(path + words) and out.count("\n") == 1, out)
        done = subprocess.run([DAEMON, "--check", "--config", path], capture_output=True, text=True, timeout=60)
        expect(done.returncode == 78 and path + words in done.stderr, done.stderr)
        status, _, error = said("config", "import", path, "--file", own(world))
        expect(status == 2 and path + words in error, error)
    phone = a_file(world, "phone.otrc", {"host": "b.example", "username": "u"})
    for words in (("set", "host", "b.example"), ("import", phone)):
        path = a_file(world, "empty.otrc", b"\n")
        status, out, error = said("config", *words, "--file", path)
        expect(status == 0 and (read(path)["_type"], read(path)["host"]) == ("configuration", "b.example"), out + error)


@claim("config set says where a key has no effect in the mode that is on", **ALONE)
def no_effect(world):
    path = own(world)
    out = said("config", "set", "locatorInterval", "60", "--file", path)[1]
    expect("counts in move mode; the file begins with significant mode" in out, out)
    said("config", "set", "monitoring", "move", "--file", path)
    out = said("config", "set", "locatorInterval", "60", "--file", path)[1]
    expect("note" not in out, out)
    out = said("config", "set", "significantInterval", "60", "--file", path, "--json")[1]
    expect("significant" in json.loads(out)["note"], out)


@claim("config set knows the mode of the running tracker", has_gpsd=False, monitoring=1)
def running(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    words = ("--file", world.tracker.configuration)
    out = world.tracker.ask("config", "set", "locatorInterval", "60", *words).text
    expect("counts in move mode; the mode is significant" in out, out)
    world.tracker.ask("mode", "move")
    out = world.tracker.ask("config", "set", "locatorInterval", "61", *words).text
    expect("note" not in out, out)


@claim("a board without a file gets one by config set or by config import, for its owner and the folder's group", **ALONE)
def begun(world):
    for words in (("set", "host", "b.example"), ("import", a_file(world, "phone.otrc", {"host": "b.example", "username": "u"}))):
        folder = os.path.join(world.folder, words[0])
        os.mkdir(folder)
        path = os.path.join(folder, "homeward.otrc")
        status, out, error = said("config", *words, "--file", path)
        expect(status == 0 and "%s is new" % path in out and "systemctl enable --now homeward" in out, out + error)
        expect(read(path)["host"] == "b.example" and read(path)["_type"] == "configuration", str(read(path)))
        expect(os.stat(path).st_mode & 0o777 == 0o640 and os.stat(path).st_gid == os.stat(folder).st_gid, str(os.stat(path)))
        status, out, error = said("config", "set", "locatorInterval", "60", "--file", path)
        expect(status == 0 and "is new" not in out and read(path)["host"] == "b.example", out + error)
    status, _, error = said("config", "set", "host", "b", "--file", os.path.join(world.folder, "none", "a.otrc"))
    expect(status != 0 and "cannot be written: No such file or directory" in error, error)


@claim("an empty line is no password", **ALONE)
def no_password(world):
    path = own(world)
    said("config", "set", "password", "-", "--file", path, text="secret\n")
    for typed in ("", "\n"):
        status, _, error = said("config", "set", "password", "-", "--file", path, text=typed)
        expect(status == 2 and "password: nothing was typed, so that it stays as it was" in error, error)
        expect(read(path)["password"] == "secret", str(read(path)))


@claim("- asks for the value of any key, and says what was typed, but for a secret", **ALONE)
def asked(world):
    path = own(world)
    status, out, error = said("config", "set", "tid", "-", "password", "-", "--file", path, text="yy\nsecret\n")
    expect(status == 0 and (read(path)["tid"], read(path)["password"]) == ("yy", "secret"), out + error)
    expect(out.startswith("tid set to yy, password set;"), out)
    status, _, error = said("config", "set", "tid", "-", "--file", path)
    expect(status == 2 and "tid: nothing was typed, so that it stays as it was" in error and read(path)["tid"] == "yy", error)
    status, _, error = said("config", "set", "tids", "-", "--file", path, text="")
    expect(status == 2 and "tids" in error and "typed" not in error, error)
    expect(on_a_terminal("config", "set", "tid", "-", "--file", path, typed="zz\n").startswith("tid: "), "no question")
    expect(read(path)["tid"] == "zz", str(read(path)))


@claim("config check looks whether the certificates that are named are there", **ALONE)
def certificates(world):
    there = a_file(world, "ca.pem", b"x")
    path = a_file(world, "a.otrc", {"_type": "configuration", "host": "h", "username": "u", "tlsCaFile": there})
    expect(said("config", "check", path)[0] == 0, said("config", "check", path)[1])
    os.remove(there)
    status, out, _ = said("config", "check", path)
    expect(status == 78 and 'line 1: tlsCaFile is "%s", expected a file that is there' % there in out, out)
    expect(json.loads(said("config", "check", path, "--json")[1])["problems"][0]["key"] == "tlsCaFile", out)


@claim("config check names what is unknown, and the bad host with what to write", **ALONE)
def check(world):
    path = a_file(world, "a.otrc", {"host": "mqtt://b.example", "theme": "dark", "locatorInterv": 5})
    status, out, _ = said("config", "check", path)
    expect(status == 78 and 'expected the bare name "b.example", with 1883 as port' in out, out)
    expect("unknown key locatorInterv, ignored (did you mean locatorInterval?)" in out, out)
    expect("keys of the phone apps: theme" in out, out)


@claim("a file of a Windows editor is read, as it is by import", **ALONE)
def windows(world):
    path = a_file(world, "w.otrc", {"host": "h", "username": "u", "tid": "ww"}, mark=b"\xef\xbb\xbf")
    status, out, _ = said("config", "check", path)
    expect(status == 0 and out.endswith(": good\n"), out)
    target = own(world)
    expect(said("config", "import", path, "--file", target)[0] == 0 and read(target)["tid"] == "ww", "not imported")


@claim("an import says which names it takes over, and a second one changes nothing", **ALONE)
def twice(world):
    target = own(world)
    home = {"_type": "waypoint", "desc": "Home", "lat": 48.1, "lon": 11.5, "rad": 100, "tst": 5}
    phone = a_file(world, "phone.otrc", {"_type": "configuration", "deviceId": "phone", "tid": "ja", "locatorInterv": 1,
                                         "waypoints": [home]})
    status, out, error = said("config", "import", phone, "--file", target)
    expect(status == 0 and "4 keys taken over" in out, out + error)
    expect('takes over deviceId "phone"' in error and "unknown key locatorInterv" in error, error)
    first = read(target)
    status, out, error = said("config", "import", phone, "--file", target)
    expect(status == 0 and "nothing to change" in out and "takes over" not in error, out + error)
    expect(read(target) == first and len(first["waypoints"]) == 1, "the second import changed it")


@claim("an import leaves out a waypoint that the board would skip, and names it", **ALONE)
def skipped(world):
    target = own(world)
    good = {"_type": "waypoint", "desc": "Home", "lat": 48.1, "lon": 11.5, "rad": 100, "tst": 5}
    phone = a_file(world, "phone.otrc", {"_type": "configuration", "tid": "ja", "waypoints": [dict(good, desc="Pole", lat=98), good]})
    status, out, error = said("config", "import", phone, "--file", target)
    expect(status == 0 and "2 keys taken over" in out, out + error)
    expect('waypoints[0] is "Pole", expected a waypoint: lat is 98' in error and error.startswith(phone + ": skipped"), error)
    expect(read(target)["waypoints"] == [good] and read(target)["tid"] == "ja", str(read(target)))
    expect("skipped" not in said("config", "check", target)[1], "a waypoint was taken that is skipped")


@claim("a file that cannot be read is not replaced by an import", **ALONE)
def torn(world):
    phone = a_file(world, "phone.otrc", {"_type": "configuration", "host": "b.example", "username": "u", "tid": "ja"})
    for content in (b'{"_type": "configuration", "host": "h",', b'{"_type": "waypoints"}'):
        target = a_file(world, "torn.otrc", content)
        status, _, error = said("config", "import", phone, "--file", target)
        with open(target, "rb") as file:
            expect(status == 2 and error.startswith(target + ": ") and file.read() == content, error)


@claim("a link of the apps is a file, on the command line and on standard input", **ALONE)
def link(world):
    target = own(world)
    inline = base64.urlsafe_b64encode(json.dumps({"_type": "configuration", "tid": "li"}).encode()).decode()
    for word, text in (("owntracks:///config?inline=" + inline, ""), ("-", "owntracks:///config?inline=%s\n" % inline)):
        said("config", "set", "tid", "xx", "--file", target)
        status, _, error = said("config", "import", word, "--file", target, text=text)
        expect(status == 0 and read(target)["tid"] == "li", error)
    status, _, error = said("config", "import", "owntracks:///config?url=http://x/a", "--file", target)
    expect(status == 2 and "download" in error, error)


@claim("what is no picture is refused", **ALONE)
def pictures(world):
    path = a_file(world, "face.png", b"GIF89a")
    for words in (("card", "--name", "x", "--face"), ("publish", "--poi", "x", "--image")):
        status, _, error = said(*words, path)
        expect(status == 2 and "neither PNG nor JPEG" in error, "%s: %s" % (words, error))


@claim("region add needs no name, and says when it made a pin or a second of one name")
def regions(world):
    world.start()
    place = ("--lat", "48", "--lon", "11")

    def add(*words):
        answer = world.tracker.ask("region", "add", *words, *place)
        return answer.status, answer.text + answer.error

    status, text = add("--radius", "100")
    expect(status == 0 and "added Here-" in text and "pin" not in text, text)
    status, text = add("Home")
    expect(status == 0 and "it is a pin that is never entered" in text, text)
    status, text = add("Home", "--radius", "100")
    expect(status == 0 and "has the same name" in text, text)
    status, text = add("Hole", "--radius", "-5")
    expect(status == 2 and "below 0" in text, text)
    listed = json.loads(world.tracker.ask("region", "list", "--json").text)["regions"]
    expect(len(listed) == 3, listed)


if __name__ == "__main__":
    main()
