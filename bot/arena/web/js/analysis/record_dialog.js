/** The window in which a person pastes or opens the record of a game. */

import { openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { gameIn, hasGo } from "./record_text.js";

/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { OpenedGame } from "./record_text.js" */

/** Longer than any record. */
const MOST_BYTES = 4_000_000;

/**
 * The game that the person opens; null if they close the window.
 * @param {Catalogue} catalogue
 * @returns {Promise<OpenedGame | null>}
 */
export async function openRecord(catalogue) {
  const { games } = await catalogue.load();
  const text = h("textarea", { name: "record", rows: 8, spellcheck: false });
  const file = h("input", { type: "file", accept: ".json,.jsonl,.sgf,.txt" });
  const problem = h("p", { class: "field-problem", role: "alert" });
  file.addEventListener("change", async () => {
    text.value = await file.files?.[0]?.slice(0, MOST_BYTES).text() ?? "";
    problem.textContent = "";
  });
  /** @type {OpenedGame | null} */
  let found = null;
  const mayClose = (/** @type {string} */ answer) => {
    found = answer === "open" ? gameIn(text.value) : null;
    const isKnown = games.some(({ game }) => game === found?.played.game);
    const why = hasGo(text.value) ? t("analysis.record.go") : t("analysis.record.none");
    problem.textContent = answer === "open" && !isKnown ? why : "";
    return Promise.resolve(problem.textContent === "");
  };
  const body = [
    h("label", { class: "field" }, t("analysis.record.text"), text),
    h("label", { class: "field" }, t("analysis.record.file"), file),
    problem,
  ];
  const buttons = [
    { label: t("analysis.record.open"), value: "open", class: "primary" },
    { label: t("analysis.cancel"), value: "" },
  ];
  const answer = await openDialog(t("analysis.record.title"), body, buttons, mayClose);
  return answer === "open" ? found : null;
}
