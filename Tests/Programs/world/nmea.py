"""Invented drives as NMEA 0183, one position a second.

A drive is a list of places, metres east and north of HOME; `along` and `stand` make pieces of it
that are joined with `+`. `epochs` turns it into what a receiver would say.
"""
import math
import time

HOME = (48.2082, 16.3738)
METRES_PER_DEGREE = 111_195.0
KNOTS = 1.943844
# Faster than this between two seconds is a jump of the receiver, not a drive.
JUMP = 90.0


class Epoch:
    """One second: when, where, and the bytes that say so."""

    def __init__(self, tst, latitude, longitude, burst):
        self.tst, self.latitude, self.longitude, self.burst = tst, latitude, longitude, burst


def along(corners, speed=15.0):
    """From corner to corner in steps of `speed` metres."""
    places = [corners[0]]
    for start, end in zip(corners, corners[1:]):
        length = math.hypot(end[0] - start[0], end[1] - start[1])
        steps = max(1, round(length / speed))
        places += [
            (start[0] + (end[0] - start[0]) * i / steps, start[1] + (end[1] - start[1]) * i / steps)
            for i in range(1, steps + 1)
        ]
    return places


def stand(seconds, place=(0.0, 0.0)):
    return [place] * seconds


def drive(seconds, radius=400.0, speed=14.0):
    """Round and round a circle, with a stop at the lights of ten seconds in every minute."""
    places, angle = [], 0.0
    for second in range(seconds):
        if second % 60 >= 10:
            angle += speed / radius
        places.append((radius * math.sin(angle), radius * (1 - math.cos(angle))))
    return places


def degrees(place):
    """Latitude and longitude of a place given in metres from HOME."""
    latitude = HOME[0] + place[1] / METRES_PER_DEGREE
    return latitude, HOME[1] + place[0] / (METRES_PER_DEGREE * math.cos(math.radians(HOME[0])))


def epochs(places, start):
    """One Epoch a second from the Unix second `start` on. Speed and course follow from the steps."""
    before, course = None, 0.0
    for second, place in enumerate(places):
        east, north = (place[0] - before[0], place[1] - before[1]) if before else (0.0, 0.0)
        speed = math.hypot(east, north)
        if speed > JUMP:
            speed = 0.0
        elif speed > 0.3:
            course = math.degrees(math.atan2(east, north)) % 360
        before = place
        latitude, longitude = degrees(place)
        tst = int(start) + second
        yield Epoch(tst, latitude, longitude, burst(tst, latitude, longitude, speed, course))


def sentence(body):
    """`body` with its frame and checksum."""
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return "$%s*%02X\r\n" % (body, checksum)


def burst(tst, latitude, longitude, speed, course, mode=3):
    """What a plain GPS receiver says of one moment, in hundredths of a second: RMC, GGA, GSA and the sky in three GSV."""
    when = time.gmtime(tst)
    clock, day = time.strftime("%H%M%S", when) + ".%02d" % (tst % 1 * 100 + 0.5), time.strftime("%d%m%y", when)
    where = angle(latitude, 2, "NS") + "," + angle(longitude, 3, "EW")
    used = ",".join("%02d" % number for number, _, _, _ in SKY)
    lines = [
        "GPRMC,%s,A,%s,%.2f,%.2f,%s,,,A" % (clock, where, speed * KNOTS, course, day),
        "GPGGA,%s,%s,1,%02d,0.9,171.0,M,43.5,M,," % (clock, where, len(SKY)),
        "GPGSA,A,%d,%s,1.6,0.9,1.3" % (mode, used),
    ]
    for page in range(3):
        seen = ",".join("%02d,%02d,%03d,%02d" % view for view in SKY[4 * page : 4 * page + 4])
        lines.append("GPGSV,3,%d,%d,%s" % (page + 1, len(SKY), seen))
    return "".join(map(sentence, lines)).encode()


def no_fix(tst):
    """The same second of a receiver that sees nothing."""
    when = time.gmtime(tst)
    clock, day = time.strftime("%H%M%S.00", when), time.strftime("%d%m%y", when)
    lines = ["GPRMC,%s,V,,,,,,,%s,,,N" % (clock, day), "GPGGA,%s,,,,,0,00,,,M,,M,," % clock]
    return "".join(map(sentence, lines)).encode()


def angle(value, width, hemispheres):
    whole, part = divmod(abs(value), 1)
    return "%0*d%08.5f,%s" % (width, whole, part * 60, hemispheres[value < 0])


# Number, elevation, azimuth, signal: twelve satellites well spread.
SKY = [(2 + 2 * i, 12 + (i * 41) % 70, i * 30, 30 + (i * 7) % 17) for i in range(12)]
