/** The window with the files of a finished game on this device: other people cannot open a link. */

import { copyField } from "../shared/copying.js";
import { notify, openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { recordOf } from "./record.js";

/** @import { GameState } from "../shared/wire.d.ts" */

/**
 * @param {GameState} game a finished one
 * @param {string} ended when it ended
 */
export async function openFiles(game, ended) {
  const text = `${JSON.stringify(recordOf(game, ended))}\n`;
  const file = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  const turns = h("input", {
    ...{ type: "text", readonly: true, "aria-label": t("local.turns") },
    value: game.turns.map(({ turn }) => turn).join(" "),
  });
  const copy = async () => {
    if (await copyField(turns)) {
      notify(t("local.copied"));
    }
  };
  await openDialog(
    t("local.files"),
    [
      h("p", {}, t("local.files_note")),
      h(
        "div",
        { class: "share-line" },
        h("span", { class: "share-label" }, t("local.turns")),
        h(
          "span",
          { class: "share-text" },
          turns,
          h("button", { type: "button", onclick: copy }, t("local.copy")),
        ),
      ),
      h(
        "div",
        { class: "share-files" },
        h(
          "div",
          { class: "buttons" },
          h("a", { class: "button", href: file, download: `${game.game_id}.jsonl` }, "JSON"),
        ),
      ),
    ],
    [{ label: t("common.close"), value: "" }],
  );
  URL.revokeObjectURL(file);
}
