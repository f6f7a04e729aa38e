// Where the page begins.
import { makeBar } from "./bar.js";
import { again, begin, on } from "./board.js";
import { friends, makeFriends, onFriends } from "./map/friends.js";
import { makeMap } from "./map/map.js";
import { makeRegions } from "./map/regions.js";
import { badge, makeSheet } from "./sheet/sheet.js";
import { makeTrack } from "./map/track.js";
import { words } from "./words.js";

/** Leaflet is three times as large as all of this: the stream is on its way before it has come. */
async function leaflet() {
  while (!window.L) await new Promise(resolve => setTimeout(resolve, 10));
}

async function makePage() {
  begin();
  // Scripts that come early find a page that is not whole yet.
  if (document.readyState === "loading") await new Promise(resolve => document.addEventListener("readystatechange", resolve, { once: true }));
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", words[element.dataset.label]);
  }
  makeBar();
  makeSheet();
  await leaflet();
  makeMap();
  makeRegions();
  makeFriends();
  onFriends(() => badge("friends", friends.updates, words.friendsSince(friends.updates)));
  // The position comes first; the way behind it can wait for it.
  let isBegun = false;
  on("status", () => { if (!isBegun) { isBegun = true; makeTrack(); } });
  again();
}

makePage();
