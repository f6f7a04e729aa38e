#!/usr/bin/env python3
# takes: 30 s
"""What others have written is text, and nobody else is ever asked."""
import gzip
import json
import os
import sys

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import TOPIC, befriend, waypoint
from world import claim, expect, main

EVIL = "<img src=x onerror=window.owned=1><script>window.owned=1</script><b id=markup>x</b>"
TABS = ("now", "friends", "places", "why", "settings")


@claim("names, remarks, tags, regions and errors with markup in them are shown as they are written", friends=True, trips=True, waypoints=[
    waypoint(EVIL, 0, 0, 300, 1700000000), waypoint("+" + EVIL, 0, 0, 300, 1700000001), waypoint("P" + EVIL, 200, 0, 0, 1700000002)],
    osmTemplate="", osmCopyright=EVIL)
def markup(world):
    world.start()
    befriend(world, TOPIC, "<b>", 300, 100, EVIL, vel=30, cog=0)
    befriend(world, "owntracks/<b id=markup>/x", "<i>", 350, 100, "Bold")
    world.tracker.ask("tag", EVIL)
    world.feed(world.stand(3))
    world.tracker.ask("publish", "--poi", EVIL)
    with visit.page(world, visit.DESK) as view:
        view.locator(".tracker.friend").first.wait_for()
        view.locator(".place.manual").wait_for(timeout=15000)
        for place in (".place.manual", ".tracker.friend", ".pin"):
            view.evaluate("place => document.querySelector(place).closest('.leaflet-marker-icon').click()", place)
            view.wait_for_timeout(200)
        expect(EVIL in view.locator(".leaflet-popup").inner_text(), "the popup says %s" % view.locator(".leaflet-popup").inner_text())
        for tab in TABS:
            visit.open_tab(view, tab)
            view.wait_for_timeout(500)
            for summary in view.locator("#panel-%s details:not([open]) > summary" % tab).all()[:6]:
                if summary.is_visible():
                    summary.click()
            view.wait_for_timeout(300)
        visit.open_tab(view, "places")
        visit.shows(view, "#panel-places", EVIL)
        visit.open_tab(view, "friends")
        visit.shows(view, "#panel-friends", EVIL)
        view.evaluate("import('/page.js').then(page => page.say(%s, true))" % json.dumps(EVIL))
        expect(view.evaluate("window.owned") is None, "a script of others has run")
        expect(view.locator("#markup").count() == 0, "markup of others has become elements")
        expect(view.locator("img[src=x]").count() == 0, "a picture of others has become an element")
        expect(not view.complaints, view.complaints)


@claim("the page keeps to its own rules: no style or script in attributes, and the strict policy is in force")
def policy(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        for tab in TABS:
            visit.open_tab(view, tab)
        head = world.site.ask("GET", "/", Cookie=world.site.pair())
        expect("default-src 'self'" in head.getheader("Content-Security-Policy"), "the policy is %s" % head.getheader("Content-Security-Policy"))
        source = head.read()
        text = (gzip.decompress(source) if source[:2] == b"\x1f\x8b" else source).decode()
        expect(" style=" not in text and " onclick=" not in text and "<style" not in text, "attributes in the page")
        # This would run without the policy.
        view.evaluate("""() => { const script = document.createElement("script"); script.textContent = "window.owned = 1"; document.head.append(script); }""")
        expect(view.evaluate("window.owned") is None, "the policy is not in force")


@claim("no other host is asked; with a template of the owner's only that one, and offline the tracks stay the map", osmTemplate="http://127.0.0.1:24999/{z}/{x}/{y}.png", osmCopyright="Map of <b>nobody</b>")
def hosts(world):
    world.start()
    world.feed(world.drive(20), 10)
    with visit.page(world, visit.PHONE, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1") as view:
        view.locator(".tracker.self").wait_for()
        own = "127.0.0.1:%d" % world.site.port
        kind = view.locator("[data-kind]")
        visit.wait_until(lambda: kind.get_attribute("data-kind") == "template", 10, "the template is not used")
        visit.wait_until(lambda: "127.0.0.1:24999" in view.hosts, 5, "no tile was asked for")
        visit.shows(view, ".small", "Map of <b>nobody</b>")
        expect(view.hosts == {own, "127.0.0.1:24999"}, "asked %s" % view.hosts)
        expect(view.locator(".grid-line").count() > 4, "without tiles there is no grid")
        kind.click()
        view.hosts.clear()
        view.evaluate("import('/page.js').then(page => page.map.setZoom(17, { animate: false }))")
        view.wait_for_timeout(800)
        expect(kind.get_attribute("data-kind") == "tracks" and view.hosts <= {own}, "tracks only, and asked %s" % view.hosts)


if __name__ == "__main__":
    main()
