"""Ways to the broker that are measured, and a board on one of them."""
import os

import measure  # noqa: F401 (finds the worlds)
from endpoint import certificate
from servers import free_port

PLAIN_4, PLAIN_5 = {"mqttProtocolLevel": 4}, {"mqttProtocolLevel": 5}
TLS_4, TLS_5 = {**PLAIN_4, "tls": True}, {**PLAIN_5, "tls": True}


def link(world, wanted):
    """Has the tracker of the world connect so, by a listener that nobody else uses: its port. Before the tracker starts."""
    settings, port = dict(wanted), free_port()
    lines = ["listener %d 127.0.0.1" % port]
    if settings.pop("tls", False):
        pem, key = certificate(world.folder, "127.0.0.1")
        lines += ["certfile " + pem, "keyfile " + key]
        settings.update(tls=True, tlsCaFile=pem)
    world.broker.stop()
    with open(world.broker.settings, "a") as file:
        file.write("\n".join(lines) + "\n")
    world.broker.start()
    world.tracker.configure(port=port, **settings)
    return port
