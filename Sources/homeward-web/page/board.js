// The state of the board: the stream of its state, questions and orders. Nothing is kept in the browser.

/** Seconds: reconnecting waits longer each time; the board sends something every three, whatever happens. */
const LONGEST_WAIT = 5, SILENCE = 4.2;
/** Seconds until it is asked once more what this page may do. */
const PAGE_WAIT = 3;

const listeners = {};

export const board = {
  /** The sections of the daemon's status, as far as they were told. */
  status: {},
  /** What this page may do and which maps there are; undefined until it is known. */
  page: undefined,
  /** "yes", "no" (the phone does not reach the board), "silent" (the tracker does not answer); undefined at first. */
  reach: undefined,
  /** By the page's own clock (performance.now): when the position was measured. */
  fixAt: undefined,
  /** By the same clock: when each section was told. */
  receivedAt: {},
};

/** Topics: "status" with the names of the changed sections, "reach", "page", and the name of each list. */
export function on(topic, listener) {
  (listeners[topic] ??= []).push(listener);
}

function notify(topic, value) {
  for (const listener of listeners[topic] ?? []) listener(value);
}

/** Resolves when it is known what this page may do, or nobody says so in time. */
export const pageKnown = new Promise(resolve => { on("page", resolve); setTimeout(resolve, 3000); });

export const mayChange = () => (board.page?.may ?? "change") === "change";
/** On a locked board, too, which lets nobody change anything. */
export const mayPublish = () => board.page?.may !== "look";

/** Seconds since the position was measured; undefined: there is none. */
export function fixAge() {
  const fix = board.status.fix;
  if (!fix) return undefined;
  if (board.fixAt !== undefined) return (performance.now() - board.fixAt) / 1000;
  // It is from before the tracker's start: only the calendar knows.
  return Math.max(0, Date.now() / 1000 - fix.tst);
}

/** Seconds that a section has told of, and those that have gone by since: what only grows older is told once. */
export const grown = (section, seconds) => seconds + (performance.now() - (board.receivedAt[section] ?? performance.now())) / 1000;

/** An answer of the board; an object with `ok` false and `error` where there is none. */
export async function question(path, values = {}) {
  const search = new URLSearchParams(values).toString();
  // The board says whether it may be kept, and whether what is kept is still right.
  return answer(`/api/${path}${search ? `?${search}` : ""}`, { cache: "no-cache" });
}

/** Has the board do something: the words of the command line. */
export async function order(...line) {
  return answer("/api/do", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(line.map(String)),
  });
}

async function answer(path, options) {
  try {
    const response = await fetch(path, options);
    if (response.status === 401) location.reload();
    return await response.json();
  } catch (error) {
    return { ok: false, error: undefined };
  }
}

/** Tells everything that is known once more, to those who came later than it. */
export function again() {
  if (board.page) notify("page");
  const known = Object.keys(board.status);
  if (known.length) notify("status", new Set(known));
}

// MARK: The stream

let pageText, control, lastHeard = 0, wait = 1, waiting, isFirst = true;

/** Begins, and goes on until the page is hidden; a hidden page costs the board nothing. */
export function begin() {
  document.addEventListener("visibilitychange", () => document.hidden ? halt() : connect());
  addEventListener("pagehide", halt);
  addEventListener("pageshow", event => { if (event.persisted) connect(); });
  addEventListener("online", connect);
  document.addEventListener("securitypolicyviolation", refused);
  setInterval(watch, 250);
  connect();
}

function halt() {
  clearTimeout(waiting);
  control?.abort();
  control = undefined;
}

async function connect() {
  halt();
  if (document.hidden) return;
  const mine = control = new AbortController();
  isFirst = true;
  lastHeard = performance.now();
  if (!board.page) loadPage();
  try {
    const response = await fetch("/api/events", { signal: mine.signal, cache: "no-store" });
    if (response.status === 401) return location.reload();
    if (!response.ok) throw new Error(response.statusText);
    await read(response.body.getReader());
  } catch (error) { /* it is connected again below, unless it was halted */ }
  if (control !== mine) return;
  control = undefined;
  lost();
}

async function loadPage() {
  const page = await question("page");
  if (!page.ok) return void setTimeout(() => { if (control && board.reach === "yes" && !board.page) loadPage(); }, PAGE_WAIT * 1000);
  const before = board.page;
  board.page = page;
  // The page's headers say what the browser may load: another map needs a new page.
  if (before && before.map?.template !== page.map?.template) return soonReload();
  notify("page");
}

/** A page that was opened while the tracker did not answer came without the right to load its map: a new one has it. */
function refused(event) {
  const source = board.page?.map?.source;
  if (source && !event.originalPolicy.split(/[ ;]+/).includes(source)) soonReload();
}

let reloading;

/** Not while somebody is asked something, or writes. */
function soonReload() {
  clearTimeout(reloading);
  if (document.querySelector("dialog[open], .field.changed")) reloading = setTimeout(soonReload, 1000);
  else location.reload();
}

/** Tries again, soon at first. */
function lost() {
  reached("no");
  clearTimeout(waiting);
  waiting = setTimeout(connect, wait * 1000);
  wait = Math.min(LONGEST_WAIT, wait * 1.7);
}

/** A phone that has left the WiFi is not told so by anybody. */
function watch() {
  if (!control || performance.now() - lastHeard < SILENCE * 1000) return;
  halt();
  lost();
}

async function read(reader) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    lastHeard = performance.now();
    wait = 1;
    if (board.reach === "no" || !board.reach) reached("yes");
    text += decoder.decode(value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop();
    for (const block of blocks) take(block);
  }
}

function take(block) {
  let kind = "message", data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) kind = line.slice(6).trim();
    if (line.startsWith("data:")) data += line.slice(5).trim();
  }
  if (!data) return;
  const value = JSON.parse(data);
  if (kind === "status") merge(value);
  if (kind === "board") reached(value.reached ? "yes" : "silent");
  if (kind === "changed") for (const list of Object.keys(value)) notify(list);
}

export function merge(sections) {
  // No event reports sections that went away while the stream was down.
  const isWhole = isFirst, isAnew = isFirst && Object.keys(board.status).length > 0;
  if (isFirst) { board.status = {}; board.receivedAt = {}; }
  isFirst = false;
  for (const [name, section] of Object.entries(sections)) {
    board.receivedAt[name] = performance.now();
    if (section === null) delete board.status[name];
    else board.status[name] = section;
  }
  if ("fix" in sections) {
    const age = sections.fix?.age;
    board.fixAt = age === undefined ? undefined : performance.now() - age * 1000;
  }
  // The owner has another map, or another scale.
  if (isWhole || "page" in sections) {
    const text = JSON.stringify(sections.page ?? null);
    if (board.page && pageText !== undefined && pageText !== text) loadPage();
    pageText = text;
  }
  if (board.reach !== "yes") reached("yes");
  notify("status", new Set(Object.keys(sections)));
  // Nor does one report lists that grew meanwhile: the board looks for changes while somebody looks at it.
  if (isAnew) for (const list of ["history", "why"]) notify(list);
}

function reached(reach) {
  if (board.reach === reach) return;
  const wasLost = board.reach === "no" || board.reach === "silent";
  board.reach = reach;
  notify("reach");
  if (reach !== "yes" || !wasLost) return;
  if (!board.page) loadPage();
  // Events that were missed do not come again.
  for (const list of ["regions", "friends", "history", "why"]) notify(list);
}
