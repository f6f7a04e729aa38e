"""A mobile network for the demo: carries bytes to the broker until it is cut."""
import socket
import threading


class Coverage:
    """Listens on a TCP port of 127.0.0.1 and forwards to `target`, while it is `up()`."""

    def __init__(self, target):
        self.target = target
        self.pairs = []
        self.server = None
        self.port = 0
        self.was_used = threading.Event()
        self.up()

    def up(self):
        self.server = socket.create_server(("127.0.0.1", self.port))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.server,), daemon=True).start()

    def cut(self):
        """Nobody gets through, and who was through is thrown out."""
        server, self.server = self.server, None
        self.close(server)
        pairs, self.pairs = self.pairs, []
        for end in pairs:
            self.close(end)

    @staticmethod
    def close(end):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        end.close()

    def accept(self, server):
        while self.server is server:
            try:
                near, _ = server.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            if self.server is not server:
                self.close(near)
                self.close(far)
                return
            self.pairs += [near, far]
            self.was_used.set()
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        self.close(source)
        self.close(sink)
