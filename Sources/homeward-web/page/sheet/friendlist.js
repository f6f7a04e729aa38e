// The list of friends: who, how far away, since when; all places of one, and forgetting.
import { board, mayChange, order, question } from "../board.js";
import { confirmed } from "./dialog.js";
import { facts, make, say, show } from "../dom.js";
import { friends, loadFriends, lookAtFriends, friendAge, friendName, movement, onFriends, reloadFriends } from "../map/friends.js";
import { centreOn, map } from "../map/map.js";
import { trackerMarker } from "../map/marker.js";
import { isOpen } from "./sheet.js";
import { distance, span, time, words } from "../words.js";

let list, note;

export function opened(panel) {
  if (!list) {
    note = make("p", { class: "note" });
    list = make("ul", { class: "rows", onclick: act });
    list.addEventListener("toggle", showPlaces, true);
    panel.append(make("h2", { text: words.tabs.friends }), note, list,
      make("div", { class: "choices" }, make("button", { type: "button", onclick: reloadFriends, text: words.reload })));
    onFriends(draw);
  }
  note.textContent = friends.updates ? words.friendsSince(friends.updates) : "";
  draw();
  lookAtFriends();
  loadFriends();
}

function draw() {
  if (!isOpen("friends")) return;
  if (!friends.list.length) note.textContent = words.noFriends;
  const everybody = [...(friends.self ? [{ ...friends.self, isSelf: true }] : []), ...friends.list];
  const left = new Map([...list.children].map(row => [row.dataset.topic, row]));
  everybody.forEach((friend, index) => {
    let row = left.get(friend.topic);
    left.delete(friend.topic);
    if (!row) row = make("li", { "data-topic": friend.topic, class: "friend-row" }, make("div", { class: "rows grow" }));
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    fill(row, friend);
  });
  for (const row of left.values()) row.remove();
  // Looked at while they come in.
  lookAtFriends();
}

/** The disclosure is made once: it stays open for the person who opened it. */
function fill(row, friend) {
  const name = friend.isSelf ? words.self : friendName(friend), fix = board.status.fix;
  const away = !friend.isSelf && fix && friend.lat !== undefined && map.distance([fix.lat, fix.lon], [friend.lat, friend.lon]);
  const lines = [friend.topic, friend.tst ? words.seen(span(Date.now() / 1000 - friend.tst)) : words.never, away && words.away(distance(away))];
  if (row.head === undefined) {
    row.head = make("div", { class: "head" });
    row.firstChild.append(row.head);
    if (!friend.isSelf) row.firstChild.append(make("details", {}, make("summary", { text: words.allPlaces }), make("div", { class: "places" })));
  }
  const moves = friend.isSelf ? { speed: friend.vel, course: friend.cog } : movement(friend);
  const text = [name, friend.tid, moves.speed, moves.course, friends.faces.get(friend.topic)?.length, ...lines].join();
  if (row.head.shown === text) return;
  row.head.shown = text;
  const marker = trackerMarker({
    tid: friend.tid, face: friends.faces.get(friend.topic), ...moves, scale: board.page?.tacho, isSelf: friend.isSelf, label: "",
  });
  if (!friend.isSelf && friendAge(friend)) marker.classList.add(friendAge(friend));
  marker.setAttribute("aria-hidden", "true");
  marker.removeAttribute("role");
  marker.removeAttribute("aria-label");
  row.head.replaceChildren(make("button", { type: "button", class: "row", "data-act": "centre", "aria-label": words.centre(name), disabled: friend.lat === undefined },
    marker, make("span", { class: "grow" }, name, lines.filter(Boolean).map(line => make("small", { text: line })))));
}

async function act(event) {
  const row = event.target.closest("[data-topic]"), name = event.target.closest("[data-act]")?.dataset.act;
  if (!row || !name) return;
  const topic = row.dataset.topic, friend = friends.list.find(each => each.topic === topic) ?? friends.self;
  if (name === "centre") return centreOn(friend.lat, friend.lon);
  if (name === "place") return centreOn(Number(event.target.closest("[data-lat]").dataset.lat), Number(event.target.closest("[data-lat]").dataset.lon));
  if (name === "forgetPlace") return forgetPlace(topic, event.target.closest("[data-tst]"));
  if (!await confirmed(words.forgetText(friendName(friend)), words.forget)) return;
  const answer = await order("friend", "forget", topic);
  say(answer.text ?? answer.error ?? words.failed, !answer.ok);
  loadFriends();
}

/** One place, here: the broker may bring its newest again. */
async function forgetPlace(topic, row) {
  if (!await confirmed(words.forgetPlaceText(time(Number(row.dataset.tst))), words.forget)) return;
  const answer = await order("friend", "forget", topic, "--at", row.dataset.tst);
  say(answer.text ?? answer.error ?? words.failed, !answer.ok);
  if (answer.ok) row.remove();
}

/** All places that were received, the newest at the top; asked for when somebody opens them. */
async function showPlaces(event) {
  if (!event.target.open) return;
  const topic = event.target.closest("[data-topic]").dataset.topic, place = event.target.querySelector(".places");
  const answer = await question("friend", { topic });
  if (!answer.ok) return say(answer.error ?? words.failed, true);
  show(place, make("ol", { class: "rows", "aria-label": words.places(friendName(answer.friend)) }, answer.places.toReversed().map(each =>
    make("li", { "data-lat": each.lat, "data-lon": each.lon, "data-tst": each.tst }, make("button", { type: "button", class: "row", "data-act": "place" },
      make("span", { class: "grow" }, time(each.tst), make("small", { text: [`${each.lat.toFixed(5)}, ${each.lon.toFixed(5)}`, each.vel >= 0 && words.speed(each.vel), each.batt !== undefined && `${each.batt} %`].filter(Boolean).join(", ") }))),
      mayChange() ? make("button", { type: "button", class: "plain", "data-act": "forgetPlace", "aria-label": words.forgetPlace(time(each.tst)), title: words.forgetPlace(time(each.tst)), text: "×" }) : "")
  )), make("div", { class: "choices" }, make("button", { type: "button", class: "grave", "data-act": "forget", disabled: !mayChange(), text: words.forget })));
}
