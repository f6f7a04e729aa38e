#!/usr/bin/env python3
# behaviour: Fleets
# takes: 150 s
"""What `homeward fleet check --broker` finds at a real mosquitto: each mistake is made on purpose."""
import json
import os
import socket
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from servers import Server, free_port, is_listening, program
from subscriber import Subscriber
from tracker import COMMAND_LINE
from waiting import in_the_end
from world import claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}
TABLE = "user,device\ntruck-1,tracker\nbus-2,tracker\n"
FIRST, SECOND = "owntracks/bus-2/tracker", "owntracks/truck-1/tracker"
KEYS = {"_type": "configuration", "host": "127.0.0.1", "mqttProtocolLevel": 5, "auth": False, "friends": False,
        "legacyListento": False, "cmd": True}
# For those who look on, without TLS.
OPEN = "per_listener_settings true\nlistener %d 127.0.0.1\nallow_anonymous true\n"
TLS = ("listener {port} 127.0.0.1\ncafile {out}/ca/ca.pem\ncertfile {folder}/server.pem\nkeyfile {folder}/server.key\n"
       "allow_anonymous false\n")
CERTIFICATES = TLS + "require_certificate true\nuse_identity_as_username true\n"


class Mosquitto(Server):
    """One with these settings alone."""

    def __init__(self, folder, text, port):
        super().__init__("mosquitto", folder)
        self.port, self.settings = port, os.path.join(folder, "mosquitto.conf")
        with open(self.settings, "w") as file:
            file.write("log_type all\nsys_interval 1\n%s%s" % ("user root\n" if os.geteuid() == 0 else "", text))
        self.spawn([program("mosquitto"), "-c", self.settings])
        if not in_the_end(lambda: is_listening(port)):
            raise RuntimeError("mosquitto does not listen: " + self.log())


class Site:
    """A fleet of two boards, a broker for it, and what the check says of both."""

    def __init__(self, world, name="site", authority=None, **keys):
        """`authority`: the folder of one that is there."""
        self.world, self.folder = world, os.path.join(world.folder, name)
        self.out, self.port, self.open = os.path.join(self.folder, "out"), free_port(), free_port()
        os.mkdir(self.folder)
        template, table = os.path.join(self.folder, "t.otrc"), os.path.join(self.folder, "b.csv")
        with open(template, "w") as file:
            json.dump({**KEYS, "port": self.port, **keys}, file)
        with open(table, "w") as file:
            file.write(TABLE)
        words = [template, table, self.out] + (["--ca", authority] if authority else [])
        done = subprocess.run([COMMAND_LINE, "fleet", "make", *words], capture_output=True, text=True)
        expect(done.returncode == 0, done.stdout + done.stderr)
        if os.path.exists(self.out + "/ca"):
            self.serve()

    def serve(self, name="IP:127.0.0.1", days=3650, authority=None, is_rsa=False):
        """The broker's own certificate; `is_rsa`: as other authorities make them, and without a common name."""
        authority = authority or os.path.join(self.out, "ca")
        key = ["rsa:2048"] if is_rsa else ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", *key, "-noenc", "-days", str(days),
             "-subj", "/" if is_rsa else "/CN=broker", "-addext", "subjectAltName=" + name, "-CA", authority + "/ca.pem", "-CAkey",
             authority + "/ca.key", "-keyout", self.folder + "/server.key", "-out", self.folder + "/server.pem"],
            check=True, capture_output=True)

    def start(self, settings=CERTIFICATES, rights=None, more=""):
        """`rights`: an access list of its own, as text; None: the fleet's."""
        path = os.path.join(self.out, "mosquitto.acl")
        if rights is not None:
            path = os.path.join(self.folder, "rights")
            with open(path, "w") as file:
                file.write(rights)
        text = OPEN % self.open + settings.format(port=self.port, out=self.out, folder=self.folder)
        broker = Mosquitto(self.folder, "%sacl_file %s\n%s\n" % (text, path, more), self.port)
        self.world._closing.append(broker.kill)
        return broker

    def listen(self, *topics, **more):
        ear = Subscriber(self.open, list(topics) or ["#"], **{"name": "ear", "keeps_session": False, **more})
        self.world._closing.append(ear.close)
        return ear

    def check(self, *words, status, host="127.0.0.1", port=None):
        """What it prints."""
        place = "%s:%d" % (host, port or self.port)
        done = subprocess.run([COMMAND_LINE, "fleet", "check", self.out, "--broker", place, *words],
                              capture_output=True, text=True, timeout=300)
        expect(done.returncode == status, "status %d: %s" % (done.returncode, done.stdout + done.stderr))
        return done.stdout

    def finds(self, *words, status=1):
        """Each of these words in a line of its own, and no other mistake."""
        said = self.check(status=status)
        header = " topic aliases"
        lines = [line for line in said.splitlines() if not line.startswith("not looked at") and header not in line]
        for word in words:
            expect(any(word in line for line in lines), "%r is not in: %s" % (word, said))
        mistakes = [line for line in lines if not line.startswith("warning") and not line.endswith("good")]
        others = [line for line in mistakes if not any(word in line for word in words)]
        expect(not others, "more than %s: %s" % (words, others))


@claim("a broker for these boards has no complaint, and is left as it was", **ALONE)
def right(world):
    site = Site(world)
    broker = site.start()
    ear = site.listen()
    # The board itself, which must not be thrown out.
    board = site.listen(FIRST + "/cmd", name="bus_2D2-tracker")
    said = site.check(status=0)
    expect("mosquitto" in said.splitlines()[0] and "QoS 2, retains" in said, said)
    expect(said.splitlines()[-1] == site.out + ": 2 boards, good", said)
    expect("warning" not in said, said)
    expect("not looked at: what the broker retains" in said, said)
    topics = {message.topic for message in ear.messages}
    expect(topics == {FIRST + "/dump", FIRST + "/cmd", SECOND + "/dump", SECOND + "/cmd"}, str(topics))
    expect(not any(message.payload for message in ear.messages), "it says something")
    late = site.listen(name="late")
    late.publish("end", b"end")
    expect(late.wait(lambda messages: messages), "nothing comes")
    expect([message.topic for message in late.messages] == ["end"], "something is retained")
    sessions = site.listen("$SYS/broker/clients/disconnected", name="sessions")
    expect(sessions.wait(lambda messages: messages and messages[-1].payload == b"0"), "a session is left")
    expect(broker.log().count("as bus_2D2-tracker (") == 1 and board.is_subscribed.is_set(), "the board was thrown out")
    found = json.loads(site.check("--json", status=0))
    expect(found["ok"] and found["problems"] == [] and found["broker"].startswith("mosquitto"), str(found))
    expect(found["unseen"], str(found))
    said = site.check("--board", "truck-1-tracker", status=0)
    expect(SECOND in said and FIRST not in said, said)


@claim("a broker that cannot be reached, is no broker, or says nothing is named as such", **ALONE)
def absent(world):
    site = Site(world)
    said = site.check(status=1)
    expect("cannot be reached (Connection refused)" in said, said)
    site.start()
    said = site.check(status=1, port=site.open)
    expect("does not answer in TLS" in said, said)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        said = site.check(status=1, port=silent.getsockname()[1])
    expect("takes the connection and says nothing" in said, said)


@claim("a certificate of another authority, for another name or about to end is named", **ALONE)
def certificate(world):
    site = Site(world)
    site.serve(name="DNS:other.example")
    broker = site.start()
    site.finds("certificate is not for 127.0.0.1, as boards call it")
    broker.stop()
    for is_rsa in (False, True):
        site.serve(days=9, is_rsa=is_rsa)
        broker = site.start()
        site.finds("the broker's certificate ends", status=0)
        broker.stop()
    os.mkdir(site.folder + "/other")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-subj", "/CN=other", "-keyout",
                    site.folder + "/other/ca.key", "-out", site.folder + "/other/ca.pem"], check=True, capture_output=True)
    site.serve(authority=site.folder + "/other")
    broker = site.start()
    said = site.check(status=1)
    expect("is not of the authority that boards trust" in said, said)
    broker.stop()
    # The other way round: the broker trusts another authority.
    site.serve()
    site.start(CERTIFICATES.replace("{out}/ca/ca.pem", "{folder}/other/ca.pem"))
    said = site.check(status=1)
    expect("ends the connection before its greeting" in said and "bus-2-tracker/board.pem" in said, said)


@claim("a broker that takes no name from certificates is named, and one that lets anybody in", **ALONE)
def doors(world):
    site = Site(world)
    broker = site.start(TLS + "require_certificate true\n")
    said = site.check(status=1)
    expect("does not let bus-2-tracker in" in said and "use_identity_as_username" in said, said)
    broker.stop()
    broker = site.start(TLS.replace("anonymous false", "anonymous true"))
    site.listen()
    said = site.check(status=1)
    expect("lets in who shows neither certificate nor password" in said, said)
    broker.stop()


@claim("a name that is claimed beside a certificate is named where the broker believes it", **ALONE)
def claimed(world):
    site = Site(world, auth=True, usePassword=False)
    site.start((TLS + "require_certificate true\n").replace("anonymous false", "anonymous true"))
    site.listen()
    said = site.check(status=1)
    expect("when it says that it is truck-1, with the certificate of bus-2" in said, said)


@claim("boards with passwords are let in, and named where they go without TLS or have none", **ALONE)
def passwords(world):
    site = Site(world, auth=True, tls=False)
    plain = "listener {port} 127.0.0.1\nallow_anonymous %s\npassword_file {out}/mosquitto.passwd\n"
    broker = site.start(plain % "false")
    ear = site.listen()
    site.finds("tls is false", status=0)
    ear.close()
    broker.stop()
    broker = site.start(plain % "true")
    site.listen()
    site.finds("lets in who shows neither certificate nor password", "tls is false")
    broker.stop()
    site.start("listener {port} 127.0.0.1\nallow_anonymous false\n")
    site.finds("does not let bus-2-tracker in", "tls is false")


@claim("limits of the broker that boards meet are named with their settings", **ALONE)
def limits(world):
    site = Site(world, pubQos=2, keepAliveParked=900)
    for line, words, status in (
            ("max_qos 1", "pubQos is 2, and the broker takes QoS 1 at most: set pubQos 1", 0),
            ("max_qos 0", "takes QoS 0 alone", 1),
            ("retain_available false", "pubRetain is true, and the broker retains nothing", 1),
            ("max_packet_size 1000", "packets of 1000 bytes at most, and a position may have 2048", 1),
            ("max_packet_size 9000", "packets of 9000 bytes at most: longer lists", 0),
            ("max_inflight_messages 5", "takes 5 messages at a time", 0),
            ("max_keepalive 60", "longer than the 60 s of the broker", 0)):
        # Some belong to the listener, and the others to all.
        broker = site.start(more=line)
        ear = site.listen()
        site.finds(words, status=status)
        ear.close()
        broker.stop()


@claim("settings that do not go with a fleet are named", **ALONE)
def settings(world):
    site = Site(world, mqttProtocolLevel=4, friends=True)
    site.start()
    site.listen()
    site.finds("mqttProtocolLevel is not 5", "friends is true", status=0)


@claim("rights that are too wide or too narrow are named with the topic", **ALONE)
def rights(world):
    site = Site(world)
    fleet = "pattern write owntracks/%u/+/#\npattern readwrite owntracks/%u/+/cmd\n"
    mine = fleet + "user bus-2\n"
    for rights, *words in (
            (mine + "topic readwrite owntracks/#\n", "may publish on %s/dump" % SECOND,
             "may publish on %s/cmd" % SECOND, "hears what is published on " + SECOND),
            (mine + "topic write owntracks/+/+/cmd\n", "may publish on %s/cmd, which is another" % SECOND),
            (mine + "topic read owntracks/+/+/dump\n", "hears what is published on %s/dump" % SECOND),
            ("pattern write owntracks/%u/+/#\n", "does not hear what is published on %s/cmd" % FIRST),
            ("pattern readwrite owntracks/%u/+/cmd\n", "may not publish on %s/dump" % FIRST)):
        broker = site.start(rights=rights)
        ear = site.listen()
        site.finds(*words)
        ear.close()
        broker.stop()
    # A right to places alone shows by what is retained there.
    site.start(rights=mine + "topic read owntracks/+/+\n")
    ear = site.listen()
    ear.publish(SECOND, b"a place", is_retained=True)
    expect(ear.wait(lambda messages: messages), "no place")
    site.finds("hears what is published on " + SECOND)


@claim("that nobody listens is a warning, and says how little it proves", **ALONE)
def unheard(world):
    site = Site(world)
    site.start()
    site.finds("nobody has subscribed to %s/dump" % FIRST, "proves much", status=0)


@claim("certificates of another authority than the fleet's, or than --ca names, are named", **ALONE)
def strangers(world):
    authority = Site(world, "first").out + "/ca"
    site = Site(world, "second", authority)
    key, certificate = site.out + "/bus-2-tracker/board.key", site.out + "/truck-1-tracker/board.pem"

    def openssl(*words):
        return subprocess.run(["openssl", *words], capture_output=True, text=True, check=True).stdout

    def check(*words):
        done = subprocess.run([COMMAND_LINE, "fleet", "check", site.out, *words], capture_output=True, text=True)
        return done.returncode, done.stdout

    expect(check() == (0, site.out + ": 2 boards, good\n"), check())
    expect(check("--ca", authority)[0] == 0, check("--ca", authority))
    # A key of a form that openssl has to read.
    text = openssl("ec", "-in", key)
    expect("BEGIN EC PRIVATE KEY" in text, text)
    with open(key, "w") as file:
        file.write(text)
    expect(check("--ca", authority)[0] == 0, check("--ca", authority))
    text = openssl("req", "-x509", "-key", site.out + "/truck-1-tracker/board.key", "-subj", "/CN=truck-1", "-days", "99")
    with open(certificate, "w") as file:
        file.write(text)
    status, said = check("--ca", authority)
    expect(status == 1 and len(said.splitlines()) == 1, said)
    expect(said.startswith("truck-1-tracker/board.pem: is not of the authority in %s/ca.pem" % authority), said)
    os.rename(authority, authority + ".gone")
    status, said = check("--ca", authority)
    expect(status == 1 and said == authority + "/ca.pem: cannot be read, expected a certificate as PEM\n", said)


@claim("words that make no sense are refused before anything is asked", **ALONE)
def usage(world):
    site = Site(world)
    for words, said in (
            (["--broker", "a/b"], "--broker: a/b, expected HOST or HOST:PORT"),
            (["--broker", "x", "--board", "none"], "--board: no none in"),
            (["--board", "bus-2-tracker"], "--board: with --broker alone")):
        done = subprocess.run([COMMAND_LINE, "fleet", "check", site.out, *words], capture_output=True, text=True)
        expect(done.returncode == 2 and said in done.stderr, done.stderr)
    os.unlink(site.out + "/bus-2-tracker/ca.pem")
    done = subprocess.run([COMMAND_LINE, "fleet", "check", site.out, "--broker", "x"], capture_output=True, text=True)
    expect(done.returncode != 0, done.stdout)


if __name__ == "__main__":
    main()
