#!/usr/bin/env python3
# takes: 20 s
# touches: Sources/Web Sources/homeward-web Sources/Access Sources/Answers Sources/OwnTracks Sources/CMicroHTTPD
# touches: Sources/CSodium Sources/CSQLite Sources/CZlib Sources/Host/Control Sources/homeward/Web Sources/homeward/Sharing
# touches: Sources/Loop Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/world Tests/Programs/shims
"""homeward-web beside a tracker that stops answering: a part of something never looks like all there is."""
import http.client
import json
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from page import PageServer, Relay, server_of
from waiting import IN_THE_END, in_the_end
from world import claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}


def download(server):
    """Whether the track came to its end, and how many points it has; None where there is no file at all."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=2 * IN_THE_END)
    line.request("GET", "/export.gpx", headers={"Cookie": server.cookie})
    answer = line.getresponse()
    try:
        body, is_whole = answer.read(), True
    except http.client.IncompleteRead as cut:
        body, is_whole = cut.partial, False
    except ConnectionError:
        body, is_whole = b"", False
    line.close()
    expect(is_whole or b"</gpx>" not in body, "a part of the track has its end")
    return (is_whole, body.count(b"<trkpt ")) if answer.status == 200 else None


@claim("a track in whose middle the tracker stops answering does not come to its end, and without its first answer there is none", pace=4)
def track(world):
    world.start()
    world.feed(world.drive(20))
    server = PageServer(world.folder, world.tracker.socket)
    world._closing.append(server.kill)
    asked, answered = [], [1000]

    def short(question):
        """Pages of three points, and so many of them."""
        words = json.loads(question)
        if words[0] != "history":
            return question
        asked.append(words)
        few = json.dumps(["3" if word == "500" else word for word in words]).encode() + b"\n"
        return few if len(asked) <= answered[0] else None

    server.control = Relay(world, server, short).path
    server.start().pair()
    expect(world.tracker.is_drained(), "something waits")
    count = world.tracker.status()["history"]
    expect(download(server) == (True, count), "all of it: %s, and there are %d points" % (download(server), count))
    expect(len(asked) > count // 3, "%d pages of %d points" % (len(asked), count))
    for pages in (3, 1):
        asked.clear()
        answered[0] = pages
        found = download(server)
        expect(found is not None and not found[0], "%d pages: %s" % (pages, found))
    asked.clear()
    answered[0] = 0
    expect(download(server) is None, "a track of nothing")
    world.tracker.kill()
    expect(download(server) is None, "a track of no tracker")


@claim("without a tracker it is not said what a page may do and which maps there are; then it is, with the right that a map takes",
       osmTemplate="https://tile.example.org/{z}/{x}/{y}.png", **ALONE)
def page(world):
    server = server_of(world)
    found = server.get("/api/page").json()
    expect(found["map"]["source"] == "https://tile.example.org", "it takes the right for %s" % found["map"])
    world.tracker.kill()
    reply = server.get("/api/page")
    expect(reply.status == 503 and reply.json()["ok"] is False, "without a tracker: %s" % reply.body)
    expect("example.org" not in server.get("/").headers["content-security-policy"], "it knows the map without the tracker")
    world.tracker.start()
    in_the_end(lambda: server.get("/api/page").status == 200)
    expect(server.get("/api/page").json() == found, "%s, not %s" % (server.get("/api/page").body, found))
    expect(found["map"]["source"] in server.get("/").headers["content-security-policy"], "the page has not the right")


if __name__ == "__main__":
    main()
