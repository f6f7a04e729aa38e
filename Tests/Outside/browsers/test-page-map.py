#!/usr/bin/env python3
# takes: 60 s
"""The map: this board with speed and course, the way behind it, friends, regions, and where it looks."""
import json
import math
import os
import sys
import time

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import TOPIC, befriend, picture, waypoint
from nmea import degrees
from world import claim, expect, main

def is_seen(view, lat, lon):
    return visit.inside(view, "page.map.getBounds().contains([%f, %f])" % (lat, lon))


@claim("rows 89, 31, 32, 33: this board is on the map with its tid, the speed from six o'clock and the course, north up")
def self_marker(world):
    world.start()
    world.feed(world.drive(25), 5)
    with visit.page(world) as view:
        marker = view.locator(".tracker.self")
        marker.wait_for()
        expect(marker.locator("text").text_content() == "rd", "it says %s" % marker.locator("text").text_content())
        fix = world.tracker.status()["fix"]
        expect("vel" in fix and "cog" in fix, "the tracker tells neither speed nor course: %s" % fix)
        speed = fix["vel"]
        visit.wait_until(lambda: abs(float(marker.get_attribute("data-angle")) - angle(speed)) < 8, 5,
                        lambda: "%s degrees for %s km/h" % (marker.get_attribute("data-angle"), speed))
        expect(abs(float(marker.get_attribute("data-course")) - fix["cog"]) <= 30, "course %s" % marker.get_attribute("data-course"))
        expect(marker.locator(".speed").count() == 1 and marker.locator(".course").count() == 1, "speed or course is not drawn")
        scale = lambda speed, kind: visit.inside(view, "page.tachometer(%s, '%s')" % (speed, kind))
        for speed, degrees_ in ((0, 0), (30, 90), (100, 180), (180, 270)):
            expect(abs(scale(speed, "interpolated") - degrees_) < 0.1, "%d km/h is at %s" % (speed, scale(speed, "interpolated")))
        expect(180 < scale(140, "interpolated") < 270 and scale(900, "interpolated") <= 360, "between or beyond the anchors")
        expect(abs(scale(30, "classic") - 84.7) < 0.1 and abs(scale(130, "linear") - 150) < 0.1, "the other scales")
        # Due north is a course.
        drawn = "(m => [m.dataset.course, m.querySelector('.course')?.getAttribute('cy'), m.querySelector('.speed')])(page.trackerMarker({ speed: 0, course: 0 }))"
        expect(visit.inside(view, drawn) == ["0", "-20.00", None], "north is drawn as %s" % visit.inside(view, drawn))
        expect(not view.complaints, view.complaints)


def angle(speed):
    """Where the needle is to be, reckoned a second time."""
    anchors = [(0, 0), (30, 90), (100, 180), (180, 270)]
    (low, start), (high, _) = next(pair for pair in zip(anchors, anchors[1:]) if pair[0][0] <= speed <= pair[1][0])
    return start + 90 * math.log((1 + speed / 30) / (1 + low / 30)) / math.log((1 + high / 30) / (1 + low / 30))


@claim("row 91: a position that is less accurate than 250 m is a circle in place of a marker", ignoreInaccurateLocations=0)
def inaccurate(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        # What the receiver of this test says is always good: the page is told otherwise, by its own stream's words.
        view.evaluate("""import('/page.js').then(page => {
          page.board.status.fix = { ...page.board.status.fix, acc: 800 };
          page.drawSelf();
        })""")
        view.locator("path.accuracy").wait_for()
        expect(view.locator(".tracker.self").count() == 0, "there is a marker, too")


@claim("rows 98, 110, 29: the last fifty places are marked with time and topic, manual ones in purple, automatic ones in red")
def marks(world):
    world.start()
    world.feed(world.drive(70), 10)
    with visit.page(world) as view:
        view.locator(".place.automatic").first.wait_for()
        visit.wait_until(lambda: view.locator(".place").count() == 50, 10, lambda: "%d places are marked" % view.locator(".place").count())
        answer = world.tracker.ask("publish", "--poi", "Parked here")
        expect(answer.status == 0, answer.error)
        view.locator(".place.manual").wait_for(timeout=20000)
        colour = lambda kind: view.locator(".place.%s > *" % kind).first.evaluate("element => getComputedStyle(element).fill")
        expect(colour("manual") == "rgb(123, 47, 181)" and colour("automatic") == "rgb(211, 33, 33)", colour("manual") + colour("automatic"))
        expect(view.locator(".place").count() == 50, "%d are marked" % view.locator(".place").count())
        view.evaluate("document.querySelector('.place.manual').parentElement.click()")
        visit.shows(view, ".popup", "owntracks/ute/board")
        text = view.locator(".popup").inner_text()
        expect("manual" in text and "Parked here" in text and ":" in text, "the popup says %s" % text)
        count = world.tracker.status()["history"]
        visit.wait_until(lambda: abs(visit.inside(view, "page.track.count") - count) <= 2, 15, lambda: "%s of %d places are the way" % (visit.inside(view, "page.track.count"), count))


@claim("rows 29, 30, 34, 35, 105: friends are on the map with face or tid, and move when they publish", friends=True)
def friends(world):
    world.start()
    befriend(world, TOPIC, "JJ", 300, 100, "Jane Jolie", picture(), vel=30, cog=0)
    befriend(world, "owntracks/bob/van", "bo", -300, 200)
    with visit.page(world) as view:
        visit.wait_until(lambda: view.locator(".tracker.friend").count() == 2, 10, "there are not two friends")
        face = view.get_by_label("Friend Jane Jolie").locator("image")
        face.wait_for()
        expect(face.get_attribute("href").startswith("data:image/png;base64,"), "the face is %s" % face.get_attribute("href")[:40])
        expect(view.get_by_label("Friend bo").locator("text").text_content() == "bo", "no tid")
        expect(view.get_by_label("Friend Jane Jolie").get_attribute("data-angle") == "90.0", "no speed")
        place = lambda: (view.get_by_label("Friend bo").bounding_box() or {"x": 0})["x"]
        before = place()
        befriend(world, "owntracks/bob/van", "bo", -100, 200, tst=int(time.time()))
        visit.wait_until(lambda: place() > before + 5, 10, "a friend who has moved stays where he was")
        world.watcher.publish("owntracks/bob/van", b"", True)
        visit.wait_until(lambda: view.locator(".tracker.friend").count() == 1, 10, "who is gone is still there")
        expect(not view.complaints, view.complaints)


@claim("this board has the face of its own card", friends=True)
def own_face(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        expect(view.locator(".tracker.self image").count() == 0, "it has a face of nobody's")
        world.watcher.publish("owntracks/ute/board/info", json.dumps({"_type": "card", "name": "Van", "face": picture()}).encode(), True)
        view.locator(".tracker.self image").first.wait_for()


@claim("row 121: faces and names are asked for again when somebody reloads them", friends=True)
def reload(world):
    world.start()
    befriend(world, TOPIC, "JJ", 300, 100, "Jane")
    with visit.page(world) as view:
        view.get_by_label("Friend Jane", exact=True).wait_for()
        folder = os.path.join(world.folder, "friends.d", "owntracks", "jane")
        os.makedirs(folder)
        with open(os.path.join(folder, "phone.json"), "w") as file:
            json.dump({"name": "Aunt Jane", "face": picture()}, file)
        world.tracker.hang_up()
        time.sleep(0.5)
        visit.open_tab(view, "friends")
        view.locator("#panel-friends").get_by_text("Reload").click()
        view.get_by_label("Friend Aunt Jane").locator("image").wait_for()


@claim("rows 38, 74: regions are blue-ish outside and red-ish inside, follow regions cyan, beacons and pins have marks", waypoints=[
    waypoint("Inside", 0, 0, 300, 1700000000), waypoint("Outside", 2000, 0, 300, 1700000001), waypoint("+follow", 0, 0, 100, 1700000002),
    waypoint("Pin", 200, 0, 0, 1700000003), waypoint("Van", 0, 300, 0, 1700000004, uuid="CA271EAE-5FA8-4E80-8F08-2A302A95A959")])
def regions(world):
    world.start()
    with visit.page(world) as view:
        # What follows the board is an outline: filled, it would colour the whole map.
        for kind, colour in (("in", "rgba(255, 127, 127, 0.25)"), ("out", "rgba(127, 127, 255, 0.25)"), ("follow", "none")):
            view.locator("path.region.%s" % kind).wait_for(state="attached")
            found = view.locator("path.region.%s" % kind).evaluate("element => getComputedStyle(element).fill")
            expect(found == colour, "%s is %s" % (kind, found))
        expect(view.locator(".pin").count() == 1 and view.locator(".beacon.cold").count() == 1, "pin or beacon is missing")
        # There is no Bluetooth here: the drawing itself shows what a beacon in range looks like.
        hot = visit.inside(view, "page.regionMark({ uuid: 'x', inside: true }).getAttribute('class')")
        expect(hot == "beacon hot", hot)
        expect(view.locator(".beacon.cold .back").evaluate("element => getComputedStyle(element).fill") == "rgb(31, 95, 208)", "cold is not blue")
        visit.inside(view, "(page.showAll(), 1)")
        labels = lambda: sorted(view.locator(".label:not(.town)").all_inner_texts())
        visit.wait_until(lambda: labels() == ["Inside", "Outside", "Pin", "Van"], 10, lambda: "names on the map: %s" % labels())


def ahead(world, view):
    """The course is up: the map is turned by it, what is written is not."""
    expect(view.locator("[data-follow]").get_attribute("data-follow") == "ahead", "north is all there is")
    world.feed(world.drive(10), 5)
    course = world.tracker.status()["fix"]["cog"]
    angle = lambda selector: view.locator(selector).first.evaluate("""element => {
      const matrix = new DOMMatrix(getComputedStyle(element).transform), own = parseFloat(getComputedStyle(element).rotate) || 0;
      return (Math.atan2(matrix.b, matrix.a) * 180 / Math.PI + own + 720) % 360;
    }""")
    apart = lambda one, other: min((one - other) % 360, (other - one) % 360)
    visit.wait_until(lambda: apart(angle("#map"), -course) < 5, 10, lambda: "the map is turned by %s, the course is %s" % (angle("#map"), course))
    visit.wait_until(lambda: apart(angle("#map"), -angle("#map .tracker.self text")) < 1, 10, lambda: "the letters are turned by %s" % angle("#map .tracker.self text"))
    expect(apart(angle("#north"), angle("#map")) < 5, "north is shown at %s" % angle("#north"))
    seen = view.locator("#map .tracker.self").bounding_box()
    side = view.locator(".map-side").bounding_box()
    expect(abs(seen["x"] + seen["width"] / 2 - side["x"] - side["width"] / 2) < 30, "the board is not in the middle: %s" % seen)


@claim("rows 99, 100, 108, 109: follow (off, this board with north or its course up, everybody), show all, kinds of map", friends=True)
def views(world):
    world.start()
    befriend(world, TOPIC, "JJ", 30000, 100)
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        own = lambda: world.tracker.status()["fix"]
        button = view.locator("[data-follow]")
        expect(button.get_attribute("data-follow") == "north", "it begins with %s" % button.get_attribute("data-follow"))
        view.get_by_role("button", name="Show all").click()
        far = degrees((30000, 100))
        visit.wait_until(lambda: is_seen(view, *far) and is_seen(view, own()["lat"], own()["lon"]), 5, "not everybody is shown")
        expect(button.get_attribute("data-follow") == "none", "showing all is undone by the next position")
        button.click()
        centre = lambda: visit.inside(view, "(c => [c.lat, c.lng])(page.map.getCenter())")
        near = lambda: abs(centre()[0] - own()["lat"]) < 0.001 and abs(centre()[1] - own()["lon"]) < 0.001
        visit.wait_until(near, 5, lambda: "following shows %s" % centre())
        world.feed(world.drive(20), 5)
        visit.wait_until(near, 5, lambda: "it does not follow: %s, not %s" % (centre(), own()))
        button.click()
        ahead(world, view)
        button.click()
        visit.wait_until(lambda: is_seen(view, *far), 5, "keeping all in view does not show all")
        view.locator("#map.turned").wait_for(state="detached")
        box = view.locator("#map").bounding_box()
        view.mouse.move(box["x"] + 100, box["y"] + 200)
        view.mouse.down()
        view.mouse.move(box["x"] + 200, box["y"] + 260, steps=4)
        view.mouse.up()
        visit.wait_until(lambda: button.get_attribute("data-follow") == "none", 3, "who drags the map is pulled back")
        expect(view.locator("[data-kind=tracks]").is_hidden(), "there is nothing to choose, and a button to choose it")
        expect(view.locator(".leaflet-control-scale-line").inner_text() != "", "no scale")
        expect(view.locator(".grid-line").count() > 4, "no grid")


if __name__ == "__main__":
    main()
