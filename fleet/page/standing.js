// What a board's last words say of it, and what its silence does: the rules of `homeward fleet status`, by the same
// names (Sources/homeward/Fleet/FleetWord.swift, FleetStanding.swift). Tests/Unit/Homeward/Fleet/standing.jsonl holds both.

const SUFFIX = "/status";
/** Seconds that a message may be late, besides a quarter of the interval. */
const PATIENCE = 10;
/** Seconds that a check-in may be late: a start, a search for satellites, a network that is away. */
const CHECK_IN_PATIENCE = 3600;
/** Reasons of boards that are switched off to save a battery. */
const ASLEEP = ["parked", "batteryLow"];

/** In the order in which they are counted; `silent` is a board of which there is a place and no status. */
export const STATES = ["online", "overdue", "vanished", "stopped", "asleep", "silent"];
export const isMissing = state => state === "overdue" || state === "vanished";
/** Somebody there calls for help; it stays so where the board has gone since. */
export const callsForHelp = board => board.word?.sos !== undefined;
/** Comes before the others, wherever it is shown. */
export const isUrgent = board => isMissing(board.state) || callsForHelp(board);

/** Fault of a line, for people. */
export class LineFault extends Error {}

const text = value => typeof value === "string" ? value : undefined;
const whole = value => Number.isSafeInteger(value) ? value : undefined;
/** Seconds, of the epoch or of a span; what is beyond is neither. */
const above = value => value > 0 && value < 100_000_000_000 ? value : undefined;
const of = (value, key) => value !== null && typeof value === "object" && !Array.isArray(value) && Object.hasOwn(value, key) ? value[key] : undefined;

function parsed(line, fault) {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new LineFault(fault(error));
  }
}

/** Of a line of JSON: `{ word }` of a status, `{ place }` of a location; undefined where it is about something else. */
export function read(line) {
  const whose = parsed(line, error => `no JSON (${error.message})`), topic = text(of(whose, "topic"));
  if (!topic) throw new LineFault("no topic");
  const payload = of(whose, "payload") ?? whose;
  if (!topic.endsWith(SUFFIX)) return located(topic, payload);
  const message = text(payload) === undefined ? payload : parsed(payload, () => "a payload that is no JSON");
  if (of(message, "_type") === "encrypted") throw new LineFault("encrypted, and nobody here has the key");
  const linux = of(message, "linux");
  if (of(message, "_type") !== "status" || linux === undefined) throw new LineFault("no status of a board");
  return { word: { topic: topic.slice(0, -SUFFIX.length), time: above(whole(of(message, "tst"))), ...told(linux) } };
}

function told(linux) {
  const online = of(linux, "online"), disk = of(linux, "disk"), update = of(linux, "update");
  const version = text(of(linux, "version")), free = whole(of(disk, "free")), percent = whole(of(disk, "percent"));
  const result = text(of(update, "result")), updated = text(of(update, "version"));
  return {
    isOnline: typeof online === "boolean" ? online : true, reason: text(of(linux, "reason")), interval: above(whole(of(linux, "interval"))), version,
    // The board's own message, and not what the broker was to say of it.
    isOwn: version !== undefined || of(linux, "queueLength") !== undefined,
    battery: whole(of(of(linux, "battery"), "level")), waiting: whole(of(linux, "queueLength")), waitingBytes: whole(of(linux, "queueBytes")),
    disk: free !== undefined && percent !== undefined ? { free, percent } : undefined, certificateEnd: whole(of(linux, "certificateEnd")),
    lastEnd: text(of(of(linux, "lastEnd"), "word")), nextCheckIn: above(whole(of(linux, "nextCheckIn"))), missedCheckIns: whole(of(of(linux, "missedCheckIns"), "count")),
    sos: whole(of(linux, "sos")),
    update: result !== undefined && updated !== undefined ? { result, version: updated, tst: whole(of(update, "tst")) } : undefined,
  };
}

/** A place for the map. Events and the like have topics of their own, and are nothing for this page. */
function located(topic, payload) {
  const message = text(payload) === undefined ? payload : parsed(payload, () => "a payload that is no JSON");
  if (of(message, "_type") !== "location") return undefined;
  const number = (key, most) => { const value = of(message, key); return typeof value === "number" && Math.abs(value) <= most ? value : undefined; };
  const lat = number("lat", 90), lon = number("lon", 180);
  if (lat === undefined || lon === undefined) throw new LineFault("a location without a place");
  return { place: { topic, lat, lon, time: above(whole(of(message, "tst"))), accuracy: number("acc", 1e7), speed: number("vel", 1e4), course: number("cog", 360) } };
}

const dueTime = word => !word.isOnline ? word.nextCheckIn : word.interval !== undefined && word.time !== undefined ? word.time + word.interval : undefined;

/**
 * The age is what counts: brokers also say of boards that they have gone when they stop themselves, and keep what boards
 * have said that can no longer say otherwise.
 */
export function stateOf(word, now) {
  if (!word) return "silent";
  if (!word.isOnline) {
    if (word.nextCheckIn !== undefined && now > word.nextCheckIn + CHECK_IN_PATIENCE) return "overdue";
    if (word.reason !== undefined) return ASLEEP.includes(word.reason) ? "asleep" : "stopped";
    return word.isOwn ? "stopped" : "vanished";
  }
  const due = dueTime(word);
  return due !== undefined && now > due + PATIENCE + Math.floor(word.interval / 4) ? "overdue" : "online";
}

export const overdueSince = (word, now) => word && stateOf(word, now) === "overdue" ? dueTime(word) : undefined;

/** All lines of a file: words and places by topic, the last of several counts; `faults` names those that are neither. */
export function readAll(content) {
  const words = new Map(), places = new Map(), faults = [];
  content.split("\n").forEach((line, index) => {
    if (/^[\0-\x20]*$/.test(line)) return;
    try {
      const found = read(line);
      if (found?.word) words.set(found.word.topic, found.word);
      if (found?.place) places.set(found.place.topic, found.place);
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      faults.push({ line: index + 1, text: error.message });
    }
  });
  return { words, places, faults };
}

/** One for each topic, by topic. */
export function boardsOf({ words, places }, now) {
  return [...new Set([...words.keys(), ...places.keys()])].sort().map(topic => {
    const word = words.get(topic);
    return { topic, word, place: places.get(topic), state: stateOf(word, now), since: overdueSince(word, now) };
  });
}

/** As `homeward fleet status --json` has it. */
export function answer({ topic, word, state, since }) {
  const all = { topic, state, since };
  if (word) {
    const { time, interval, reason, version, battery, waiting, waitingBytes, disk, certificateEnd, lastEnd, update, nextCheckIn, missedCheckIns, sos } = word;
    Object.assign(all, { heard: time, interval, nextCheckIn, missedCheckIns, sos, reason, version, battery, waiting, waitingBytes, disk, certificateEnd, lastEnd, update });
  }
  return JSON.parse(JSON.stringify(all));
}
