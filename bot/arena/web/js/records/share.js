/** The window with links, pictures and files of a finished game. */

import { copyField } from "../shared/copying.js";
import { notify, openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { linkTo } from "../shared/site.js";

/** @import { Child } from "../shared/dom.js" */

/** In pixels. */
const PICTURE_WIDTH = "900";
const FRAME = { width: 420, height: 520 };

/**
 * @param {string} id of a finished game
 * @param {number} ply the one that is shown
 * @param {number} plies
 */
export async function openShare(id, ply, plies) {
  const isLast = ply === plies;
  const game = linkTo(`/game/${id}`);
  const files = `/api/records/${id}`;
  const here = new URLSearchParams(isLast ? {} : { ply: String(ply) });
  const wide = new URLSearchParams([...here, ["width", PICTURE_WIDTH]]);
  const frame = linkTo(withQuery(`/embed/game/${id}`, here));
  const code = `<iframe src="${frame}" width="${FRAME.width}" height="${FRAME.height}" ` +
    `style="border:0" title="Bluestone" loading="lazy"></iframe>`;
  await openDialog(
    t("records.share"),
    [
      copied(t("records.link_game"), game),
      !isLast && copied(t("records.link_ply", { ply, plies }), withQuery(game, here)),
      copied(t("records.embed"), code, t("records.embed_note")),
      h(
        "div",
        { class: "share-files" },
        h("h3", {}, t("records.pictures")),
        h(
          "div",
          { class: "buttons" },
          file(withQuery(`${files}.png`, wide), "PNG", `${id}.png`),
          file(withQuery(`${files}.svg`, here), "SVG", `${id}.svg`),
          plies > 0 && file(`${files}.gif`, t("records.gif"), `${id}.gif`),
        ),
        h("h3", {}, t("records.files")),
        h(
          "div",
          { class: "buttons" },
          file(`${files}.sgf`, "SGF", `${id}.sgf`),
          file(`${files}.jsonl`, "JSON", `${id}.jsonl`),
        ),
      ),
    ],
    [{ label: t("records.close"), value: "" }],
  );
}

/**
 * @param {string} address
 * @param {URLSearchParams} query
 */
function withQuery(address, query) {
  return query.size > 0 ? `${address}?${query}` : address;
}

/**
 * A text with a button that copies it.
 * @param {string} label
 * @param {string} text
 * @param {string} [note]
 * @returns {Child}
 */
function copied(label, text, note) {
  const input = h("input", { type: "text", readonly: true, value: text, "aria-label": label });
  input.addEventListener("focus", () => input.select());
  const copy = async () => {
    if (await copyField(input)) {
      notify(t("records.copied"));
    }
  };
  const button = h(
    "button",
    { type: "button", "aria-label": t("records.copy_what", { what: label }), onclick: copy },
    t("records.copy"),
  );
  return h(
    "div",
    { class: "share-line" },
    h("span", { class: "share-label" }, label),
    h("span", { class: "share-text" }, input, button),
    note && h("span", { class: "quiet" }, note),
  );
}

/**
 * @param {string} href
 * @param {string} label
 * @param {string} name of the file
 */
function file(href, label, name) {
  return h("a", { class: "button", href, download: name }, label);
}
