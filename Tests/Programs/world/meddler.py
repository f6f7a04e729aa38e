"""A road to the broker that resets connections, and turns single messages away in the broker's name."""
import packets
from proxy import Proxy


class Meddler(Proxy):
    """`delay_up`: seconds that what the board sends waits, beside `delay` each way.

    `turns_away(topic, payload, count)`: whether the board's message, the so-manieth, gets PUBACK 0x97 (MQTT 5) and
    never reaches the broker. `ends_over(topic, payload)`: the connection is closed when this comes, and it never
    reaches the broker."""

    def __init__(self, port, target, delay_up=0.0):
        self.delay_up, self.published, self.resets, self.ended = delay_up, 0, 0, 0
        self.turns_away = self.ends_over = None
        super().__init__(port, target)

    def reset(self):
        """Every connection that stands."""
        with self._lock:
            self._reset()
            self.resets += 1
        self._wake[1].send(b".")

    def _accept(self):
        before = len(self._flows)
        super()._accept()
        for flow, is_up in zip(self._flows[before:], (True, False)):
            flow.is_up, flow.data, flow.level, flow.aliases = is_up, bytearray(), 4, {}

    def _read(self, flow):
        known = len(flow.waiting)
        super()._read(flow)
        if len(flow.waiting) == known or not flow.is_up:
            return
        moment, data = flow.waiting.pop()
        moment += self.delay_up
        passing = self._through(flow, data)
        if passing:
            flow.waiting.append((moment, passing))
        if flow.is_ended:
            flow.waiting.append((moment, b""))

    def _through(self, flow, data):
        """The whole packets that go on to the broker."""
        flow.data += data
        passing, at = bytearray(), 0
        while found := packets.end(flow.data, at):
            stop, body = found
            packet, at = bytes(flow.data[at:stop]), stop
            kind, content = packet[0] >> 4, packet[body - (stop - len(packet)):]
            if kind == packets.CONNECT:
                flow.level = content[6]
            if kind == packets.PUBLISH and not self._meddles(flow, packet[0], content):
                continue
            if flow.is_ended:
                break
            passing += packet
        del flow.data[:at]
        return bytes(passing)

    def _meddles(self, flow, first, content):
        """Whether the message goes on."""
        topic, payload, qos, number = packets.published(first & 15, content, flow.level)
        self.published += 1
        if self.ends_over and not flow.is_ended and self.ends_over(topic, payload):
            flow.is_ended, self.ended = True, self.ended + 1
            return True
        if qos and self.turns_away and self.turns_away(topic, payload, self.published):
            back = next(other for other in self._flows if other.sink is flow.source)
            back.waiting.append((0, packets.packet(0x40, number.to_bytes(2, "big") + b"\x97\x00")))
            return False
        return True
