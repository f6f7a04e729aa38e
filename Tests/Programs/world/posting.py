"""The tracker in HTTP mode, and what an endpoint has of it."""
from endpoint import Endpoint
from waiting import glance, in_the_end
from world import expect


def begin(world, endpoint=None, **settings):
    """The tracker in HTTP mode, and a first position that has come through."""
    endpoint = endpoint or Endpoint()
    world._closing.append(endpoint.stop)
    world.tracker.configure(**{"mode": 3, "host": None, "port": None, "tls": None, "url": endpoint.url, **settings})
    world.tracker.start()
    return endpoint


def warm_up(world, endpoint):
    for _ in range(60):
        sent = world.feed(world.stand(5))
        if glance(lambda: endpoint.taken()):
            # Until all of it is told and the answers are there: an end of the endpoint now would rightly have it posted
            # again.
            world.tracker.handles(max(sent))
            world.tracker.is_drained()
            return endpoint
    raise AssertionError("nothing was posted; status %s" % world.tracker.status()["connection"])


def arrive(endpoint, times):
    def missing():
        return sorted(set(times) - {value["tst"] for value in endpoint.taken()})
    in_the_end(lambda: not missing())
    expect(not missing(), "%d of %d positions were not taken" % (len(missing()), len(times)))


def once_and_in_order(endpoint):
    times = [value["tst"] for value in endpoint.taken()]
    expect(len(times) == len(set(times)), "positions were taken twice")
    expect(times == sorted(times), "positions came out of order")


def connection(world, predicate):
    return world.tracker.wait_for_status(lambda s: predicate(s["connection"]))["connection"]


class Turns:
    """Answers the first posts of a kind with these, all others with success."""

    def __init__(self, *answers):
        self.answers, self.met = list(answers), []

    def __call__(self, post):
        if (post.json() or {}).get("_type") == "location" and self.answers:
            self.met.append(post)
            return self.answers.pop(0)
        return 200, b"[]", {}
