"""Whoever writes everything down: a persistent session over TLS at whichever node answers, and away at times."""
import socket
import ssl

from subscriber import Subscriber
from waiting import in_the_end


class Session(Subscriber):
    """As `Subscriber`; `places`: (host, port) of each node."""

    def __init__(self, places, folder, name, topics):
        self.places, self.turn = places, 0
        # The authority counts; nodes have names that are of no meaning here.
        self.context = ssl.create_default_context(cafile=folder + "/ca.pem")
        self.context.check_hostname = False
        self.context.load_cert_chain("%s/%s.pem" % (folder, name), "%s/%s.key" % (folder, name))
        super().__init__(None, topics, name)

    def _connection(self):
        self.turn += 1
        plain = socket.create_connection(self.places[self.turn % len(self.places)], 10)
        try:
            return self.context.wrap_socket(plain)
        except OSError:
            plain.close()
            raise


class Recorder:
    def __init__(self, places, folder, name):
        self.arguments = (places, folder, name, ["owntracks/#"])
        self.before, self.present = [], None
        self.returns()

    def returns(self):
        def is_there():
            try:
                self.present = Session(*self.arguments)
            except RuntimeError:
                return False
            return True
        if self.present is None and not in_the_end(is_there, seconds=300):
            raise RuntimeError("no broker takes the subscription")

    def leaves(self):
        if self.present is not None:
            self.present.close()
            self.before += self.present.messages
            self.present = None

    def all(self):
        return self.before + (self.present.messages if self.present else [])
