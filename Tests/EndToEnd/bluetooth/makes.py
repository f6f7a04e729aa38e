#!/usr/bin/env python3
"""Controllers that obey, and others that say one thing and do another."""
from board import heard, capabilities, unit
from world import expect, main

STARTUP = 2.0  # seconds from the start of the daemon until the controller scans
# A controller that only claims to scan is found out by what it does not hear.
FOUND_OUT = 10.0


def works(board, limit=STARTUP):
    took = board.wait_until_scanning(seconds=limit) - board.started
    print("# scans after %.2f s; %s" % (took, board.scanner()))
    expect(took <= limit, "the controller scans after %.1f s" % took)
    board.settle()
    board.enter()
    board.leave()


@heard("5.0: scans within 2 s, enter and leave", starts=False)
def five(board):
    board.start()
    works(board)


@heard("5.0 that keeps the two families of commands apart: scans within 2 s", personality="5.0-strict", starts=False)
def strict(board):
    board.start()
    works(board)


@heard("4.2: scans within 2 s, enter and leave", personality="4.2", starts=False)
def four(board):
    board.start()
    works(board)


@heard("4.2 that refuses to stop what does not run: scans within 2 s", personality="4.2-no-idle-stop", starts=False)
def refusing(board):
    board.start()
    works(board)


@heard("5.0 that does not know the extended commands it claims", personality="5.0-without-extended", starts=False)
def unknown(board):
    board.start()
    works(board, FOUND_OUT)


@heard("5.1 that refuses the extended commands it claims", personality="5.1-broken-extended", starts=False)
def broken(board):
    board.start()
    works(board, FOUND_OUT)


@heard("the daemon is nobody and has the capabilities for Bluetooth only")
def rights(board):
    with open("/proc/%d/status" % board.tracker.pid) as file:
        lines = dict(line.split(":", 1) for line in file)
    expect(lines["Uid"].split() == ["1000"] * 4, "runs as %s" % lines["Uid"].split())
    allowed = {"net_admin": 12, "net_raw": 13}
    beyond = int(lines["CapPrm"], 16) & ~sum(1 << allowed[name] for name in capabilities() if name in allowed)
    expect(not beyond, "has capabilities %x beside those of the unit" % beyond)
    print("# capabilities: permitted %s, effective %s" % (lines["CapPrm"].strip(), lines["CapEff"].strip()))


@heard("the unit leaves what Bluetooth needs", starts=False)
def unit_allows(board):
    text = unit()
    expect(set(capabilities()) <= {"net_admin", "net_raw"} and capabilities(), "AmbientCapabilities=%s" % capabilities())
    families = [line for line in text.splitlines() if line.startswith("RestrictAddressFamilies=")]
    expect(any("AF_BLUETOOTH" in line for line in families), "the unit forbids AF_BLUETOOTH")
    # The kernel asks for capabilities in the first namespace, where the service would have none.
    expect("PrivateUsers=yes" not in text, "PrivateUsers=yes takes the capabilities away")
    expect("PrivateNetwork=yes" not in text, "the kernel has Bluetooth in the first network namespace only")


if __name__ == "__main__":
    main()
