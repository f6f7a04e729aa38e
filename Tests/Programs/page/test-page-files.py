#!/usr/bin/env python3
# takes: 30 s
# touches: Sources/Web Sources/homeward-web Sources/Access Sources/Answers Sources/OwnTracks Sources/CMicroHTTPD
# touches: Sources/CSodium Sources/CSQLite Sources/Host/Control Sources/homeward/Web Sources/homeward/Sharing
# touches: Sources/Loop Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/world Tests/Programs/shims
"""homeward-web beside the real tracker: the page's own files, and maps."""
import os
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from page import PICTURE, make_tiles, server_of
from world import Skip, claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}


def expect_status(reply, status, what):
    expect(reply.status == status, "%s: %s, expected %s" % (what, reply.status, status))


@claim("files come packed, and once: what has not changed is not sent again", **ALONE)
def files(world):
    server = server_of(world)
    for path, kind in (("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css"),
                       ("/icon.svg", "image/svg+xml")):
        reply = server.get(path)
        expect_status(reply, 200, path)
        expect(reply.headers["content-type"].startswith(kind), "%s is %s" % (path, reply.headers["content-type"]))
        expect(reply.headers.get("content-encoding") == "gzip", "%s is not packed" % path)
        expect("no-cache" in reply.headers["cache-control"], "%s: %s" % (path, reply.headers["cache-control"]))
        again = server.get(path, headers=["If-None-Match: " + reply.headers["etag"]])
        expect_status(again, 304, path + " again")
        expect(not again.body, "%s was sent again" % path)
        expect_status(server.get(path, headers=['If-None-Match: "other"']), 200, path)
    reply = server.get("/leaflet-1.7.1.js")
    expect("immutable" in reply.headers["cache-control"], "Leaflet: %s" % reply.headers["cache-control"])
    for path in ("/leaflet.js", "/index.html.gz", "/../page/index.html", "/%2e%2e/web/sessions.json", "/page",
                 "/pages.js", "/api/wipe", "/api/"):
        expect_status(server.get(path), 404, path)


@claim("pictures may come from the server of the owner's map, and from no other",
       osmTemplate="https://tile.example.org/{z}/{x}/{y}.png", osmCopyright="nobody", **ALONE)
def template(world):
    server = server_of(world)
    status = world.tracker.status()
    if "page" not in status:
        raise Skip("this tracker does not tell the page's settings")
    policy = server.get("/").headers["content-security-policy"]
    expect("img-src 'self' blob: data: https://tile.example.org;" in policy, policy)
    found = server.get("/api/page").json()["map"]
    expect(found["template"].startswith("https://tile.") and found["copyright"] == "nobody", "a map of %s" % found)


@claim("a map of the owner's: tiles from one file, parts of another", **ALONE)
def maps(world):
    path = os.path.join(world.folder, "van.mbtiles")
    make_tiles(path)
    server = server_of(world, "--map", path)
    reply = server.get("/tiles/3/1/2")
    expect(reply.status == 200 and reply.body == PICTURE, "a tile: %s" % reply.status)
    expect(reply.headers["content-type"] == "image/png", "a tile of %s" % reply.headers["content-type"])
    for other in ("/tiles/3/1/5", "/tiles/3/1", "/tiles/4/1/2", "/tiles/3/-1/2", "/map.pmtiles"):
        expect_status(server.get(other), 404, other)
    found = server.get("/api/page").json()["map"]
    expect(found["file"] == "mbtiles" and (found["minZoom"], found["maxZoom"]) == (2, 5), "a map of %s" % found)
    server.stop()
    path = os.path.join(world.folder, "van.pmtiles")
    content = bytes(range(256)) * 16
    with open(path, "wb") as file:
        file.write(content)
    server.start("--map", path)
    expect(server.get("/api/page").json()["map"]["file"] == "pmtiles", "no map of parts")
    expect(server.get("/map.pmtiles").body == content, "the whole file")
    for header, first, last in (("bytes=0-15", 0, 15), ("bytes=4000-9999", 4000, 4095), ("bytes=-16", 4080, 4095)):
        reply = server.get("/map.pmtiles", headers=["Range: " + header])
        expect_status(reply, 206, header)
        expect(reply.headers["content-range"] == "bytes %d-%d/4096" % (first, last), reply.headers["content-range"])
        expect(reply.body == content[first:last + 1], "%s: other bytes" % header)
    expect_status(server.get("/map.pmtiles", headers=["Range: bytes=4096-"]), 416, "beyond the end")


if __name__ == "__main__":
    main()
