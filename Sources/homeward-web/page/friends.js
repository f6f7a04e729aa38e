// Friends on the map, and how many of their places have come since somebody looked.
import { board, on, question } from "./board.js";
import { addCrowd, map, popup } from "./map.js";
import { trackerMarker } from "./marker.js";
import { time, words } from "./words.js";

/** Milliseconds between two questions while they move. */
const PACE = 3000;
/** The only thing that is kept in the browser: topics with the time of the newest place that was counted, and the count. */
const STORE = "homeward-friends";

export const friends = { list: [], self: undefined, updates: 0, faces: new Map(), isListening: false };
const drawn = new Map();
const watchers = [];
let seen = {}, timer, nextAt = 0;

export const onFriends = watcher => watchers.push(watcher);
export const nameOf = friend => friend.name || friend.tid || friend.topic;

export function makeFriends() {
  try {
    ({ seen = {}, updates: friends.updates = 0 } = JSON.parse(localStorage.getItem(STORE)) ?? {});
  } catch (error) { /* a browser that keeps nothing counts from the beginning */ }
  addCrowd(() => friends.list.filter(friend => friend.lat !== undefined).map(friend => [friend.lat, friend.lon]));
  on("friends", soon);
  on("status", sections => { if (sections.has("messages")) soon(); });
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(load, Math.max(0, nextAt - Date.now()));
}

export async function load() {
  nextAt = Date.now() + PACE;
  const list = [];
  let answer, after;
  do {
    answer = await question("friends", after ? { after } : {});
    if (!answer.ok) return;
    list.push(...answer.friends);
    friends.self = answer.self ?? friends.self;
    // A server that knows no pages would give the first for ever.
    if (answer.next === after) break;
    after = answer.next;
  } while (after);
  friends.list = list;
  count();
  draw();
  tell();
  fetchFaces();
}

const tell = () => { for (const watcher of watchers) watcher(); };

/** Each newer place of a friend is an update. */
function count() {
  const next = {};
  for (const friend of friends.list) {
    if (friend.tst > (seen[friend.topic] ?? 0)) friends.updates++;
    next[friend.topic] = friend.tst;
  }
  seen = next;
  keep();
}

function keep() {
  try {
    localStorage.setItem(STORE, JSON.stringify({ seen, updates: friends.updates }));
  } catch (error) { /* see above */ }
}

/** Somebody has looked. */
export function look() {
  if (!friends.updates) return;
  friends.updates = 0;
  keep();
  tell();
}

/** One after the other: they are the largest thing that this page loads. */
async function fetchFaces() {
  if (fetchFaces.isRunning) return;
  fetchFaces.isRunning = true;
  for (const friend of friends.list) {
    if (!friend.hasFace || friends.faces.has(friend.topic)) continue;
    const answer = await question("friend", { topic: friend.topic });
    friends.faces.set(friend.topic, answer.friend?.face);
    draw();
    tell();
  }
  fetchFaces.isRunning = false;
}

/** Names and faces may have changed on the board: they are all asked for again. */
export function reload() {
  friends.faces.clear();
  drawn.forEach(known => { known.text = ""; });
  return load();
}

function draw() {
  const L = window.L, left = new Set(drawn.keys());
  for (const friend of friends.list) {
    if (friend.lat === undefined) continue;
    left.delete(friend.topic);
    const face = friends.faces.get(friend.topic);
    const text = [friend.lat, friend.lon, friend.tid, friend.vel, friend.cog, friend.name, friend.tst, face?.length].join();
    const known = drawn.get(friend.topic);
    if (known?.text === text) continue;
    const html = trackerMarker({
      tid: friend.tid, face, speed: friend.vel, course: friend.cog, scale: board.page?.tacho, label: words.friendAt(nameOf(friend)),
    });
    const icon = L.divIcon({ className: "", iconSize: [44, 44], html });
    const marker = known?.marker ?? L.marker([friend.lat, friend.lon], { icon, pane: "people", keyboard: false }).addTo(map);
    marker.setLatLng([friend.lat, friend.lon]).setIcon(icon);
    if (!known) marker.bindPopup("");
    marker.setPopupContent(() => friendPopup(friend));
    drawn.set(friend.topic, { text, marker });
  }
  for (const topic of left) {
    drawn.get(topic).marker.remove();
    drawn.delete(topic);
  }
}

const friendPopup = friend => popup(nameOf(friend), [time(friend.tst), friend.topic, friend.vel >= 0 && words.speed(friend.vel)]);
