"""What would make the tracker hold more than it may: large packets, many cards, floods, lists without sense."""
import time

from endpoint import Endpoint, certificate
from flood import Flood, Publisher, heap, order, zeros
from hostile import HostileBroker, never_releases, one_packet
from judge import LOOSE, Siege, most_lines, slow_disk
from waiting import in_the_end
from world import expect

WORLD = {"broker": LOOSE, "friends": True}
# Of one message.
MOST_PROBLEMS = 5
# Bytes of zeros: of more values than that a message is not read at all.
LARGEST = 126_000


def at(level, **more):
    return dict(WORLD, mqttProtocolLevel=level, **more)


def retained(world, topic="card", sizes=(1, 30, 60), seconds=8):
    """Packets of this many MB wait at the broker for those who subscribe: on friends' cards, or on the own topic
    of commands (where only the last one stays)."""
    for number, megabytes in enumerate(sizes):
        where, payload = (heap if topic == "card" else order)(number, megabytes << 20)
        _keep(world, where, payload)
    siege = Siege(world)
    siege.settle()
    siege.stand(seconds)
    return siege.sums("retained %s MB, %s" % ("/".join(map(str, sizes)), topic))


def _keep(world, topic, payload):
    """One retained message at QoS 1, so that a session keeps it, too; the broker has it."""
    publisher = Publisher(world.broker.port)
    publisher.send([(topic, payload)], 1, True)
    publisher.finish(1)


def cards(world, count=2500, size=100_000, disk=0.1, seconds=15):
    """Faces of many friends, retained, and a slow card to keep them on."""
    sums = Flood(world, "card", count=count, size=size, isRetained=True).sums()
    siege = Siege(world, slow_disk(world, disk))
    siege.settle()
    siege.stand(seconds)
    return siege.sums("%d cards of %d kB, fsync %d ms" % (count, size // 1000, disk * 1000), sentMB=sums["megabytes"])


def qos1(world, seconds=8, disk=0.05):
    """Positions of others at QoS 1, as fast as they go."""
    siege = Siege(world, slow_disk(world, disk))
    expect(siege.settle(), "nothing came through before the attack")
    flood = Flood(world, "place", qos=1, seconds=seconds)
    siege.stand(seconds + 4)
    sums = flood.sums()
    return siege.sums("QoS 1 flood, %d s" % seconds, sent=sums["sent"], rate=sums["rate"])


def qos2(world, count=60_000, size=1000, times=3):
    """Messages that have to be kept until a release that never comes."""
    HostileBroker(world, never_releases(count, size), times)
    siege = Siege(world)
    siege.settle()
    siege.stand(8)
    return siege.sums("QoS 2 never released, %d x %d B" % (count, size))


def oversize(world, megabytes=100, times=3, has_tls=False):
    """A broker that sends what the tracker has said it does not take; through TLS the same."""
    own = certificate(world.folder, "127.0.0.1") if has_tls else None
    if own:
        world.tracker.configure(tls=True, tlsCaFile=own[0])
    broker = HostileBroker(world, one_packet(megabytes), times, own)
    siege = Siege(world)
    siege.settle()
    siege.stand(8)
    # At its header: nobody waits for the rest of it.
    siege.expect("it sent a packet of " in world.tracker.log(), "it says nothing of the packet's size")
    siege.expect(broker.times < times, "the packet was never sent")
    return siege.sums("hostile broker, packet of %d MB%s" % (megabytes, " in TLS" if own else ""))


def waypoints(world, count=30, size=LARGEST, rate=4):
    """Orders to set waypoints that are none, on the own topic."""
    siege = Siege(world)
    expect(siege.settle(), "nothing came through before the attack")
    before, begun = len(siege.journal.lines()), time.monotonic()
    flood = Flood(world, "zeros", count=count, size=size, rate=rate)
    siege.stand(count / rate + 3)
    flood.sums()
    lines = len(siege.journal.lines()) - before
    siege.expect(lines <= most_lines(begun), "%d lines in the journal over %d messages" % (lines, count))
    return siege.sums("setWaypoints of %d kB of zeros, %d times" % (size // 1000, count), lines=lines)


def one_message(world, size=30_000):
    """How many problems of one message are told: each waypoint of it is one."""
    siege = Siege(world)
    expect(siege.settle(), "nothing came through before the attack")
    before = len(siege.journal.lines())
    world.watcher.publish(*zeros(0, size))
    siege.expect(in_the_end(lambda: "waypoints[0]" in world.tracker.log()), "no waypoint of it is looked at")
    siege.stand(3)
    lines = siege.journal.lines()[before:]
    told = sum("waypoints[" in line for line in lines)
    siege.expect(told <= MOST_PROBLEMS, "of one message %d problems are told" % told)
    # One more may sum up the rest.
    siege.expect(len(lines) <= MOST_PROBLEMS + 1, "one message brings %d lines in the journal" % len(lines))
    return siege.sums("one setWaypoints of %d kB of zeros" % (size // 1000), lines=len(lines))


def http(world, size=1_000_000, seconds=8):
    """An endpoint that answers each position with such an order."""
    endpoint = Endpoint()
    world._closing.append(endpoint.stop)
    world.tracker.configure(mode=3, host=None, port=None, tls=None, url=endpoint.url)
    siege = Siege(world, posted=lambda: {value["tst"] for value in endpoint.taken()})
    siege.settle()
    before, begun = len(siege.journal.lines()), time.monotonic()
    posts = len(endpoint.posts)
    number = iter(range(1 << 30))
    kind = {"Content-Type": "application/json"}
    endpoint.answer = lambda post: (200, b"[" + zeros(next(number), size)[1] + b"]", kind)
    siege.stand(seconds, hz=2)
    endpoint.answer = lambda post: (200, b"[]", {})
    lines, took = len(siege.journal.lines()) - before, time.monotonic() - begun
    siege.expect(lines <= most_lines(begun), "%d lines in the journal in %d s" % (lines, took))
    return siege.sums("HTTP answers of %d kB of zeros" % (size // 1000), lines=lines, posts=len(endpoint.posts) - posts)
