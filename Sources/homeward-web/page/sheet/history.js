// The own history in the sheet: the last places, the rest of the track, and the file.
import { board, mayChange, on, order } from "../board.js";
import { confirmed } from "./dialog.js";
import { button, make, say, show } from "../dom.js";
import { centreOn } from "../map/map.js";
import { fetchOlder, forget, isManual, onTrack, track } from "../map/track.js";
import { time, words } from "../words.js";

let countLine, placeList, moreButton, clearButton;

export function makeHistory(place) {
  countLine = make("p");
  moreButton = button(words.moreTrack, async () => { moreButton.disabled = true; await fetchOlder(); moreButton.disabled = false; });
  placeList = make("ol", { class: "rows" });
  const summary = make("summary", { text: words.lastPlaces(50) });
  clearButton = button(words.clearHistory, clearHistory, { class: "grave", disabled: !mayChange() });
  place.append(countLine, make("div", { class: "choices" }, moreButton),
    make("details", { ontoggle: drawHistory }, summary, placeList), exporter(), make("div", { class: "choices" }, clearButton));
  onTrack(drawHistory);
  on("status", sections => { if (sections.has("history")) drawHistory(); });
  drawHistory();
}

function drawHistory() {
  const all = board.status.history ?? 0;
  countLine.textContent = all ? words.historyCount(track.count, Math.max(all, track.count)) : words.noHistory;
  moreButton.hidden = track.isAll || track.count >= all;
  clearButton.hidden = !all;
  if (!placeList.parentElement.open) return;
  const isNew = show(placeList, ...track.last.toReversed().map(point => make("li", { "data-number": point.number },
    make("button", { type: "button", class: "row", "data-act": "centre" }, make("span", { class: `dot ${isManual(point) ? "manual" : "automatic"}` }),
      make("span", { class: "grow" }, time(point.tst), make("small", { text: [isManual(point) ? words.manual : words.automatic, point.vel >= 0 && words.speed(point.vel), point.poi, point.tag].filter(Boolean).join(", ") }))),
    mayChange() ? make("button", { type: "button", class: "plain", "data-act": "remove", "aria-label": words.removePoint, title: words.removePoint, text: "×" }) : "")));
  if (isNew) placeList.onclick = actOnPlace;
}

async function actOnPlace(event) {
  const name = event.target.closest("[data-act]")?.dataset.act, number = Number(event.target.closest("li")?.dataset.number);
  const point = track.last.find(each => each.number === number);
  if (!point) return;
  if (name === "centre") return centreOn(point.lat, point.lon);
  if (!await confirmed(`${time(point.tst)}: ${words.removePointText}`, words.removePoint)) return;
  const answer = await order("history", "delete", number);
  say(answer.text ?? answer.error ?? words.failed, !answer.ok);
  if (answer.ok) forget(number);
}

async function clearHistory() {
  if (!await confirmed(words.clearHistoryText, words.clearHistory)) return;
  const answer = await order("history", "clear");
  say(answer.text ?? answer.error ?? words.failed, !answer.ok);
}

/** From and to in the phone's zone; both may be left open. */
function exporter() {
  const from = make("input", { type: "datetime-local", id: "gpx-from" }), to = make("input", { type: "datetime-local", id: "gpx-to" });
  const link = make("a", { class: "button", id: "gpx", href: "/export.gpx", download: "track.gpx", text: words.exportGPX });
  const aim = () => {
    const search = new URLSearchParams();
    for (const [name, field] of [["from", from], ["to", to]]) {
      if (field.value) search.set(name, Math.round(new Date(field.value).getTime() / 1000));
    }
    link.href = `/export.gpx${search.size ? `?${search}` : ""}`;
  };
  from.oninput = to.oninput = aim;
  return make("div", { class: "form two" }, make("label", {}, words.from, from), make("label", {}, words.to, to), make("p", { class: "choices" }, link));
}
