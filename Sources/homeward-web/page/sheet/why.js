// Why things were published, and why not: in the words of the tracker.
import { on, question } from "../board.js";
import { make, show } from "../dom.js";
import { isOpen } from "./sheet.js";
import { time, words } from "../words.js";

/** Milliseconds between two questions, and rows that are drawn. */
const PACE = 3000, ROWS = 200;
let list, only, reasons = [], newest = 0, timer, nextAt = 0;

export function opened(panel) {
  if (!list) {
    list = make("ol", { class: "rows" });
    only = make("input", { type: "checkbox", onchange: draw });
    panel.append(make("h2", { text: words.tabs.why }), make("p", { class: "note", text: words.whyText }),
      make("label", { class: "check" }, only, words.onlyWithheld), list);
    on("why", soon);
  }
  soon();
}

function soon() {
  if (!isOpen("why")) return;
  clearTimeout(timer);
  timer = setTimeout(load, Math.max(0, nextAt - Date.now()));
}

async function load() {
  nextAt = Date.now() + PACE;
  const answer = await question("why");
  if (!answer.ok) return;
  reasons = answer.reasons.slice(-ROWS).reverse();
  draw();
}

function draw() {
  const shown = reasons.filter(reason => !only.checked || !reason.published);
  show(list, ...shown.map(row), shown.length ? "" : make("li", { text: words.whyNothing }));
}

/** A plus is for what was published, as on the command line; in words, too. */
function row(reason) {
  const count = reason.count > 1 ? words.times(reason.count, reason.last && time(reason.last)) : "";
  return make("li", { class: `reason ${reason.published ? "yes" : "no"}` },
    make("span", { class: "sign" }, make("span", { "aria-hidden": "true", text: reason.published ? "+" : "–" }),
      make("span", { class: "unseen", text: reason.published ? words.published : words.withheld })),
    make("span", { class: "grow" }, reason.text ?? reason.word, make("small", { text: [time(reason.time), count].filter(Boolean).join(", ") })));
}
