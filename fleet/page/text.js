// Everything that a person reads on the fleet's page, but for what the boards say. To translate it, translate this file.
import { callsForHelp } from "./standing.js";
import { count, span } from "./words.js";

const pad = number => String(number).padStart(2, "0");

/** A moment in Unix seconds, as `homeward fleet status` has it; times of a table are to be compared at a glance. */
export function moment(seconds) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return "?";
  return `${day(seconds)} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

export function day(seconds) {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "?" : `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

export const say = {
  title: "Fleet", map: "Map of all boards", list: "All boards", states: "Only boards of this state", buttons: "Map buttons",
  filter: "Search: name, version, state", showAll: "Show all boards", closer: "Closer", farther: "Farther",
  loading: "reading the list",
  none: "No board yet", noneSo: "No board is so",
  shown: (some, all) => `${some.toLocaleString()} of ${count(all, "board", "boards")}`,
  stateNames: { sos: "SOS", online: "online", overdue: "overdue", vanished: "vanished", stopped: "stopped", asleep: "asleep", silent: "no status" },
  counter: (state, number) => `${number.toLocaleString()} ${say.stateNames[state]}`,
  state: board => (callsForHelp(board) ? "SOS, " : "") + say.stateWords(board),
  stateWords: ({ state, since, word }) => state === "overdue" ? `overdue since ${moment(since)}`
    : (state === "stopped" || state === "asleep") && word.reason && word.reason !== state
      ? `${state}: ${word.reason}${word.nextCheckIn ? `, next check-in at ${moment(word.nextCheckIn)}` : ""}` : say.stateNames[state],
  columns: {
    topic: "Board", state: "State", heard: "Heard", version: "Version", battery: "Battery", waiting: "Waiting", disk: "Disk",
    certificate: "Certificate", update: "Last update",
  },
  unknown: "–", percent: number => `${number} %`, free: number => `${number} % free`, update: ({ version, result }) => `${version} ${result}`,
  listOf: age => `list ${span(age)} old`,
  stale: (file, age) => `${file} is ${span(age)} old: whatever writes it has stopped. The states below are reckoned from what it says.`,
  unread: (file, why) => `${file}: ${why}, expected lines of JSON beside this page. What you see was read before; it is tried again.`,
  status: (code, words) => `the server says ${code} ${words}`.trim(), unreachable: "the server is not reached",
  badLine: (file, line, why) => `${file}: line ${line}: ${why}, expected an object with topic and a board's status or location`,
  moreBad: number => `and ${count(number, "other line", "other lines")}`,
  noMap: "No map: leaflet.js is not beside this page.",
  place: (when, age) => `Place of ${when}, ${span(age)} ago`, noPlace: "No place is known.", noTime: "at an unknown time",
  accuracy: metres => `± ${Math.round(metres)} m`, speed: number => `${Math.round(number)} km/h`, lastEnd: text => `Last end of the connection: ${text}`,
  close: "Close",
  counted: (all, missing, calls) => count(all, "board", "boards") + (missing ? `, ${missing.toLocaleString()} missing` : "") + (calls ? `; ${say.calls(calls)}` : ""),
  calls: number => `SOS from ${number.toLocaleString()}`,
};
