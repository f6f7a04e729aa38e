// The map with the course up. Leaflet knows no turned map: its whole element is turned, as large as it takes to fill the
// corners, and whatever a finger does there begins with turning it back.
import { board } from "../board.js";
import { byId } from "../dom.js";
import { map, setFollow, setTurn } from "./map.js";
import { soonLabels } from "./labels.js";

let isOn = false, isBegun = false, turn = 0;

/** With each position; false: north is up again. */
export function goAhead(isWanted) {
  if (!isBegun) begin();
  const course = board.status.fix?.cog;
  if (isWanted && course >= 0) {
    // The short way round.
    turn += ((course - turn) % 360 + 540) % 360 - 180;
  } else if (!isWanted) {
    turn = 0;
  }
  isOn = isWanted;
  draw();
}

function begin() {
  isBegun = true;
  const side = byId("map").parentElement;
  new ResizeObserver(() => { if (isOn) draw(); }).observe(side);
  for (const kind of ["pointerdown", "wheel"]) {
    side.addEventListener(kind, event => { if (isOn && byId("map").contains(event.target)) setFollow("none"); }, { capture: true, passive: true });
  }
}

function draw() {
  const element = byId("map"), { clientWidth: wide, clientHeight: high } = element.parentElement;
  const size = Math.ceil(Math.hypot(wide, high));
  Object.assign(element.style, isOn
    ? { width: `${size}px`, height: `${size}px`, left: `${(wide - size) / 2}px`, top: `${(high - size) / 2}px`, right: "auto", bottom: "auto", transform: `rotate(${-turn}deg)` }
    : { width: "", height: "", left: "", top: "", right: "", bottom: "", transform: "" });
  document.documentElement.style.setProperty("--turn", `${turn}deg`);
  element.classList.toggle("turned", isOn);
  byId("north").style.rotate = `${-turn}deg`;
  setTurn(turn);
  if (isOn) map.invalidateSize({ animate: false });
  soonLabels();
}
