// Regions on the map.
import { mayChange, on, question } from "../board.js";
import { button, make } from "../dom.js";
import { addCrowd, map, popup } from "./map.js";
import { regionMark } from "./marker.js";
import { distance, words } from "../words.js";

/** Milliseconds and pixels of a long press. */
const LONG = 600, STILL = 10;
/** With more than these their names would cover the map. */
const NAMED = 40;

export const regions = { list: [] };
const drawnRegions = new Map();
const regionWatchers = [];
let renderer;

export const onRegions = watcher => regionWatchers.push(watcher);

export function makeRegions() {
  renderer = window.L.svg({ pane: "regions", padding: 0.3 });
  addCrowd(() => regions.list.map(region => [region.lat, region.lon]));
  on("regions", loadRegions);
  on("status", sections => { if (sections.has("regions") || sections.has("inside")) loadRegions(); });
  listenForLongPress();
}

let isLoading = false, isStale = false;

/** Changes come in crowds; the last question counts. */
export async function loadRegions() {
  if (isLoading) { isStale = true; return; }
  isLoading = true;
  const answer = await question("regions");
  isLoading = false;
  if (answer.ok) {
    regions.list = answer.regions;
    drawRegions();
    for (const watcher of regionWatchers) watcher();
  }
  if (isStale) { isStale = false; loadRegions(); }
}

/** The name without a beacon's numbers, which belong to nobody's eyes. */
export const regionName = region => region.uuid ? region.desc.split(`:${region.uuid}`)[0] : region.desc;

export const isBeacon = region => !!region.uuid && !(region.rad > 0);

export function whereIs(region) {
  if (isBeacon(region)) return region.inside ? words.heard : words.unheard;
  if (!(region.rad > 0) && !region.polygon) return "";
  return region.inside === undefined ? words.unknown : region.inside ? words.inside : words.outside;
}

export function kindOf(region) {
  if (isBeacon(region)) return words.beacon;
  if (region.desc.startsWith("+")) return words.follow(distance(region.rad));
  if (region.polygon) return words.area;
  return region.rad > 0 ? words.circle(distance(region.rad)) : words.pin;
}

// MARK: Drawing

function drawRegions() {
  const left = new Set(drawnRegions.keys()), isNamed = regions.list.length <= NAMED;
  for (const region of regions.list) {
    left.delete(region.rid);
    const text = JSON.stringify(region) + isNamed, known = drawnRegions.get(region.rid);
    if (known?.text === text) continue;
    known?.layer.remove();
    const layer = shape(region).bindPopup(() => regionPopup(region));
    if (isNamed && !region.desc.startsWith("+")) label(layer, region);
    layer.addTo(map);
    drawnRegions.set(region.rid, { text, layer });
  }
  for (const rid of left) {
    drawnRegions.get(rid).layer.remove();
    drawnRegions.delete(rid);
  }
}

function shape(region) {
  const L = window.L, at = [region.lat, region.lon];
  const kind = region.desc.startsWith("+") ? "follow" : region.inside ? "in" : "out";
  const options = { pane: "regions", renderer, className: `region ${kind}` };
  if (region.polygon?.length > 2) return L.polygon(region.polygon.map(corner => [corner[0], corner[1]]), options);
  if (region.rad > 0) return L.circle(at, { ...options, radius: region.rad });
  const size = region.uuid ? [28, 28] : [24, 30], anchor = region.uuid ? [14, 14] : [12, 29];
  return L.marker(at, {
    pane: "places", keyboard: false, title: regionName(region),
    icon: L.divIcon({ className: "", iconSize: size, iconAnchor: anchor, html: regionMark(region) }),
  });
}

/** An element: Leaflet would take a text for markup. */
function label(layer, region) {
  const isRound = region.rad > 0 || region.polygon;
  layer.bindTooltip(make("span", { text: regionName(region) }), { pane: "names", permanent: true, direction: isRound ? "center" : "bottom", offset: isRound ? [0, 0] : [0, 10] });
}

function regionPopup(region) {
  const more = mayChange() ? [make("div", { class: "choices" },
    button(words.move, async () => (await import("../sheet/places.js")).offerMove(region)),
    button(words.edit, async () => (await import("../sheet/places.js")).edit(region)))] : [];
  return popup(regionName(region), [kindOf(region), whereIs(region)], ...more);
}

// MARK: Adding

/** Leaflet knows no long press of every phone. */
function listenForLongPress() {
  const place = map.getContainer();
  let timer, start, isDone = false;
  const add = event => {
    if (!mayChange() || isDone) return;
    isDone = true;
    setTimeout(() => { isDone = false; }, 1000);
    const at = map.mouseEventToLatLng(event);
    import("../sheet/places.js").then(places => places.add(at.lat, at.lng));
  };
  place.addEventListener("pointerdown", event => {
    if (!event.isPrimary || event.button || event.target.closest(".leaflet-control, .leaflet-popup, .handle")) return;
    start = event;
    timer = setTimeout(() => add(start), LONG);
  });
  place.addEventListener("pointermove", event => {
    if (start && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > STILL) clearTimeout(timer);
  });
  for (const end of ["pointerup", "pointercancel"]) place.addEventListener(end, () => clearTimeout(timer));
  place.addEventListener("contextmenu", event => { event.preventDefault(); clearTimeout(timer); add(event); });
}
