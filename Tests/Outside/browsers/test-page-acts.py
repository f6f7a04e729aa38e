#!/usr/bin/env python3
# takes: 110 s
"""The sheet: what the tracker does, what a person changes there, and what the tracker has after it."""
import base64
import os
import sys
import time
import xml.etree.ElementTree as xml

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import TOPIC, befriend, picture, waypoint
from nmea import degrees
from world import claim, expect, main


def regions(world):
    return {region["desc"]: region for region in world.tracker.ask("region", "list", "--json").json()["regions"]}


def choose(view, text):
    """Presses a button of the dialog."""
    view.locator("dialog[open]").get_by_role("button", name=text, exact=True).click()


@claim("rows 103, 111, 57, 60: four mode buttons with symbols set the mode, and the label says it with ! and #", adapt=1, monitoring=1)
def modes(world):
    world.start()
    with visit.page(world) as view:
        visit.open_tab(view, "now")
        visit.shows(view, "#mode", "Significant")
        for name in ("quiet", "manual", "significant", "move"):
            button = view.locator("[data-mode=%s]" % name)
            expect(button.locator("use").get_attribute("href") == "#i-%s" % name, "no symbol for %s" % name)
            button.click()
            visit.shows(view, "#mode", name.capitalize(), 5)
            expect(world.tracker.status()["mode"] == name, "the tracker is in %s" % world.tracker.status()["mode"])
            visit.wait_until(lambda: button.get_attribute("aria-pressed") == "true", 3, "%s is not shown as chosen" % name)
        # The tracker marks an automatic change in its label; the page has to say what the mark means.
        view.evaluate("""import('/page.js').then(page => {
          page.merge({ label: "Significant!#", mode: "significant" });
        })""")
        visit.shows(view, "#mode", "Significant!#")
        visit.shows(view, "#part-mode", "low battery")
        visit.shows(view, "#part-mode", "vehicle stands")


@claim("a call for help is asked about, shown as open to everybody, and acknowledged", monitoring=-1)
def sos(world):
    world.tracker.start()
    world.settle()
    alarms = lambda: [each["event"] for each in world.heard("alarm", "owntracks/ute/board/alarm")]
    with visit.page(world) as view:
        visit.open_tab(view, "now")
        view.get_by_role("button", name="Call for help").click()
        choose(view, "Cancel")
        expect("sos" not in world.tracker.status(), "it is not asked about")
        view.get_by_role("button", name="Call for help").click()
        choose(view, "Call for help")
        visit.shows(view, "#banner", "SOS is open")
        visit.shows(view, "#part-sos", "published once")
        visit.wait_until(lambda: alarms() == ["begin"], 5, lambda: "published %s" % alarms())
        view.get_by_role("button", name="Acknowledge").click()
        choose(view, "Acknowledge")
        visit.wait_until(lambda: view.locator("#banner").is_hidden(), 5, "it is shown as open")
        visit.wait_until(lambda: alarms()[-1] == "end", 5, lambda: "published %s" % alarms())


@claim("on a locked board the page publishes and calls for help, and changes nothing; where a phone may look only, it does neither",
       locked=True, monitoring=-1)
def locked(world):
    world.tracker.start()
    world.settle()
    with visit.page(world) as view:
        visit.open_tab(view, "now")
        visit.shows(view, "#panel-now > .note", "you can publish and call for help here")
        expect(view.locator("[data-mode=move]").is_disabled() and view.locator("[data-act=reconnect]").is_disabled(), "it may be changed")
        view.get_by_role("button", name="Call for help").click()
        choose(view, "Call for help")
        visit.shows(view, "#part-sos", "published once")
        view.get_by_role("button", name="Acknowledge").click()
        choose(view, "Acknowledge")
        visit.wait_until(lambda: "sos" not in world.tracker.status(), 60, "it is still open")
        view.get_by_role("button", name="Publish").click()
        choose(view, "Publish")
        visit.wait_until(lambda: any(each["t"] == "u" for each in world.locations()), 60, "nothing is published")
    with visit.page(world, may="look") as view:
        visit.open_tab(view, "now")
        visit.shows(view, "#panel-now > .note", "may only look")
        expect(view.get_by_role("button", name="Call for help").is_disabled(), "who may look calls for help")
        expect(view.get_by_role("button", name="Publish").is_disabled(), "who may look publishes")


@claim("row 92: the publish button publishes, with a remark, and a photo of any size that is made small enough")
def publish(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        before = len(world.locations())
        view.get_by_role("button", name="Publish").click()
        choose(view, "Publish")
        visit.shows(view, "#toasts", "published")
        visit.wait_until(lambda: len(world.locations()) > before, 5, "nothing was published")
        expect(world.locations()[-1]["t"] == "u", "published as %s" % world.locations()[-1])
        # A noisy picture of 3000 x 2000 that no coding makes small.
        photo = view.evaluate("""() => {
          const canvas = document.createElement("canvas");
          canvas.width = 3000; canvas.height = 2000;
          const paint = canvas.getContext("2d");
          for (let x = 0; x < 3000; x += 6) for (let y = 0; y < 2000; y += 6) {
            paint.fillStyle = `rgb(${x * 7919 % 255},${y * 104729 % 255},${(x + y) * 31 % 255})`;
            paint.fillRect(x, y, 6, 6);
          }
          return canvas.toDataURL("image/jpeg", 0.9).split(",")[1];
        }""")
        expect(len(photo) > 200000, "the photo is small already: %d" % len(photo))
        time.sleep(1.1)
        world.feed(world.stand(3))
        view.get_by_role("button", name="Publish").click()
        view.locator("#remark").fill("Lake & <b>camp</b>")
        view.locator("#photo").set_input_files({"name": "big.jpg", "mimeType": "image/jpeg", "buffer": base64.b64decode(photo)})
        visit.shows(view, "dialog", "The photo is sent with")
        choose(view, "Publish")
        found = visit.wait_until(lambda: [each for each in world.locations() if each.get("image")], 10, "no photo was published")
        expect(found[0]["poi"] == "Lake & <b>camp</b>", "the remark is %s" % found[0].get("poi"))
        expect(1000 < len(found[0]["image"]) <= 64000, "%d characters of base64" % len(found[0]["image"]))
        view.get_by_role("button", name="Publish").click()
        view.locator("#photo").set_input_files({"name": "no.jpg", "mimeType": "image/jpeg", "buffer": b"no picture"})
        visit.shows(view, "dialog", "no picture")


@claim("rows 93, 63: a geo: link, a link with a marker, and the GPX file of a part of the history")
def sharing(world):
    world.start()
    sent = world.feed(world.drive(30), 5)
    world.wait_for_locations(sent)
    with visit.page(world, accept_downloads=True) as view:
        visit.open_tab(view, "now")
        fix = world.tracker.status()["fix"]
        north, east = "%.6f" % fix["lat"], "%.6f" % fix["lon"]
        expect(view.locator("a[href='geo:%s,%s']" % (north, east)).count() == 1, "no geo: link")
        link = view.locator("a[href*='openstreetmap.org']").get_attribute("href")
        expect("mlat=%s&mlon=%s" % (north, east) in link, "the link is %s" % link)

        def points():
            with view.expect_download() as waiting:
                view.locator("#gpx").click()
            root = xml.parse(waiting.value.path()).getroot()
            return len(root.findall(".//{http://www.topografix.com/GPX/1/1}trkpt"))

        everything = points()
        expect(everything == len(world.tracker.ask("history", "--json").json()["history"]), "%d points" % everything)
        local = time.strftime("%Y-%m-%dT%H:%M", time.localtime(max(sent) + 3600))
        view.locator("#gpx-from").fill(local)
        expect("from=" in view.locator("#gpx").get_attribute("href"), "from is not in the link")
        expect(points() == 0, "from is not obeyed")
        expect(view.hosts == {"127.0.0.1:%d" % world.site.port}, "asked %s" % view.hosts)


@claim("rows 25, 26, 106, 115: the list has everybody with face and place, a badge of updates, and all places of each; a tap centres", friends=True)
def friend_list(world):
    world.start()
    for number in range(3):
        befriend(world, TOPIC, "JJ", 3000 + 100 * number, 100, tst=int(time.time()) - 300 + number)
    befriend(world, TOPIC, "JJ", 4000, 100, "Jane", picture())
    with visit.page(world) as view:
        visit.shows(view, "#badge-friends", "1")
        befriend(world, TOPIC, "JJ", 4100, 100, tst=int(time.time()))
        visit.shows(view, "#badge-friends", "2")
        visit.open_tab(view, "friends")
        visit.shows(view, "#panel-friends", "2 updates since you last looked")
        visit.shows(view, "#panel-friends", "This board")
        expect(view.locator("#badge-friends").is_hidden(), "who has looked is told again")
        row = view.locator("[data-topic='%s']" % TOPIC)
        row.locator("image").wait_for()
        row.get_by_role("button", name="Show Jane on the map").click()
        place = degrees((4100, 100))
        visit.wait_until(lambda: visit.inside(view, "page.map.getBounds().contains([%f, %f])" % place), 5, "the map does not show the friend")
        row.locator("summary").click()
        visit.wait_until(lambda: row.locator("[data-act=place]").count() == 5, 5, lambda: "%d places" % row.locator("[data-act=place]").count())
        row.locator("[data-act=place]").last.click()
        oldest = degrees((3000, 100))
        visit.wait_until(lambda: visit.inside(view, "page.map.getCenter().distanceTo([%f, %f])" % oldest) < 20, 5, "a tap on a place does not show it")
        stored = view.evaluate("JSON.stringify(Object.keys(localStorage))")
        expect(stored == '["homeward-friends"]', "in the browser: %s" % stored)
        # Row 28: nobody's address is looked up by itself.
        expect(view.hosts == {"127.0.0.1:%d" % world.site.port}, "asked %s" % view.hosts)
        view.reload()
        view.locator(".tracker.friend").wait_for()
        time.sleep(1)
        expect(view.locator("#badge-friends").is_hidden(), "a new visit counts what was looked at")


@claim("row 119: a friend is forgotten, one place of a friend, a place of the history deleted, the whole history too, each after a question", friends=True)
def forgetting(world):
    world.start()
    befriend(world, TOPIC, "JJ", 300, 100, "Jane")
    with visit.page(world) as view:
        visit.open_tab(view, "friends")
        row = view.locator("[data-topic='%s']" % TOPIC)
        row.locator("summary").click()
        places = lambda: world.tracker.ask("friend", "show", TOPIC, "--json").json()["places"]
        expect(len(places()) == 1, "places: %s" % places())
        row.locator("[data-act=forgetPlace]").click()
        choose(view, "Forget")
        visit.wait_until(lambda: not places(), 5, "the place is still kept")
        visit.wait_until(lambda: row.locator("[data-tst]").count() == 0, 5, "it is still listed")
        row.locator("[data-act=forget]").click()
        choose(view, "Cancel")
        expect(world.tracker.ask("friends", "--json").json()["friends"], "forgotten without a yes")
        row.locator("[data-act=forget]").click()
        choose(view, "Forget")
        row.wait_for(state="detached")
        expect(not world.tracker.ask("friends", "--json").json()["friends"], "the tracker still has the friend")
        world.feed(world.drive(20), 5)
        visit.open_tab(view, "now")
        view.locator("#part-history summary").click()
        item = view.locator("#part-history [data-number]").nth(3)
        number = int(item.get_attribute("data-number"))
        numbers = lambda: [each["number"] for each in world.tracker.ask("history", "--json").json()["history"]]
        expect(number in numbers(), "no such place: %d" % number)
        item.locator("[data-act=remove]").click()
        choose(view, "Delete this place")
        visit.wait_until(lambda: number not in numbers(), 5, "it is still kept")
        visit.wait_until(lambda: view.locator("#part-history [data-number='%d']" % number).count() == 0, 5, "it is still listed")
        view.get_by_role("button", name="Delete the history").click()
        choose(view, "Delete the history")
        visit.wait_until(lambda: not numbers(), 5, "the history is still kept")
        visit.shows(view, "#part-history", "Nothing is kept yet")


@claim("friends that were silent for longer than ignoreStaleLocations are hidden", friends=True, ignoreStaleLocations=1)
def stale(world):
    world.start()
    befriend(world, TOPIC, "JJ", 300, 100, tst=int(time.time()) - 200000)
    befriend(world, "owntracks/bob/van", "bo", 300, 100)
    with visit.page(world) as view:
        view.get_by_label("Friend bo").wait_for()
        expect(view.locator(".tracker.friend").count() == 1, "who was silent is on the map")


@claim("rows 140, 141: a long press on the map adds a place there, the button one at exact coordinates or here")
def adding(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        for state in ("north", "ahead", "all"):
            view.locator("[data-follow=%s]" % state).click()
        box = view.locator("#map").bounding_box()
        x, y = box["x"] + 120, box["y"] + 200
        at = visit.inside(view, "(p => [p.lat, p.lng])(page.map.containerPointToLatLng([120, 200]))")
        view.mouse.move(x, y)
        view.mouse.down()
        view.locator("#map.held").wait_for()
        expect(view.locator("dialog[open]").count() == 0, "it opens under the finger, which would press what is there")
        view.mouse.up()
        view.locator("dialog[open]").wait_for()
        choose(view, "Save")
        made = visit.wait_until(lambda: list(regions(world).values()), 5, "nothing was added")[0]
        expect(made["desc"].startswith("Here-") and made["rad"] == 100, "the default is %s" % made)
        expect(abs(made["lat"] - at[0]) < 0.0005 and abs(made["lon"] - at[1]) < 0.0005, "it is at %s, pressed was %s" % (made, at))
        visit.wait_until(lambda: view.locator("path.region").count() == 1, 5, "it is not on the map")
        visit.open_tab(view, "places")
        view.get_by_role("button", name="Add a place").click()
        view.get_by_label("Name", exact=True).fill("-Keys")
        view.get_by_label("Latitude").fill("48.5")
        view.get_by_label("Longitude").fill("-16.25")
        view.get_by_label("Radius in metres").fill("250")
        choose(view, "Save")
        made = visit.wait_until(lambda: regions(world).get("-Keys"), 5, lambda: "regions: %s" % regions(world))
        expect((made["lat"], made["lon"], made["rad"]) == (48.5, -16.25, 250), "added %s" % made)


@claim("rows 117, 143: a place is renamed in a form, dragged after a question, and deleted after another", waypoints=[
    waypoint("Camp", 0, 250, 120, 1700000000)])
def editing(world):
    world.start()
    with visit.page(world) as view:
        visit.open_tab(view, "places")
        change = lambda: view.locator("#panel-places [data-act=edit]").click()
        change()
        view.get_by_label("Name", exact=True).fill("Camp by the lake")
        view.get_by_label("Radius in metres").fill("150")
        choose(view, "Save")
        made = visit.wait_until(lambda: regions(world).get("Camp by the lake"), 5, lambda: "regions: %s" % regions(world))
        expect(made["rad"] == 150 and made["rid"], "changed to %s" % made)
        visit.shows(view, "#panel-places", "Camp by the lake")

        def drag():
            change()
            choose(view, "Move")
            handle = view.locator(".handle")
            handle.wait_for()
            time.sleep(0.5)
            box = handle.bounding_box()
            view.mouse.move(box["x"] + 20, box["y"] + 20)
            view.mouse.down()
            view.mouse.move(box["x"] + 60, box["y"] + 60, steps=5)
            view.mouse.up()
            view.locator("dialog[open]").get_by_text("is moved by").wait_for()

        drag()
        choose(view, "Cancel")
        expect(regions(world)["Camp by the lake"]["lat"] == made["lat"], "moved without a yes")
        drag()
        choose(view, "Move")
        visit.wait_until(lambda: regions(world)["Camp by the lake"]["lat"] < made["lat"] - 0.0001, 5, "it was not moved")
        change()
        choose(view, "Delete")
        choose(view, "Cancel")
        expect(regions(world), "deleted without a yes")
        change()
        choose(view, "Delete")
        choose(view, "Delete")
        visit.wait_until(lambda: not regions(world), 5, "it was not deleted")
        visit.shows(view, "#panel-places", "No places yet")


@claim("rows 102, 112, 114: the light in four colours with a word, server, topic, subscription and error, and buttons that connect", friends=True)
def connection(world):
    world.start()
    with visit.page(world) as view:
        visit.open_tab(view, "now")
        light = lambda: view.locator("#light").get_attribute("data-colour")
        visit.shows(view, "#state", "connected")
        expect(light() == "green", "connected is %s" % light())
        for text in ("127.0.0.1:%d" % world.broker.port, "owntracks/ute/board", "owntracks/+/+"):
            visit.shows(view, "#part-connection", text)
        view.get_by_role("button", name="Disconnect", exact=True).click()
        choose(view, "Disconnect")
        visit.shows(view, "#state", "disconnected")
        expect(light() == "blue", "disconnected is %s" % light())
        view.get_by_role("button", name="Connect", exact=True).click()
        visit.shows(view, "#state", "connected")
        visit.wait_until(lambda: light() == "green", 5, "connected again is %s" % light())
        view.get_by_role("button", name="Reconnect").click()
        visit.shows(view, "#toasts", "")
        world.broker.kill()
        visit.wait_until(lambda: light() == "amber", 10, lambda: "without a broker it is %s" % light())
        visit.shows(view, "#state", "not connected")
        visit.shows(view, "#part-connection", "Last error")
        world.tracker.configure(tls=True)
        world.broker.start()
        world.tracker.hang_up()
        visit.wait_until(lambda: light() == "red", 20, lambda: "what a person has to put right is %s" % light())


@claim("row 113: what waits is counted in the bar, and not when nothing does")
def waiting(world):
    world.start()
    with visit.page(world) as view:
        visit.shows(view, "#state", "connected")
        expect(view.locator("#waiting").is_hidden(), "nothing waits, and is counted")
        world.broker.kill()
        world.feed(world.drive(15), 10)
        count = world.tracker.status()["queue"]["count"]
        expect(count > 5, "%d wait" % count)
        visit.wait_until(lambda: "%d unsent" % world.tracker.status()["queue"]["count"] in view.locator("#waiting").inner_text(), 5,
                         lambda: "the bar says %s" % view.locator("#waiting").inner_text())
        visit.open_tab(view, "now")
        visit.shows(view, "#part-queue", "messages (")
        world.broker.start()
        view.locator("#waiting").wait_for(state="hidden", timeout=20000)


@claim("row 146: why, in the words of the command line, published or not", monitoring=0)
def why(world):
    world.tracker.start()
    world.settle()
    with visit.page(world) as view:
        visit.open_tab(view, "why")
        known = world.tracker.ask("why", "--json").json()["reasons"]
        expect(known, "there is no reason")
        for reason in known[-5:]:
            visit.shows(view, "#panel-why", reason["text"])
        expect(view.locator(".reason.no .unseen").first.inner_text() == "not published", "it is not said in words")
        world.tracker.ask("publish")
        view.locator(".reason.yes").first.wait_for()
        view.get_by_label("Only what was not published").check()
        expect(view.locator(".reason.yes").count() == 0, "what was published is still there")


if __name__ == "__main__":
    main()
