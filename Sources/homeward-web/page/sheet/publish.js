// Publishing by hand, with a remark and a photo that is made small here.
import { order } from "../board.js";
import { ask } from "./dialog.js";
import { make, say } from "../dom.js";
import { bytes, words } from "../words.js";

/** Characters of base64: the picture and the rest of the order fit into one body of 64 kB. */
const MOST = 60000;
const WIDTHS = [1280, 1024, 800, 640, 480, 320, 200], QUALITIES = [0.8, 0.6, 0.4];

/** `isPlain`: at once, without a remark. */
export async function publish(isPlain = false) {
  if (isPlain) return send(["publish"]);
  let photo;
  const remark = make("input", { type: "text", maxlength: 300, id: "remark", autocomplete: "off" });
  const file = make("input", { type: "file", accept: "image/*", id: "photo" });
  const photoNote = make("small", { role: "status" }), preview = make("div");
  file.onchange = async () => {
    photo = undefined;
    preview.replaceChildren();
    photoNote.textContent = "";
    if (!file.files[0]) return;
    try {
      photo = await small(file.files[0]);
      preview.replaceChildren(make("img", { src: `data:image/jpeg;base64,${photo}`, alt: words.photo }));
      photoNote.textContent = words.photoText(bytes(photo.length));
    } catch (error) {
      photoNote.textContent = words.photoBad;
    }
  };
  const choice = await ask(words.publishTitle, make("div", { class: "form" }, make("p", { text: words.publishText }),
    make("label", {}, words.remark, remark), make("label", {}, words.photo, file), photoNote, preview),
  [{ text: words.cancel }, { text: words.publish, value: "publish" }]);
  if (choice !== "publish") return;
  const text = remark.value.trim(), line = ["publish"];
  if (photo && !text) return say(words.photoNeedsRemark, true);
  if (text) line.push("--poi", text);
  if (photo) line.push("--image", photo, "--imagename", "photo.jpg");
  return send(line);
}

async function send(line) {
  const answer = await order(...line);
  say(answer.text ?? answer.error ?? words.failed, !answer.ok);
}

/** Base64 of a JPEG that is small enough: less detail first, then less size. */
export async function small(file) {
  const picture = await decoded(file);
  const canvas = make("canvas");
  for (const width of WIDTHS) {
    const scale = Math.min(1, width / Math.max(picture.width, picture.height));
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    for (const quality of QUALITIES) {
      const text = canvas.toDataURL("image/jpeg", quality).split(",")[1];
      if (text.length <= MOST) return text;
    }
  }
  throw new Error("too large");
}

async function decoded(file) {
  const picture = new Image(), address = URL.createObjectURL(file);
  try {
    picture.src = address;
    await picture.decode();
    return picture;
  } finally {
    URL.revokeObjectURL(address);
  }
}
