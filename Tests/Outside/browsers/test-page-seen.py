#!/usr/bin/env python3
# takes: 90 s
"""What is tapped opens and is seen, what is said is still true a minute later, and what is written can be read."""
import os
import sys
import time

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import TOPIC, befriend, waypoint
from world import claim, expect, main

SMALL = {"width": 320, "height": 568}


def at_point(view, lat, lon):
    """Of the screen, in pixels."""
    x, y = visit.inside(view, "(p => [p.x, p.y])(page.map.latLngToContainerPoint([%f, %f]))" % (lat, lon))
    box = view.locator("#map").bounding_box()
    return box["x"] + x, box["y"] + y


def is_uncovered(view, selector):
    return view.evaluate("""selector => {
      const one = document.querySelector(selector), box = one.getBoundingClientRect();
      const found = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      return one === found || one.contains(found) || found?.contains(one) && !!found.closest('.leaflet-marker-icon');
    }""", selector)


@claim("a circle that is tapped opens, below the track, too; one that follows the board is an outline that lets others be tapped", waypoints=[
    waypoint("Camp", 300, 0, 120, 1700000000), waypoint("+follow", 0, 0, 500, 1700000001)])
def circles(world):
    world.start()
    with visit.page(world) as view:
        view.locator("path.region.out").wait_for(state="attached")
        region = next(each for each in world.tracker.ask("region", "list", "--json").json()["regions"] if each["desc"] == "Camp")
        visit.inside(view, "(page.setFollow('none'), page.map.setView([%f, %f], 16, { animate: false }), 1)" % (region["lat"], region["lon"]))
        x, y = at_point(view, region["lat"], region["lon"])
        view.touchscreen.tap(x + 30, y + 20)
        visit.shows(view, ".popup", "Camp")
        view.locator(".popup").get_by_role("button", name="Edit").click()
        visit.shows(view, "dialog", "Change the place")


@claim("ages count on without news: what was confirmed a while ago is said to be")
def ages(world):
    world.start()
    with visit.page(world) as view:
        visit.open_tab(view, "now")
        text = lambda: next((row for row in view.locator("#part-queue .facts > div").all_inner_texts() if "Confirmed" in row), "")
        seconds = lambda: int("".join(letter for letter in text() if letter.isdigit()) or -1)
        visit.wait_until(lambda: seconds() >= 0, 10, "nothing is said of what was confirmed")
        told, before = lambda: visit.inside(view, "page.board.receivedAt.queue"), seconds()
        news = told()
        visit.wait_until(lambda: seconds() >= before + 2, 60, lambda: "it stands still: %s" % text())
        expect(told() == news, "there was news of it: nothing is tested")


@claim("a friend or a place that is tapped in a large list is seen: the list makes room, and no button lies over it", friends=True, waypoints=[
    waypoint("Camp", -200, 500, 0, 1700000000)])
def tapped(world):
    world.start()
    befriend(world, TOPIC, "JJ", 3000, 1000, "Jane")
    for size in (visit.PHONE, SMALL):
        with visit.page(world, size) as view:
            view.locator(".tracker.friend").wait_for()
            for tab, selector in (("friends", "#map .tracker.friend"), ("places", ".pin")):
                visit.open_tab(view, tab)
                while view.locator("#sheet").get_attribute("data-size") != "full":
                    view.locator("#size").click()
                row = "Jane" if tab == "friends" else "Camp"
                view.locator("#panel-%s" % tab).locator("[data-act=centre]", has_text=row).click()
                visit.wait_until(lambda: view.locator("#sheet").get_attribute("data-size") == "half", 5, "the list stays over the map")
                visit.wait_until(lambda: is_uncovered(view, selector), 5, "%s is covered at %s" % (row, size))


@claim("in the dark and over bright maps, names, scale and copyright stand on a ground of their own; the page for the code is dark, too", waypoints=[
    waypoint("Home", 0, 0, 200, 1700000000)])
def dark(world):
    world.start()
    with visit.page(world, color_scheme="dark") as view:
        view.locator(".label.area").wait_for()
        for selector in (".label.area", ".small", ".leaflet-control-scale-line"):
            # Names are made anew whenever something moves.
            ground = lambda: view.evaluate("name => getComputedStyle(document.querySelector(name)).backgroundColor", selector)
            visit.wait_until(lambda: ground() == "rgba(15, 20, 25, 0.82)", 10, lambda: "%s stands on %s" % (selector, ground()))
        stranger = view.context.browser.new_context(color_scheme="dark").new_page()
        stranger.goto(world.site.url)
        expect(stranger.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light dark", "the page for the code is white")


@claim("what is saved is reviewed with keys and values beside each other, and port 0 is said to be taken back")
def review(world):
    world.start()
    with visit.page(world) as view:
        visit.open_tab(view, "settings")
        view.locator("details[data-group=reporting] > summary").click()
        view.locator("[data-key=locatorDisplacement] input").fill("250")
        view.locator("form[data-group=reporting]").get_by_role("button", name="Review and save").click()
        view.locator("dialog[open] dd").wait_for()
        key, value = [view.locator("dialog[open] %s" % name).first.evaluate(
            "element => { const range = document.createRange(); range.selectNodeContents(element); const box = range.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; }")
            for name in ("dt", "dd")]
        expect(key[2] <= value[0] or key[3] <= value[1] + 1, "they lie over each other: %s, %s" % (key, value))
        view.locator("dialog[open]").get_by_role("button", name="Cancel").click()
        view.locator("details[data-group=reporting] > summary").click()
        view.locator("details[data-group=connection] > summary").click()
        view.locator("details[data-group='connection+'] > summary").click()
        view.locator("[data-key=port] input").fill("0")
        view.locator("form[data-group=connection]").get_by_role("button", name="Review and save").click()
        visit.shows(view, "dialog", "always taken back")


@claim("the marker of a move is given up by a tap elsewhere and by Escape", waypoints=[waypoint("Pin", 200, 0, 0, 1700000000)])
def abandoned(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".pin").first.wait_for()
        visit.open_tab(view, "places")
        for how in ("tap", "key"):
            view.locator("#panel-places [data-act=edit]").click()
            view.locator("dialog[open]").get_by_role("button", name="Move", exact=True).click()
            view.locator(".handle").wait_for()
            if how == "tap":
                box = view.locator("#map").bounding_box()
                view.mouse.click(box["x"] + 60, box["y"] + 60)
            else:
                view.keyboard.press("Escape")
            view.locator(".handle").wait_for(state="detached")


@claim("at 320 px no button covers the scale or whose map it is", osmTemplate="http://127.0.0.1:9/{z}/{x}/{y}.png",
       osmCopyright="© the contributors of a map that has a rather long name, under a licence that wants to be seen")
def copyright(world):
    world.start()
    with visit.page(world, SMALL) as view:
        visit.shows(view, ".small", "licence")
        crossing = view.evaluate("""() => [...document.querySelectorAll('.small, .leaflet-control-scale-line')].flatMap(text =>
          [...document.querySelectorAll('.buttons button')].filter(button => {
            const one = text.getBoundingClientRect(), other = button.getBoundingClientRect();
            return other.width && one.right > other.left && one.bottom > other.top && one.top < other.bottom;
          }).map(button => `${text.className} ${button.title}`))""")
        expect(not crossing, "covered: %s" % crossing)
        # Nobody serves these tiles: the world is there in their place.
        visit.inside(view, "page.map.setZoom(5, { animate: false }) && 1")
        view.locator("canvas.leaflet-tile").first.wait_for(state="attached")


@claim("a map that the owner has set meanwhile is shown to a page that is open, which loads itself with the rights for it")
def new_map(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        view.evaluate("window.isTheOld = true")
        world.tracker.configure(osmTemplate="http://127.0.0.1:%d/{z}/{x}/{y}.png" % world.broker.port)
        world.tracker.hang_up()
        visit.wait_until(lambda: not view.evaluate("window.isTheOld ?? false"), 20, "the page goes on with the old rights")
        view.locator("[data-kind=template]").wait_for()
        time.sleep(1)
        blocked = [line for line in view.complaints if "Content Security Policy" in line]
        expect(not blocked, blocked)


@claim("friends who have said nothing for ten minutes fade and have no speed; after a day they are grey", friends=True)
def faded(world):
    world.start()
    now = int(time.time())
    for number, (name, age) in enumerate((("Now", 60), ("Old", 900), ("Ancient", 100000))):
        befriend(world, "owntracks/u%d/phone" % number, "u%d" % number, 100 * number, 150, name, vel=62, cog=90, tst=now - age)
    with visit.page(world) as view:
        visit.wait_until(lambda: view.locator("#map .tracker.friend").count() == 3, 10, "not everybody is there")
        look = lambda name: view.get_by_label("Friend " + name, exact=True).evaluate(
            "element => [getComputedStyle(element).opacity, getComputedStyle(element).filter.includes('grayscale'), element.dataset.angle !== '0.0', 'course' in element.dataset]")
        found = {name: look(name) for name in ("Now", "Old", "Ancient")}
        expect(found == {"Now": ["1", False, True, True], "Old": ["0.6", False, False, False], "Ancient": ["0.6", True, False, False]}, found)


if __name__ == "__main__":
    main()
