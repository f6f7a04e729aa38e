// Drawings on the map: this board and friends with speed and course, pins, beacons.
import { draw } from "../dom.js";

/** Where the tachometer shows which speed: km/h and degrees from six o'clock, clockwise. */
const ANCHORS = [[0, 0], [30, 90], [100, 180], [180, 270]];
const FULL = 359.9;

/** Degrees from six o'clock, clockwise, of a speed in km/h. */
export function tachometer(speed, scale) {
  if (!(speed > 0)) return 0;
  if (scale === "linear") return 300 * Math.min(speed / 260, 1);
  if (scale === "classic") return Math.min(FULL, 360 * Math.log(1 + speed / 30) / Math.log(1 + 540 / 30));
  const index = Math.min(ANCHORS.length - 2, ANCHORS.filter(([at]) => at <= speed).length - 1);
  const [least, angle] = ANCHORS[index], [most] = ANCHORS[index + 1];
  const part = Math.log((1 + speed / 30) / (1 + least / 30)) / Math.log((1 + most / 30) / (1 + least / 30));
  return Math.min(FULL, angle + 90 * part);
}

/** A point of a circle; 0 is at six o'clock, and degrees go clockwise. */
function onCircle(degrees, radius) {
  const angle = (degrees + 90) * Math.PI / 180;
  return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
}

/** A piece of the rim from one angle to another. */
function rim(from, to, inner, outer) {
  const isLarge = to - from > 180 ? 1 : 0;
  return `M${onCircle(from, outer)}A${outer} ${outer} 0 ${isLarge} 1 ${onCircle(to, outer)}`
    + `L${onCircle(to, inner)}A${inner} ${inner} 0 ${isLarge} 0 ${onCircle(from, inner)}Z`;
}

/** A base64 picture as an address, PNG or JPEG; undefined where it is neither. */
export function picture(face) {
  if (!face || !/^[A-Za-z0-9+/=]+$/.test(face)) return undefined;
  const kind = face.startsWith("iVBOR") ? "png" : face.startsWith("/9j/") ? "jpeg" : undefined;
  return kind && `data:image/${kind};base64,${face}`;
}

let numbers = 0;

/**
 * The marker of a tracker, 40 px wide: a yellow disc with face or tid, a ring in blue (this board) or green (a friend),
 * the speed as a red, yellow-rimmed part of the ring, the course as a blue half disc at its edge, north up.
 */
export function trackerMarker({ tid, face, speed, course, scale, isSelf, label }) {
  const id = `clip${++numbers}`;
  const start = scale === "linear" ? 30 : 0, angle = tachometer(speed, scale);
  const marker = draw("svg", {
    viewBox: "-22 -22 44 44", role: "img", "aria-label": label, class: `tracker ${isSelf ? "self" : "friend"}`,
    "data-angle": angle.toFixed(1), "data-course": course >= 0 ? course : undefined,
  }, draw("clipPath", { id }, draw("circle", { r: 20 })), draw("clipPath", { id: `${id}f` }, draw("circle", { r: 15 })));
  marker.append(draw("circle", { r: 20, class: "ring" }), draw("circle", { r: 15, class: "disc" }));
  const source = picture(face);
  if (source) {
    marker.append(draw("image", { href: source, x: -15, y: -15, width: 30, height: 30, "clip-path": `url(#${id}f)`, preserveAspectRatio: "xMidYMid slice" }));
  } else {
    marker.append(draw("text", { y: 5, "text-anchor": "middle", text: (tid || "?").slice(0, 3) }));
  }
  if (angle > 0) marker.append(draw("path", { class: "speed", d: rim(start, start + angle, 14.5, 20.5) }));
  // North is 0, and a course of 0 is one.
  if (course >= 0) {
    const [x, y] = onCircle(course + 180, 20).split(" ");
    marker.append(draw("g", { "clip-path": `url(#${id})` }, draw("circle", { cx: x, cy: y, r: 6, class: "course" })));
  }
  return marker;
}

/** Of the history: a purple diamond where a person published, a red dot where it went by itself. */
export function placeMark(isManual) {
  return draw("svg", { viewBox: "-12 -12 24 24", class: `place ${isManual ? "manual" : "automatic"}` },
    isManual ? draw("path", { d: "M0-8 8 0 0 8-8 0z" }) : draw("circle", { r: 3.5 }));
}

/** Of a region without a circle: a green pin, or a beacon, red while it is heard and blue while it is not. */
export function regionMark(region) {
  if (!region.uuid) {
    return draw("svg", { viewBox: "0 0 24 30", class: "pin" },
      draw("path", { d: "M12 29C19 20 22 16 22 11a10 10 0 0 0-20 0c0 5 3 9 10 18z" }), draw("circle", { cx: 12, cy: 11, r: 4 }));
  }
  const isHot = region.inside === true;
  return draw("svg", { viewBox: "0 0 24 24", class: `beacon ${isHot ? "hot" : "cold"}` },
    draw("circle", { cx: 12, cy: 12, r: 11.5, class: "back" }), draw("circle", { cx: 12, cy: 12, r: 2.5, class: "core" }),
    // Somebody is heard: waves, not the colour alone.
    isHot ? draw("path", { d: "M8.5 15.5a5 5 0 0 1 0-7M15.5 8.5a5 5 0 0 1 0 7M6 18a8.5 8.5 0 0 1 0-12M18 6a8.5 8.5 0 0 1 0 12" }) : undefined);
}
