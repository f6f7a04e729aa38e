// The list: one row a board, sorted by any column, and only those that are asked for.
import { byId, make } from "./dom.js";
import { callsForHelp, STATES } from "./standing.js";
import { day, moment, say } from "./text.js";

/** Most urgent first. */
const URGENCY = ["overdue", "vanished", "silent", "stopped", "asleep", "online"];
/** Of each column: what is shown, and what it is sorted by; nothing goes to the end either way. */
const COLUMNS = {
  topic: [board => board.topic, board => board.topic],
  state: [say.state, board => callsForHelp(board) ? -1 : URGENCY.indexOf(board.state)],
  heard: [({ word }) => word?.time && moment(word.time), ({ word }) => word?.time],
  version: [({ word }) => word?.version, ({ word }) => word?.version],
  battery: [({ word }) => word?.battery !== undefined && say.percent(word.battery), ({ word }) => word?.battery],
  waiting: [({ word }) => word?.waiting?.toLocaleString(), ({ word }) => word?.waiting],
  disk: [({ word }) => word?.disk && say.free(word.disk.percent), ({ word }) => word?.disk?.percent],
  certificate: [({ word }) => word?.certificateEnd && day(word.certificateEnd), ({ word }) => word?.certificateEnd],
  update: [({ word }) => word?.update && say.update(word.update), ({ word }) => word?.update && say.update(word.update)],
};
/** Below these, or within so many seconds, a cell is to be seen. */
const LOW = { battery: ({ word }) => word?.battery <= 20, disk: ({ word }) => word?.disk?.percent <= 10 };
const SOON = 30 * 86400;
/** What the list may be narrowed to: a state, or those that call for help in whatever state. */
const NARROWED = ["sos", ...STATES], isOf = (board, state) => state === "sos" ? callsForHelp(board) : board.state === state;

let all = [], order = { column: "state", isDown: false }, sieve = { text: "", state: undefined }, choose, body, clock = 0;
const rows = new Map(), compare = new Intl.Collator(undefined, { numeric: true }).compare;

/** `chosen(topic)` is told of the board that somebody picks. */
export function makeTable(chosen, sifted) {
  choose = chosen;
  const heads = Object.entries(say.columns).map(([column, title]) => make("th", { scope: "col", "data-column": column },
    make("button", { type: "button", class: "plain", text: title, onclick: () => sortBy(column) })));
  body = make("tbody");
  byId("boards").append(make("table", { "aria-label": say.list }, make("thead", {}, make("tr", {}, heads)), body),
    make("p", { class: "note", id: "note" }));
  const filter = byId("filter");
  filter.setAttribute("aria-label", say.filter);
  filter.placeholder = say.filter;
  filter.addEventListener("input", () => { sieve.text = filter.value.trim().toLowerCase(); draw(); sifted(); });
  byId("states").setAttribute("aria-label", say.states);
  byId("states").append(...NARROWED.map(state => make("button", {
    type: "button", "data-state": state, "aria-pressed": "false", hidden: true, onclick: () => {
      sieve.state = sieve.state === state ? undefined : state;
      draw();
      sifted();
    },
  })));
  markOrder();
}

function sortBy(column) {
  order = { column, isDown: order.column === column && !order.isDown };
  markOrder();
  draw();
}

function markOrder() {
  for (const head of document.querySelectorAll("th")) {
    const isOurs = head.dataset.column === order.column;
    if (isOurs) head.setAttribute("aria-sort", order.isDown ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

/** Those that pass the search and the chosen state, as the map shows them, too. No state hides who calls for help. */
export const sifted = () => all.filter(isWanted);

function isWanted(board) {
  if (sieve.state && !isOf(board, sieve.state) && !callsForHelp(board)) return false;
  return !sieve.text || [board.topic, say.state(board), board.word?.version, board.word?.update && say.update(board.word.update)]
    .some(text => text?.toLowerCase().includes(sieve.text));
}

export function showBoards(boards, now) {
  all = boards;
  clock = now;
  // A state that no board has any more hides nothing.
  if (sieve.state && !all.some(board => isOf(board, sieve.state))) sieve.state = undefined;
  const known = new Set(all.map(board => board.topic));
  for (const topic of [...rows.keys()]) if (!known.has(topic)) rows.delete(topic);
  draw();
}

function draw() {
  const [, value] = COLUMNS[order.column], sign = order.isDown ? -1 : 1;
  const keyed = sifted().map(board => [value(board), board]);
  keyed.sort(([one, oneBoard], [other, otherBoard]) => {
    if (one === undefined || other === undefined) return (one === undefined) - (other === undefined) || compare(oneBoard.topic, otherBoard.topic);
    const found = typeof one === "number" ? one - other : compare(one, other);
    return sign * found || compare(oneBoard.topic, otherBoard.topic);
  });
  const wanted = keyed.map(([, board]) => rowOf(board));
  // Moved only where something has changed: focus and selection stay where they are.
  if (wanted.length !== body.children.length || wanted.some((row, index) => body.children[index] !== row)) {
    const focused = document.activeElement;
    body.replaceChildren(...wanted);
    if (body.contains(focused)) focused.focus({ preventScroll: true });
  }
  for (const button of byId("states").children) {
    const state = button.dataset.state, number = all.filter(board => isOf(board, state)).length;
    button.hidden = number === 0;
    button.textContent = say.counter(state, number);
    button.setAttribute("aria-pressed", String(sieve.state === state));
  }
  byId("note").textContent = !all.length ? say.none : !wanted.length ? say.noneSo : wanted.length < all.length ? say.shown(wanted.length, all.length) : "";
}

function rowOf(board) {
  let row = rows.get(board.topic);
  if (!row) {
    row = make("tr", { "data-topic": board.topic }, Object.entries(say.columns).map(([column, title]) =>
      column === "topic" ? make("th", { scope: "row" }, make("button", { type: "button", class: "link", onclick: () => choose(board.topic) }))
        : make("td", { "data-column": column, "data-title": title })));
    row.addEventListener("click", event => { if (!event.target.closest("button")) choose(board.topic); });
    rows.set(board.topic, row);
  }
  row.dataset.state = board.state;
  row.toggleAttribute("data-sos", callsForHelp(board));
  Object.values(COLUMNS).forEach(([shown], index) => {
    const cell = row.children[index], place = index ? cell : cell.firstChild, text = shown(board) || say.unknown;
    if (place.textContent !== text) place.textContent = text;
    if (!index) return;
    cell.classList.toggle("none", text === say.unknown);
    const column = cell.dataset.column, end = board.word?.certificateEnd;
    cell.classList.toggle("low", column === "certificate" ? end !== undefined && end < clock + SOON : LOW[column]?.(board) === true);
  });
  return row;
}

/** Marks the board that the map shows, and brings its row into view. */
export function mark(topic, isFar) {
  for (const row of rows.values()) {
    if (row.dataset.topic === topic) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  if (isFar) rows.get(topic)?.scrollIntoView({ block: "nearest" });
}
