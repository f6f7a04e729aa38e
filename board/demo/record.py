#!/usr/bin/env python3
"""Makes drive.nmea: ten minutes through a city that does not exist, as a receiver would tell them.

    python3 record.py > drive.nmea

The car stands at Home, drives about four kilometres with turns and two red lights, and parks at
Work. One epoch a second (RMC, GGA, GSA, GSV). The same seed gives the same file, byte by byte.
"""
import math
import random

SEED = 11
BEGIN = (2026, 6, 14, 7, 30, 0)  # the player writes dates of its own over these
HOME = (48.15400, 11.55000)
ACCELERATION, BRAKING, SIDEWAYS = 1.6, 2.0, 2.2  # m/s2
PARKED_BEFORE, PARKED_AFTER = 40, 60  # s

# Legs: course in degrees, metres, speed limit in km/h, seconds to stand at the end.
LEGS = [
    (95, 120, 30, 0),
    (178, 420, 30, 0),
    (92, 760, 50, 32),  # a red light
    (94, 540, 50, 0),
    (165, 880, 50, 27),  # another
    (172, 620, 60, 0),
    (110, 530, 50, 0),
    (35, 340, 30, 0),
    (120, 210, 20, 0),
]

# Satellites as (number, elevation, azimuth, signal); nine of them are used.
SKY = [
    (2, 71, 48, 44), (5, 33, 118, 38), (7, 24, 305, 35), (9, 52, 212, 42), (13, 17, 67, 31),
    (16, 41, 271, 40), (20, 28, 166, 36), (26, 62, 326, 43), (29, 12, 238, 27), (30, 7, 15, 0),
    (31, 4, 190, 0),
]


def path():
    """Corner points in metres east and north of Home, one list entry per metre of road."""
    points, east, north = [(0.0, 0.0)], 0.0, 0.0
    for course, metres, _, _ in LEGS:
        for _ in range(metres):
            east += math.sin(math.radians(course))
            north += math.cos(math.radians(course))
            points.append((east, north))
    return [smooth(points, index) for index in range(len(points))]


def smooth(points, index, reach=9):
    """Rounds the corners: the mean of what lies within `reach` metres along the road."""
    near = points[max(0, index - reach):index + reach + 1]
    return sum(p[0] for p in near) / len(near), sum(p[1] for p in near) / len(near)


def limits():
    """The speed that is allowed at each metre, slow at corners and zero where the car stands."""
    allowed, stands = [], {}
    for number, (course, metres, limit, wait) in enumerate(LEGS):
        allowed += [limit / 3.6] * metres
        end = len(allowed) - 1
        if wait:
            stands[end] = wait
        elif number + 1 < len(LEGS):
            turn = abs((LEGS[number + 1][0] - course + 180) % 360 - 180)
            if turn > 20:
                corner = math.sqrt(SIDEWAYS * 18 / math.radians(turn))
                for metre in range(end - 8, end + 1):
                    allowed[metre] = min(allowed[metre], corner)
    stands[len(allowed) - 1] = 0
    for metre in stands:
        allowed[metre] = 0.0
    for metre in range(len(allowed) - 2, -1, -1):  # brake in time
        allowed[metre] = min(allowed[metre], math.sqrt(allowed[metre + 1] ** 2 + 2 * BRAKING))
    return allowed, stands


def drive():
    """(metre, speed) at every second."""
    allowed, stands = limits()
    at, speed, seconds = 0.0, 0.0, [(0.0, 0.0)] * PARKED_BEFORE
    stood = set()
    while True:
        for _ in range(10):  # a tenth of a second each
            wanted = allowed[min(int(at) + 1, len(allowed) - 1)]
            speed = min(speed + ACCELERATION / 10, max(wanted, 0.6))
            at += speed / 10
        metre = int(at)
        seconds.append((at, speed))
        for end, wait in stands.items():
            if metre >= end - 1 and end not in stood:
                stood.add(end)
                seconds += [(at, 0.0)] * wait
                speed = 0.0
        if metre >= len(allowed) - 2:
            return seconds + [(at, 0.0)] * PARKED_AFTER


def sentence(body):
    check = 0
    for character in body:
        check ^= ord(character)
    return f"${body}*{check:02X}\r\n"


def angle(value, digits, letters):
    """Degrees as NMEA writes them: whole degrees and minutes run together."""
    whole = int(abs(value))
    return f"{whole:0{digits}d}{(abs(value) - whole) * 60:08.5f},{letters[value < 0]}"


def epoch(second, east, north, speed, course, height):
    _, _, _, hour, minute, start = BEGIN
    clock = hour * 3600 + minute * 60 + start + second
    time = f"{clock // 3600:02d}{clock // 60 % 60:02d}{clock % 60:02d}.00"
    date = f"{BEGIN[2]:02d}{BEGIN[1]:02d}{BEGIN[0] % 100:02d}"
    latitude = HOME[0] + north / 111_195
    longitude = HOME[1] + east / (111_195 * math.cos(math.radians(HOME[0])))
    place = f"{angle(latitude, 2, 'NS')},{angle(longitude, 3, 'EW')}"
    heading = f"{course:.1f}" if speed > 0.5 else ""
    used = [f"{number:02d}" for number, _, _, signal in SKY if signal]
    out = sentence(f"GPRMC,{time},A,{place},{speed / 0.514444:.2f},{heading},{date},,,A")
    out += sentence(f"GPGGA,{time},{place},1,{len(used):02d},0.9,{height:.1f},M,47.6,M,,")
    out += sentence(f"GPGSA,A,3,{','.join(used + [''] * (12 - len(used)))},1.6,0.9,1.3")
    pages = [SKY[first:first + 4] for first in range(0, len(SKY), 4)]
    for page, members in enumerate(pages, 1):
        fields = [f"{n:02d},{e:02d},{(a + second // 120) % 360:03d},{s or ''}" for n, e, a, s in members]
        if second % 5 == 0:
            out += sentence(f"GPGSV,{len(pages)},{page},{len(SKY):02d},{','.join(fields)}")
    return out


def main():
    dice = random.Random(SEED)
    road = path()
    drift = [0.0, 0.0, 0.0]
    course = float(LEGS[0][0])
    for second, (metre, speed) in enumerate(drive()):
        # Receivers do not jump about, they drift: most of the last error stays.
        drift = [0.97 * old + dice.gauss(0, 0.35) for old in drift]
        here = road[min(int(metre), len(road) - 1)]
        ahead = road[min(int(metre) + 3, len(road) - 1)]
        behind = road[max(int(metre) - 3, 0)]
        if speed > 0.5:
            course = math.degrees(math.atan2(ahead[0] - behind[0], ahead[1] - behind[1])) % 360
        told = max(0.0, speed + dice.gauss(0, 0.08)) if speed else 0.0
        height = 518 - metre / 450 + drift[2]
        print(epoch(second, here[0] + drift[0], here[1] + drift[1], told, course, height), end="")


main()
