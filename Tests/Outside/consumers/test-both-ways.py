#!/usr/bin/env python3
# takes: 150 s
# limit: 600 s
# behaviour: How regions come and go
"""With discovery and the owntracks integration at once, the real Home Assistant shows its own zones and no others,
whatever regions the board has."""
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/world"))
from home import Home  # noqa: E402
from nmea import along, degrees  # noqa: E402
from world import claim, expect, main  # noqa: E402

PLACE, CARD = "device_tracker.board_place", "device_tracker.ute_board"
HOUSE, OFFICE, AWAY = (0.0, 0.0), (2000.0, 0.0), (900.0, 0.0)
BEACON = ":CA271EAE-5FA8-4E80-8F08-2A302A95A959:1:2"


def waypoint(name, place=HOUSE, radius=100, tst=5):
    latitude, longitude = degrees(place)
    return {"_type": "waypoint", "desc": name, "lat": latitude, "lon": longitude, "rad": radius, "tst": tst}


def shown_as(wanted, where, name, *waypoints, **settings):
    @claim("it is %s with %s" % (wanted, name), discovery=True, keepalive=5, **settings)
    def run(world):
        world.tracker.configure(waypoints=list(waypoints), discovery=True, keepalive=5, **settings)
        home = Home(world, zones=[("Work", OFFICE, 100)]).start()
        world.start()
        world.feed(along([world.place, AWAY], speed=30.0) + [AWAY] * 8, hz=10)
        for entity in (PLACE, CARD):
            home.expect_state(entity, "not_home", when="away")
        world.feed(along([AWAY, where], speed=30.0) + [where] * 8, hz=10)
        for entity in (PLACE, CARD):
            home.expect_state(entity, wanted, when="there")
        zones = [zone for zone in home.states() if zone.startswith("zone.")]
        expect(sorted(zones) == ["zone.home", "zone.work"], "%s" % zones)


shown_as("home", HOUSE, "a region like the zone", waypoint("Home"))
shown_as("Work", OFFICE, "a region like another zone", waypoint("Work", OFFICE))
shown_as("home", HOUSE, "the beacon of a garage", waypoint("Home"), waypoint("Garage" + BEACON, radius=0, tst=6))
shown_as("home", HOUSE, "a beacon named like the zone", waypoint("Home"), waypoint("home" + BEACON, radius=0, tst=6))
shown_as("home", HOUSE, "a beacon alone", waypoint("Garage" + BEACON, radius=0))
shown_as("home", HOUSE, "a region beside the zone", waypoint("Home", (20.0, 0.0), 60))
shown_as("home", HOUSE, "a smaller region in it", waypoint("Home"), waypoint("Drive", radius=60, tst=6))
shown_as("home", HOUSE, "a region that follows it", waypoint("Home"), waypoint("+follow", radius=60, tst=6))


if __name__ == "__main__":
    main()
