#!/usr/bin/env python3
# takes: 60 s
"""The track is what the board has: each place once, back to the oldest, and what follows the board goes with it."""
import os
import sys
import urllib.parse

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import waypoint
from world import claim, expect, main


def numbers(view):
    """Of the newest fifty."""
    return visit.inside(view, "page.track.last.map(point => point.number)")


@claim("the newest places, told twice, are on the track once")
def twice(world):
    world.start()
    world.feed(world.drive(10), 10)
    with visit.page(world) as view:
        count = lambda: world.tracker.status()["history"]
        visit.wait_until(lambda: visit.inside(view, "page.track.count") == count(), 60, "not all places are there")
        visit.inside(view, "(page.emptyTrack(), Promise.all([page.fetchFirst(), page.fetchFirst()]))")
        expect(visit.inside(view, "page.track.count") == count(), "%s of %d places" % (visit.inside(view, "page.track.count"), count()))
        found = numbers(view)
        expect(found == sorted(set(found)), "marked are %s" % found)


def kept(world, view, known):
    """The board has places of these numbers alone, and one more that it has not written yet; the questions that are asked
    from now on. (It would take days to have it drop the older ones: the form of the answers is the tracker's own.)"""
    sample, asked = world.tracker.ask("history", "--json").json()["history"][-1], []

    def answer(route):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(route.request.url).query))
        asked.append(query)
        limit, after = min(500, int(query.get("limit", 500))), int(query.get("after", 0))
        found = known[-limit:] if query.get("newest") else [number for number in known if number > after][:limit]
        route.fulfill(json={"ok": True, "history": [dict(sample, number=number, tst=sample["tst"] + number) for number in found]})

    visit.wait_until(lambda: visit.inside(view, "page.track.count > 0 && page.track.isAll"), 60, "the real history is not read")
    view.route("**/api/history*", answer)
    view.evaluate("""import('/page.js').then(async page => {
      page.board.status.history = %d;
      page.emptyTrack();
      page.track.isAll = false;
      await page.fetchFirst();
      while (!page.track.isAll) await page.fetchOlder();
    })""" % (len(known) + 1))
    return asked


@claim("older places are asked for back to the oldest that the board has kept, and no further")
def oldest(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        asked = kept(world, view, list(range(400_001, 400_701)))
        expect(visit.inside(view, "page.track.count") == 700, "%s of 700 places" % visit.inside(view, "page.track.count"))
        expect(len(asked) <= 6, "%d questions, the last %s" % (len(asked), asked[-3:]))


@claim("places before a gap, where somebody has deleted a journey, are found as well")
def gap(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        asked = kept(world, view, list(range(300_001, 300_201)) + list(range(303_001, 303_301)))
        expect(visit.inside(view, "page.track.count") == 500, "%s of 500 places" % visit.inside(view, "page.track.count"))
        expect(len(asked) <= 15, "%d questions, the last %s" % (len(asked), asked[-3:]))


@claim("where the history has all the places that are kept of it, the newest are shown all the same", days=-1, positions=5)
def full(world):
    world.start()
    visit.wait_until(lambda: world.tracker.status()["history"] == 5, 60, lambda: "%s places are kept" % world.tracker.status()["history"])
    with visit.page(world) as view:
        visit.wait_until(lambda: visit.inside(view, "page.track.count") == 5, 60, lambda: "%s of 5 places" % visit.inside(view, "page.track.count"))
        world.wait_for_locations(world.feed(world.drive(20), 10))
        newest = world.tracker.ask("history", "--json").json()["history"][-1]["number"]
        visit.wait_until(lambda: numbers(view)[-1] == newest, 60, lambda: "it has %s, the newest is %s" % (numbers(view)[-1], newest))


@claim("a circle that follows the board goes with it on a page that is open", waypoints=[waypoint("+60", 0, 0, 100, 1700000000)])
def follow(world):
    world.start()
    with visit.page(world) as view:
        view.locator("path.region.follow").wait_for(state="attached")
        drawn = lambda: visit.inside(view, """(() => {
          let found;
          page.map.eachLayer(layer => { if (layer.options.className === "region follow") found = layer.getLatLng(); });
          return [found.lat, found.lng];
        })()""")
        board = lambda: [world.tracker.ask("region", "list", "--json").json()["regions"][0][key] for key in ("lat", "lon")]
        before = board()
        world.wait_for_locations(world.feed(world.drive(30), 10))
        expect(board() != before, "the tracker's stays where it is")
        visit.wait_until(lambda: drawn() == board(), 60, lambda: "drawn at %s, it is at %s" % (drawn(), board()))


if __name__ == "__main__":
    main()
