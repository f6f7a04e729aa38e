// Settings: one form for each group, from what the board says of its keys.
import { board, mayChange, on, order, question } from "../board.js";
import { ask, confirmed } from "./dialog.js";
import { button, facts, make, say, show } from "../dom.js";
import { isOpen, open as openTab } from "./sheet.js";
import { words } from "../words.js";

/** What is rarely changed of a long group is folded by its use; the rest is what everybody sees. */
const FOLDS = { reporting: {
  modes: ["downgrade", "adapt", "adaptRequiresFollow", "networkModes", "timeModes"],
  turns: ["adaptive", "adaptiveDistance", "adaptiveHeading", "adaptiveSpeed"],
  vehicle: ["odometer", "trips", "towAlarm", "alarmMessages", "overspeed", "harshDriving", "harshBraking", "harshAcceleration", "harshCornering", "ranging"],
} };
let place, remote, settings = [], fields = new Map();

export async function opened(panel) {
  if (!place) {
    remote = make("div");
    place = make("div");
    panel.append(make("h2", { text: words.tabs.settings }), remote, place);
    on("status", sections => { if (sections.has("remote")) { drawRemote(); load(); } });
  }
  drawRemote();
  // Values that are being edited are not replaced.
  if (!changed().length) await load();
}

async function load() {
  if (!isOpen("settings") || changed().length) return;
  const answer = await question("settings");
  if (!answer.ok) return void (place.children.length || show(place, make("p", { text: answer.error ?? words.failed })));
  settings = answer.settings.map(setting => ({ type: typeOf(setting.value), ...setting }));
  draw(answer.locked);
}

const inWords = value => value === true ? words.on : value === false ? words.off : Array.isArray(value) ? value.join(", ") || words.empty
  : value === "" || value === null || value === undefined ? words.empty : String(value);

/** Where the board says no more of a key than its value. */
const typeOf = value => Array.isArray(value) ? "list" : { boolean: "boolean", number: "number" }[typeof value] ?? "text";

/** What commands, and this page, have changed. */
function drawRemote() {
  const changes = board.status.remote;
  const isNew = show(remote, changes?.trial ? make("p", { class: "note trial", text: words.trialRuns }) : "",
    changes ? make("section", { class: "part" }, make("h3", { text: words.changedBy }),
      facts(Object.entries(changes.settings ?? {}).map(([name, value]) => [name, inWords(value)])),
      make("div", { class: "choices" }, button(words.clearRemote, () => {}, { class: "grave", disabled: !mayChange() }))) : "");
  if (isNew) remote.querySelector("button")?.addEventListener("click", clearRemote);
}

async function clearRemote() {
  if (!await confirmed(words.clearRemoteText, words.clearRemote)) return;
  const answer = await order("settings", "clear");
  say(answer.text ?? answer.error ?? words.failed, !answer.ok);
  fields = new Map();
  load();
}

function draw(isLocked) {
  const isFixed = isLocked || !mayChange();
  const open = new Set([...place.querySelectorAll("details[open]")].map(each => each.dataset.group));
  fields = new Map();
  const groups = new Map();
  for (const setting of settings) {
    const name = setting.group ?? "";
    groups.set(name, [...(groups.get(name) ?? []), setting]);
  }
  place.replaceChildren(
    make("p", { class: "note", text: isLocked ? words.lockedText : isFixed ? words.lookOnly : words.settingsText }),
    ...[...groups].map(([name, members]) => group(name, members, isFixed, open)));
}

function group(name, members, isFixed, open) {
  const folds = FOLDS[name] ?? {}, folded = Object.values(folds).flat();
  const rows = some => some.map(each => field(each, isFixed || each.settable === false));
  const usual = rows(members.filter(each => !each.expert && !folded.includes(each.name)));
  const fold = (key, title, some) => some.length ? make("details", { "data-group": key, open: open.has(key) }, make("summary", { text: title }), some) : "";
  const parts = Object.entries(folds).map(([use, names]) => fold(`${name}-${use}`, words.folds[use], rows(members.filter(each => !each.expert && names.includes(each.name)))));
  const experts = rows(members.filter(each => each.expert));
  return make("details", { class: "group", "data-group": name, open: open.has(name) },
    make("summary", {}, make("h3", { text: words.groups[name] ?? name })),
    make("form", { "data-group": name, onsubmit: event => { event.preventDefault(); review(members); } }, usual, parts, fold(`${name}+`, words.experts(experts.length), experts),
      isFixed ? "" : make("div", { class: "choices sticky" }, make("button", { type: "submit", class: "main", text: words.review }))));
}

// MARK: Fields

function field(setting, isFixed) {
  const id = `set-${setting.name}`;
  const input = inputFor(setting, id, isFixed);
  const row = make("div", { class: "field", "data-key": setting.name });
  const remove = setting.secret && setting.isSet && !isFixed ? make("input", { type: "checkbox" }) : undefined;
  const known = { setting, input, remove, before: JSON.stringify(read(setting, input)) };
  fields.set(setting.name, known);
  row.oninput = () => row.classList.toggle("changed", isChanged(known));
  const name = make("span", { class: "name" }, titleOf(setting.name), make("code", { text: setting.name })), hint = make("small", { id: `${id}-hint`, text: hintOf(setting) });
  if (setting.type === "boolean") row.append(make("label", { class: "check" }, input, name), hint);
  else row.append(make("label", {}, name, make("span", { class: "with-unit" }, input, setting.unit ? make("span", { text: setting.unit }) : "")), hint);
  if (remove) row.append(make("label", { class: "check" }, remove, words.removeSecret));
  return row;
}

/** Its own words, or those that the key is made of. */
const titleOf = name => words.titles[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replace(/([a-z])([A-Z])/g, (_, one, other) => `${one} ${other.toLowerCase()}`);

function hintOf(setting) {
  const unit = setting.unit ? ` ${setting.unit}` : "";
  const parts = [setting.text];
  if (setting.secret) parts.push(setting.isSet ? words.isSet : words.isNotSet, words.secretHint);
  if (setting.min !== undefined && setting.max !== undefined) parts.push(words.range(setting.min, setting.max, unit));
  if (setting.words?.length) parts.push(words.orWords(setting.words));
  if (setting.settable === false) parts.push(words.fileOnly);
  if (setting.type === "list") parts.push(words.oneALine);
  const usual = inWords(setting.default);
  if (!setting.secret && usual !== words.empty) parts.push(words.standard(usual));
  if (setting.from === "remote") parts.push(words.fromRemote);
  return parts.filter(Boolean).map(part => part.replace(/[.;]$/, "")).join("; ");
}

function inputFor(setting, id, isFixed) {
  const more = { id, name: setting.name, disabled: isFixed, "aria-describedby": `${id}-hint` };
  if (setting.secret) return make("input", { ...more, type: "password", autocomplete: "new-password", placeholder: setting.isSet ? words.isSet : words.isNotSet });
  switch (setting.type) {
  case "boolean": return make("input", { ...more, type: "checkbox", checked: setting.value === true });
  case "integer": case "number":
    return make("input", { ...more, type: "number", min: setting.min, max: setting.max, step: setting.type === "integer" ? 1 : "any", value: setting.value ?? "" });
  case "choice": return make("select", more, (setting.choices ?? []).map(choice => {
    const value = choice?.value ?? choice;
    return make("option", { value: JSON.stringify(value), selected: JSON.stringify(value) === JSON.stringify(setting.value), text: choice?.text ?? String(choice) });
  }));
  case "list": return make("textarea", { ...more, rows: 3, text: (setting.value ?? []).join("\n") });
  default: return make("input", { ...more, type: "text", autocomplete: "off", spellcheck: "false", value: setting.value ?? "" });
  }
}

/** A value as the board takes it; undefined: nothing is to be said. */
function read(setting, input) {
  if (setting.secret) return input.value === "" ? undefined : input.value;
  switch (setting.type) {
  case "boolean": return input.checked;
  case "integer": case "number": return input.value === "" ? null : Number(input.value);
  case "choice": return JSON.parse(input.value || "null");
  case "list": return input.value.split("\n").map(line => line.trim()).filter(Boolean);
  default: return input.value;
  }
}

const isChanged = known => known.remove?.checked || JSON.stringify(read(known.setting, known.input)) !== known.before;

/** Of all groups, or of these. */
function changed(members) {
  const names = members?.map(member => member.name) ?? [...fields.keys()];
  return names.map(name => fields.get(name)).filter(known => known && isChanged(known));
}

// MARK: Saving

/** Shows what becomes of what before anything is done. Nothing is half applied. */
async function review(members) {
  const changes = changed(members);
  if (!changes.length) return say(words.nothingChanged);
  const news = known => known.remove?.checked ? null : read(known.setting, known.input);
  const rows = changes.map(known => {
    const { setting } = known, value = news(known);
    const before = setting.secret ? (setting.isSet ? words.isSet : words.isNotSet) : inWords(setting.value);
    return [`${titleOf(setting.name)} (${setting.name})`, `${before} → ${setting.secret ? (value === null ? words.isNotSet : words.newSecret) : inWords(value)}`];
  });
  const isTrial = changes.some(known => known.setting.group === "connection");
  const isOffline = changes.some(known => known.setting.name === "port" && news(known) === 0);
  const choice = await ask(words.saveTitle, [facts(rows), isOffline ? make("p", { class: "note trial", role: "alert", text: words.portZero }) : isTrial ? make("p", { class: "note", text: words.trialText }) : ""],
    [{ text: words.cancel }, { text: words.save, value: "save" }]);
  if (choice !== "save") return;
  const answer = await order("settings", "set", ...changes.map(known => `${known.setting.name}=${JSON.stringify(news(known))}`));
  say(answer.text ?? answer.error ?? words.failed, !answer.ok);
  if (!answer.ok) return;
  for (const known of changes) known.before = JSON.stringify(read(known.setting, known.input));
  for (const known of changes) if (known.remove) known.remove.checked = false;
  await load();
}

/** Leads to a field, with the groups that hide it. */
export async function showSetting(name) {
  openTab("settings");
  for (let tries = 0; tries < 40 && !fields.has(name); tries++) await new Promise(resolve => setTimeout(resolve, 100));
  const input = fields.get(name)?.input;
  for (let each = input; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
  input?.scrollIntoView({ block: "center" });
  input?.focus();
}
