#!/usr/bin/env python3
"""Beacon regions and ranging, from the advertisement to the broker."""
import signal
import time

from board import LOSS, REGION, heard
from radio import UUID
from tracker import TOPIC
from waiting import in_the_end
from world import expect, main


@heard("Bluetooth 5: enter, leave at the time-out, both with the place", has_gpsd=True)
def five(board):
    board.world.warm_up()
    board.enter(rssi=-61)
    board.leave()
    for message in board.world.transitions():
        expect(message["t"] == "b" and message["desc"] == "Garage", "a transition %s" % message)
        expect(message["wtst"] == REGION["tst"], "wtst %s" % message["wtst"])
        expect(abs(message["lat"] - REGION["lat"]) < 0.001, "a transition at %s" % message["lat"])
    beside = in_the_end(lambda: [m for m in board.world.locations() if m.get("t") == "b"][1:])
    expect(beside, "no location with trigger b beside each transition")


@heard("Bluetooth 4.2: enter, leave at the time-out", personality="4.2")
def four(board):
    board.enter()
    board.leave()


@heard("without a position: the region's own place is in the transition")
def indoors(board):
    board.enter()
    message = board.world.transitions()[0]
    expect((message["lat"], message["lon"]) == (REGION["lat"], REGION["lon"]), "a transition %s" % message)


@heard("another UUID, major or minor is no enter; any of them is one where the region does not say",
       waypoints=[REGION, dict(REGION, desc="House", tst=1700000001, major=2, minor=0)])
def strangers(board):
    board.radio.advertise(1, 1, identity="00000000" + UUID[8:], name="a")
    board.radio.advertise(3, 1, name="b")
    board.radio.advertise(1, 2, name="c")
    board.stay(4)
    board.radio.advertise(2, 77)
    since = time.monotonic()
    board.wait_for("enter", since)
    expect(board.world.crossings() == [("enter", "House")], "crossings %s" % board.world.crossings())


@heard("half of the advertisements lost: no leave", beaconLossTimeout=6)
def lossy(board):
    board.enter(loss=50, interval=200)
    board.stay(20)


@heard("an hour of one call a second, half of them unheard: no leave; then one", beaconLossTimeout="auto")
def hour(board):
    signal.alarm(7200)
    board.enter(interval=1000)
    board.stay(3600)  # the kernel's own scan listens for half of the time
    board.leave(30, early=8)


@heard("the time-out by itself: no leave before 30 s, then one", beaconLossTimeout="auto")
def auto(board):
    board.enter()
    board.stay(3)
    board.leave(30)


@heard("ranging: proximity, distance and strength when a beacon is near, and again when it moves", ranging=True)
def ranging(board):
    board.enter(rssi=-59)

    def messages():
        return board.world.heard("beacon", TOPIC + "/beacon")

    expect(in_the_end(messages), "no beacon message")
    first = messages()[0]
    expect((first["uuid"], first["major"], first["minor"]) == (UUID, 1, 1), "beacon message %s" % first)
    expect(first["prox"] == 2 and abs(first["rssi"] + 59) <= 1 and first["acc"] == 1, "beacon message %s" % first)
    board.radio.advertise(rssi=-83)
    expect(in_the_end(lambda: messages()[-1]["prox"] == 3), "no message of the beacon far away: %s" % messages()[-1])
    board.leave()
    count = len(messages())
    time.sleep(2)
    expect(len(messages()) == count, "ranging goes on after the leave")


@heard("inside over a restart of the daemon: no second enter, and the leave comes")
def restart(board):
    board.enter()
    time.sleep(1.5)  # what is known is written within a second
    board.tracker.kill()
    board.start()
    # The kernel may go on with the scan of the daemon before.
    board.wait_until_scanning()
    board.stay(LOSS)
    board.leave()
    expect(board.crossings() == ["enter", "leave"], "crossings %s" % board.crossings())


if __name__ == "__main__":
    main()
