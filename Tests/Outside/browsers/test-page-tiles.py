#!/usr/bin/env python3
# takes: 20 s
"""A map in a file on the board: pictures of MBTiles by number, of PMTiles by ranges of bytes."""
import base64
import gzip
import math
import os
import sqlite3
import struct
import sys

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import picture
from nmea import HOME
from world import claim, expect, main

ZOOMS = range(11, 16)
TILE = base64.b64decode(picture())


def numbers():
    """(zoom, x, y) of what lies around."""
    for zoom in ZOOMS:
        side = 2 ** zoom
        x = int((HOME[1] + 180) / 360 * side)
        y = int((1 - math.asinh(math.tan(math.radians(HOME[0]))) / math.pi) / 2 * side)
        for dx in range(-3, 4):
            for dy in range(-3, 4):
                yield zoom, x + dx, y + dy


def mbtiles(path):
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE metadata (name text, value text)")
        file.execute("CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)")
        file.executemany("INSERT INTO metadata VALUES (?, ?)", [
            ("name", "test"), ("format", "png"), ("minzoom", str(ZOOMS[0])), ("maxzoom", str(ZOOMS[-1]))])
        # Rows are counted from the south.
        file.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", [(z, x, 2 ** z - 1 - y, TILE) for z, x, y in numbers()])
    file.close()


def along_the_curve(zoom, x, y):
    """The number of a tile in PMTiles, as its specification reckons it."""
    number, side = (4 ** zoom - 1) // 3, 2 ** zoom // 2
    while side:
        right, low = bool(x & side), bool(y & side)
        number += side * side * ((3 * right) ^ low)
        if not low:
            if right:
                x, y = side - 1 - x, side - 1 - y
            x, y = y, x
        side //= 2
    return number


def varint(number):
    found = b""
    while number > 127:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


def directory(entries):
    """Of (number, run, length, offset)."""
    found = varint(len(entries))
    found += b"".join(varint(entry[0] - before[0]) for before, entry in zip([(0,)] + entries, entries))
    for column in (1, 2):
        found += b"".join(varint(entry[column]) for entry in entries)
    return gzip.compress(found + b"".join(varint(entry[3] + 1) for entry in entries))


def pmtiles(path):
    """All tiles are the same picture, and there are two levels of directories."""
    tiles = sorted(along_the_curve(*each) for each in numbers())
    leaf = directory([(number, 1, len(TILE), 0) for number in tiles])
    root = directory([(tiles[0], 0, len(leaf), 0)])
    leaves = 127 + len(root)
    head = b"PMTiles\x03" + struct.pack("<11Q", 127, len(root), leaves, 0, leaves, len(leaf), leaves + len(leaf), len(TILE), len(tiles), len(tiles), 1)
    head += bytes([0, 2, 1, 2, ZOOMS[0], ZOOMS[-1]]) + struct.pack("<4i", -1800000000, -850000000, 1800000000, 850000000) + bytes([13]) + struct.pack("<2i", 0, 0)
    with open(path, "wb") as file:
        file.write(head + root + leaf + TILE)


def shown(world, path, kind):
    world.start()
    with visit.page(world, options=["--map", path]) as view:
        view.locator(".tracker.self").wait_for()
        visit.wait_until(lambda: view.locator("[data-kind]").get_attribute("data-kind") == "file", 10, "the file is not used")
        tiles = view.locator("img.leaflet-tile-loaded")
        visit.wait_until(lambda: tiles.count() > 5, 10, lambda: "%d tiles are shown" % tiles.count())
        expect(tiles.first.evaluate("tile => tile.naturalWidth") == 64, "the picture is not the file's")
        expect(view.hosts == {"127.0.0.1:%d" % world.site.port}, "asked %s" % view.hosts)
        view.get_by_role("button", name="Map: on the board").click()
        visit.wait_until(lambda: tiles.count() == 0, 5, "the tracks cannot be looked at alone")
        if kind == "pmtiles":
            found = view.evaluate("import('/pmtiles.js').then(file => [[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0], [12, 3423, 1763]].map(each => file.tileNumber(...each)))")
            expect(found == [0, 1, 2, 3, 4, 19078479], "numbers of tiles: %s" % found)
        expect(not view.complaints, view.complaints)


@claim("a map of MBTiles on the board is shown without a network, and can be taken away")
def pictures(world):
    path = os.path.join(world.folder, "map.mbtiles")
    mbtiles(path)
    shown(world, path, "mbtiles")


@claim("a map of PMTiles with pictures, too")
def packed(world):
    path = os.path.join(world.folder, "map.pmtiles")
    pmtiles(path)
    shown(world, path, "pmtiles")


if __name__ == "__main__":
    main()
