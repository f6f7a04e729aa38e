// Regions on the map.
import { mayChange, on, question } from "../board.js";
import { button, byId, make } from "../dom.js";
import { addCrowd, map, popup } from "./map.js";
import { regionMark } from "./marker.js";
import { onTrack } from "./track.js";
import { distance, words } from "../words.js";

/** Milliseconds and pixels of a long press. */
const LONG = 600, STILL = 10;

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
  // A circle that follows the board moves with each place, and nothing else tells of it.
  onTrack(() => { if (regions.list.some(isFollowing)) loadRegions(); });
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
    drawBeacon();
    for (const watcher of regionWatchers) watcher();
  }
  if (isStale) { isStale = false; loadRegions(); }
}

/** The name without a beacon's numbers, which belong to nobody's eyes. */
export const regionName = region => region.uuid ? region.desc.split(`:${region.uuid}`)[0] : region.desc;

const isFollowing = region => region.desc.startsWith("+");

export const isBeacon = region => !!region.uuid && !(region.rad > 0);

export function whereIs(region) {
  if (isBeacon(region)) return region.inside ? words.heard : words.unheard;
  if (!(region.rad > 0) && !region.polygon) return "";
  return region.inside === undefined ? words.unknown : region.inside ? words.inside : words.outside;
}

export function kindOf(region) {
  if (isBeacon(region)) return words.beacon;
  if (isFollowing(region)) return words.follow(distance(region.rad));
  if (region.polygon) return words.area;
  return region.rad > 0 ? words.circle(distance(region.rad)) : words.pin;
}

// MARK: Drawing

function drawRegions() {
  const left = new Set(drawnRegions.keys());
  for (const region of regions.list) {
    left.delete(region.rid);
    const text = JSON.stringify(region), known = drawnRegions.get(region.rid);
    if (known?.text === text) continue;
    known?.layer.remove();
    const layer = shape(region).bindPopup(() => regionPopup(region)).addTo(map);
    drawnRegions.set(region.rid, { text, layer });
  }
  for (const rid of left) {
    drawnRegions.get(rid).layer.remove();
    drawnRegions.delete(rid);
  }
  nameRegions();
}

function shape(region) {
  const L = window.L, at = [region.lat, region.lon];
  const kind = isFollowing(region) ? "follow" : region.inside ? "in" : "out";
  const options = { pane: "regions", renderer, className: `region ${kind}` };
  if (region.polygon?.length > 2) return L.polygon(region.polygon.map(corner => [corner[0], corner[1]]), options);
  if (region.rad > 0) return L.circle(at, { ...options, radius: region.rad });
  const size = region.uuid ? [28, 28] : [24, 30], anchor = region.uuid ? [14, 14] : [12, 29];
  return L.marker(at, {
    pane: "places", keyboard: false, title: regionName(region),
    icon: L.divIcon({ className: "", iconSize: size, iconAnchor: anchor, html: regionMark(region) }),
  });
}

/** Where the board is comes first; circles have their names in the middle, marks beside them. */
async function nameRegions() {
  const { addObstacles, setLabels } = await import("./labels.js");
  const isRound = region => region.rad > 0 || region.polygon;
  if (!nameRegions.isDone) addObstacles(() => regions.list.filter(region => !isRound(region)).map(region => [region.lat, region.lon, 14, 15, region.uuid ? 0 : 14]));
  nameRegions.isDone = true;
  setLabels("regions", regions.list.filter(region => !isFollowing(region)).map((region, index) => ({
    lat: region.lat, lon: region.lon, text: regionName(region), rank: index - (region.inside ? 20000 : 10000),
    kind: isRound(region) ? "area" : "mark", room: isRound(region) ? 24 : region.uuid ? 15 : 29, low: isRound(region) || region.uuid ? undefined : 1,
  })));
}

/** One for all beacons: red while one of them is in range, else blue; none without beacons. */
function drawBeacon() {
  const beacons = regions.list.filter(isBeacon), isHeard = beacons.some(region => region.inside === true), place = byId("beacon");
  place.hidden = !beacons.length;
  place.classList.toggle("hot", isHeard);
  place.setAttribute("aria-label", isHeard ? words.beaconHeard : words.beaconUnheard);
  place.title = isHeard ? words.beaconHeard : words.beaconUnheard;
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
  let timer, start, isLong = false, isDown = false;
  const add = event => {
    if (!mayChange()) return;
    const at = map.mouseEventToLatLng(event);
    import("../sheet/places.js").then(places => places.add(at.lat, at.lng));
  };
  // Something that opened under a finger would be pressed by its release: it opens only then.
  const become = () => {
    isLong = true;
    if (mayChange()) map.getContainer().classList.add("held");
  };
  const end = () => {
    clearTimeout(timer);
    isDown = isLong = false;
    map.getContainer().classList.remove("held");
  };
  place.addEventListener("pointerdown", event => {
    if (!event.isPrimary || event.button || event.target.closest(".leaflet-control, .leaflet-popup, .handle")) return;
    end();
    start = event;
    isDown = true;
    timer = setTimeout(become, LONG);
  });
  place.addEventListener("pointermove", event => {
    if (isDown && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > STILL) end();
  });
  place.addEventListener("pointerup", () => {
    const wasLong = isLong;
    end();
    if (wasLong) add(start);
  });
  place.addEventListener("pointercancel", end);
  place.addEventListener("contextmenu", event => {
    event.preventDefault();
    // A phone says so while the finger is down, a mouse by its other button.
    if (isDown) become();
    else if (event.pointerType !== "touch") add(event);
  });
}
