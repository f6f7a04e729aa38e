#!/usr/bin/env python3
# takes: 20 s
# touches: Sources/Web Sources/homeward-web Sources/Access Sources/Answers Sources/OwnTracks Sources/CMicroHTTPD
# touches: Sources/CSodium Sources/CSQLite Sources/CZlib Sources/Host/Control Sources/homeward/Web Sources/homeward/Sharing
# touches: Sources/Loop Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/world Tests/Programs/shims
"""homeward-web beside a tracker that stops answering: a part of something never looks like all there is."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from page import server_of
from waiting import in_the_end
from world import claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}


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
