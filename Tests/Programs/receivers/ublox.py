"""A made-up receiver of u-blox on the line of gpsd."""
import struct
import time


def frame(kind, content=b""):
    """As the manufacturer has it: mark, class and kind, length, content, Fletcher's sum."""
    body = bytes(kind) + struct.pack("<H", len(content)) + content
    first = second = 0
    for byte in body:
        first = (first + byte) & 255
        second = (second + first) & 255
    return b"\xb5\x62" + body + bytes([first, second])


def solution(clock, has_fix=True):
    """UBX-NAV-SOL of a fix in three dimensions, 5 m accurate, near 48 N, 16 E and never twice the same; or of none."""
    week, second = divmod(clock - 315964800 + 18, 604800)
    return frame([0x01, 0x06], struct.pack(
        "<IihBBiiiIiiiIHBBI", second * 1000, 0, week, 3 if has_fix else 0, 0x0D if has_fix else 0,
        411000000 + clock % 50, 118000000, 472000000, 500, 0, 0, 0, 10, 150, 0, 9, 0))


def dilution(clock):
    """UBX-NAV-DOP: without it gpsd knows no accuracy."""
    return frame([0x01, 0x04], struct.pack("<I7H", (clock - 315964800 + 18) % 604800 * 1000, 180, 150, 90, 120, 90, 70, 60))


NAV_STATUS, MON_HW, MON_RF = (0x01, 0x03), (0x0A, 0x09), (0x0A, 0x38)


class UBlox:
    """Says where it is once a second, and notes what it is told. It answers what it is asked about interference:
    `jamming` and `spoofing` are its own numbers, from 0 (unknown) to 3 (critical). `sleeps_by`: an order after which it says
    nothing until the next byte on its line."""

    def __init__(self, world, generation=9, sleeps_by=None):
        self.world, self.told, self.generation = world, b"", generation
        self.order, self.sleeps, self.second = sleeps_by, False, 0
        self.has_fix, self.jamming, self.spoofing = True, 1, 1
        self.answered = 0

    def interference(self):
        """The answers that a receiver of this generation has, by the question."""
        status = struct.pack("<IBBBBII", 0, 3, 0x0D, 0, self.spoofing << 3, 100, 1000)
        if self.generation < 9:
            hardware = bytes(22) + bytes([self.jamming << 2]) + bytes(37)
            return {NAV_STATUS: status, MON_HW: hardware}
        # The second input is the disturbed one.
        blocks = b"".join(struct.pack("<BB22x", number, state) for number, state in enumerate([1, self.jamming]))
        return {NAV_STATUS: status, MON_RF: struct.pack("<BBH", 0, 2, 0) + blocks}

    def answer(self, heard):
        for kind, content in self.interference().items():
            for _ in range(heard.count(frame(kind))):
                self.world.gpsd.write(frame(kind, content))
                self.answered += 1

    def hear(self, words):
        self.told += words
        if words and self.order:
            self.sleeps = words.endswith(self.order)
        self.answer(words)

    def until(self, predicate, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not predicate():
            clock = int(time.time())
            if clock != self.second and not self.sleeps:
                self.second = clock
                self.world.gpsd.write(dilution(clock) + solution(clock, self.has_fix))
            time.sleep(0.1)
            self.hear(self.world.gpsd.written())
        return predicate()
