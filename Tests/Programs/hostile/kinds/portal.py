"""An address that answers, and is not the owner's server: nothing is lost."""
import time

from endpoint import Endpoint
from nmea import stand
from waiting import glance, in_the_end
from world import expect

WORLD = {"has_broker": False}
PAGE = b"<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>Please log in.</body></html>\n"
ANSWERS = {
    "404": (404, b"not found", {"Content-Type": "text/plain"}),
    "404 with a page": (404, PAGE, {"Content-Type": "text/html"}),
    "405": (405, b"", {}),
    "410": (410, b"gone", {}),
    "200 with a page": (200, PAGE, {"Content-Type": "text/html; charset=utf-8"}),
    "200 with a page that does not say so": (200, PAGE, {"Content-Type": "application/json"}),
    "302": (302, b"", {"Location": "http://127.0.0.1:9/login"}),
}


def wrong(world, answer="404", seconds=10, hz=4.0, within=60):
    """So long this answer, then the server's own: every position sensed meanwhile has arrived there."""
    endpoint, genuine = Endpoint(), []
    world._closing.append(endpoint.stop)

    def own(post):
        genuine.append(post)
        return 200, b"[]", {"Content-Type": "application/json"}

    endpoint.answer = own
    world.tracker.configure(mode=3, host=None, port=None, tls=None, url=endpoint.url)
    world.tracker.start()
    taken = lambda: {value["tst"] for value in (post.json() for post in list(genuine))
                     if value and value.get("_type") == "location"}
    for _ in range(20):
        world.feed(world.stand(5))
        if glance(taken):
            break
    expect(taken(), "nothing was posted before")
    time.sleep(0.5)
    met = len(endpoint.posts)
    endpoint.answer = lambda post: ANSWERS[answer]
    sent = world.feed(stand(int(seconds * hz), world.place), hz)
    met = len(endpoint.posts) - met
    endpoint.answer = own
    begun = time.monotonic()
    sent.update(world.feed(world.stand(3)))
    in_the_end(lambda: set(sent) <= taken(), seconds=within, every=0.2)
    lost = len(set(sent) - taken())
    expect(met > 0, "nothing was posted meanwhile")
    problems = ["%d of %d positions never arrived" % (lost, len(sent))] if lost else []
    return dict(kind="HTTP %s for %d s" % (answer, seconds), met=met, lost="%d/%d" % (lost, len(sent)),
                healed=round(time.monotonic() - begun, 1), problems=problems)
