#!/usr/bin/env python3
# takes: 30 s
# touches: Sources/Web Sources/homeward-web Sources/Access Sources/Answers Sources/OwnTracks Sources/CMicroHTTPD
# touches: Sources/CSodium Sources/CSQLite Sources/CZlib Sources/Host/Control Sources/homeward/Web Sources/homeward/Sharing
# touches: Sources/Loop Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/world Tests/Programs/shims
"""homeward-web beside the real tracker: the page's own files, what is packed and kept, and maps."""
import gzip
import os
import sys
import zlib

sys.path.insert(1, sys.path[0] + "/../world")
from page import PICTURE, PageServer, make_tiles, server_of
from waiting import in_the_end
from world import claim, expect, main

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
    expect("page" in world.tracker.status(), "the page's settings are not told")
    policy = server.get("/").headers["content-security-policy"]
    expect("img-src 'self' blob: data: https://tile.example.org;" in policy, policy)
    found = server.get("/api/page").json()["map"]
    expect(found["template"].startswith("https://tile.") and found["copyright"] == "nobody", "a map of %s" % found)


@claim("lists come packed to who takes them, and to who has them already as nothing; what may not be kept is not", pace=4)
def packed(world):
    world.start()
    world.feed(world.drive(40))
    server = PageServer(world.folder, world.tracker.socket).start()
    world._closing.append(server.kill)
    server.pair()
    in_the_end(lambda: len(server.get("/api/history").json().get("history", [])) > 20, every=0.2)
    takes = ["Accept-Encoding: gzip, deflate"]
    plain = server.get("/api/history?limit=20")
    expect("content-encoding" not in plain.headers, "packed for who does not take it")
    small = server.get("/api/history?limit=20", headers=takes)
    expect(small.headers.get("content-encoding") == "gzip" and gzip.decompress(small.body) == plain.body, "not the same, packed")
    expect(3 * len(small.body) < len(plain.body), "%d of %d bytes" % (len(small.body), len(plain.body)))
    for path in ("/api/history?limit=20", "/api/regions", "/api/friends"):
        first = server.get(path, headers=takes)
        expect(first.headers.get("cache-control") == "private, no-cache", "%s: %s" % (path, first.headers.get("cache-control")))
        again = server.get(path, headers=takes + ["If-None-Match: " + first.headers["etag"]])
        expect((again.status, again.body) == (304, b""), "%s again: %d" % (path, again.status))
    answer = world.tracker.ask("region", "add", "Mill")
    expect(answer.status == 0, answer.error)
    changed = server.get("/api/regions", headers=takes + ["If-None-Match: " + server.get("/api/friends").headers["etag"]])
    expect(changed.status == 200 and b"Mill" in changed.body, "a change is not told: %s" % changed.status)
    for path in ("/api/page", "/api/why", "/api/beacons", "/api/queue"):
        found = server.get(path, headers=takes).headers
        expect(found.get("cache-control") == "no-store" and "etag" not in found, "%s may be kept" % path)
    expect_status(server.get("/api/regions", cookie="", headers=["If-None-Match: " + changed.headers["etag"]]), 401, "a stranger")


@claim("an open page's stream is packed as it goes, and each piece can be read at once", **ALONE)
def stream(world):
    server = server_of(world)
    with server.connect() as line:
        line.sendall(server.head("GET", "/api/events", headers=["Accept-Encoding: gzip"]))
        raw, plain = b"", b""
        while not (plain.startswith(b"event: status\ndata: {") and plain.endswith(b"}\n\n")):
            piece = line.recv(65536)
            expect(piece, "it ends after %d bytes: %s" % (len(raw), plain))
            raw += piece
            head, _, body = raw.partition(b"\r\n\r\n")
            expect(not body or b"content-encoding: gzip" in head.lower(), "it is not packed: %s" % head)
            plain = zlib.decompressobj(31).decompress(unchunked(body))
    print("   a status of %d bytes in %d" % (len(plain), len(body)))


def unchunked(body):
    """Of what has come so far."""
    found = b""
    while b"\r\n" in body:
        size, _, rest = body.partition(b"\r\n")
        count = int(size, 16)
        if len(rest) < count + 2:
            return found + rest[:count]
        found, body = found + rest[:count], rest[count + 2:]
    return found


@claim("several maps: each by its number, servers with whose they are, and the page may load from all of them", **ALONE)
def several(world):
    first, second = (os.path.join(world.folder, name) for name in ("van.mbtiles", "sky.pmtiles"))
    make_tiles(first)
    with open(second, "wb") as file:
        file.write(b"PMTiles")
    server = server_of(world, "--map", "Van=" + first, "--map", second, "--map", "Sky=https://sky.example/{z}/{y}/{x} © Sky, and others",
                       "--map", "Gone=" + first + ".not")
    found = server.get("/api/page").json()["map"]["maps"]
    expect([each["name"] for each in found] == ["Van", "", "Sky"], "maps: %s" % found)
    expect([each.get("file") for each in found] == ["mbtiles", "pmtiles", None], "maps: %s" % found)
    expect((found[2]["template"], found[2]["copyright"]) == ("https://sky.example/{z}/{y}/{x}", "© Sky, and others"), "maps: %s" % found)
    expect_status(server.get("/tiles/3/1/2?map=0"), 200, "the first")
    for other in ("1", "2", "3", "-1", "x", "99999999999999999999"):
        expect_status(server.get("/tiles/3/1/2?map=" + other), 404, "map %s" % other)
    expect(server.get("/map.pmtiles?map=1").body == b"PMTiles", "the second")
    expect_status(server.get("/map.pmtiles?map=0"), 404, "parts of the first")
    policy = server.get("/").headers["content-security-policy"]
    expect("img-src 'self' blob: data: https://sky.example;" in policy, policy)
    line = "homeward-web: --map %s.not: No such file or directory, expected a file *.mbtiles with pictures or *.pmtiles" % first
    expect([found for found in server.log().splitlines() if "--map" in found] == [line + "; the page does without it"], server.log())


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
