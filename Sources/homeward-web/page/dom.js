// Elements without markup: what comes from outside only ever becomes text.
const SVG = "http://www.w3.org/2000/svg";

export const byId = id => document.getElementById(id);

/** `attributes`: an "on…" is a listener, `text` the text, true an empty attribute; nothing is left out of the rest. */
export function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same of a drawing. */
export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") element.textContent = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== undefined && child !== null && child !== ""));
  return element;
}

/** One of the symbols of index.html. */
export function icon(name) {
  return draw("svg", { "aria-hidden": "true", class: "icon" }, draw("use", { href: `#i-${name}` }));
}

export function button(text, act, attributes = {}) {
  return make("button", { type: "button", onclick: act, ...attributes }, text);
}

/** Rows of a word and its value; rows without a value are left out. */
export function facts(rows) {
  const list = make("dl", { class: "facts" });
  for (const [name, ...values] of rows) {
    const shown = values.flat().filter(value => value !== undefined && value !== null && value !== "" && value !== false);
    if (shown.length) list.append(make("div", {}, make("dt", { text: name }), make("dd", {}, ...shown)));
  }
  return list;
}

/** Puts these in place of what is there, unless it would look the same: focus and selection stay where they are. */
export function show(place, ...children) {
  const next = make("div", {}, ...children);
  if (place.shown === next.outerHTML) return false;
  place.shown = next.outerHTML;
  place.replaceChildren(...next.childNodes);
  return true;
}

let toastTimer;

/** Without the parts that name a command of a terminal, if there are others: this is a page, and has buttons. */
function plainly(text) {
  const parts = text.replace(/ \(homeward [^)]*\)/g, "").split("; ");
  return parts.filter(part => !/\bhomeward [a-z]/.test(part)).join("; ") || text;
}

/** Says what was done, or why it was not. */
export function say(text, isTrouble = false) {
  const place = byId("toasts");
  clearTimeout(toastTimer);
  place.replaceChildren(make("p", { class: isTrouble ? "toast trouble" : "toast", text: plainly(text) }));
  toastTimer = setTimeout(() => place.replaceChildren(), isTrouble ? 10000 : 5000);
}
