// The map: what is drawn below everything, following, and the buttons at its edge.
import { board, on } from "../board.js";
import { byId, icon, make } from "../dom.js";
import { friends } from "./friends.js";
import { trackerMarker } from "./marker.js";
import { distance, time, words } from "../words.js";

/** Metres: less accurate than this, a circle says more than a marker. */
const COARSE = 250;
const FIRST_ZOOM = 15, MOST_ZOOM = 19;

export let map;
let follow = "north", kind = "tracks", tiles, self, circle, grid, copyright, gridText, isPlaced = false;
/** Who has places that "show all" is to show: functions that give [latitude, longitude] pairs. */
const crowds = [];

export const addCrowd = places => crowds.push(places);

/** Draws the empty map, with a world around it until a position is known. */
export function makeMap() {
  const L = window.L;
  map = L.map("map", { zoomControl: false, attributionControl: false, preferCanvas: true, maxZoom: MOST_ZOOM, minZoom: 2, worldCopyJump: true });
  for (const [name, order] of [["grid", 150], ["regions", 350], ["track", 400], ["places", 450], ["pins", 500], ["names", 550], ["people", 600]]) {
    map.createPane(name).style.zIndex = order;
  }
  map.setView([25, 10], 2);
  grid = L.layerGroup([], { pane: "grid" }).addTo(map);
  L.control.scale({ imperial: false, position: "bottomleft" }).addTo(map);
  corner("topright", make("div", { class: "north", title: words.north }, words.north));
  gridText = make("span");
  copyright = make("span");
  corner("bottomleft", make("div", { class: "small" }, gridText, copyright));
  map.on("moveend zoomend", drawGrid);
  map.on("dragstart", () => setFollow("none"));
  new ResizeObserver(() => {
    map.stop().invalidateSize({ animate: false });
    keepSelfInView();
  }).observe(map.getContainer());
  drawGrid();
  drawButtons();
  on("status", changed => { if (changed.has("fix") || changed.has("identity")) drawSelf(); });
  on("page", () => { chooseKind(); drawSelf(); });
}

function corner(position, element) {
  const control = window.L.control({ position });
  control.onAdd = () => element;
  control.addTo(map);
}

// MARK: The grid

/** Lines at round distances: how far things are apart can be seen where there is no map. */
function drawGrid() {
  grid.clearLayers();
  const zoom = map.getZoom(), centre = map.getCenter();
  const metresPerPixel = 40075016 * Math.cos(centre.lat * Math.PI / 180) / 2 ** (zoom + 8);
  const step = roundStep(metresPerPixel * 110);
  gridText.textContent = zoom < 6 ? "" : words.grid(distance(step));
  if (zoom < 6) return;
  const bounds = map.getBounds().pad(0.3), latStep = step / 111195;
  const lngStep = latStep / Math.cos(Math.round(centre.lat) * Math.PI / 180);
  const [south, north, west, east] = [bounds.getSouth(), bounds.getNorth(), bounds.getWest(), bounds.getEast()];
  const line = ends => window.L.polyline(ends, { pane: "grid", className: "grid-line", interactive: false, renderer: gridRenderer() }).addTo(grid);
  for (let lat = Math.ceil(south / latStep) * latStep; lat < north; lat += latStep) line([[lat, west], [lat, east]]);
  for (let lng = Math.ceil(west / lngStep) * lngStep; lng < east; lng += lngStep) line([[south, lng], [north, lng]]);
}

let lines;
/** SVG takes its colours from the style sheet, dark or light. */
const gridRenderer = () => lines ??= window.L.svg({ pane: "grid", padding: 0.4 });

function roundStep(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * (metres / power < 1.5 ? 1 : metres / power < 3.5 ? 2 : metres / power < 7.5 ? 5 : 10);
}

// MARK: Kinds of map

function kinds() {
  const found = ["tracks"];
  if (board.page?.map?.template) found.push("template");
  if (board.page?.map?.file) found.push("file");
  return found;
}

/** The file on the board goes before what needs a network. */
function chooseKind() {
  kind = kinds().at(-1);
  drawTiles();
}

let drawings = 0;

async function drawTiles() {
  const mine = ++drawings;
  const source = board.page?.map ?? {}, limits = { maxZoom: MOST_ZOOM, maxNativeZoom: source.maxZoom, minNativeZoom: source.minZoom };
  let layer;
  if (kind === "template") layer = window.L.tileLayer(source.template, { ...limits, referrerPolicy: "origin" });
  if (kind === "file") layer = source.file === "mbtiles" ? window.L.tileLayer("/tiles/{z}/{x}/{y}", limits) : await packedTiles(limits);
  // Somebody has chosen otherwise while it was fetched.
  if (mine !== drawings) return;
  tiles?.remove();
  tiles = layer?.addTo(map);
  copyright.textContent = kind === "template" ? ` ${source.copyright ?? ""}` : "";
  drawButtons();
}

async function packedTiles(limits) {
  const { packed } = await import("./pmtiles.js");
  return packed("/map.pmtiles", limits);
}

// MARK: This board

export function drawSelf() {
  const L = window.L, fix = board.status.fix;
  if (!fix) return;
  const at = [fix.lat, fix.lon], isCoarse = fix.acc > COARSE;
  if (isCoarse) {
    self?.remove();
    self = undefined;
    circle ??= L.circle(at, { pane: "regions", className: "accuracy", renderer: L.svg({ pane: "regions" }) }).bindPopup(selfPopup).addTo(map);
    circle.setLatLng(at).setRadius(fix.acc);
  } else {
    circle?.remove();
    circle = undefined;
    const icon = L.divIcon({ className: "", iconSize: [44, 44], html: selfDrawing(fix) });
    self ??= L.marker(at, { icon, pane: "people", keyboard: false, zIndexOffset: 1000 }).bindPopup(selfPopup).addTo(map);
    self.setLatLng(at).setIcon(icon);
  }
  if (!isPlaced) {
    isPlaced = true;
    map.setView(at, FIRST_ZOOM, { animate: false });
    performance.mark("position");
  } else {
    keepInView(at);
  }
}

function selfDrawing(fix) {
  return trackerMarker({
    tid: board.status.identity?.tid, face: friends.faces.get(friends.self?.topic), speed: fix.vel, course: fix.cog, scale: board.page?.tacho, isSelf: true,
    label: words.selfAt(fix.vel > 0 && words.speed(fix.vel), fix.cog >= 0 && words.course(fix.cog)),
  });
}

function selfPopup() {
  const fix = board.status.fix;
  return popup(words.self, [
    time(fix.tst), board.status.identity?.topic, words.accuracy(distance(fix.acc)), fix.vel >= 0 && words.speed(fix.vel),
  ]);
}

/** Text only, no matter who wrote it. */
export function popup(title, lines, ...more) {
  return make("div", { class: "popup" }, make("strong", { text: title }),
    lines.filter(Boolean).map(line => make("span", { text: line })), ...more);
}

// MARK: Following

function keepInView(at) {
  if (follow === "north") map.panTo(at, { animate: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  if (follow === "all") showAll(false);
}

export function setFollow(next) {
  if (follow === next) return;
  follow = next;
  drawButtons();
  keepSelfInView();
}

function keepSelfInView() {
  if (board.status.fix) keepInView([board.status.fix.lat, board.status.fix.lon]);
}

/** Everybody and everything that has a place. */
export function showAll(isAsked = true) {
  const places = crowds.flatMap(crowd => crowd());
  if (board.status.fix) places.push([board.status.fix.lat, board.status.fix.lon]);
  if (isAsked) setFollow("none");
  if (places.length) map.fitBounds(places, { padding: [44, 44], maxZoom: FIRST_ZOOM + 1, animate: false });
}

/** Shows one place, and stays there. */
export function centreOn(lat, lon, zoom = Math.max(map.getZoom(), FIRST_ZOOM)) {
  setFollow("none");
  map.setView([lat, lon], zoom);
}

export const following = () => follow;

const FOLLOWS = { none: ["followNone", "north"], north: ["followNorth", "all"], all: ["followAll", "none"] };

function drawButtons() {
  const [label, next] = FOLLOWS[follow];
  const choices = kinds();
  const add = (name, text, act, more = {}) => make("button", { type: "button", class: "round", "aria-label": text, title: text, onclick: act, ...more }, icon(name));
  const place = byId("buttons");
  const focused = [...place.children].indexOf(document.activeElement);
  place.replaceChildren(
    add("follow", words[label], () => setFollow(next), { "data-follow": follow, "aria-pressed": String(follow !== "none") }),
    add("all", words.showAll, () => showAll()),
    add("kind", words.mapKind(words.kinds[kind]), () => { kind = choices[(choices.indexOf(kind) + 1) % choices.length]; drawTiles(); }, { "data-kind": kind, disabled: choices.length < 2 }),
    add("publish", words.publish, async () => (await import("../sheet/publish.js")).publish(), { class: "round main", disabled: board.page?.may === "look" }));
  if (focused >= 0) place.children[focused].focus();
}
