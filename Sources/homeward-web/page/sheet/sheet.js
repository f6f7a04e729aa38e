// The sheet with its tabs: below the map on a phone, beside it where there is room.
import { pageKnown } from "../board.js";
import { byId, icon, make } from "../dom.js";
import { words } from "../words.js";

const NAMES = ["now", "friends", "places", "why", "settings"];
const SIZES = ["half", "full", "low"];
/** What is rarely looked at is fetched when it is. */
const LOADERS = {
  now: () => import("./now.js"), friends: () => import("./friendlist.js"), places: () => import("./places.js"),
  why: () => import("./why.js"), settings: () => import("./settings.js"),
};
const openedTabs = {};
let current;

export function makeSheet() {
  for (const name of NAMES) {
    byId("tabs").append(make("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, "aria-selected": "false", tabindex: -1,
      onclick: () => { if (current === name) resize(isLow() ? "half" : "low"); else open(name); },
    }, icon(name), make("span", { text: words.tabs[name] }), make("span", { class: "badge", id: `badge-${name}`, hidden: true })));
    byId("panels").append(make("section", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: 0, hidden: true }));
  }
  byId("tabs").addEventListener("keydown", steer);
  byId("size").addEventListener("click", () => resize(SIZES[(SIZES.indexOf(byId("sheet").dataset.size) + 1) % SIZES.length]));
  // A phone begins with the map alone.
  resize(isWide() ? "half" : "low");
  choose("now");
}

/** A list that covers the map makes room for what is to be seen there. */
export function makeRoom() {
  if (!isWide() && byId("sheet").dataset.size === "full") resize("half");
}

const isWide = () => matchMedia("(min-width: 800px)").matches;
const isLow = () => byId("sheet").dataset.size === "low" && !isWide();

function resize(size) {
  byId("sheet").dataset.size = size;
  byId("size").setAttribute("aria-label", size === "full" ? words.smaller : words.larger);
  if (current) fillCurrent();
}

/** As the keyboard of every row of tabs. */
function steer(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const index = NAMES.indexOf(current);
  const next = step ? NAMES[(index + step + NAMES.length) % NAMES.length] : { Home: NAMES[0], End: NAMES.at(-1) }[event.key];
  if (!next) return;
  event.preventDefault();
  open(next);
  byId(`tab-${next}`).focus();
}

/** Shows a tab, and the sheet if it was away. */
export function open(name) {
  choose(name);
  if (isLow()) resize("half");
}

function choose(name) {
  current = name;
  for (const each of NAMES) {
    const tab = byId(`tab-${each}`), isOpen = each === name;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
    byId(`panel-${each}`).hidden = !isOpen;
  }
  fillCurrent();
}

let style;

/** Resolves when the style of sheet and dialogs is there. */
export function dressed() {
  style ??= new Promise(resolve => document.head.append(make("link", { rel: "stylesheet", href: "/sheet.css", onload: resolve, onerror: resolve })));
  return style;
}

/** What nobody sees is not fetched. */
async function fillCurrent() {
  const name = current;
  if (isLow()) return;
  openedTabs[name] ??= LOADERS[name]();
  try {
    const [tab] = await Promise.all([openedTabs[name], dressed(), pageKnown]);
    if (current === name) tab.opened(byId(`panel-${name}`));
  } catch (error) {
    // The board was not reached: next time it is tried again.
    delete openedTabs[name];
  }
}

export const isOpen = name => current === name;

/** A number on a tab; 0: none. `text` says it to those who hear it. */
export function badge(name, number, text) {
  const place = byId(`badge-${name}`);
  place.hidden = !number;
  place.textContent = number > 99 ? "99+" : number || "";
  const tab = byId(`tab-${name}`);
  if (number) tab.setAttribute("aria-label", `${words.tabs[name]}, ${text}`);
  else tab.removeAttribute("aria-label");
}
