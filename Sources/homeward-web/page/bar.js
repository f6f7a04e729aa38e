// The bar on top: light, mode, what waits, and how old the position is. It is there whatever else is shown.
import { board, fixAge, on } from "./board.js";
import { byId } from "./dom.js";
import { span, words } from "./words.js";

/** km/h from which on it is driven, and seconds until a speed is none any more. */
const DRIVEN = 5, FRESH = 10;

export function makeBar() {
  on("status", drawBar);
  on("reach", drawBar);
  setInterval(drawAge, 1000);
  drawBar();
}

/** The light's colour and its word, for everybody who shows it. */
export function light() {
  if (!board.reach) return { colour: "grey", word: words.loading };
  if (board.reach === "no") return { colour: "grey", word: words.notReached };
  if (board.reach === "silent") return { colour: "grey", word: words.trackerSilent };
  const connection = board.status.connection;
  if (!connection) return { colour: "grey", word: words.loading };
  if (connection.switchedOff) return { colour: "blue", word: words.disconnected };
  return { colour: connection.colour, word: words.light[connection.colour] ?? connection.state };
}

function drawBar() {
  const { colour, word } = light(), { status } = board;
  byId("light").dataset.colour = colour;
  byId("state").textContent = word;
  set("mode", status.label);
  const count = status.queue?.count ?? 0;
  set("waiting", count > 0 && words.waitingCount(count));
  set("trial", status.remote?.trial && words.onTrial);
  byId("mode").title = status.modeCause ?? "";
  const text = { no: words.bannerNo, silent: words.bannerSilent }[board.reach];
  set("banner", text ?? (board.status.sos && words.bannerSOS));
  document.body.classList.toggle("lost", !!text);
  document.title = `${word} – Homeward`;
  speak(words.spoken(word, status.label ?? ""));
  drawAge();
}

function set(id, text) {
  const element = byId(id);
  element.hidden = !text;
  if (text && element.textContent !== text) element.textContent = text;
}

function drawAge() {
  const age = fixAge(), speed = board.status.fix?.vel, isDriven = speed >= DRIVEN && age < FRESH;
  byId("age").classList.toggle("speed", isDriven);
  byId("age").textContent = isDriven ? words.speed(speed) : age === undefined ? (board.reach ? words.noPosition : "") : words.age(span(age));
}

let spoken;

/** For those who hear the page: the state when it changes, not each second's figures. */
function speak(text) {
  if (!board.status.connection || spoken === text) return;
  spoken = text;
  byId("spoken").textContent = text;
}
