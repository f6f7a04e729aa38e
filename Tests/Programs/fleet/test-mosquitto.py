#!/usr/bin/env python3
# takes: 5 s
# behaviour: Fleets
"""What docs/fleet.md says of one mosquitto, command by command: it starts as Debian starts it, by root, and reads its
files as the user mosquitto."""
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../world")
from servers import Server, free_port, is_listening, program
from tracker import COMMAND_LINE, ROOT
from waiting import in_the_end
from world import Skip, as_root, claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}
# Where the commands put what they install.
PLACE = "/etc/mosquitto"


def blocks():
    """The indented blocks below "The broker"."""
    with open(os.path.join(ROOT, "docs", "fleet.md")) as file:
        section = file.read().partition("\n## The broker\n")[2].partition("\n## ")[0]
    return [re.sub(r"^    ", "", found, flags=re.M) for found in re.findall(r"(?:^    .*\n)+", section, re.M)]


def run(command, folder):
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True)
    expect(done.returncode == 0, command + done.stdout + done.stderr)


@claim("the commands for one mosquitto make a broker that starts, and takes a board's certificate", **ALONE)
def starts(world):
    as_root()
    if "mosquitto" not in (entry.pw_name for entry in pwd.getpwall()):
        raise Skip("there is no user mosquitto")
    # The world's own folder is closed to others.
    place = tempfile.mkdtemp(prefix="hw-mosquitto-")
    os.chmod(place, 0o755)
    server = Server("mosquitto", world.folder)
    try:
        with open(os.path.join(world.folder, "t.otrc"), "w") as file:
            file.write('{"_type": "configuration", "host": "broker.example.org"}')
        with open(os.path.join(world.folder, "b.csv"), "w") as file:
            file.write("user,device\nute,board\n")
        run("%s fleet make t.otrc b.csv out" % COMMAND_LINE, world.folder)
        certificate, install, settings = blocks()
        run(certificate, world.folder)
        run(install.replace("sudo ", "").replace(PLACE, place), world.folder)
        port = free_port()
        text = settings.replace(PLACE, place).replace("listener 8883", "listener %d 127.0.0.1" % port)
        expect("127.0.0.1" in text and PLACE not in text, text)
        with open(os.path.join(world.folder, "fleet.conf"), "w") as file:
            file.write(text)
        server.spawn([program("mosquitto"), "-c", file.name])
        in_the_end(lambda: is_listening(port) or not server.is_alive())
        expect(server.is_alive(), server.log())
        # The certificate is for the name of the page, and nobody looks it up here.
        run("mosquitto_pub -h 127.0.0.1 -p %d --insecure --cafile out/ca/ca.pem --cert out/ute-board/board.pem "
            "--key out/ute-board/board.key -q 1 -t owntracks/ute/board -m here" % port, world.folder)
    finally:
        server.kill()
        shutil.rmtree(place, True)


if __name__ == "__main__":
    main()
