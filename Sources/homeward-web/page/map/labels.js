// Names on the map: they avoid each other and the markers, and the less important ones give way.
import { make } from "../dom.js";
import { map, turn } from "./map.js";

/** Pixels between two of them, beyond the edge of what is seen, and the most that are drawn. */
const GAP = 3, BEYOND = 40, MOST = 120;
/** From this zoom on there is room for larger ones. */
const NEAR = 14;

/** Of each owner: what has names, and between which zooms they are shown. */
const owners = new Map();
/** Functions that give markers: [latitude, longitude, half of the width, half of the height, pixels that its middle is above]. */
const obstacles = [];
const widths = new Map();
let place, ruler, isAwaited = false;

export function addObstacles(marks) {
  obstacles.push(marks);
  soonLabels();
}

/**
 * `list`: { lat, lon, text, rank, kind, room, low }; a small rank goes first, `room` is the half of its mark in
 * pixels, `low` what of it is below its place where that is another number; "area" as
 * `kind`: the name may stand in the middle. A town has a dot, which goes where its name goes.
 */
export function setLabels(owner, list, { least = 0, most = 99 } = {}) {
  owners.set(owner, { list, least, most });
  soonLabels();
}

/** Once for all changes until the next picture. */
export function soonLabels() {
  if (isAwaited || !map) return;
  isAwaited = true;
  requestAnimationFrame(() => { isAwaited = false; drawLabels(); });
}

function begin() {
  place = make("div", { class: "labels leaflet-zoom-hide" });
  map.getPane("names").append(place);
  ruler = make("canvas").getContext("2d");
  map.on("moveend zoomend resize", soonLabels);
}

/** Measured once for each text and size. */
function width(text, size) {
  const key = `${size} ${text}`;
  if (!widths.has(key)) {
    ruler.font = `600 ${size}px system-ui, sans-serif`;
    widths.set(key, Math.min(12 * size, ruler.measureText(text).width) + 10);
  }
  return widths.get(key);
}

/** Where a name may stand, the best first: offsets of its left upper corner from the point. */
function* spots({ kind, room = 3, low = room }, wide, high) {
  if (kind === "area") yield [-wide / 2, -high / 2];
  const far = room + GAP + 1, side = (low - room) / 2 - high / 2;
  const below = [-wide / 2, low + GAP + 1], above = [-wide / 2, -far - high], right = [far, side], left = [-far - wide, side];
  yield* kind === "town" ? [right, left, above, below] : [below, above, right, left];
}

export function drawLabels() {
  if (!place) begin();
  const zoom = map.getZoom(), size = map.getSize(), isNear = zoom >= NEAR, text = isNear ? 14 : 12, high = isNear ? 22 : 19;
  // By the screen, around its middle: the map itself may be turned.
  const middle = map.containerPointToLayerPoint(size.divideBy(2)), turned = spun(-turn), back = spun(turn);
  const onScreen = (lat, lon) => { const point = map.latLngToLayerPoint([lat, lon]); return turned(point.x - middle.x, point.y - middle.y); };
  const taken = obstacles.flatMap(marks => marks()).map(([lat, lon, halfWide, halfHigh, up = 0]) => {
    const [x, y] = onScreen(lat, lon);
    return [x - halfWide, y - up - halfHigh, x + halfWide, y - up + halfHigh];
  });
  const isFree = box => taken.every(other => box[2] + GAP < other[0] || other[2] + GAP < box[0] || box[3] + GAP < other[1] || other[3] + GAP < box[1]);
  const all = [...owners.values()].filter(owner => zoom >= owner.least && zoom <= owner.most).flatMap(owner => owner.list);
  const shown = [];
  for (const each of all.sort((one, other) => one.rank - other.rank)) {
    if (shown.length >= MOST) break;
    const [atX, atY] = onScreen(each.lat, each.lon);
    if (Math.abs(atX) > size.x / 2 + BEYOND || Math.abs(atY) > size.y / 2 + BEYOND) continue;
    const wide = width(each.text, text);
    for (const [x, y] of spots(each, wide, high)) {
      const box = [atX + x, atY + y, atX + x + wide, atY + y + high];
      if (!isFree(box)) continue;
      taken.push(box);
      if (each.kind === "town") {
        taken.push([atX - 3, atY - 3, atX + 3, atY + 3]);
        shown.push(put("dot-mark", atX - 3, atY - 3, 6, 6));
      }
      shown.push(put(`label ${each.kind}`, box[0], box[1], wide, high, each.text));
      break;
    }
  }
  place.classList.toggle("near", isNear);
  place.replaceChildren(...shown);

  function put(kind, x, y, wide, high, text) {
    const element = make("span", { class: kind, text }), [layerX, layerY] = back(x + wide / 2, y + high / 2);
    // Turned around its own middle (page.css).
    element.style.translate = `${Math.round(layerX + middle.x - wide / 2)}px ${Math.round(layerY + middle.y - high / 2)}px`;
    element.style.width = `${Math.ceil(wide)}px`;
    element.style.height = `${high}px`;
    return element;
  }
}

/** Turns points by degrees, clockwise. */
function spun(degrees) {
  const cosine = Math.cos(degrees * Math.PI / 180), sine = Math.sin(degrees * Math.PI / 180);
  return (x, y) => [x * cosine - y * sine, x * sine + y * cosine];
}
