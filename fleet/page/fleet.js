// Where the fleet's page begins: reads the list, reckons the states, shows them.
import { byId, make } from "./dom.js";
import { drawBoards, makeMap, markOnMap } from "./map/map.js";
import { FILE, follow, now, source } from "./source.js";
import { boardsOf, callsForHelp, isMissing, readAll } from "./standing.js";
import { makeTable, mark, showBoards, sifted } from "./table.js";
import { moment, say } from "./text.js";

/** Seconds after which a file that nobody writes any more is no news; milliseconds between two reckonings of ages. */
const STALE = 600, PACE = 5000, MOST_FAULTS = 5;

let boards = [], told, lines, chosen;

function reckon() {
  if (source.content !== undefined && (!lines || lines.of !== source.content)) lines = { of: source.content, ...readAll(source.content) };
  if (lines) boards = boardsOf(lines, now());
  showBoards(boards, now());
  drawBoards(sifted());
  drawBar();
  drawBanner();
  if (chosen) drawCard();
}

function drawBar() {
  const missing = boards.filter(board => isMissing(board.state)).length, calls = boards.filter(callsForHelp).length;
  byId("light").dataset.colour = !lines ? "grey" : missing || calls ? "red" : "green";
  byId("state").textContent = !lines ? say.loading : boards.length ? say.counted(boards.length, missing, calls) : say.none;
  byId("age").textContent = source.written === undefined ? "" : say.listOf(now() - source.written);
  byId("age").title = source.written === undefined ? "" : moment(source.written);
  document.title = `${calls ? `${say.calls(calls)} – ` : ""}${missing ? `(${missing}) ` : ""}${say.title} – Homeward`;
  const words = lines && say.counted(boards.length, missing, calls);
  if (words && words !== told) byId("spoken").textContent = told = words;
}

/** What is wrong with the file, one line each. */
function drawBanner() {
  const troubles = [], age = source.written === undefined ? 0 : now() - source.written, faults = lines?.faults ?? [];
  if (source.trouble) troubles.push(say.unread(FILE, source.trouble));
  else if (age > STALE) troubles.push(say.stale(FILE, age));
  for (const fault of faults.slice(0, MOST_FAULTS)) troubles.push(say.badLine(FILE, fault.line, fault.text));
  if (faults.length > MOST_FAULTS) troubles.push(say.moreBad(faults.length - MOST_FAULTS));
  const banner = byId("banner"), text = troubles.join("\n");
  if (banner.shown === text) return;
  banner.shown = text;
  banner.replaceChildren(...troubles.map(trouble => make("p", { text: trouble })));
  banner.hidden = !text;
}

function drawCard() {
  const card = byId("card"), board = boards.find(one => one.topic === chosen);
  card.hidden = !board;
  if (!board) return;
  const { place, word } = board, when = place?.time === undefined ? say.noTime : moment(place.time);
  const rows = [
    say.state(board), place ? say.place(when, now() - (place.time ?? NaN)) : say.noPlace,
    place && [place.accuracy !== undefined && say.accuracy(place.accuracy), place.speed > 0 && say.speed(place.speed)].filter(Boolean).join(", "),
    word?.lastEnd && say.lastEnd(word.lastEnd),
  ].filter(Boolean);
  const text = [board.topic, ...rows].join("\n");
  if (card.shown === text) return;
  card.shown = text;
  card.replaceChildren(make("button", { type: "button", class: "plain shut", "aria-label": say.close, title: say.close, onclick: () => choose(undefined) }, "×"),
    make("strong", { text: board.topic }), ...rows.map(row => make("p", { text: row })));
}

function choose(topic, from) {
  chosen = topic;
  byId("card").hidden = true;
  byId("card").shown = undefined;
  mark(topic, from === "map");
  markOnMap(topic, from !== "map");
  drawCard();
}

makeTable(topic => choose(topic, "list"), () => drawBoards(sifted()));
document.addEventListener("keydown", event => { if (event.key === "Escape" && chosen) choose(undefined); });
await makeMap(topic => choose(topic, "map"));
follow(reckon);
setInterval(() => { if (!document.hidden) reckon(); }, PACE);
