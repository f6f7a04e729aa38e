// The way driven so far: a red line of all places that were loaded, and a mark for each of the last fifty.
import { board, on, question } from "../board.js";
import { addCrowd, lookAt, map, popup } from "./map.js";
import { placeMark } from "./marker.js";
import { time, words } from "../words.js";

/** Places in one answer; those that are marked; those that are fetched unasked, and with each wish for more. */
const PAGE = 500, MARKED = 50, UNASKED = 1000, MORE = 5000;
/** Seconds between two questions for new places, and without a place after which the line is broken. */
const TRACK_PACE = 10, BREAK = 3600;

/** Numbers of the places alone: a hundred thousand of them are a few megabytes. */
const way = { lats: [], lons: [], times: [] };
/** `first`: down to which number it was asked for; `oldest`: the first number that there is, once somebody had to know. */
export const track = { last: [], count: 0, first: undefined, oldest: undefined, newest: 0, isAll: false };
const trackWatchers = [];
let line, marks, isAsking = false, nextTrackAt = 0, trackTimer;

/** When something of it has changed. */
export const onTrack = watcher => trackWatchers.push(watcher);

export function makeTrack() {
  const L = window.L;
  line = L.polyline([], { pane: "track", color: "#d32121", weight: 3, interactive: false, smoothFactor: 1.5, renderer: L.canvas({ pane: "track", padding: 0.3 }) }).addTo(map);
  marks = L.layerGroup().addTo(map);
  addCrowd(ends);
  on("history", soonTrack);
  on("status", sections => { if (sections.has("history") && !board.status.history) emptyTrack(); });
  fetchFirst();
}

/** The corners of all that was loaded. */
function ends() {
  if (!way.lats.length) return [];
  const least = list => list.reduce((one, other) => Math.min(one, other)), most = list => list.reduce((one, other) => Math.max(one, other));
  return [[least(way.lats), least(way.lons)], [most(way.lats), most(way.lons)]];
}

export function emptyTrack() {
  way.lats = []; way.lons = []; way.times = [];
  Object.assign(track, { last: [], count: 0, first: undefined, oldest: undefined, newest: 0, isAll: true });
  drawLine();
  drawMarks();
}

export async function fetchFirst() {
  const answer = await question("history", { newest: 1, limit: MARKED });
  if (!answer.ok) return void setTimeout(fetchFirst, 3000);
  takePlaces(answer.history);
  const last = answer.history.at(-1);
  if (last && !board.status.fix) lookAt(last.lat, last.lon);
  // The track belongs to the map, but the page does not wait for it.
  await fetchOlder(UNASKED);
}

/** Not more often than every few seconds: while driving there is always news, and the own marker moves anyway. */
function soonTrack() {
  clearTimeout(trackTimer);
  trackTimer = setTimeout(fetchNewer, Math.max(0, nextTrackAt - Date.now()));
}

async function fetchNewer() {
  if (isAsking) return soonTrack();
  nextTrackAt = Date.now() + TRACK_PACE * 1000;
  const answer = await question("history", track.newest ? { after: track.newest, limit: PAGE } : { newest: 1, limit: MARKED });
  if (!answer.ok) return;
  if (answer.history.length) takePlaces(answer.history);
  if (answer.next && answer.history.length === PAGE) soonTrack();
}

/** Goes back page by page; numbers are missing where places were deleted, and below the oldest that was kept. */
export async function fetchOlder(wanted = MORE) {
  if (isAsking || track.isAll || track.first === undefined) return;
  isAsking = true;
  const end = track.count + wanted;
  while (track.count < end && track.first > (track.oldest ?? 1) && track.count < (board.status.history ?? Infinity)) {
    const after = Math.max((track.oldest ?? 1) - 1, track.first - 1 - PAGE);
    const answer = await question("history", { after, limit: Math.max(1, Math.min(PAGE, track.first - 1 - after)) });
    if (!answer.ok) break;
    const older = answer.history.filter(point => point.number < track.first);
    // Nothing but known places: here is a gap, or the beginning.
    if (!older.length && answer.history.length) track.oldest ??= await oldestNumber();
    track.first = after + 1;
    put(older, false);
  }
  isAsking = false;
  track.isAll = track.first <= (track.oldest ?? 1) || track.count >= (board.status.history ?? 0);
  drawLine();
}

/** Undefined: the board does not say. */
const oldestNumber = async () => (await question("history", { after: 0, limit: 1 })).history?.[0]?.number;

/** Two questions may have brought the same. */
function takePlaces(told) {
  const points = told.filter(point => point.number > track.newest);
  if (!points.length) return;
  put(points, true);
  track.newest = points.at(-1).number;
  track.first ??= points[0].number;
  track.last = [...track.last, ...points].slice(-MARKED);
  drawLine();
  drawMarks();
}

function put(points, isAtEnd) {
  const lats = points.map(point => point.lat), lons = points.map(point => point.lon), times = points.map(point => point.tst);
  way.lats = isAtEnd ? way.lats.concat(lats) : lats.concat(way.lats);
  way.lons = isAtEnd ? way.lons.concat(lons) : lons.concat(way.lons);
  way.times = isAtEnd ? way.times.concat(times) : times.concat(way.times);
  track.count = way.lats.length;
}

export function drawLine() {
  performance.mark("track-begin");
  const pieces = [];
  let piece = [];
  for (let index = 0; index < way.lats.length; index++) {
    if (index && way.times[index] - way.times[index - 1] > BREAK) { pieces.push(piece); piece = []; }
    piece.push([way.lats[index], way.lons[index]]);
  }
  pieces.push(piece);
  line.setLatLngs(pieces);
  performance.measure("track", "track-begin");
  for (const watcher of trackWatchers) watcher();
}

/** The last ones, each with time and topic. */
function drawMarks() {
  const L = window.L;
  marks.clearLayers();
  for (const point of track.last) {
    const html = placeMark(isManual(point));
    L.marker([point.lat, point.lon], { pane: "pins", keyboard: false, zIndexOffset: isManual(point) ? 1000 : 0, icon: L.divIcon({ className: "", iconSize: [24, 24], html }) })
      .bindPopup(() => popup(time(point.tst), markLines(point))).addTo(marks);
  }
}

/** A person has published it; everything else went by itself. */
export const isManual = point => point.t === "u";

const markLines = point => [
  board.status.identity?.topic, isManual(point) ? words.manual : words.automatic, point.poi, point.tag,
  point.vel >= 0 && words.speed(point.vel),
];

/** As in the list: after a place was deleted. */
export function forget(number) {
  const point = track.last.find(each => each.number === number);
  if (!point) return;
  track.last = track.last.filter(each => each !== point);
  const index = way.times.lastIndexOf(point.tst);
  for (const list of [way.lats, way.lons, way.times]) if (index >= 0) list.splice(index, 1);
  track.count = way.lats.length;
  drawLine();
  drawMarks();
}
