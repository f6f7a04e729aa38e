// The present state, and the commands for it.
import { board, fixAge, grown, mayChange, mayPublish, on, order } from "../board.js";
import { light } from "../bar.js";
import { confirmed } from "./dialog.js";
import { button, byId, facts, icon, make, say, show } from "../dom.js";
import { isOpen } from "./sheet.js";
import { bytes, distance, span, time, words } from "../words.js";

const MODES = ["quiet", "manual", "significant", "move"];
let nowPanel, parts, note;

export function opened(panel) {
  if (!nowPanel) {
    nowPanel = panel;
    parts = Object.fromEntries(["mode", "position", "sos", "connection", "queue", "board", "history"].map(name => {
      const body = make("div");
      panel.append(make("section", { class: "part", id: `part-${name}` }, make("h2", { text: words[name === "board" ? "boardName" : name] }), body));
      return [name, body];
    }));
    note = make("p", { class: "note" });
    panel.prepend(note);
    for (const topic of ["status", "reach", "page"]) on(topic, drawNow);
    // Ages are counted up here: the tracker sends them once.
    setInterval(() => { if (!document.hidden) drawNow(); }, 1000);
    import("./history.js").then(history => history.makeHistory(parts.history));
  }
  drawNow();
}

function drawNow() {
  if (!isOpen("now")) return;
  note.hidden = mayChange();
  note.textContent = mayPublish() ? words.publishOnly : words.lookOnly;
  drawMode();
  drawPosition();
  drawSOS();
  drawConnection();
  drawQueue();
  drawBoard();
}

/** Does it, says what came of it; `act` gives the answer. */
async function perform(...line) {
  const answer = await order(...line);
  // The tracker's answer is for a terminal: it names commands where this page has buttons.
  const own = words.did[line.slice(0, 2).join(" ")] ?? words.did[line[0]];
  say(answer.ok ? own ?? answer.text ?? words.done : answer.error ?? words.failed, !answer.ok);
}

const changing = (text, act, more = {}) => button(text, act, { disabled: !mayChange(), ...more });

function drawMode() {
  const { mode, label, modeCause } = board.status;
  const sign = label?.match(/[!#]+/)?.[0] ?? "";
  const notes = [words.modeMeaning[mode], sign.includes("!") && words.downgraded, sign.includes("#") && words.adapted, modeCause].filter(Boolean);
  const isNew = show(parts.mode,
    make("div", { class: "modes", role: "group", "aria-label": words.mode }, MODES.map(name =>
      make("button", { type: "button", "data-mode": name, "aria-pressed": String(mode === name), disabled: !mayChange() },
        icon(name), make("span", { text: words.modes[name] + (mode === name ? sign : "") })))),
    notes.map(text => make("p", { class: "note", text })));
  if (!isNew) return;
  for (const each of parts.mode.querySelectorAll("button")) {
    each.addEventListener("click", () => perform("mode", each.dataset.mode));
  }
}

function drawPosition() {
  if (!isOpen("now")) return;
  const { fix, inside, clock } = board.status, age = fixAge();
  if (!fix) return void show(parts.position, make("p", { text: words.neverAnyFix }));
  const north = fix.lat.toFixed(6), east = fix.lon.toFixed(6);
  const isNew = show(parts.position, facts([
    [words.coordinates, make("span", { class: "copied", text: `${north}, ${east}` })], [words.accuracyName, words.accuracy(distance(fix.acc))],
    [words.ageName, age < 90 ? time(fix.tst) : `${time(fix.tst)}, ${words.age(span(age))}`],
    [words.speedName, fix.vel >= 0 && words.speed(fix.vel)], [words.courseName, fix.cog >= 0 && words.course(fix.cog)],
    [words.altitudeName, fix.alt !== undefined && words.altitude(fix.alt)],
    [words.regionsName, inside?.length ? inside.join(", ") : words.nowhere],
  ]), clock?.trusted === false && make("p", { class: "note", text: words.clockUntrusted }) || "",
  make("div", { class: "choices" },
    make("button", { type: "button", "data-act": "share", text: navigator.share ? words.shareIt : words.copyIt }),
    make("a", { class: "button", href: `geo:${north},${east}`, text: words.openGeo }),
    make("a", { class: "button", href: mapAddress(north, east), rel: "noopener", target: "_blank", text: words.openMap })));
  if (isNew) listen(parts.position, { share: sharePosition });
}

const mapAddress = (north, east) => `https://www.openstreetmap.org/?mlat=${north}&mlon=${east}#map=17/${north}/${east}`;

/** By the phone's own means; a page without encryption may neither share nor copy by itself in every browser. */
async function sharePosition() {
  const { lat, lon } = board.status.fix, text = `${lat.toFixed(6)}, ${lon.toFixed(6)}`;
  if (navigator.share) return navigator.share({ title: words.self, text, url: mapAddress(lat.toFixed(6), lon.toFixed(6)) }).catch(() => {});
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else if (!copiedByHand()) throw new Error();
    say(words.copied(text));
  } catch (error) {
    say(words.copyYourself, true);
  }
}

function copiedByHand() {
  getSelection().selectAllChildren(parts.position.querySelector(".copied"));
  return document.execCommand("copy");
}

/** Open until somebody acknowledges it, here or elsewhere; on a locked board, too. */
function drawSOS() {
  const { sos } = board.status, disabled = !mayPublish();
  const isNew = show(parts.sos,
    make("p", { class: "note", text: sos ? words.sosOpen(sos.times, sos.since && time(sos.since)) : words.sosText }),
    make("div", { class: "choices" },
      sos ? button(words.acknowledge, () => {}, { "data-act": "acknowledge", class: "main", disabled }) : "",
      button(sos ? words.sosAgain : words.sosCall, () => {}, { "data-act": "sos", class: "grave", disabled })));
  if (!isNew) return;
  listen(parts.sos, {
    sos: async () => { if (await confirmed(words.sosConfirm, words.sosCall)) perform("sos"); },
    acknowledge: async () => { if (await confirmed(words.acknowledgeText, words.acknowledge, false)) perform("sos", "--acknowledge"); },
  });
}

function drawConnection() {
  const connection = board.status.connection ?? {}, { colour, word } = light();
  const server = connection.endpoint ?? (connection.host && `${connection.host}:${connection.port}`);
  const filters = connection.subscription ?? [];
  const isNew = show(parts.connection,
    make("p", { class: "state" }, make("span", { class: "light", "data-colour": colour }), word),
    facts([
      [words.server, server], [words.cause, connection.cause !== connection.state && connection.cause],
      [words.remedy, connection.remedy && onPage(connection.remedy)], [words.nextAttempt, nextAttempt(connection.nextAttempt)],
      [words.lastError, connection.lastError && `${connection.lastError.text}, ${words.age(span(grown("connection", connection.lastError.age)))}`],
      [words.topic, board.status.identity?.topic], [words.subscription, filters.map(filter => filter.filter ?? filter).join(", ")],
      [words.notHeard, connection.notSubscribed?.map(missing => `${missing.filter}: ${missing.why}`).join("; ")],
      [words.delivery, connection.colour && [connection.tls ? words.tls : words.plain, connection.encrypted && words.encrypted].filter(Boolean).join(", ")],
    ]),
    make("div", { class: "choices" },
      changing(words.reconnect, () => {}, { "data-act": "reconnect" }),
      connection.switchedOff ? changing(words.connect, () => {}, { "data-act": "connect", class: "main" })
        : changing(words.disconnect, () => {}, { "data-act": "disconnect" })));
  if (!isNew) return;
  listen(parts.connection, {
    settings: async () => (await import("./settings.js")).showSetting(settingOf(connection.remedy)),
    connect: () => perform("connect"), reconnect: () => perform("reconnect"),
    disconnect: async () => { if (await confirmed(words.disconnectText, words.disconnect)) perform("disconnect"); },
  });
}

/** Counted down: it is told when it is set. */
function nextAttempt(seconds) {
  if (!(seconds > 0)) return undefined;
  const left = 2 * seconds - grown("connection", seconds);
  return left > 0 ? span(left) : words.atOnce;
}

const COMMAND = /homeward config set (\w+)(?: (?:[A-Z]+|-|--default))?/;
const settingOf = text => text?.match(COMMAND)?.[1];

/** A remedy names commands of a terminal: here there is a field for it, and a button that leads there. */
function onPage(text) {
  const name = settingOf(text);
  const plain = text.replace(new RegExp(COMMAND, "g"), (_, key) => words.setHere(key)).replace(/[;,]? then: homeward reload/g, "");
  return [plain, name && make("button", { type: "button", "data-act": "settings", text: words.toSetting(name) })].filter(Boolean);
}

/** Listeners do not survive the comparison by which `show` decides. */
function listen(part, acts) {
  for (const each of part.querySelectorAll("[data-act]")) each.addEventListener("click", acts[each.dataset.act]);
}

function drawQueue() {
  const queue = board.status.queue ?? {};
  const isNew = show(parts.queue,
    queue.count > 0 ? "" : make("p", { text: words.nothingWaits }),
    facts([
      [words.waitingName, queue.count > 0 && words.queueText(queue.count, bytes(queue.bytes))],
      [words.inFlight, queue.count > 0 && words.inFlightOf(queue.inFlight, queue.window)],
      [words.confirmed, queue.lastConfirmed !== undefined && words.confirmedText(span(grown("queue", queue.lastConfirmed)))],
      [words.dropped, queue.dropped || ""], [words.refused, queue.refused || ""], [words.held, queue.held?.join(", ")],
      [words.passedBy, queue.passedBy?.join(", ")],
      [words.together, queue.waitsForBatch > 0 && words.togetherText(queue.waitsForBatch)],
      [words.backlog, queue.waitsForWifi > 0 && words.backlogText(queue.waitsForWifi)],
      [words.storeName, queue.storeFailing && words.storeFailing],
    ]),
    queue.count > 0 || queue.refused > 0 ? make("div", { class: "choices" },
      queue.refused > 0 ? changing(words.resend, () => {}, { "data-act": "resend" }) : "",
      queue.count > 0 ? changing(words.clearQueue, () => {}, { "data-act": "clear", class: "grave" }) : "") : "");
  if (!isNew) return;
  listen(parts.queue, {
    resend: () => perform("queue", "resend"),
    clear: async () => { if (await confirmed(words.clearQueueText, words.clearQueue)) perform("queue", "clear"); },
  });
}

function drawBoard() {
  const { battery, batteryCause, gps, network, odometer, trip, anchor, vehicle, version } = board.status;
  const receiver = gps && (gps.reached === false ? [words.receiverLost(gps.source), gps.cause] : gps.silent !== undefined || gps.mode < 1 ? [gps.cause]
    : [words.receiverFixes[gps.mode], gps.satellites !== undefined && words.satellites(gps.satellites), gps.device]);
  show(parts.board, facts([
    [words.battery, battery ? words.charge(battery.level, battery.state) : batteryCause],
    [words.receiver, receiver?.filter(Boolean).join(", ")],
    [words.vehicle, vehicle && [vehicle.ignition !== undefined && words.ignition(vehicle.ignition), vehicle.volts !== undefined && words.volts(vehicle.volts), vehicle.low && words.low].filter(Boolean).join(", ")],
    [words.network, words.networks[network] ?? network], [words.odometer, odometer !== undefined && words.kilometres(odometer)],
    [words.trip, trip && words.tripText(words.kilometres((trip.distance / 1000).toFixed(1)), time(trip.since))],
    [words.anchor, anchor && words.anchorText(anchor.dragging, anchor.alarm, time(anchor.since))],
    [words.version, version],
  ]));
}
