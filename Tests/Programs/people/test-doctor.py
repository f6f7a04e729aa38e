#!/usr/bin/env python3
# takes: 80 s
# behaviour: status and doctor
"""What the doctor finds out, with and without a daemon: each trouble with its own remedy, and nothing invented."""
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../world")
from endpoint import certificate
from servers import Broker, program
from tracker import COMMAND_LINE
from world import Skip, claim, expect, main

OTHERS = tempfile.mkdtemp(prefix="hw-doctor-")


def doctor(world):
    answer = world.tracker.ask("doctor", "--json", "--file", world.tracker.configuration)
    return {finding["subject"]: finding for finding in answer.json()}


def broker_says(world, **settings):
    """What the doctor says of the broker while no daemon runs."""
    world.tracker.configure(**settings)
    found = doctor(world)["broker"]
    return found["verdict"], found["text"], found["remedy"] or ""


@claim("without a daemon the doctor tries the broker itself: name, port, login and subscriptions")
def by_itself(world):
    verdict, text, remedy = broker_says(world)
    expect(verdict == "ok" and "no TLS" in text, "a good broker: %s" % text)
    expect("/board\n" not in world.broker.log(), "the daemon's own session was used")
    verdict, text, remedy = broker_says(world, host="nowhere.invalid")
    expect(verdict != "ok" and ("homeward config set host" in remedy or "resolv.conf" in remedy), "%s %s" % (text, remedy))
    verdict, text, remedy = broker_says(world, host="127.0.0.1", port=1)
    expect("nothing listens" in text and "listener 1" in remedy, "%s %s" % (text, remedy))
    verdict, text, remedy = broker_says(world, port=world.broker.port, tls=True)
    expect("homeward config set" in remedy and "tls" in remedy, "%s %s" % (text, remedy))


PASSWORDS = os.path.join(OTHERS, "passwords")


def passwords():
    open(PASSWORDS, "w").close()
    os.chmod(PASSWORDS, 0o600)
    subprocess.run([program("mosquitto_passwd"), "-b", PASSWORDS, "ute", "right"], check=True)
    acl = os.path.join(OTHERS, "acl")
    with open(acl, "w") as file:
        file.write("user ute\ntopic write owntracks/#\n")
    return "allow_anonymous false\npassword_file %s\nacl_file %s" % (PASSWORDS, acl)


@claim("a wrong password is named with its user and the command that changes it", has_broker=False)
def refused(world):
    folder = os.path.join(world.folder, "second")
    os.makedirs(folder)
    broker = Broker(folder, extra=passwords())
    with open(broker.settings) as file:
        text = file.read().replace("allow_anonymous true\n", "")
    with open(broker.settings, "w") as file:
        file.write(text)
    broker.start()
    try:
        verdict, text, remedy = broker_says(world, port=broker.port, auth=True, password="wrong")
        expect(verdict == "fail" and "homeward config set password -" in remedy, "%s %s" % (text, remedy))
        expect("ute" in remedy, "nobody knows whose password: %s" % remedy)
        verdict, text, remedy = broker_says(world, password="right", mqttProtocolLevel=5)
        expect(verdict == "ok", "%s %s" % (text, remedy))
    finally:
        broker.kill()


@claim("a certificate that nobody knows leads to tlsCaFile, and with it all is well", has_broker=False)
def unknown(world):
    own = certificate(world.folder, "127.0.0.1")
    folder = os.path.join(world.folder, "second")
    os.makedirs(folder)
    broker = Broker(folder, extra="certfile %s\nkeyfile %s" % own[:2])
    broker.start()
    try:
        verdict, text, remedy = broker_says(world, port=broker.port, tls=True)
        expect(verdict == "fail" and "homeward config set tlsCaFile" in remedy, "%s %s" % (text, remedy))
        verdict, text, remedy = broker_says(world, tlsCaFile=own[0])
        expect(verdict == "ok" and ", TLS" in text, "%s %s" % (text, remedy))
    finally:
        broker.kill()


@claim("a running daemon's status says whether the connection is encrypted, and what the last error was")
def status(world):
    world.start()
    connection = world.tracker.status()["connection"]
    expect(connection["tls"] is False and connection["encrypted"] is False, "%s" % connection)
    expect("Security:" in world.tracker.ask("status").text, "not for people")
    world.broker.kill()
    found = world.tracker.wait_for_status(lambda s: s["connection"]["colour"] == "amber" and "lastError" in s["connection"])
    expect(found["connection"]["lastError"]["age"] < 60, "%s" % found["connection"])
    expect("listener" in found["connection"]["remedy"] or "log" in found["connection"]["remedy"],
           "%s" % found["connection"]["remedy"])


@claim("a receiver that sends nothing is not one without sky, with and without a daemon", pace=4)
def silent(world):
    found = doctor(world)
    expect(found["receiver"]["verdict"] == "fail" and "sends nothing" in found["receiver"]["text"], "%s" % found)
    world.start()
    world.lasts(12)
    found = doctor(world)
    expect(found["receiver"]["verdict"] == "fail", "%s" % found)
    expect("fix" not in found, "a fix all the same: %s" % found)
    expect("sends nothing" in world.tracker.ask("status").text, "status hides it")


@claim("a certificate that is not there is a fault of the configuration, and the broker is tried all the same",
       has_gpsd=False)
def gone(world):
    path = os.path.join(world.folder, "gone.pem")
    world.tracker.configure(tlsCaFile=path)
    found = doctor(world)
    text = 'tlsCaFile is "%s", expected a file that is there' % path
    expect(found["configuration"]["verdict"] == "fail" and text in found["configuration"]["text"], "%s" % found)
    expect("config set tlsCaFile" in found["configuration"]["remedy"] and "broker" in found, "%s" % found)


@claim("a broken file is the one finding; nothing is guessed in its place")
def broken(world):
    world.tracker.write("{\"host\": ")
    found = doctor(world)
    expect(sorted(found) == ["clock", "configuration", "daemon"], "%s" % sorted(found))
    expect("sudoedit" in found["configuration"]["remedy"], "%s" % found["configuration"])


@claim("a user outside of the group is told of permission, not that there is no file", has_broker=False, has_gpsd=False)
def stranger(world):
    if os.geteuid() != 0:
        raise Skip("needs root, to become somebody else")
    folder = os.path.join(OTHERS, "etc")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "homeward.otrc")
    shutil.copy(world.tracker.configuration, path)
    os.chmod(OTHERS, 0o755)
    os.chmod(folder, 0o750)
    # Where the program is built nobody else may look.
    mine = os.path.join(OTHERS, "homeward")
    shutil.copy(COMMAND_LINE, mine)
    os.chmod(mine, 0o755)
    nobody = pwd.getpwnam("nobody")

    def become():
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)

    done = subprocess.run([mine, "doctor", "--json", "--file", path, "--socket", world.tracker.socket], preexec_fn=become,
                          capture_output=True, text=True, timeout=60)
    found = {finding["subject"]: finding for finding in json.loads(done.stdout)}
    expect("no permission" in found["configuration"]["text"], "%s" % found["configuration"])
    expect("sudo homeward doctor" in found["configuration"]["remedy"], "%s" % found["configuration"])


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(OTHERS, True)
