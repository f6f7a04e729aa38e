// The map: what is drawn below everything, following, and the buttons at its edge.
import { board, mayPublish, on } from "../board.js";
import { byId, icon, make, say } from "../dom.js";
import { friends } from "./friends.js";
import { makeRoom } from "../sheet/sheet.js";
import { trackerMarker } from "./marker.js";
import { distance, time, words } from "../words.js";

/** Metres: less accurate than this, a circle says more than a marker. */
const COARSE = 250;
const FIRST_ZOOM = 15, MOST_ZOOM = 19;
/** Pixels: a map that is lower has its buttons in a row (page.css). Milliseconds of a press that publishes at once. */
const LOW = 290, HELD = 600;

export let map;
let follow = "north", kind = { kind: "tracks", index: 0 }, tiles, self, circle, grid, copyright, gridText, gridSize = "", near = "", isPlaced = false, worldIsOn;
/** Who has places that "show all" is to show: functions that give [latitude, longitude] pairs. */
const crowds = [];

export const addCrowd = places => crowds.push(places);

/** Draws the empty map, with a world around it until a position is known. */
export function makeMap() {
  const L = window.L;
  // Whole steps would leave everything in a quarter of a phone.
  map = L.map("map", { zoomSnap: 0.25, zoomControl: false, attributionControl: false, preferCanvas: true, maxZoom: MOST_ZOOM, minZoom: 2, worldCopyJump: true });
  for (const [name, order] of [["world", 140], ["grid", 150], ["regions", 350], ["track", 400], ["places", 450], ["pins", 500], ["names", 550], ["people", 600]]) {
    map.createPane(name).style.zIndex = order;
  }
  map.setView([25, 10], 2);
  grid = L.layerGroup([], { pane: "grid" }).addTo(map);
  L.control.scale({ imperial: false, position: "bottomleft" }).addTo(map);
  corner("topright", make("div", { class: "north", id: "north", title: words.north }, words.north));
  gridText = make("span");
  copyright = make("span");
  corner("bottomleft", make("div", { class: "small" }, gridText, copyright));
  // The map may be turned; what is written at its edge is not.
  byId("map").parentElement.append(map.getContainer().querySelector(".leaflet-control-container"));
  map.on("moveend zoomend", drawGrid);
  map.on("dragstart", () => setFollow("none"));
  new ResizeObserver(() => {
    map.stop().invalidateSize({ animate: false });
    keepSelfInView();
    aside?.();
  }).observe(map.getContainer());
  drawGrid();
  drawButtons();
  on("status", changed => {
    if (changed.has("fix") || changed.has("identity")) drawSelf();
    if (board.fixAt === undefined) showCard();
  });
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
  gridSize = zoom < 6 ? "" : words.grid(distance(step));
  gridText.textContent = gridSize + near;
  if (zoom < 6) return;
  const bounds = map.getBounds().pad(0.3), latStep = step / 111195;
  const lngStep = latStep / Math.cos(Math.round(centre.lat) * Math.PI / 180);
  const [south, north, west, east] = [bounds.getSouth(), bounds.getNorth(), bounds.getWest(), bounds.getEast()];
  const line = ends => window.L.polyline(ends, { pane: "grid", className: "grid-line", interactive: false, renderer: gridRenderer() }).addTo(grid);
  for (let lat = Math.ceil(south / latStep) * latStep; lat < north; lat += latStep) line([[lat, west], [lat, east]]);
  for (let lng = Math.ceil(west / lngStep) * lngStep; lng < east; lng += lngStep) line([[south, lng], [north, lng]]);
}

/** What the world knows of a place where no town is in view. */
export function setNear(text) {
  near = text;
  gridText.textContent = gridSize + near;
}

let lines;
/** SVG takes its colours from the style sheet, dark or light. */
const gridRenderer = () => lines ??= window.L.svg({ pane: "grid", padding: 0.4 });

function roundStep(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * (metres / power < 1.5 ? 1 : metres / power < 3.5 ? 2 : metres / power < 7.5 ? 5 : 10);
}

// MARK: Kinds of map

/** Each with `kind`, and the name that the owner has given it. */
function kinds() {
  const source = board.page?.map ?? {}, own = source.maps ?? (source.file ? [source] : []);
  const found = [{ kind: "tracks" }];
  if (source.template) found.push({ kind: "template", template: source.template, copyright: source.copyright });
  for (const each of [...own.filter(each => each.template), ...own.filter(each => each.file).reverse()]) {
    found.push({ ...each, kind: each.file ? "file" : "template" });
  }
  return found.map((each, index) => ({ ...each, index }));
}

const kindName = choice => choice.name || words.kinds[choice.kind];

/** The file on the board goes before what needs a network, the first of several before the others. */
function chooseKind() {
  kind = kinds().at(-1);
  drawTiles();
}

let drawings = 0, aside, isKnown = false;

async function drawTiles() {
  const mine = ++drawings, chosen = kind;
  const limits = { maxZoom: MOST_ZOOM, maxNativeZoom: chosen.maxZoom, minNativeZoom: chosen.minZoom };
  const search = chosen.number === undefined ? "" : `?map=${chosen.number}`;
  let layer;
  if (chosen.kind === "template") layer = window.L.tileLayer(chosen.template, { ...limits, referrerPolicy: "origin" });
  if (chosen.kind === "file") layer = chosen.file === "mbtiles" ? window.L.tileLayer(`/tiles/{z}/{x}/{y}${search}`, limits) : await packedTiles(`/map.pmtiles${search}`, limits);
  // Somebody has chosen otherwise while it was fetched.
  if (mine !== drawings) return;
  tiles?.remove();
  // Tiles that the map lacks, or that do not load without a network, leave no empty plane.
  if (layer) layer.once("tileerror", () => mine === drawings && drawWorld(true));
  tiles = layer?.addTo(map);
  drawWorld(!layer);
  copyright.textContent = chosen.copyright ? ` ${chosen.copyright}` : "";
  drawButtons();
}

async function packedTiles(address, limits) {
  const { packed } = await import("./pmtiles.js");
  // A file that cannot be read leaves the world.
  return packed(address, limits).catch(() => undefined);
}

async function drawWorld(isOn) {
  if (worldIsOn === isOn || !isOn && !worldIsOn) return;
  worldIsOn = isOn;
  const { showWorld } = await import("./world.js");
  showWorld(worldIsOn);
}

/** Of a board that has no position, or no map: what it waits for. */
async function showCard() {
  (await import("./card.js")).makeCard();
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
  soonNames();
  if (!isKnown) {
    isPlaced = true;
    map.setView(at, FIRST_ZOOM, { animate: false });
    performance.mark("position");
    isKnown = true;
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
  if (follow === "ahead") turnMap(true);
  if (follow === "north" || follow === "ahead") map.panTo(at, { animate: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  if (follow === "all") showAll(false);
}

export function setFollow(next) {
  if (follow === next) return;
  if (follow === "ahead") turnMap(false);
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
  if (!places.length) return;
  map.fitBounds(places, { padding: [44, 44], maxZoom: FIRST_ZOOM + 1, animate: false });
}

/** Shows one place, and stays there. */
export function centreOn(lat, lon, zoom = Math.max(map.getZoom(), FIRST_ZOOM)) {
  setFollow("none");
  makeRoom();
  const show = () => {
    // On a low map the buttons are a row at its lower edge.
    const height = map.getSize().y, up = height < LOW ? Math.min(30, height / 6) : 0;
    map.setView(map.unproject(map.project([lat, lon], zoom).add([0, up]), zoom), zoom, { animate: false });
  };
  show();
  // The map is not as large yet as it will be.
  aside = show;
  clearTimeout(centreOn.timer);
  centreOn.timer = setTimeout(() => { aside = undefined; }, 400);
}

/** Until a position is known: where the board was last. */
export function lookAt(lat, lon) {
  if (isPlaced) return;
  isPlaced = true;
  map.setView([lat, lon], FIRST_ZOOM - 2, { animate: false });
}

async function soonNames() {
  const labels = await import("./labels.js");
  if (!soonNames.isDone) labels.addObstacles(() => self ? [[self.getLatLng().lat, self.getLatLng().lng, 24, 24]] : []);
  soonNames.isDone = true;
  labels.soonLabels();
}

export const following = () => follow;

/** Degrees by which the map is turned to the left: the course of who follows it. */
export let turn = 0;
export const setTurn = degrees => { turn = degrees; };

async function turnMap(isAhead) {
  const { goAhead } = await import("./ahead.js");
  goAhead(isAhead && follow === "ahead");
}

const FOLLOWS = { none: ["followNone", "north"], north: ["followNorth", "ahead"], ahead: ["followAhead", "all"], all: ["followAll", "none"] };

function drawButtons() {
  const [label, next] = FOLLOWS[follow];
  const choices = kinds();
  const add = (name, text, act, more = {}) => make("button", { type: "button", class: "round", "aria-label": text, title: text, onclick: act, ...more }, icon(name));
  const place = byId("buttons");
  const focused = [...place.children].indexOf(document.activeElement);
  place.replaceChildren(
    add(follow === "all" ? "friends" : "follow", words[label], () => { setFollow(next); say(words.followed[next]); }, { "data-follow": follow, "aria-pressed": String(follow !== "none") }),
    add("all", words.showAll, () => showAll()),
    add("kind", words.mapKind(kindName(kind)), () => { kind = choices[(kind.index + 1) % choices.length]; say(words.mapKind(kindName(kind))); drawTiles(); }, { "data-kind": kind.kind, hidden: choices.length < 2 }),
    publishButton(add));
  if (focused >= 0) place.children[focused].focus();
}

/** A tap asks for a remark; who holds it publishes at once. */
function publishButton(add) {
  let timer, isHeld = false;
  const publish = async (...how) => (await import("../sheet/publish.js")).publish(...how);
  const release = () => clearTimeout(timer);
  return add("publish", words.publish, () => { if (!isHeld) publish(); }, {
    class: "round main", disabled: !mayPublish(), onpointercancel: release, onpointerleave: release, onpointerup: release,
    onpointerdown: () => {
      isHeld = false;
      timer = setTimeout(() => { isHeld = true; publish(true); }, HELD);
    },
    oncontextmenu: event => event.preventDefault(),
  });
}
