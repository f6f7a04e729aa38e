// The list of boards: a file beside this page, that somebody else writes anew all the time.
import { say } from "./text.js";

export const FILE = "boards.jsonl";
/** Milliseconds between two looks. */
const PACE = 30_000;

/** `content` of the file that was read last, `written` and `now` in Unix seconds by the server's clock, `trouble` in words. */
export const source = { content: undefined, written: undefined, trouble: undefined };
let ahead = 0, timer, isReading = false;

/** By the server's clock: that of a phone may be anywhere. */
export const now = () => Math.floor(Date.now() / 1000 + ahead);

export function follow(changed) {
  const look = async () => {
    clearTimeout(timer);
    if (!isReading && !document.hidden) {
      isReading = true;
      await read();
      isReading = false;
      changed();
    }
    timer = setTimeout(look, PACE);
  };
  document.addEventListener("visibilitychange", look);
  window.addEventListener("online", look);
  look();
}

async function read() {
  try {
    // The server is asked each time, and says when nothing has changed.
    const answer = await fetch(FILE, { cache: "no-cache" });
    if (!answer.ok) throw new Error(say.status(answer.status, answer.statusText));
    const content = await answer.text();
    const time = name => { const value = Date.parse(answer.headers.get(name) ?? ""); return Number.isNaN(value) ? undefined : value / 1000; };
    // An answer that some cache has kept tells of an earlier time.
    const date = answer.headers.has("Age") ? undefined : time("Date");
    ahead = date === undefined ? 0 : date - Date.now() / 1000;
    Object.assign(source, { content, written: time("Last-Modified"), trouble: undefined });
  } catch (error) {
    source.trouble = error instanceof TypeError ? say.unreachable : error.message;
  }
}
