#!/usr/bin/env python3
"""The guest's own claims: that the controllers behave, seen without homewardd."""
from radio import Radio, heard_by_monitor
from world import claim, expect, main


@claim("the kernel's monitor hears a beacon through the four makes that scan as they claim", has_broker=False,
       has_gpsd=False)
def makes(_):
    for personality in ("5.0", "5.0-strict", "4.2", "4.2-no-idle-stop"):
        radio = Radio(personality)
        radio.advertise(7, 8, rssi=-61)
        found = heard_by_monitor(radio.index, 1.5)
        radio.close()
        expect((7, 8, -61) in found, "%s: %s" % (personality, found[:3]))


@claim("it hears nothing through the two makes that only claim to", has_broker=False, has_gpsd=False)
def broken(_):
    for personality in ("5.0-without-extended", "5.1-broken-extended"):
        radio = Radio(personality)
        radio.advertise(7, 8)
        found = heard_by_monitor(radio.index, 1.0)
        radio.close()
        expect(not found, "%s: %s" % (personality, found[:3]))


@claim("lost, silent, empty and unplugged are what they say", has_broker=False, has_gpsd=False)
def faults(_):
    radio = Radio()
    try:
        radio.advertise(1, 1, interval=20, loss=100)
        expect(not heard_by_monitor(radio.index, 1), "a lost advertisement was heard")
        radio.advertise(1, 1, interval=20)
        for name in ("silent", "empty"):
            radio.fault(name)
            expect(not heard_by_monitor(radio.index, 1), "%s, and something was heard" % name)
            radio.repair(name)
        expect(heard_by_monitor(radio.index, 1), "nothing is heard")
        radio.unplug()
        other = Radio("4.2", "0A0B0C000002", is_up=False)
        radio.plug()
        expect(radio.index == 1, "plugged back as hci%d" % radio.index)
        other.close()
    finally:
        radio.close()


if __name__ == "__main__":
    main()
