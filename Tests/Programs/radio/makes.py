#!/usr/bin/env python3
"""Controllers that obey, and others that say one thing and do another."""
import time

from board import heard, capabilities, unit
from waiting import in_the_end
from world import expect, main

# With these it may scan raw, too.
BOTH = ("net_admin", "net_raw")


def works(board, way="advertisement monitor"):
    board.settle()
    board.enter()
    said = board.scanner()
    expect(said.get("way") == way, "status says %s" % said)
    board.leave()


def scans_raw(personality, family):
    """`scanMethod` raw: the family of commands is found without the kernel."""
    @heard("%s, raw: scans by %s commands" % (personality, family), personality=personality, starts=False,
           rights=BOTH, scanMethod="raw", beaconLossTimeout=2)
    def run(board):
        board.start()
        board.settle()
        board.enter()
        said = board.scanner()
        expect(said.get("way") == "raw " + family, "status says %s" % said)
        expect(said.get("reason"), "status does not say why: %s" % said)
        board.leave(2)


for personality, family in (("5.0", "extended"), ("5.0-strict", "extended"), ("4.2", "legacy"),
                            ("4.2-no-idle-stop", "legacy"), ("5.0-without-extended", "legacy"),
                            ("5.1-broken-extended", "legacy")):
    scans_raw(personality, family)


@heard("5.0: scans, enter and leave", starts=False)
def five(board):
    board.start()
    works(board)


@heard("5.0 that keeps the two families of commands apart: scans", personality="5.0-strict", starts=False)
def strict(board):
    board.start()
    works(board)


@heard("4.2: scans, enter and leave", personality="4.2", starts=False)
def four(board):
    board.start()
    works(board)


@heard("4.2 that refuses to stop what does not run: scans", personality="4.2-no-idle-stop", starts=False)
def refusing(board):
    board.start()
    works(board)


@heard("5.0 that does not know the extended commands it claims", personality="5.0-without-extended", starts=False,
       rights=BOTH)
def unknown(board):
    board.start()
    works(board, "raw legacy")


@heard("5.1 that refuses the extended commands it claims", personality="5.1-broken-extended", starts=False,
       rights=BOTH)
def broken(board):
    board.start()
    works(board, "raw legacy")


@heard("5.1 that refuses them, without CAP_NET_RAW: status says what is missing, never that it listens",
       personality="5.1-broken-extended", starts=False, rights=("net_admin",))
def powerless(board):
    board.start()
    expect(in_the_end(lambda: board.scanner().get("cause")), "status says %s" % board.scanner())
    end = time.monotonic() + 70  # it tries again each minute
    while time.monotonic() < end:
        said = board.scanner()
        expect(not said.get("hearing") and said.get("state") != "listening", "status says %s" % said)
        time.sleep(0.25)
    for words in ("refused the kernel's scan", "CAP_NET_RAW is missing", "AmbientCapabilities=CAP_NET_RAW"):
        expect(words in said.get("cause", ""), "status says %s" % said)


@heard("the daemon is nobody, and has given its capabilities up")
def rights(board):
    with open("/proc/%d/status" % board.tracker.pid) as file:
        lines = dict(line.split(":", 1) for line in file)
    expect(lines["Uid"].split() == ["1000"] * 4, "runs as %s" % lines["Uid"].split())
    for kind in ("CapPrm", "CapInh", "CapAmb"):
        expect(int(lines[kind], 16) == 0, "%s is %s" % (kind, lines[kind].strip()))


@heard("the unit leaves what Bluetooth needs", starts=False)
def unit_allows(board):
    text = unit()
    rights = capabilities()
    expect(rights and set(rights) <= {"net_admin", "net_raw"}, "AmbientCapabilities=%s" % rights)
    families = [line for line in text.splitlines() if line.startswith("RestrictAddressFamilies=")]
    expect(any("AF_BLUETOOTH" in line for line in families), "the unit forbids AF_BLUETOOTH")
    # The kernel asks for capabilities in the first namespace, where the service would have none.
    expect("PrivateUsers=yes" not in text, "PrivateUsers=yes takes the capabilities away")
    expect("PrivateNetwork=yes" not in text, "the kernel has Bluetooth in the first network namespace only")


if __name__ == "__main__":
    main()
