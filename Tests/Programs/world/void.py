"""A drive through a tunnel, as receivers tell it that go on with their last place and say elsewhere that it is void.

`tunnel` makes the bytes, `Marks` says which sentences of the tunnel are void, and how."""
import struct
import time

from nmea import KNOTS, METRES_PER_DEGREE, angle, sentence

# Seconds: before the tunnel, in it, behind it. In it 300 m are driven.
BEFORE, INSIDE, BEHIND = 40, 60, 20
PLACE, SPEED, LENGTH = (48.0, 11.0), 15.0, 300.0
# Which sentences come in one second, in their order.
ORDERS = {
    "gga-gsa-rmc": "GGA GSA RMC", "rmc-gga-gsa": "RMC GGA GSA", "u-blox": "RMC VTG GGA GSA GSV GLL",
    "gga-gll-gsa-gsv-rmc-vtg": "GGA GLL GSA GSV RMC VTG", "gga-rmc": "GGA RMC", "rmc-gga": "RMC GGA",
    "gga-gsa-zda": "GGA GSA ZDA", "gll-gga-gsa-rmc": "GLL GGA GSA RMC", "gga-zda": "GGA ZDA",
    "gga-gsa-vtg-zda": "GGA GSA VTG ZDA",
}


class Marks:
    """How the tunnel is told. `only`, `without`: the sentences that say "void", of all those that could; `old`: of a
    receiver that has no mode letters; `mode`: RMC says so in its mode letter alone; `talker`: of RMC and GSA."""

    def __init__(self, only=None, without=(), old=False, mode=False, talker="GP", holds=False):
        self.only, self.without, self.old, self.mode, self.talker, self.holds = only, without, old, mode, talker, holds

    def says(self, name):
        """Whether this sentence says "void"; none does of a receiver that holds its place with a fix."""
        return not self.holds and (self.only is None or name in self.only) and name not in self.without


def where(second, length=LENGTH):
    """Degrees east, and whether it is seen; `length`: metres that are driven unseen."""
    if second < BEFORE:
        metres = second * SPEED
    elif second < BEFORE + INSIDE:
        return where(BEFORE - 1)[0], False
    else:
        metres = BEFORE * SPEED + length + (second - BEFORE - INSIDE) * SPEED
    return PLACE[1] + metres / (METRES_PER_DEGREE * 0.669), True


def seconds():
    return range(BEFORE + INSIDE + BEHIND)


def tunnel(order, marks, start):
    """The bytes of each second from the Unix second `start` on."""
    for second in seconds():
        longitude, is_seen = where(second, 0 if marks.holds else LENGTH)
        texts = [said(name, marks, start + second, longitude, is_seen) for name in order.split()]
        yield "".join(map(sentence, texts)).encode()


def said(name, marks, tst, longitude, is_seen):
    when = time.gmtime(tst)
    clock, place = time.strftime("%H%M%S.00", when), angle(PLACE[0], 2, "NS") + "," + angle(longitude, 3, "EW")
    is_void = not is_seen and marks.says(name)
    knots, letter = SPEED * KNOTS if is_seen else 0.0, "N" if is_void else "A"
    used = ",".join("%02d" % number for number in range(1, 9 if is_seen else 5)) + ",," * (1 if is_seen else 2)
    mode = "" if marks.old else "," + letter
    status = "V" if is_void and not marks.mode else "A"
    return {
        "RMC": "%sRMC,%s,%s,%s,%.2f,90.0,%s,," % (marks.talker, clock, status, place, knots,
                                                 time.strftime("%d%m%y", when)) + ("" if marks.old else "," + letter),
        "GGA": "GPGGA,%s,%s,%d,%02d,1.0,100.0,M,47.0,M,," % (clock, place, 0 if is_void else 1, 8 if is_seen else 4),
        "GSA": "%sGSA,A,%d,%s,,,,2.2,1.0,2.0" % (marks.talker, 1 if is_void else 3,
                                                ",".join((used.split(",") + [""] * 12)[:9])),
        "GLL": "GPGLL,%s,%s,%s" % (place, clock, "V" if is_void else "A") + mode,
        "VTG": "GPVTG,90.0,T,,M,%.2f,N,%.2f,K" % (knots, knots * 1.852) + mode,
        "ZDA": "GPZDA,%s,%s,00,00" % (clock, time.strftime("%d,%m,%Y", when)),
        "GSV": "GPGSV,1,1,04,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45",
    }[name]


def u_blox(start, holds=False):
    """The same of a u-blox in its own form: NAV-PVT, whose gnssFixOK says it. The speed is repeated as well."""
    for second in seconds():
        longitude, is_seen = where(second, 0 if holds else LENGTH)
        speed = SPEED if is_seen or not holds else 0.0
        yield nav_pvt(start + second, longitude, speed, is_seen or holds)


def nav_pvt(tst, longitude, speed, is_ok):
    when = time.gmtime(tst)
    payload = struct.pack(
        "<IHBBBBBBIiBBBBiiiiIIiiiiiIIH", tst * 1000 % 604_800_000, when.tm_year, when.tm_mon, when.tm_mday,
        when.tm_hour, when.tm_min, when.tm_sec, 0x37, 20, 0, 3, is_ok, 0, 9 if is_ok else 4, round(longitude * 1e7),
        round(PLACE[0] * 1e7), 147_000, 100_000, 3000, 4000, 0, round(speed * 1000), 0, round(speed * 1000), 9_000_000,
        300, 100_000, 150)
    body = b"\1\7" + struct.pack("<H", 92) + payload.ljust(92, b"\0")
    first = second = 0
    for byte in body:
        first = (first + byte) & 255
        second = (second + first) & 255
    return b"\xb5\x62" + body + bytes([first, second])
