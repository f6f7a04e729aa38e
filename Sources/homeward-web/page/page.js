// Where the page begins.
import { makeBar } from "./bar.js";
import { begin, on } from "./board.js";
import { friends, makeFriends, onFriends } from "./friends.js";
import { makeMap } from "./map.js";
import { makeRegions } from "./regions.js";
import { badge, makeSheet } from "./sheet.js";
import { makeTrack } from "./track.js";
import { words } from "./words.js";

for (const element of document.querySelectorAll("[data-label]")) {
  element.setAttribute("aria-label", words[element.dataset.label]);
}
// The stream is on its way while the rest is made.
begin();
makeBar();
makeMap();
makeRegions();
makeFriends();
makeSheet();
onFriends(() => badge("friends", friends.updates, words.friendsSince(friends.updates)));
// The position comes first; the way behind it can wait for it.
let isBegun = false;
on("status", () => { if (!isBegun) { isBegun = true; makeTrack(); } });
