"""Says OwnTracks messages in plain words."""
import math
import time

CAUSES = {
    None: "moved", "u": "asked for", "r": "asked for remotely", "t": "time was up", "p": "sign of life",
    "c": "crossed a region's edge", "C": "left the circle around itself", "b": "met a beacon",
}


def metres(latitude, longitude, other):
    """Distance between a position and a region's centre; good to a metre within a city."""
    north = (latitude - other["lat"]) * 111_195
    east = (longitude - other["lon"]) * 111_195 * math.cos(math.radians(latitude))
    return math.hypot(north, east)


class Words:
    def __init__(self, regions):
        self.regions = {region["desc"]: region for region in regions}
        self.last = None
        self.driven = 0.0
        self.first = True

    def say(self, message):
        """One line for one message, without its end."""
        kind = message.get("_type")
        clock = " " * 8
        if kind in ("location", "transition"):
            clock = time.strftime("%H:%M:%S", time.localtime(message["tst"]))
        tell = {
            "location": self.location, "transition": self.transition, "waypoint": self.waypoint,
            "lwt": self.will,
        }
        return f"{clock}  {tell[kind](message) if kind in tell else kind}"

    def location(self, message):
        here = {"lat": message["lat"], "lon": message["lon"]}
        if self.last:
            self.driven += metres(here["lat"], here["lon"], self.last)
        self.last = here
        cause = CAUSES.get(message.get("t"), message.get("t"))
        if self.first and message.get("t") is None:
            cause = "the first one"
        self.first = False
        where = ", ".join(message.get("inregions", []))
        return (
            f"position    {here['lat']:.5f}, {here['lon']:.5f}  km {self.driven / 1000:3.1f}"
            f"  {message.get('vel', 0):2d} km/h  {cause}" + (f", in {where}" if where else "")
        )

    def transition(self, message):
        name = message.get("desc", "a region")
        verb = {"enter": "ENTERED", "leave": "LEFT"}[message["event"]]
        line = f"{verb:<11} {name}"
        region = self.regions.get(name)
        if region:
            past = metres(message["lat"], message["lon"], region) - region["rad"]
            line += f", {abs(past):.0f} m {'inside' if past < 0 else 'past'} its edge"
        return line

    def waypoint(self, message):
        return f"region      {message['desc']} is known: a circle of {message.get('rad', 0)} m"

    @staticmethod
    def will(_):
        return "silence     the broker has lost the board and says so (its last will)"
