// The list of regions, and the forms that make, change and delete them.
import { board, mayChange, order } from "../board.js";
import { ask, confirmed } from "./dialog.js";
import { button, make, say, show } from "../dom.js";
import { centreOn, map } from "../map/map.js";
import { regionMark } from "../map/marker.js";
import { isBeacon, kindOf, loadRegions, onRegions, regionName, regions, whereIs } from "../map/regions.js";
import { isOpen } from "./sheet.js";
import { distance, words } from "../words.js";

/** Metres of a place that somebody adds, until they say otherwise. */
const USUAL = 100;
/** Rows that are drawn at once; more on demand. */
const ROWS = 100;
let list, note, more, handle, shown = ROWS;

export function opened(panel) {
  if (!list) {
    list = make("ul", { class: "rows", onclick: act });
    note = make("p", { class: "note" });
    more = button(words.more, () => { shown += ROWS; draw(); });
    panel.append(make("h2", { text: words.tabs.places }),
      make("div", { class: "choices" }, button(words.addPlace, () => add(), { class: "main", disabled: !mayChange() })), note, list, make("div", { class: "choices" }, more));
    onRegions(draw);
  }
  draw();
  loadRegions();
}

function draw() {
  if (!isOpen("places")) return;
  const fix = board.status.fix;
  const far = region => fix ? map.distance([fix.lat, fix.lon], [region.lat, region.lon]) : 0;
  // Where the board is comes first, then what is near.
  const sorted = regions.list.map(region => ({ region, far: far(region) })).sort((a, b) => (b.region.inside === true) - (a.region.inside === true) || a.far - b.far);
  note.textContent = [sorted.length ? words.placesCount(sorted.length) + "." : words.noPlaces, mayChange() && words.addHint].filter(Boolean).join(" ");
  more.hidden = sorted.length <= shown;
  show(list, ...sorted.slice(0, shown).map(({ region, far }) => make("li", { "data-rid": region.rid },
    make("button", { type: "button", class: "row", "data-act": "centre", title: words.showOnMap }, make("span", { class: "symbol" }, mark(region)),
      make("span", { class: "grow" }, regionName(region), make("small", { text: [whereIs(region), kindOf(region), fix && words.away(distance(far))].filter(Boolean).join(", ") }))),
    mayChange() ? make("button", { type: "button", "data-act": "edit", "aria-label": `${words.edit}: ${regionName(region)}`, text: words.edit }) : "")));
}

function mark(region) {
  if (isBeacon(region) || !(region.rad > 0 || region.polygon)) return regionMark(region);
  const kind = region.desc.startsWith("+") ? "follow" : region.inside ? "in" : "out";
  return make("span", { class: `ring-mark ${kind}` });
}

function act(event) {
  const rid = event.target.closest("[data-rid]")?.dataset.rid, region = regions.list.find(each => each.rid === rid);
  const name = event.target.closest("[data-act]")?.dataset.act;
  if (!region || !name) return;
  if (name === "centre") return centreOn(region.lat, region.lon);
  edit(region);
}

/** The words of an answer, or why there is none. A place that was changed is no news of the stream. */
function showAnswer(answer) {
  say(answer.text ?? answer.error ?? words.failed, !answer.ok);
  loadRegions();
}

// MARK: The form

/** Without a place it is the board's. */
export async function add(lat, lon) {
  const fix = board.status.fix, isHere = lat === undefined;
  const form = makeForm({ desc: "", lat: lat ?? fix?.lat, lon: lon ?? fix?.lon, rad: USUAL });
  if (await ask(words.addTitle, form.elements, [{ text: words.cancel }, { text: words.save, value: "save" }]) !== "save") return;
  const values = form.values(), line = ["region", "add"];
  // A board that has moved on meanwhile is not where the form says.
  line.push("--at", `${values.lat},${values.lon}`, "--radius", values.rad);
  if (values.uuid) line.push("--uuid", values.uuid);
  for (const [option, value] of [["--major", values.major], ["--minor", values.minor], ["--dwell", values.dwell], ["--speed-limit", values.speedLimit]]) {
    if (value !== "") line.push(option, value);
  }
  // Regions are dated, and a board without a clock cannot do it: the phone has one.
  if (board.status.clock?.trusted === false) line.push("--tst", Math.floor(Date.now() / 1000));
  if (!values.share) line.push("--no-share");
  if (values.private) line.push("--private", "yes");
  // A name may begin with a dash.
  if (values.desc) line.push("--", values.desc);
  showAnswer(await order(...line));
  if (isHere) centreOn(Number(values.lat), Number(values.lon));
}

export async function edit(region) {
  const form = makeForm({ ...region, desc: regionName(region) });
  const choice = await ask(words.editTitle, form.elements, [
    { text: words.remove, value: "remove", isGrave: true }, { text: words.move, value: "move" }, { text: words.cancel }, { text: words.save, value: "save" },
  ]);
  if (choice === "move") { centreOn(region.lat, region.lon); return offerMove(region); }
  if (choice === "remove") {
    if (await confirmed(words.removeText(regionName(region)), words.remove)) showAnswer(await order("region", "rm", region.rid));
    return;
  }
  if (choice !== "save") return;
  const line = changes(region, form.values());
  if (line.length) showAnswer(await order("region", "set", region.rid, ...line));
}

/** The options for what is not as it was. */
function changes(region, values) {
  const line = [];
  const put = (option, before, after) => { if (String(before ?? "") !== String(after)) line.push(option, after); };
  put("--name", regionName(region), values.desc);
  put("--radius", region.rad, values.rad);
  if (Number(values.lat) !== region.lat || Number(values.lon) !== region.lon) line.push("--at", `${values.lat},${values.lon}`);
  put("--share", region.share === false ? "no" : "yes", values.share ? "yes" : "no");
  put("--private", region.private ? "yes" : "no", values.private ? "yes" : "no");
  put("--dwell", region.dwell ?? "", values.dwell === "" && region.dwell ? 0 : values.dwell);
  put("--speed-limit", region.speedLimit ?? "", values.speedLimit === "" && region.speedLimit ? 0 : values.speedLimit);
  if (values.uuid && (values.uuid !== region.uuid || values.major !== String(region.major ?? "") || values.minor !== String(region.minor ?? ""))) {
    line.push("--uuid", values.uuid);
    if (values.major !== "") line.push("--major", values.major);
    if (values.minor !== "") line.push("--minor", values.minor);
  }
  return line;
}

function makeForm(region) {
  const fields = {};
  const field = (name, label, attributes) => {
    fields[name] = make("input", { ...attributes, value: region[name] ?? "" });
    return make("label", {}, label, fields[name]);
  };
  const check = (name, label, isOn) => {
    fields[name] = make("input", { type: "checkbox", checked: isOn });
    return make("label", { class: "check" }, fields[name], label);
  };
  const number = (least, most, step = 1) => ({ type: "number", min: least, max: most, step, inputmode: "decimal" });
  const here = button(words.useHere, () => {
    fields.lat.value = board.status.fix.lat.toFixed(6);
    fields.lon.value = board.status.fix.lon.toFixed(6);
  }, { disabled: !board.status.fix });
  for (const name of ["lat", "lon"]) if (region[name] !== undefined) region[name] = Number(region[name].toFixed(6));
  const elements = make("div", { class: "form" },
    field("desc", words.name, { type: "text", autocomplete: "off", placeholder: words.hereDefault }),
    field("rad", words.radius, number(-1, 20037508)), make("small", { text: words.radiusHint }),
    make("div", { class: "form two" }, field("lat", words.latitude, { ...number(-90, 90, "any"), required: true }), field("lon", words.longitude, { ...number(-180, 180, "any"), required: true })), here,
    make("details", {}, make("summary", { text: words.expert }), make("div", { class: "form" }, make("small", { text: words.namesHint }),
      check("share", words.share, region.share !== false), check("private", words.private, region.private === true),
      field("uuid", words.uuid, { type: "text", autocomplete: "off" }),
      make("div", { class: "form two" }, field("major", words.major, number(0, 65535)), field("minor", words.minor, number(0, 65535)),
        field("dwell", words.dwell, number(0, 86400)), field("speedLimit", words.speedLimit, number(0, 500))))));
  const values = () => Object.fromEntries(Object.entries(fields).map(([name, input]) => [name, input.type === "checkbox" ? input.checked : input.value.trim()]));
  return { elements, values };
}

// MARK: Moving

/** A marker to drag; what it means is asked before it is done. */
export function offerMove(region) {
  const L = window.L, from = L.latLng(region.lat, region.lon);
  map.closePopup();
  abandon();
  handle = L.marker(from, {
    draggable: true, pane: "people", keyboard: false, zIndexOffset: 2000,
    icon: L.divIcon({ className: "handle", iconSize: [44, 44], html: regionMark({}) }),
  }).addTo(map);
  say(words.dragHint);
  map.on("click", abandon);
  document.addEventListener("keydown", escape);
  handle.on("dragend", async () => {
    const to = handle.getLatLng();
    abandon();
    if (!await confirmed(words.moveText(regionName(region), distance(from.distanceTo(to))), words.move, false)) return;
    const answer = await order("region", "move", region.rid, "--at", `${to.lat.toFixed(6)},${to.lng.toFixed(6)}`);
    showAnswer(answer);
  });
}

/** A tap on the map beside it, or Escape, leaves everything where it is. */
function abandon() {
  handle?.remove();
  handle = undefined;
  map.off("click", abandon);
  document.removeEventListener("keydown", escape);
}

const escape = event => { if (event.key === "Escape") abandon(); };
