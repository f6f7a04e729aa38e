"""Draws what a drive was and what of it was told, as an SVG."""
import math
from xml.sax.saxutils import escape

WIDTH, MARGIN, LEGEND = 860, 46, 96
PAPER, ROAD, DARK, FAINT = "#f7f6f2", "#b9bcc2", "#2b3038", "#6b7280"
TOLD, WAITED, INSIDE, GAP = "#2563eb", "#d97706", "#dc2626", "#d1d5db"


class Map:
    """Metres east and south of the north-west corner of all that is to be seen, scaled to the picture's width."""

    def __init__(self, places, regions):
        edges = list(places)
        for region in regions:
            north = region["rad"] / 111_195
            east = north / math.cos(math.radians(region["lat"]))
            edges += [(region["lat"] + north, region["lon"] - east), (region["lat"] - north, region["lon"] + east)]
        self.top, self.left = max(edge[0] for edge in edges), min(edge[1] for edge in edges)
        self.squeeze = math.cos(math.radians(self.top))
        span = (max(edge[1] for edge in edges) - self.left) * 111_195 * self.squeeze
        self.scale = (WIDTH - 2 * MARGIN) / span
        self.height = (self.top - min(edge[0] for edge in edges)) * 111_195 * self.scale + 2 * MARGIN

    def at(self, latitude, longitude):
        return (MARGIN + (longitude - self.left) * 111_195 * self.squeeze * self.scale,
                MARGIN + (self.top - latitude) * 111_195 * self.scale)

    def line(self, places):
        return " ".join("%.1f,%.1f" % self.at(*place) for place in places)


def text(x, y, words, size=14, colour=DARK, anchor="start", weight="normal"):
    return ('<text x="%.1f" y="%.1f" font-size="%d" fill="%s" text-anchor="%s" font-weight="%s">%s</text>'
            % (x, y, size, colour, anchor, weight, escape(words)))


def circle(place, radius, fill, stroke="none", width=0.0, opacity=1.0):
    return ('<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" fill-opacity="%.2f" stroke="%s" stroke-width="%.1f"/>'
            % (*place, radius, fill, opacity, stroke, width))


def legend(y, summary):
    """`summary`: the drive in one line."""
    parts, x = [text(MARGIN, y + 62, summary, 14, FAINT)], MARGIN
    marks = ((circle((x + 6, y + 24), 6, TOLD, "white", 1.5), "published at once"),
             (circle((0, y + 24), 6, WAITED, "white", 1.5), "waited on the board, published later"),
             ('<line x1="0" y1="%.1f" x2="26" y2="%.1f" stroke="%s" stroke-width="13"/>' % (y + 24, y + 24, GAP),
              "no coverage"))
    for mark, words in marks:
        parts.append('<g transform="translate(%.1f 0)">%s</g>' % (x - MARGIN if x == MARGIN else x + 6, mark))
        parts.append(text(x + 20 if "circle" in mark else x + 40, y + 29, words))
        x += 64 + 7.6 * len(words)
    return parts


def draw(path, road, hidden, trail, events, regions, summary):
    """`road`: (latitude, longitude) of each second; `hidden`: those without coverage; `trail`: ((latitude,
    longitude), whether it waited) of each location; `events`: ((latitude, longitude), words) of each crossing."""
    sheet = Map(road, regions)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" font-family="sans-serif">'
             % (WIDTH, sheet.height + LEGEND),
             '<rect width="100%%" height="100%%" rx="10" fill="%s"/>' % PAPER]
    for region in regions:
        middle = sheet.at(region["lat"], region["lon"])
        radius = region["rad"] * sheet.scale
        parts.append(circle(middle, radius, INSIDE, INSIDE, 1.2, 0.12))
        parts.append(text(middle[0], middle[1] - radius - 8, region["desc"], 16, DARK, "middle", "bold"))
    wide = 'fill="none" stroke-linejoin="round" stroke-linecap="round"'
    if hidden:
        parts.append('<polyline points="%s" stroke="%s" stroke-width="15" %s/>' % (sheet.line(hidden), GAP, wide))
    parts.append('<polyline points="%s" stroke="%s" stroke-width="3" %s/>' % (sheet.line(road), ROAD, wide))
    for place, waited in trail:
        parts.append(circle(sheet.at(*place), 5.5, WAITED if waited else TOLD, "white", 1.5))
    for place, words in events:
        x, y = sheet.at(*place)
        is_right = x > WIDTH * 0.7
        parts.append(circle((x, y), 9, "none", INSIDE, 2.2, 0))
        parts.append(text(x + (-14 if is_right else 14), y - 10, words, 14, INSIDE, "end" if is_right else "start",
                          "bold"))
    parts += legend(sheet.height, summary)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts + ["</svg>"]) + "\n")
