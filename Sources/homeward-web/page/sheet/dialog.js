// Questions to a person, in the one dialog of the page.
import { button, byId, make } from "../dom.js";
import { dressed } from "./sheet.js";
import { words } from "../words.js";

/** On a phone no field has the focus at first: its keyboard would hide the half of what is asked. Opens the dialog with a title, what it is about, and buttons; resolves when it closes, with what was chosen. */
export async function ask(title, content, choices) {
  await dressed();
  const dialog = byId("dialog");
  return new Promise(resolve => {
    const choose = value => { dialog.close(); dialog.replaceChildren(); resolve(value); };
    const form = make("form", { method: "dialog", onsubmit: event => { event.preventDefault(); choose(choices.at(-1).value); } },
      make("h2", { id: "dialog-title", text: title, tabindex: -1, autofocus: matchMedia("(pointer: coarse)").matches }), ...[content].flat(),
      make("div", { class: "choices" }, choices.map((choice, index) =>
        index === choices.length - 1
          ? make("button", { type: "submit", class: choice.isGrave ? "main grave" : "main", text: choice.text })
          : button(choice.text, () => choose(choice.value), { class: choice.isGrave ? "grave first" : undefined }))));
    dialog.oncancel = () => choose(undefined);
    dialog.replaceChildren(form);
    dialog.showModal();
  });
}

/** Whether a person means it; `verb` says what the button does. */
export async function confirmed(text, verb, isGrave = true) {
  return await ask(verb, make("p", { text }), [
    { text: words.cancel, value: false }, { text: verb, value: true, isGrave },
  ]) === true;
}
