// The map of all boards: the world of the board's own page, a dot a board, and names where there is room.
import { byId, icon, make } from "../dom.js";
import { callsForHelp, isUrgent } from "../standing.js";
import { say } from "../text.js";
import { addObstacles, setLabels, soonLabels } from "./labels.js";

const FIRST_ZOOM = 14, MOST_ZOOM = 19, DOT = 7;
/** Of each state, and of a call for help in any: the colour of the style sheet, and how it is told without colours. */
const LOOKS = {
  sos: { colour: "--red", radius: DOT + 3, weight: 5 },
  online: { colour: "--green" }, overdue: { colour: "--red", radius: DOT + 1 }, vanished: { colour: "--red", radius: DOT + 1, weight: 3, fillOpacity: 0.4 },
  stopped: { colour: "--grey", fillOpacity: 0.4 }, asleep: { colour: "--blue", fillOpacity: 0.4 }, silent: { colour: "--grey", fillOpacity: 0 },
};

export let map;
/** The map of the board's own page may be turned (labels.js). */
export const turn = 0;
let gridText, dots, renderer, isPlaced = false, chosen;
const drawn = new Map();

/** False where there is no Leaflet: the list is there all the same. */
export async function makeMap(choose) {
  byId("map").setAttribute("aria-label", say.map);
  const L = window.L;
  if (!L) {
    byId("map").append(make("p", { class: "note", text: say.noMap }));
    return false;
  }
  map = L.map("map", { zoomSnap: 0.25, zoomControl: false, attributionControl: false, preferCanvas: true, maxZoom: MOST_ZOOM, minZoom: 2, worldCopyJump: true });
  for (const [name, order] of [["world", 140], ["names", 550], ["people", 500]]) map.createPane(name).style.zIndex = order;
  map.setView([25, 10], 2);
  L.control.scale({ imperial: false, position: "bottomleft" }).addTo(map);
  gridText = make("span");
  const corner = L.control({ position: "bottomleft" });
  corner.onAdd = () => make("div", { class: "small" }, gridText);
  corner.addTo(map);
  renderer = L.canvas({ pane: "people", padding: 0.2, tolerance: 8 });
  dots = L.layerGroup().addTo(map);
  dots.choose = choose;
  new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(map.getContainer());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const { dot, board } of drawn.values()) dot.setStyle(look(board)); });
  makeButtons();
  const { showWorld } = await import("./world.js");
  showWorld(true);
  addObstacles(() => drawn.size > 150 ? [] : [...drawn.values()].map(({ board: { place } }) => [place.lat, place.lon, DOT, DOT]));
  return true;
}

function makeButtons() {
  const add = (name, text, act) => make("button", { type: "button", class: "round", "aria-label": text, title: text, onclick: act }, icon(name));
  byId("buttons").setAttribute("aria-label", say.buttons);
  byId("buttons").append(add("in", say.closer, () => map.zoomIn(1)), add("out", say.farther, () => map.zoomOut(1)), add("all", say.showAll, showAll));
}

/** What the world knows of a place where no town is in view (world.js). */
export function setNear(text) {

  if (gridText) gridText.textContent = text;
}

function look(board) {
  const style = getComputedStyle(document.documentElement), { colour, radius = DOT, weight = 2, fillOpacity = 1 } = LOOKS[callsForHelp(board) ? "sos" : board.state];
  const ink = name => style.getPropertyValue(name).trim(), fillColor = ink(colour);
  if (board.topic === chosen) return { radius: DOT + 4, weight: 4, fillOpacity, fillColor, color: ink("--ink") };
  return { radius, weight, fillOpacity, fillColor, color: fillOpacity < 1 ? fillColor : "#fff" };
}

/** Those that are looked for, and those that are missing or call for help above the others. */
export function drawBoards(boards) {
  if (!map) return;
  let isChanged = false;
  const wanted = new Map(boards.filter(board => board.place).map(board => [board.topic, board]));
  for (const [topic, { dot }] of drawn) {
    if (wanted.has(topic)) continue;
    dot.remove();
    drawn.delete(topic);
  }
  for (const [topic, board] of wanted) {
    const at = [board.place.lat, board.place.lon], before = drawn.get(topic);
    if (!before) {
      const dot = window.L.circleMarker(at, { ...look(board), renderer, pane: "people" }).on("click", () => dots.choose(topic)).addTo(dots);
      drawn.set(topic, { dot, board });
      isChanged = true;
      continue;
    }
    if (before.board.place.lat !== board.place.lat || before.board.place.lon !== board.place.lon) before.dot.setLatLng(at);
    if (before.board.state !== board.state || callsForHelp(before.board) !== callsForHelp(board)) {
      before.dot.setStyle(look(board)).setRadius(look(board).radius);
      isChanged = true;
    }
    before.board = board;
  }
  if (isChanged) for (const { dot, board } of drawn.values()) if (isUrgent(board)) dot.bringToFront();
  setLabels("boards", [...wanted.values()].map((board, index) => ({
    lat: board.place.lat, lon: board.place.lon, text: (callsForHelp(board) ? `${say.stateNames.sos} ` : "") + shortName(board.topic), rank: (isUrgent(board) ? 0 : 100_000) + index, kind: "board", room: DOT + 2,
  })), { least: drawn.size > 60 ? 8 : 0 });
  if (!isPlaced && drawn.size) {
    isPlaced = true;
    showAll();
  }
}

/** `owntracks/truck-0001/tracker`: the user tells boards apart. */
export const shortName = topic => topic.split("/").length === 3 ? topic.split("/")[1] : topic;

export function showAll() {
  const places = [...drawn.values()].map(({ board: { place } }) => [place.lat, place.lon]);
  if (places.length) map.fitBounds(places, { padding: [40, 40], maxZoom: FIRST_ZOOM, animate: false });
}

/** Makes one dot larger than the others; `isFar`: brings it into the middle. */
export function markOnMap(topic, isFar) {
  if (!map) return;
  const before = drawn.get(chosen), now = drawn.get(topic);
  chosen = topic;
  for (const each of [before, now]) each?.dot.setStyle(look(each.board)).setRadius(look(each.board).radius);
  now?.dot.bringToFront();
  if (now && isFar) map.setView(now.dot.getLatLng(), Math.max(map.getZoom(), FIRST_ZOOM), { animate: false });
  soonLabels();
}
