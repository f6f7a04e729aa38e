#!/usr/bin/env python3
# takes: 40 s
"""The page works in the other two engines as well: WebKit, which is every iPhone's, and Firefox."""
import os
import sys

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import TOPIC, befriend, waypoint
from engines import Firefox, WebKit
from servers import poll
from world import claim, expect, main

WORLD = {"friends": True, "waypoints": [waypoint("Home", 0, 0, 200, 1700000000)]}


@claim("in WebKit: paired by its address, the map with everybody, modes, places and settings", **WORLD)
def webkit(world):
    walk(world, WebKit)


@claim("in Firefox: the same", **WORLD)
def firefox(world):
    walk(world, Firefox)


def walk(world, engine):
    world.start()
    befriend(world, TOPIC, "JJ", 200, 100, "Jane")
    world.feed(world.drive(10), 10)
    site = visit.serve(world)
    site.pair()
    web = engine(world)
    # The first pairing was the test's own: a browser does it by opening the address, and by a touch of the button.
    visit.leave_code(site)
    web.open(site.url + "/pair?c=%s-%s" % (visit.CODE[:4], visit.CODE[4:]))
    web.wait("form button").click()
    web.wait("#state", "connected")
    web.wait(".tracker.self")
    web.wait(".tracker.friend", "JJ")
    expect(web.find("path.region"), "no region")
    expect(web.find(".grid-line"), "no grid")
    web.wait("#tab-now").click()
    web.wait("[data-mode=quiet]").click()
    web.wait("#mode", "Quiet")
    expect(world.tracker.status()["mode"] == "quiet", "the tracker is in %s" % world.tracker.status()["mode"])
    web.wait("#tab-places").click()
    web.wait("#panel-places", "Home")
    web.wait("#panel-places [data-act=edit]").click()
    name = web.wait("dialog[open] input[type=text]")
    name.clear()
    name.send_keys("Camp")
    web.wait("dialog[open] button[type=submit]").click()
    poll(lambda: world.tracker.ask("region", "list", "--json").json()["regions"][0]["desc"] == "Camp", 5)
    expect(world.tracker.ask("region", "list", "--json").json()["regions"][0]["desc"] == "Camp", "it was not renamed")
    for tab in ("friends", "why", "settings"):
        web.wait("#tab-%s" % tab).click()
        web.wait("#panel-%s h2" % tab)
    world.broker.kill()
    web.wait("#state", "not connected")
    site.kill()
    web.wait("#banner", "does not reach the board")
    site.start()
    web.wait("#state", "not connected")


if __name__ == "__main__":
    main()
