"""What a position costs on the wire, alone and in a batch."""
import os
import random
import time

import links
from servers import Server, in_the_end
from tracker import COMMAND_LINE
from world import World

EACH = {"monitoring": 2, "locatorDisplacement": 0, "locatorInterval": 0, "ping": 0}
# At ten positions a second: 20 are together after two seconds.
WAYS = {
    "MQTT 3.1.1, plain": (links.PLAIN_4, 0), "MQTT 5, plain": (links.PLAIN_5, 0),
    "MQTT 3.1.1, TLS": (links.TLS_4, 0), "MQTT 5, TLS": (links.TLS_5, 0),
    "MQTT 3.1.1, TLS, 20 together": (links.TLS_4, 2), "MQTT 3.1.1, TLS, 60 together": (links.TLS_4, 6),
    "MQTT 5, TLS, 60 together": (links.TLS_5, 6), "MQTT 5, TLS, 240 together": (links.TLS_5, 3600),
}


class Expander(Server):
    """`homeward unbatch`, which makes the positions arrive that are waited for."""

    def __init__(self, world):
        super().__init__("unbatch", world.folder)
        path = os.path.join(world.folder, "unbatch.otrc")
        with open(path, "w") as file:
            file.write('{"_type":"configuration","host":"127.0.0.1","port":%d,"tls":false,"auth":false}' % world.broker.port)
        self.spawn([COMMAND_LINE, "unbatch", path])
        if not in_the_end(lambda: "takes apart" in self.log()):
            raise RuntimeError(self.log())


def noisy(world, count, noise):
    """A drive in circles with half a metre of noise."""
    return [(east + noise.gauss(0, 0.5), north + noise.gauss(0, 0.5)) for east, north in world.drive(count)]


def settled(world):
    """Nothing has come for longer than a batch waits."""
    before, still = -1, 0
    while still < 8:
        now = len(world.watcher.messages)
        still = still + 1 if now == before else 0
        before = now
        time.sleep(1)


def carried(way, count, wire):
    """Bytes of a connection that is made, bytes of a position after that, and how many positions there were."""
    wanted, seconds = WAYS[way]
    # A batch that waits for an hour goes with its 240th position.
    count = max(count, 240) if seconds == 3600 else count
    world = World(seconds=count + 300, **EACH, **({"batchSeconds": seconds} if seconds else {}))
    expander = None
    try:
        port = links.link(world, wanted)
        expander = Expander(world) if seconds else None
        world.tracker.start()
        world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected")
        # Subscriptions and what is said once.
        time.sleep(3)
        greeting = wire.of(port)
        world.warm_up()
        time.sleep(1)
        before = wire.of(port)
        sent = world.feed(noisy(world, count, random.Random(1)), hz=10)
        world.wait_for_locations(sent, may_lack=0 if not seconds else count // 2)
        if seconds:
            settled(world)
        cost = wire.of(port) - before
        published = len({message["tst"] for message in world.locations()} & set(sent))
        return greeting, cost / published, published
    finally:
        if expander:
            expander.stop()
        world.close()
