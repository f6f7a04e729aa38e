#!/usr/bin/env python3
# takes: 230 s
# behaviour: Renewed certificates
"""Certificates that are renewed from afar, with a real broker that wants one of each board."""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from servers import free_port
from subscriber import Subscriber
from tracker import COMMAND_LINE, Tracker, shim
from waiting import IN_THE_END, in_the_end
from world import claim, expect, main

TABLE = "user,device\nute,board\neve,car\n"
UTE = "owntracks/ute/board"


def openssl(*words, **more):
    return subprocess.run(["openssl", *words], check=True, capture_output=True, **more).stdout


class Fleet:
    """Two boards with certificates that end soon, and their broker."""

    def __init__(self, world, crl=False):
        self.world, self.folder, self.port = world, world.folder, free_port()
        self.out, self.number = os.path.join(world.folder, "out"), 0
        with open(self.folder + "/t.otrc", "w") as file:
            json.dump({"_type": "configuration", "host": "127.0.0.1", "port": self.port, "tls": True, "auth": False,
                       "mqttProtocolLevel": 5, "legacyListento": False, "cmd": True, "statusInterval": 3600,
                       "gpsdHost": "127.0.0.1", "gpsdPort": world.gpsd.port, "monitoring": 2, "locatorInterval": 0,
                       "locatorDisplacement": 0}, file)
        with open(self.folder + "/b.csv", "w") as file:
            file.write(TABLE)
        self.said("make", self.folder + "/t.otrc", self.folder + "/b.csv", self.out, "--days", "20")
        self.sign_for_broker()
        with open(world.broker.settings, "a") as file:
            file.write("\n".join([
                "acl_file %s/watched.acl" % self.folder, "listener %d 127.0.0.1" % self.port, "cafile %s/ca/ca.pem" % self.out,
                "certfile %s/server.pem" % self.folder, "keyfile %s/server.key" % self.folder, "require_certificate true",
                "use_identity_as_username true", *(["crlfile %s/crl.pem" % self.folder] if crl else []), ""]))
        with open(self.folder + "/watched.acl", "w") as file:
            file.write("topic readwrite #\n" + open(self.out + "/mosquitto.acl").read())
        if crl:
            self.revoke()
        world.broker.start()
        world.listen()
        # What is answered while it comes back after a broker's restart waits there.
        self.all = Subscriber(world.broker.port, ["#"], name="all")
        world._closing.append(self.all.close)
        self.boards = [self.board("ute-board"), self.board("eve-car")]
        world.tracker = self.boards[0]

    def sign_for_broker(self):
        ca = self.out + "/ca/ca"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=IP:127.0.0.1", "-CA", ca + ".pem", "-CAkey", ca + ".key",
                "-keyout", self.folder + "/server.key", "-out", self.folder + "/server.pem")

    def said(self, *words, expected=0):
        done = subprocess.run([COMMAND_LINE, "fleet", *words], capture_output=True, text=True, timeout=300)
        expect(done.returncode == expected, "status %d: %s%s" % (done.returncode, done.stdout, done.stderr))
        return done.stdout

    def renew(self, *words, expected=0):
        return self.said("renew", self.out, *words, "--", "-h", "127.0.0.1", "-p", str(self.world.broker.port),
                         expected=expected)

    def board(self, name):
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        board = Tracker(folder, self.world.gpsd.port, self.port)
        text = open("%s/%s/homeward.otrc" % (self.out, name)).read()
        settings = json.loads(text.replace("/etc/homeward/", "%s/%s/" % (self.out, name)))
        settings.update(stateDir=board.state, controlSocket=board.socket)
        board.settings = settings
        board.write(json.dumps(settings))
        self.world._closing.append(board.kill)
        return board

    def start(self, *boards):
        clock = {"LD_PRELOAD": shim("kernel_clock", self.folder), "CLOCK_IS": "synchronised"}
        for board in boards or self.boards:
            board.start(env=clock)
            stands(board)
        return self

    def order(self, action, **more):
        """What the first board answers."""
        self.number += 1
        expect(self.all.is_subscribed.wait(IN_THE_END), "the one who gives orders is not back")
        word = {"_type": "cmd", "action": action, "id": self.number, "tst": int(time.time()), **more}
        self.all.publish(UTE + "/cmd", json.dumps(word).encode())
        return self.number

    def answer(self, number):
        found = lambda: [m.json() for m in self.all.messages if m.topic == UTE + "/cmd/answer" and m.json().get("id") == number]
        # A broker's end may take its word on the certificate along: five such ends are a verdict too, with pauses of a minute.
        expect(in_the_end(found, seconds=7 * IN_THE_END), "no answer: " + self.boards[0].log()[-3000:])
        expect(len(found()) == 1, "%s" % found())
        return found()[0]

    def asked(self, action, **more):
        return self.answer(self.order(action, **more))

    def request(self):
        answer = self.asked("requestCertificate")
        expect(answer["ok"] is True and "BEGIN CERTIFICATE REQUEST" in answer["request"], "%s" % answer)
        return answer["request"]

    def signed(self, request, subject="/CN=ute", days=400, serial=4711, ca=None):
        ca = ca or self.out + "/ca/ca"
        with open(self.folder + "/csr", "w") as file:
            file.write(request)
        if days < 0:
            return openssl("x509", "-req", "-in", self.folder + "/csr", "-days", str(days), "-set_serial", str(serial), "-CA",
                           ca + ".pem", "-CAkey", ca + ".key").decode()
        return openssl("req", "-x509", "-in", self.folder + "/csr", "-days", str(days), "-subj", subject, "-set_serial",
                       str(serial), "-CA", ca + ".pem", "-CAkey", ca + ".key", "-addext", "extendedKeyUsage=clientAuth").decode()

    def revoke(self, *serials):
        """A list for the broker: it refuses certificates with these numbers."""
        lines = ["R\t360101000000Z\t260101000000Z\t%s\tunknown\t/CN=x\n" % serial for serial in serials]
        with open(self.folder + "/index.txt", "w") as file:
            file.writelines(lines)
        with open(self.folder + "/ca.conf", "w") as file:
            file.write("[ca]\ndefault_ca=c\n[c]\ndatabase=%s/index.txt\ndefault_md=sha256\n" % self.folder)
        openssl("ca", "-gencrl", "-config", self.folder + "/ca.conf", "-crldays", "30", "-cert", self.out + "/ca/ca.pem",
                "-keyfile", self.out + "/ca/ca.key", "-out", self.folder + "/crl.pem")

    def restart_broker(self):
        self.world.broker.stop()
        expect(in_the_end(lambda: not self.all.is_subscribed.is_set()), "who watches does not notice")
        # Nor would a board be there for an order while it still believes in the connection before.
        for board in self.boards:
            if board.is_alive():
                gone = board.wait_for_status(lambda status: status["connection"]["state"] != "connected")
                expect(gone and gone["connection"]["state"] != "connected", "the board does not notice")
        self.start_broker()

    def start_broker(self):
        self.world.broker.start()
        expect(in_the_end(self.all.is_subscribed.is_set), "who watches is not back")


def stands(board):
    good = lambda status: status["connection"]["state"] == "connected"
    status = board.wait_for_status(good)
    expect(status and good(status), "%s %s" % (status, board.log()[-3000:]))


def serial(path):
    return openssl("x509", "-in", path, "-noout", "-serial").decode().strip().split("=")[1]


def kept(board):
    folder, files = board.state + "/certificate", {}
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = file.read()
        except FileNotFoundError:
            pass  # it has another name by now
    return files


def in_force(board):
    """The file that its renewed certificate is in."""
    state = json.loads(kept(board).get("state.json", b"{}"))
    return state.get("inForce") and "%s/certificate/%s.pem" % (board.state, state["inForce"])


@claim("two boards are renewed by one command, lose nothing, and are taken with nothing else than the new certificates",
       has_broker=False)
def renewed(world):
    fleet = Fleet(world, crl=True).start()
    world.warm_up()
    feeding = world.feeding(world.drive(200))
    out = fleet.renew("--days", "400")
    feeding.join()
    world.wait_for_locations(feeding.sent)
    expect(out.count(": in force until 20") == 2 and "2 certificates renewed" in out, out)
    expect("no certificate ends within 60 days" in fleet.renew(), "renewed once more")
    old = [serial("%s/%s/board.pem" % (fleet.out, name)) for name in ("ute-board", "eve-car")]
    fleet.revoke(*old)
    fleet.restart_broker()
    for board in fleet.boards:
        stands(board)
        board.kill()
    fleet.start()
    for board, name in zip(fleet.boards, ("ute-board", "eve-car")):
        files = kept(board)
        expect(len(files) == 2 and serial(in_force(board)) == serial("%s/%s/renewed.pem" % (fleet.out, name)), "%s" % list(files))
        expect(all(os.stat(os.path.join(board.state, "certificate", name)).st_mode & 0o777 == 0o600 for name in files), "modes")
        expect("PRIVATE" not in board.log(), "a key in the journal")
    expect(not any(b"PRIVATE" in m.payload for m in fleet.all.messages), "a key on the broker")
    ends = lambda: {m.json()["linux"].get("certificateEnd", 0) for m in fleet.all.messages if m.topic == UTE + "/status"}
    expect(in_the_end(lambda: max(ends(), default=0) > time.time() + 390 * 86400), "the status has not the new end: %s" % ends())
    expect(fleet.said("check", fleet.out).strip().endswith("2 boards, good"), "not good")
    # Another certificate in the configuration counts again.
    fleet.said("make", fleet.folder + "/t.otrc", fleet.folder + "/b.csv", fleet.out, "--days", "500")
    os.unlink(fleet.out + "/ute-board/board.pem")
    fleet.said("make", fleet.folder + "/t.otrc", fleet.folder + "/b.csv", fleet.out, "--days", "500")
    board = fleet.boards[0]
    board.hang_up()
    expect(in_the_end(lambda: in_force(board) is None and len(kept(board)) == 1), "%s" % kept(board).keys())
    stands(board)


@claim("a certificate that does not fit is refused in one line, and changes nothing", has_broker=False, has_gpsd=False)
def refused(world):
    fleet = Fleet(world).start()
    board = fleet.boards[0]
    early = fleet.signed(openssl(
        "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=ute",
        "-keyout", fleet.folder + "/another.key").decode())
    expect("no request waits for one" in fleet.asked("setCertificate", certificate=early)["reason"], "taken without a request")
    request = fleet.request()
    expect(fleet.request() == request, "another request")
    before = kept(board)
    expect(sorted(before) == ["request.key", "request.pem"], "%s" % sorted(before))
    other = os.path.join(fleet.folder, "other")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Homeward fleet",
            "-keyout", other + ".key", "-out", other + ".pem")
    for certificate, words in (
            (early, "is for another key"),
            (fleet.signed(request, "/CN=eve"), "is for eve, expected ute"),
            (fleet.signed(request, days=-1), "has ended"),
            (fleet.signed(request, days=10), "expected a later end"),
            (fleet.signed(request, ca=other), "is not signed by an authority of tlsCaFile"),
            ("nonsense", "cannot be read"),
            ("x" * 20000, "expected PEM")):
        answer = fleet.asked("setCertificate", certificate=certificate)
        expect(answer["result"] == "refused" and words in answer["reason"] and "\n" not in answer["reason"], "%s" % answer)
        expect(kept(board) == before, "%s: %s" % (words, sorted(kept(board))))
        time.sleep(6)  # ten commands a minute are obeyed
    expect("trying" not in board.log(), board.log())
    stands(board)


@claim("a certificate that the broker refuses is taken back, after a kill in its trial too", has_broker=False, has_gpsd=False)
def taken_back(world):
    fleet = Fleet(world, crl=True).start()
    board = fleet.boards[0]
    certificate = fleet.signed(fleet.request(), serial=0x4711)
    fleet.revoke("4711")
    fleet.restart_broker()
    stands(board)
    answer = fleet.asked("setCertificate", certificate=certificate)
    expect(answer["result"] == "refused" and "the old certificate is in use again" in answer["reason"], "%s" % answer)
    stands(board)
    expect(sorted(kept(board)) == ["request.key", "request.pem", "state.json"], "%s" % sorted(kept(board)))
    # The broker is away when the trial begins: neither that nor a kill is a verdict.
    number = fleet.order("setCertificate", certificate=certificate)
    expect(in_the_end(lambda: b"trial" in kept(board).get("state.json", b"")), "no trial: " + board.log()[-2000:])
    board.kill()
    world.broker.stop()
    board.start(env={"LD_PRELOAD": shim("kernel_clock", fleet.folder), "CLOCK_IS": "synchronised"})
    expect(in_the_end(lambda: board.status() and board.status()["connection"]["attempts"] > 3), "it does not try")
    expect(b"trial" in kept(board)["state.json"], "an outage is a verdict")
    fleet.start_broker()
    answer = fleet.answer(number)
    expect(answer["result"] == "refused" and "the old certificate is in use again" in answer["reason"], "%s" % answer)
    stands(board)
    fleet.revoke()
    fleet.restart_broker()
    stands(board)
    answer = fleet.asked("setCertificate", certificate=certificate)
    expect(answer["ok"] is True and serial(in_force(board)) == "4711", "%s" % answer)
    expect(fleet.asked("setCertificate", certificate=certificate)["reason"].startswith("in force already"), "taken twice")


@claim("a state that cannot be read costs no certificate, and another certificate ends a trial and has its own end in status",
       has_broker=False, has_gpsd=False)
def kept_over_faults(world):
    fleet = Fleet(world)
    board = fleet.boards[0]
    fleet.start(board)
    expect(fleet.asked("setCertificate", certificate=fleet.signed(fleet.request(), serial=0x4711))["ok"], board.log()[-2000:])
    pair, state = in_force(board), board.state + "/certificate/state.json"
    with open(pair) as file:
        text = file.read()
    board.stop()
    os.rename(state, fleet.folder + "/kept.json")
    os.mkdir(state)
    fleet.start(board)
    words = "state.json: cannot be read: Is a directory; %s is used" % pair
    expect(in_the_end(lambda: words in board.log()), board.log()[-2000:])
    expect(os.path.basename(pair) in kept_names(board) and serial(pair) == "4711", "%s" % kept_names(board))
    os.rmdir(state)
    os.rename(fleet.folder + "/kept.json", state)
    # It is asked again each minute.
    expect(in_the_end(lambda: "certificate can be read again" in board.log(), seconds=3 * IN_THE_END), "not read again")
    expect(in_force(board) == pair and os.path.exists(pair), "%s" % kept_names(board))
    # Another certificate in the configuration counts, and its end is told.
    by_hand(fleet, days=700)
    board.hang_up()
    expect(in_the_end(lambda: in_force(board) is None and not os.path.exists(pair)), "%s" % kept_names(board))
    stands(board)
    expect(in_the_end(lambda: certificate_end(fleet) in (699, 700)), "%s days" % certificate_end(fleet))
    # A trial that was cut short, and another certificate before the next start.
    board.kill()
    with open(pair, "w") as file:
        file.write(text)
    trial = {"file": os.path.basename(pair)[:-4], "replaces": "0123456789abcdef", "id": 99}
    with open(state, "w") as file:
        json.dump({"trial": trial}, file)
    fleet.start(board)
    answer = fleet.answer(99)
    expect(answer["result"] == "refused" and "names another certificate now" in answer["reason"], "%s" % answer)
    expect(in_the_end(lambda: kept_names(board) == ["state.json"]), "%s" % kept_names(board))
    expect(certificate_end(fleet) in (699, 700), "%s days" % certificate_end(fleet))


def by_hand(fleet, days):
    """A certificate that lies there under the name that the configuration has."""
    board, ca = fleet.boards[0].settings, fleet.out + "/ca/ca"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=ute", "-CA",
            ca + ".pem", "-CAkey", ca + ".key", "-addext", "extendedKeyUsage=clientAuth", "-days", str(days),
            "-keyout", board["tlsClientKey"], "-out", board["tlsClientCert"])


def kept_names(board):
    return os.listdir(board.state + "/certificate")


def certificate_end(fleet):
    """In days from now, as the board has told last."""
    told = [m.json()["linux"].get("certificateEnd") for m in fleet.all.messages if m.topic == UTE + "/status"]
    return told and told[-1] and round((told[-1] - time.time()) / 86400)


@claim("killed at any step, a board has the old pair or the new one, and a later renewal works", has_broker=False, has_gpsd=False)
def killed(world):
    fleet = Fleet(world).start()
    board = fleet.boards[0]
    steps = [lambda files: "request.key" in files, lambda files: "request.pem" in files,
             lambda files: any(len(name) == 20 for name in files), lambda files: b"trial" in files.get("state.json", b""),
             lambda files: b"inForce" in files.get("state.json", b"")]
    for step in steps:
        command = subprocess.Popen(
            [COMMAND_LINE, "fleet", "renew", fleet.out, "--board", "ute-board", "--days", "400", "--",
             "-h", "127.0.0.1", "-p", str(world.broker.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        try:
            expect(in_the_end(lambda: step(kept(board)), every=0.001), "the step does not come")
            board.kill()
            pair = in_force(board)
            if pair:
                openssl("x509", "-in", pair, "-noout")
                openssl("pkey", "-in", pair, "-noout")
            fleet.start(board)
        finally:
            # One that is left keeps the program busy that the next build wants to replace.
            os.killpg(command.pid, signal.SIGTERM)
            command.wait()
        os.path.exists(fleet.out + "/ute-board/renewed.pem") and os.unlink(fleet.out + "/ute-board/renewed.pem")
        state = lambda: json.loads(kept(board).get("state.json", b"{}"))
        expect(in_the_end(lambda: "trial" not in state()), "a trial does not end: %s" % state())
    out = fleet.renew("--board", "ute-board", "--days", "500")
    expect("1 certificate renewed" in out, out)
    expect(serial(in_force(board)) == serial(fleet.out + "/ute-board/renewed.pem"), "another one is in force")


@claim("where a certificate cannot be renewed one line says why", has_broker=False, has_gpsd=False)
def impossible(world):
    fleet = Fleet(world)
    board = fleet.boards[0]
    clock = {"LD_PRELOAD": shim("kernel_clock", fleet.folder), "CLOCK_IS": "synchronised"}
    board.start(env={**clock, "PATH": fleet.folder})
    stands(board)
    expect("openssl is not installed" in fleet.asked("requestCertificate")["reason"], "made without openssl")
    expect(kept(board) == {}, "%s" % kept(board))
    out = fleet.renew("--board", "ute-board", "--wait", "30", expected=1)
    expect("ute-board: not renewed: openssl is not installed" in out, out)


if __name__ == "__main__":
    main()
