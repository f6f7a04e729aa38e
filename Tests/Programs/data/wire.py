"""Bytes on the loopback as a network would count them, by port, seen from outside."""
import socket
import struct
import threading

# A network carries so much of TCP in a segment; the loopback takes many of them for one packet.
SEGMENT = 1448
HEADERS = 20 + 32


class Wire:
    """Bytes of IP that each port of the loopback has sent and received since this was made. Root only."""

    def __init__(self):
        self.bytes = {}
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.ntohs(0x0800))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self._socket.bind(("lo", 0x0800))
        threading.Thread(target=self._run, daemon=True).start()

    def of(self, port):
        return self.bytes.get(port, 0)

    def _run(self):
        while True:
            packet, about = self._socket.recvfrom(65536)
            # On the loopback each packet comes in once; 6 is TCP.
            if about[2] == socket.PACKET_OUTGOING or packet[9] != 6:
                continue
            start = 4 * (packet[0] & 15)
            size = struct.unpack(">H", packet[2:4])[0]
            segments = max(1, -(-(size - HEADERS) // SEGMENT))
            for port in struct.unpack(">HH", packet[start:start + 4]):
                self.bytes[port] = self.bytes.get(port, 0) + size + HEADERS * (segments - 1)
