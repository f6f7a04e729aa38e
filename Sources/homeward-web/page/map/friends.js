// Friends on the map, and how many of their places have come since somebody looked.
import { board, on, question } from "../board.js";
import { addCrowd, drawSelf, map, popup } from "./map.js";
import { trackerMarker } from "./marker.js";
import { time, words } from "../words.js";

/** Milliseconds between two questions while they move, and two looks at how old their places are. */
const FRIEND_PACE = 3000, FADE_PACE = 20000;
/** Seconds after which a place tells of no speed any more, and a day. */
const OLD = 600, DAY = 86400;
/** The only thing that is kept in the browser: topics with the time of the newest place that was counted, and the count. */
const STORE = "homeward-friends";

export const friends = { list: [], self: undefined, updates: 0, faces: new Map(), isListening: false };
const drawnFriends = new Map();
const friendWatchers = [];
let seen = {}, friendTimer, nextFriendsAt = 0;

export const onFriends = watcher => friendWatchers.push(watcher);
export const friendName = friend => friend.name || friend.tid || friend.topic;

export function makeFriends() {
  try {
    ({ seen = {}, updates: friends.updates = 0 } = JSON.parse(localStorage.getItem(STORE)) ?? {});
  } catch (error) { /* a browser that keeps nothing counts from the beginning */ }
  addCrowd(() => friends.list.filter(friend => friend.lat !== undefined).map(friend => [friend.lat, friend.lon]));
  on("friends", soonFriends);
  setInterval(() => { if (!document.hidden) drawFriends(); }, FADE_PACE);
  on("status", sections => { if (sections.has("messages")) soonFriends(); });
}

function soonFriends() {
  clearTimeout(friendTimer);
  friendTimer = setTimeout(loadFriends, Math.max(0, nextFriendsAt - Date.now()));
}

export async function loadFriends() {
  nextFriendsAt = Date.now() + FRIEND_PACE;
  const found = new Map();
  let answer, after;
  do {
    answer = await question("friends", after ? { after } : {});
    if (!answer.ok) return;
    for (const friend of answer.friends) found.set(friend.topic, friend);
    friends.self = answer.self ?? friends.self;
    // A server that knows no pages would give the first for ever.
    if (answer.next === after) break;
    after = answer.next;
  } while (after);
  friends.list = [...found.values()];
  countUpdates();
  drawFriends();
  notifyFriendWatchers();
  fetchFaces();
}

const notifyFriendWatchers = () => { for (const watcher of friendWatchers) watcher(); };

/** Each newer place of a friend is an update. */
function countUpdates() {
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
export function lookAtFriends() {
  if (!friends.updates) return;
  friends.updates = 0;
  keep();
  notifyFriendWatchers();
}

/** One after the other: they are the largest thing that this page loads. */
async function fetchFaces() {
  if (fetchFaces.isRunning) return;
  fetchFaces.isRunning = true;
  for (const friend of [friends.self, ...friends.list]) {
    if (!friend?.hasFace || friends.faces.has(friend.topic)) continue;
    const answer = await question("friend", { topic: friend.topic });
    friends.faces.set(friend.topic, answer.friend?.face);
    if (friend.topic === friends.self?.topic) drawSelf();
    else drawFriends();
    notifyFriendWatchers();
  }
  fetchFaces.isRunning = false;
}

/** Names and faces may have changed on the board: they are all asked for again. */
export function reloadFriends() {
  friends.faces.clear();
  drawnFriends.forEach(known => { known.text = ""; });
  return loadFriends();
}

/** "", "old" or "ancient": who has said nothing for long may be anywhere. */
export function friendAge(friend) {
  const age = Date.now() / 1000 - friend.tst;
  return age > DAY ? "ancient" : age > OLD ? "old" : "";
}

/** What of a friend's movement still holds. */
export const movement = friend => friendAge(friend) ? {} : { speed: friend.vel, course: friend.cog };

function drawFriends() {
  const L = window.L, left = new Set(drawnFriends.keys());
  for (const friend of friends.list) {
    if (friend.lat === undefined) continue;
    left.delete(friend.topic);
    const face = friends.faces.get(friend.topic);
    const text = [friend.lat, friend.lon, friend.tid, friend.vel, friend.cog, friend.name, friend.tst, face?.length, friendAge(friend)].join();
    const known = drawnFriends.get(friend.topic);
    if (known?.text === text) continue;
    const html = trackerMarker({
      tid: friend.tid, face, ...movement(friend), scale: board.page?.tacho, label: words.friendAt(friendName(friend)),
    });
    const icon = L.divIcon({ className: friendAge(friend), iconSize: [44, 44], html });
    const marker = known?.marker ?? L.marker([friend.lat, friend.lon], { icon, pane: "people", keyboard: false }).addTo(map);
    marker.setLatLng([friend.lat, friend.lon]).setIcon(icon);
    if (!known) marker.bindPopup("");
    marker.setPopupContent(() => friendPopup(friend));
    drawnFriends.set(friend.topic, { text, marker });
  }
  for (const topic of left) {
    drawnFriends.get(topic).marker.remove();
    drawnFriends.delete(topic);
  }
  avoidFriends();
}

async function avoidFriends() {
  const { addObstacles, soonLabels } = await import("./labels.js");
  if (!avoidFriends.isDone) addObstacles(() => friends.list.filter(friend => friend.lat !== undefined).map(friend => [friend.lat, friend.lon, 22, 22]));
  avoidFriends.isDone = true;
  soonLabels();
}

const friendPopup = friend => popup(friendName(friend), [time(friend.tst), friend.topic, movement(friend).speed >= 0 && words.speed(friend.vel)]);
