// The card on the map: what a board without a position waits for, and how it gets a map.
import { board, grown, mayChange, on } from "../board.js";
import { byId, make, show } from "../dom.js";
import { track } from "./track.js";
import { span, words } from "../words.js";

let isMade = false;

export function makeCard() {
  if (isMade) return;
  isMade = true;
  for (const topic of ["status", "reach", "page"]) on(topic, drawCard);
  setInterval(drawCard, 1000);
  drawCard();
}

function drawCard() {
  const card = byId("card"), { fix } = board.status;
  // One without an age is from before the tracker's start.
  card.hidden = fix && board.fixAt !== undefined || board.reach !== "yes";
  if (card.hidden) return;
  const { title, lines } = awaited(), source = board.page?.map, last = fix ?? track.last.at(-1);
  if (last) lines.push(words.lastKnown(span(Date.now() / 1000 - last.tst)));
  const hasMap = !source || source.template || source.file || source.maps?.length;
  const isNew = show(card, make("strong", { text: title }), ...lines.map(text => make("p", { text })),
    hasMap ? "" : make("p", {}, `${words.noMap} `, make("button", { type: "button", class: "link", text: words.how })));
  if (isNew) card.querySelector("button")?.addEventListener("click", explain);
}

/** In the tracker's own words where it has some; seconds go on without being told. */
function awaited() {
  const { gps, uptime } = board.status;
  if (!gps || gps.reached === false) return { title: words.awaitsReceiver, lines: [gps?.cause].filter(Boolean).map(sentence) };
  if (gps.silent !== undefined) return { title: words.awaitsReceiver, lines: [words.sendsNothing(span(grown("gps", gps.silent)))] };
  const lines = [gps.cause && uptime !== undefined && sentence(words.awaitedFor(gps.cause, span(grown("uptime", uptime)))),
    gps.satellites > 0 && words.satellitesSeen(gps.satellites)];
  return { title: words.awaitsPosition, lines: lines.filter(Boolean) };
}

const sentence = text => text.charAt(0).toUpperCase() + text.slice(1).replace(/([^.])$/, "$1.");

async function explain() {
  const [{ ask }, { open }] = await Promise.all([import("../sheet/dialog.js"), import("../sheet/sheet.js")]);
  const choices = [{ text: words.close }, ...(mayChange() ? [{ text: words.tabs.settings, value: "settings" }] : [])];
  if (await ask(words.mapTitle, words.mapHow.map(text => make("p", { text })), choices) === "settings") open("settings");
}
