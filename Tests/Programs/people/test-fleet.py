#!/usr/bin/env python3
# takes: 60 s
# behaviour: Fleets
"""The files of many boards: made, made again, looked at, and taken by a real broker and a real board."""
import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, sys.path[0] + "/../world")
from servers import free_port, program
from subscriber import Subscriber
from tracker import COMMAND_LINE, DAEMON, ROOT, TOPIC
from waiting import in_the_end
from world import claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}
TABLE = "user,device,tid\nute,board,UB\neve,car,EC\n"
FOLDER = tempfile.mkdtemp(prefix="hw-fleet-")
atexit.register(shutil.rmtree, FOLDER, True)


def said(*words, env=None):
    """Status and both streams of a command."""
    done = subprocess.run([COMMAND_LINE, "fleet", *words], capture_output=True, text=True, timeout=300, env=env)
    return done.returncode, done.stdout, done.stderr


class Fleet:
    """A template, a table and the folder that is made of them."""

    def __init__(self, folder, table=TABLE, **template):
        self.template, self.table = os.path.join(folder, "t.otrc"), os.path.join(folder, "b.csv")
        self.out = os.path.join(folder, "out")
        self.keys = {"_type": "configuration", "host": "127.0.0.1", "mqttProtocolLevel": 5, "legacyListento": False}
        self.write(table, **template)

    def write(self, table=None, **template):
        self.keys.update(template)
        with open(self.template, "w") as file:
            json.dump(self.keys, file)
        if table is not None:
            with open(self.table, "w") as file:
                file.write(table)

    def make(self, *words, env=None):
        status, out, error = said("make", self.template, self.table, self.out, *words, env=env)
        expect(status == 0, out + error)
        return out + error

    def path(self, *names):
        return os.path.join(self.out, *names)

    def read(self, *names):
        with open(self.path(*names), "rb") as file:
            return file.read()

    def settings(self, board):
        return json.loads(self.read(board, "homeward.otrc"))

    def files(self):
        """Every file, by its path below the folder."""
        found = {}
        for base, _, names in os.walk(self.out):
            for name in names:
                path = os.path.relpath(os.path.join(base, name), self.out)
                found[path] = self.read(path)
        return found


def openssl(*words, **more):
    return subprocess.run(["openssl", *words], capture_output=True, text=True, check=True, **more).stdout


def own_openssl(folder, text):
    """An environment with this script in place of openssl."""
    place = os.path.join(folder, "bin")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "openssl"), "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(os.path.join(place, "openssl"), 0o755)
    return {**os.environ, "PATH": place + ":" + os.environ["PATH"]}


@claim("each board gets a folder with its files, and nobody else can read them", **ALONE)
def made(world):
    fleet = Fleet(world.folder)
    out = fleet.make()
    expect("2 boards, 2 of them new; 2 certificates made" in out, out)
    names = sorted(fleet.files())
    boards = ["%s/%s" % (b, f) for b in ("eve-car", "ute-board") for f in ("board.key", "board.pem", "ca.pem", "homeward.otrc")]
    broker = ["mosquitto.acl", "mosquitto.passwd", "rabbitmq-definitions.json"]
    expect(names == sorted(["ca/ca.key", "ca/ca.pem"] + boards + broker), str(names))
    for name in names:
        mode = os.stat(fleet.path(name)).st_mode & 0o777
        expect(mode == (0o644 if name == "mosquitto.acl" else 0o600), "%s has %o" % (name, mode))
        expect(os.stat(os.path.dirname(fleet.path(name))).st_mode & 0o077 == 0, name)
    checked = subprocess.run([DAEMON, "--check", "--config", fleet.path("ute-board/homeward.otrc")], capture_output=True, text=True)
    expect(checked.returncode == 0, checked.stdout + checked.stderr)


@claim("a certificate is for the board's user, for clients alone, and of the fleet's authority", **ALONE)
def certificates(world):
    fleet = Fleet(world.folder, "user,device\n\"u\\t=e, ü\",board\n")
    fleet.make()
    board = [name for name in os.listdir(fleet.out) if name not in ("ca",) and os.path.isdir(fleet.path(name))][0]
    pem = fleet.path(board, "board.pem")
    openssl("verify", "-purpose", "sslclient", "-CAfile", fleet.path("ca/ca.pem"), pem)
    expect("CN=u\\t=e, ü\n" in openssl("x509", "-in", pem, "-noout", "-subject", "-nameopt", "sep_multiline,utf8"), "name")
    text = openssl("x509", "-in", pem, "-noout", "-text")
    expect("TLS Web Client Authentication" in text and "Server" not in text and "CA:FALSE" in text, text)
    expect("prime256v1" in text, text)
    expect(fleet.read(board, "ca.pem") == fleet.read("ca/ca.pem"), "another authority")


@claim("made again with more boards, those that were there keep key, certificate and password", **ALONE)
def again(world):
    fleet = Fleet(world.folder)
    fleet.make()
    before, password = fleet.files(), fleet.settings("ute-board")["password"]
    fleet.write("user,device,tid\nbob,bus,BB\nute,board,UB\n", locatorInterval=77)
    out = fleet.make()
    expect("3 boards, 1 of them new; 1 certificate made" in out, out)
    after = fleet.files()
    for name, content in before.items():
        expect(after[name] == content or name.split("/")[-1] in
               ("homeward.otrc", "mosquitto.acl", "mosquitto.passwd", "rabbitmq-definitions.json"), "%s has changed" % name)
    expect(fleet.settings("ute-board")["password"] == password, "another password")
    expect(fleet.settings("ute-board")["locatorInterval"] == 77, "the template's change is not there")
    expect(after["eve-car/homeward.otrc"] == before["eve-car/homeward.otrc"], "a board that is in no table has changed")
    users = [line.split(":")[0] for line in after["mosquitto.passwd"].decode().splitlines()]
    expect(sorted(users) == ["bob", "eve", "ute"], str(users))
    expect(sorted(user["name"] for user in json.loads(after["rabbitmq-definitions.json"])["users"]) == ["bob", "eve", "ute"], "")


@claim("a certificate that was removed is made again for the same key, and a key is never overwritten", **ALONE)
def renewed(world):
    fleet = Fleet(world.folder)
    fleet.make("--days", "5")
    key, pem = fleet.read("ute-board/board.key"), fleet.read("ute-board/board.pem")
    os.unlink(fleet.path("ute-board/board.pem"))
    os.unlink(fleet.path("eve-car/board.key"))
    fleet.make()
    expect(fleet.read("ute-board/board.key") == key and fleet.read("ute-board/board.pem") != pem, "another key")
    status, out, _ = said("check", fleet.out)
    expect(status == 1 and "eve-car/board.key: is missing" in out and "ute-board" not in out, out)


@claim("an authority that is there already signs, and is not copied", **ALONE)
def authority(world):
    other = Fleet(os.path.join(world.folder))
    other.make()
    folder = os.path.join(world.folder, "second")
    os.mkdir(folder)
    fleet = Fleet(folder)
    fleet.make("--ca", other.path("ca"))
    expect(fleet.read("ute-board/ca.pem") == other.read("ca/ca.pem") and not os.path.exists(fleet.path("ca")), "its own")
    openssl("verify", "-CAfile", other.path("ca/ca.pem"), fleet.path("ute-board/board.pem"))
    status, _, error = said("make", fleet.template, fleet.table, fleet.out)
    expect(status == 2 and "expected --ca FOLDER" in error, error)
    os.unlink(other.path("ca/ca.key"))
    openssl("genpkey", "-algorithm", "ED25519", "-out", other.path("ca/ca.key"))
    status, _, error = said("make", fleet.template, fleet.table, fleet.out, "--ca", other.path("ca"))
    expect(status == 2 and "ca.key: does not match ca.pem" in error, error)


@claim("with a mistake in any row, and with boards that collide, nothing is made", **ALONE)
def mistakes(world):
    fleet = Fleet(world.folder)
    for table, words in (("user,device,port\nute,board,8883\neve,car,99999\n", "b.csv: line 3: port is \"99999\""),
                         ("user,device\nute,board\nute,board\n", "line 2, %s: line 3: equal client id ute-board" % fleet.table),
                         ("user,device\na.b,c\na,b.c\n", "owntracks/a.b/c and owntracks/a/b.c are one topic to RabbitMQ"),
                         ("user,device\nute\neve,car,x\n", "line 2: 1 cells, expected 2 as in the first line\n%s: line 3: 3 cells"
                          % fleet.table),
                         ("user,device\nute,board\n\"eve,car\n", "b.csv: line 3: a quote that does not end")):
        fleet.write(table)
        status, _, error = said("make", fleet.template, fleet.table, fleet.out)
        expect(status == 78 and words in error, error)
        left = fleet.files() if os.path.exists(fleet.out) else {}
        expect(left == {}, str(left))
        status, out, _ = said("check", fleet.template, fleet.table)
        expect(status == 1 and words in out, out)


@claim("where openssl fails, or it or libsodium is not there, nothing is half made, and the next time makes all", **ALONE)
def half(world):
    fleet = Fleet(world.folder)
    env = own_openssl(world.folder, 'case "$*" in *CN=eve*) echo broken >&2; exit 1;; esac; exec /usr/bin/openssl "$@"\n')
    status, _, error = said("make", fleet.template, fleet.table, fleet.out, env=env)
    expect(status == 1 and "openssl made no certificate: broken" in error, error)
    expect(fleet.files() == {}, str(sorted(fleet.files())))
    status, _, error = said("make", fleet.template, fleet.table, fleet.out, env={**os.environ, "PATH": world.folder})
    expect(status == 1 and "openssl is not installed: sudo apt install openssl" in error, error)
    open(os.path.join(world.folder, "libsodium.so.23"), "w").close()
    for words in (("make", fleet.template, fleet.table, fleet.out), ("check", fleet.template, fleet.table)):
        status, _, error = said(*words, env={**os.environ, "LD_LIBRARY_PATH": world.folder})
        expect(status == 1 and "fix it with: apt install libsodium23" in error, error)
    env = own_openssl(world.folder, 'case "$*" in *CN=eve*) kill -KILL "$PPID";; esac; exec /usr/bin/openssl "$@"\n')
    expect(said("make", fleet.template, fleet.table, fleet.out, env=env)[0] == -9, "it was not killed")
    expect(not [name for name in fleet.files() if not name.startswith(".making/")], str(sorted(fleet.files())))
    out = fleet.make()
    expect("2 of them new" in out and said("check", fleet.out)[0] == 0, out)
    expect(not os.path.exists(fleet.path(".making")), "something is left over")


@claim("two at the same time do not get in each other's way", **ALONE)
def locked(world):
    fleet = Fleet(world.folder)
    fifo = os.path.join(world.folder, "fifo")
    os.mkfifo(fifo)
    env = own_openssl(world.folder, 'cat %s >/dev/null; exec /usr/bin/openssl "$@"\n' % fifo)
    first = subprocess.Popen([COMMAND_LINE, "fleet", "make", fleet.template, fleet.table, fleet.out], env=env, stdout=subprocess.DEVNULL)
    gate = os.open(fifo, os.O_WRONLY)
    status, _, error = said("make", fleet.template, fleet.table, fleet.out)
    expect(status == 1 and "somebody else is making a fleet there" in error, error)
    os.unlink(fifo)
    own_openssl(world.folder, 'exec /usr/bin/openssl "$@"\n')
    os.close(gate)
    expect(first.wait(timeout=60) == 0, "the first one failed")


@claim("no secret is in the output, nor in the words of a program that it runs", **ALONE)
def secrets(world):
    fleet = Fleet(world.folder, "user,device,password\nute,board,s3cret-word\neve,car,\n")
    words = os.path.join(world.folder, "words")
    env = own_openssl(world.folder, 'printf "%%s\\n" "$@" >>%s; exec /usr/bin/openssl "$@"\n' % words)
    out = fleet.make("--json", env=env)
    out += "".join(str(said("check", *what)) for what in ((fleet.out,), (fleet.template, fleet.table)))
    with open(words) as file:
        out += file.read()
    mine, other = fleet.settings("ute-board")["password"], fleet.settings("eve-car")["password"]
    expect(mine == "s3cret-word" and len(other) == 24, "passwords %s and %s" % (mine, other))
    expect("-subj" in out and mine not in out and other not in out and "PRIVATE" not in out, "a secret: %s" % out)
    holders = [name for name, content in fleet.files().items() if mine.encode() in content or other.encode() in content]
    expect(sorted(holders) == ["eve-car/homeward.otrc", "ute-board/homeward.otrc"], str(holders))


@claim("fleet check names certificates that end, keys that do not match, and what is shared", **ALONE)
def checked(world):
    fleet = Fleet(world.folder, TABLE + "bob,bus,BB\n")
    fleet.make()
    status, out, error = said("check", fleet.out)
    expect(status == 0 and "3 boards, good" in out, out + error)
    os.unlink(fleet.path("bob-bus/board.pem"))
    fleet.make("--days", "29")
    os.rename(fleet.path("ute-board/board.key"), fleet.path("ute-board/old"))
    with open(fleet.path("ute-board/board.key"), "wb") as file:
        file.write(fleet.read("eve-car/board.key"))
    settings = fleet.settings("bob-bus")
    settings["clientId"] = "eve-car"
    with open(fleet.path("bob-bus/homeward.otrc"), "w") as file:
        json.dump(settings, file)
    status, out, _ = said("check", fleet.out)
    for words in ("bob-bus/board.pem: ends 20", "ute-board/board.key: does not match board.pem",
                  "eve-car, ute-board: equal key, expected one for each board", "bob-bus, eve-car: equal client id eve-car"):
        expect(words in out, "%s is not in %s" % (words, out))
    expect(status == 1 and len(out.splitlines()) == 4, out)
    found = json.loads(said("check", fleet.out, "--json")[1])
    expect(found["ok"] is False and len(found["problems"]) == 4, str(found))


@claim("the template that we ship makes a fleet, and narrows what its boards hear to their own commands and places", **ALONE)
def shipped(world):
    fleet = Fleet(world.folder)
    shipped = os.path.join(ROOT, "fleet")
    status, out, error = said("make", shipped + "/template.otrc", shipped + "/boards.csv", fleet.out)
    expect(status == 0 and error == "", out + error)
    reads = [line for line in fleet.read("mosquitto.acl").decode().splitlines() if "read" in line and line[0] != "#"]
    expect(reads == ["pattern readwrite owntracks/%u/+", "pattern readwrite owntracks/%u/+/cmd"], str(reads))
    expect(said("check", fleet.out)[0] == 0, "it does not get along with itself")


def tls(port):
    """mosquitto's settings for certificates and the made list of rights; those without TLS watch, and may do anything."""
    out = os.path.join(FOLDER, "out")
    return "\n".join([
        "acl_file %s/watched.acl" % FOLDER, "listener %d 127.0.0.1" % port, "cafile %s/ca/ca.pem" % out,
        "certfile %s/server.pem" % FOLDER, "keyfile %s/server.key" % FOLDER, "require_certificate true",
        "use_identity_as_username true", "log_type all"])


PORT = free_port()


def are_heard(status):
    """Whether its commands are; before a connection nothing is said of them."""
    return status is not None and status["connection"].get("commands", {}).get("state") == "heard"


@claim("a board with its certificate publishes on its own topic, and hears its commands and nothing of others",
       has_broker=False, broker=tls(PORT))
def broker(world):
    board = world.tracker
    fleet = Fleet(FOLDER, port=PORT, auth=False, cmd=True, gpsdPort=world.gpsd.port, gpsdHost="127.0.0.1",
                  stateDir=board.state, controlSocket=board.socket, monitoring=2, locatorInterval=0, locatorDisplacement=0)
    fleet.make()
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=IP:127.0.0.1", "-CA", fleet.path("ca/ca.pem"), "-CAkey", fleet.path("ca/ca.key"),
            "-keyout", FOLDER + "/server.key", "-out", FOLDER + "/server.pem")
    with open(FOLDER + "/watched.acl", "w") as file:
        file.write("topic readwrite #\n" + fleet.read("mosquitto.acl").decode())
    world.broker.start()
    world.listen()
    world.all = Subscriber(world.broker.port, ["#"], name="all", keeps_session=False)
    world._closing.append(world.all.close)
    board.write(fleet.read("ute-board/homeward.otrc").decode().replace("/etc/homeward/", fleet.path("ute-board/")))
    world.start()
    expect(in_the_end(lambda: are_heard(board.status())), "%s" % board.status()["connection"])
    world.all.publish(TOPIC + "/cmd", b'{"_type":"cmd","action":"status"}')
    expect(in_the_end(lambda: any(m.topic == TOPIC + "/status" for m in world.all.messages)), "no status")
    denied = [line for line in world.broker.log().splitlines() if "Denied" in line]
    expect(not denied, "refused: %s" % denied[:2])
    identity = ["-h", "127.0.0.1", "-p", str(PORT), "--cafile", fleet.path("ca/ca.pem"), "--cert", fleet.path("eve-car/board.pem"),
                "--key", fleet.path("eve-car/board.key"), "-q", "1"]

    def arrives(topic):
        word = "from eve to " + topic
        # A name that it makes up does not help.
        subprocess.run([program("mosquitto_pub"), *identity, "-u", "ute", "-i", "try", "-t", topic, "-m", word], check=True, timeout=60)
        world.all.publish("end", word.encode())
        heard = lambda where: any(m.topic == where and m.payload.decode() == word for m in world.all.messages)
        expect(in_the_end(lambda: heard("end")), "nothing arrives at all")
        return heard(topic)

    def reads(topic, seconds):
        ear = subprocess.Popen([program("mosquitto_sub"), *identity, "-i", "ear", "-t", topic, "-C", "1", "-W", str(seconds)],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        expect(in_the_end(lambda: "ear 1 %s\n" % topic in world.broker.log()), "not subscribed to " + topic)
        world.all.publish(topic.replace("+", "board"), b"hear this")
        return "hear this" in ear.communicate(timeout=120)[0]

    for topic in ("owntracks/eve/car", "owntracks/eve/car/event", "owntracks/eve/car/cmd"):
        expect(arrives(topic), topic + " is refused")
    for topic in (TOPIC, TOPIC + "/event", TOPIC + "/cmd", "owntracks/eve/car/other", "other"):
        expect(not arrives(topic), topic + " takes what is not its business")
    expect(reads("owntracks/eve/car/cmd", 60), "its commands are not heard")
    for topic in (TOPIC, TOPIC + "/cmd", "owntracks/+/+", "owntracks/eve/car/event"):
        expect(not reads(topic, 2), topic + " is heard")
    anonymous = subprocess.run([program("mosquitto_pub"), *identity[:6], "-i", "none", "-t", "x", "-m", "x"], capture_output=True, timeout=60)
    expect(anonymous.returncode != 0, "a board without a certificate gets in")


PASSWORDS = os.path.join(FOLDER, "passwords")


@claim("a board without TLS logs in with the password that was made for it", has_broker=False,
       broker="password_file %s/out/mosquitto.passwd\nacl_file %s/out/mosquitto.acl" % (PASSWORDS, PASSWORDS))
def passwords(world):
    board = world.tracker
    os.mkdir(PASSWORDS)
    fleet = Fleet(PASSWORDS, tls=False, port=world.broker.port, cmd=True, gpsdHost="127.0.0.1", gpsdPort=world.gpsd.port,
                  stateDir=board.state, controlSocket=board.socket)
    fleet.make()
    expect(not os.path.exists(fleet.path("ca")), "certificates that nobody uses")
    world.broker.start()
    board.write(fleet.read("ute-board/homeward.otrc").decode())
    board.start()
    status = board.wait_for_status(are_heard)
    expect(are_heard(status), str(status["connection"]))
    wrong = subprocess.run([program("mosquitto_pub"), "-h", "127.0.0.1", "-p", str(world.broker.port), "-u", "ute", "-P", "wrong",
                            "-t", TOPIC, "-m", "x"], capture_output=True, timeout=60)
    expect(wrong.returncode != 0, "any password does")


@claim("a thousand boards are made, and looked at", **ALONE)
def thousand(world):
    rows = "".join("truck-%04d,tracker,T%d\n" % (number, number % 10) for number in range(1000))
    fleet = Fleet(world.folder, "user,device,tid\n" + rows)
    begun = time.monotonic()
    out = fleet.make()
    print("# 1,000 boards in %.0f s" % (time.monotonic() - begun))
    expect("1000 boards, 1000 of them new; 1000 certificates made" in out, out)
    expect(len({fleet.read("truck-%04d-tracker" % n, "board.key") for n in range(1000)}) == 1000, "a key twice")
    begun = time.monotonic()
    status, out, error = said("check", fleet.out)
    print("# looked at in %.0f s" % (time.monotonic() - begun))
    expect(status == 0 and "1000 boards, good" in out, out + error)


if __name__ == "__main__":
    main()
