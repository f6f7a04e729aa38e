// The world where there is no map: coasts, borders and towns of Natural Earth, below everything else.
import { borders, coasts, letters, names, one, places, scale } from "./atlas.js";
import { make } from "../dom.js";
import { setLabels } from "./labels.js";
import { map, setNear } from "./map.js";
import { direction, distance, words } from "../words.js";

/** Beyond this zoom the lines are worse than none: they are drawn for maps of the whole world. */
const FINEST = 10;
/** Points of a line that are nearer to each other than so many pixels are one. */
const SAME = 1.5;
/** From this zoom on borders are dashed: it takes time where there are many. */
const DASHED = 4;

let world, towns, layer;

/** Numbers of a text, as board/world/make packs them. */
function numbers(text) {
  const more = letters.length - one, digits = [], found = [];
  for (let index = 0; index < letters.length; index++) digits[letters.charCodeAt(index)] = index;
  for (let index = 0, value = 0; index < text.length; index++) {
    const digit = digits[text.charCodeAt(index)];
    if (digit >= one) value = value * more + digit - one;
    else {
      value = value * one + digit;
      found.push(value % 2 ? -(value + 1) / 2 : value / 2);
      value = 0;
    }
  }
  return found;
}

/** Lines of [longitude, latitude] in degrees. */
function lines(text) {
  const found = [], source = numbers(text);
  for (let place = 0, east = 0, north = 0; place < source.length;) {
    const line = new Float64Array(2 * source[place++]);
    for (let index = 0; index < line.length; index += 2) {
      line[index] = (east += source[place++]) / scale;
      line[index + 1] = (north += source[place++]) / scale;
    }
    found.push(line);
  }
  return found;
}

/** The same on Mercator's square of one by one, with what encloses it. */
function projected(line) {
  const box = [1, 1, 0, 0];
  for (let index = 0; index < line.length; index += 2) {
    const angle = Math.max(-85.06, Math.min(85.06, line[index + 1])) * Math.PI / 180;
    const x = line[index] / 360 + 0.5, y = 0.5 - Math.asinh(Math.tan(angle)) / 2 / Math.PI;
    line[index] = x;
    line[index + 1] = y;
    box[0] = Math.min(box[0], x); box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x); box[3] = Math.max(box[3], y);
  }
  return { line, box };
}

/** Unpacks the lines, once for all of the squares. */
export function load() {
  world = { coasts: lines(coasts).map(projected), borders: lines(borders).map(projected) };
  const called = names.split("|");
  towns = lines(places).map(([lon, lat], index) => ({ lat, lon, text: called[index], rank: 1000 + index, kind: "town" }));
}

/** Draws a square of the map; the picture's side is `side` pixels. */
export function paint(context, { x, y, z }, side) {
  const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name);
  const size = side * 2 ** z, edge = 2 / side;
  const isHere = ({ box }) => box[2] * 2 ** z > x - edge && box[0] * 2 ** z < x + 1 + edge && box[3] * 2 ** z > y - edge && box[1] * 2 ** z < y + 1 + edge;
  context.fillStyle = colour("--sea");
  context.fillRect(0, 0, side, side);
  const shores = world.coasts.filter(isHere);
  context.fillStyle = colour("--land");
  context.beginPath();
  for (const each of shores) trace(context, each.line, size, x * side, y * side, side / 256 * SAME, false);
  // A sea that has land all around is a line the other way round.
  context.fill();
  stroke(context, shores, colour("--coast"), side / 256, []);
  stroke(context, world.borders.filter(isHere), colour("--border"), side / 256, z < DASHED ? [] : [4, 3]);

  function stroke(context, some, ink, width, dashes) {
    context.strokeStyle = ink;
    context.lineWidth = width;
    context.setLineDash(dashes.map(dash => dash * width));
    context.beginPath();
    for (const each of some) trace(context, each.line, size, x * side, y * side, width * SAME, true);
    context.stroke();
  }
}

/** Where the world is cut open, and at the pole, there is no coast to be stroked. */
function trace(context, line, size, left, top, same, isStroke) {
  let before, beforeY, isEdge = false;
  for (let index = 0; index < line.length; index += 2) {
    const px = line[index] * size - left, py = line[index + 1] * size - top;
    const wasEdge = isEdge;
    isEdge = line[index] < 0.0001 || line[index] > 0.9999 || line[index + 1] > 0.9999;
    if (before === undefined || isStroke && isEdge && wasEdge) context.moveTo(px, py);
    else if (index + 2 < line.length && Math.abs(px - before) < same && Math.abs(py - beforeY) < same) continue;
    else context.lineTo(px, py);
    before = px;
    beforeY = py;
  }
}

/** Below everything; `isOn` false: there is a map, and it has all that is looked at. */
export function showWorld(isOn) {
  const L = window.L;
  if (!isOn) {
    layer?.remove();
    map.off("moveend", nearest);
    setNear("");
    return setLabels("world", []);
  }
  if (layer) { layer.addTo(map); return begin(); }
  performance.mark("world-begin");
  load();
  const Layer = L.GridLayer.extend({
    createTile(at) {
      const side = Math.ceil(256 * Math.min(3, devicePixelRatio)), tile = make("canvas", { width: side, height: side });
      paint(tile.getContext("2d"), at, side);
      return tile;
    },
  });
  layer = new Layer({ pane: "world", maxZoom: FINEST, minZoom: 0, updateWhenZooming: false }).addTo(map);
  performance.measure("world", "world-begin");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => layer.redraw());
  begin();
}

function begin() {
  setLabels("world", towns, { least: 0, most: FINEST });
  map.on("moveend", nearest);
  nearest();
}

/** Without a town in view: where the nearest is. */
function nearest() {
  const centre = map.getCenter().wrap(), bounds = map.getBounds();
  if (map.getZoom() < 7 || towns.some(town => bounds.contains([town.lat, town.lon]))) return setNear("");
  const far = town => map.distance(centre, [town.lat, town.lon]);
  const town = towns.reduce((best, each) => far(each) < far(best) ? each : best);
  const north = (town.lat - centre.lat), east = (town.lon - centre.lng) * Math.cos(centre.lat * Math.PI / 180);
  setNear(words.nearTown(town.text, distance(far(town)), direction(Math.atan2(east, north) * 180 / Math.PI)));
}
