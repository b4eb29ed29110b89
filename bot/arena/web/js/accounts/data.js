/** The person's data: all of it as a file, and its deletion. */

import { openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Refused } from "../shared/protocol.js";
import { leave } from "./devices.js";
import { saveFile } from "./recovery.js";
import { send } from "./requests.js";
import { askProved } from "./proof.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Scene } from "./scene.d.ts" */

/** @param {Scene} scene */
export function dataSection(scene) {
  const { account, act } = scene;
  const name = account.you.name;
  const download = async () => {
    const response = await send("/export");
    saveFile(`bluestone-${name}.jsonl`, await response.blob());
  };
  return h(
    "section",
    { class: "panel", "aria-labelledby": "data" },
    h("h2", { id: "data" }, t("accounts.data.title")),
    h("p", { class: "quiet" }, t("accounts.data.about")),
    h(
      "div",
      { class: "account-actions" },
      h(
        "button",
        { type: "button", "data-key": "export", onclick: () => act(download) },
        t("accounts.data.export"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "account-delete",
          "data-key": "delete",
          onclick: () => act(() => deleteAccount(scene)),
        },
        t("accounts.data.delete"),
      ),
    ),
  );
}

/** @param {Scene} scene */
async function deleteAccount({ account, session }) {
  const { name } = account.you;
  if (session.myGames.length > 0) {
    return await sayWhatBinds(session);
  }
  const input = h("input", { type: "text", required: true, autocomplete: "off" });
  const problem = h("p", { class: "field-problem", role: "alert" });
  input.addEventListener("input", () => problem.textContent = "");
  const mayClose = async (/** @type {string} */ answer) => {
    if (answer === "delete" && input.value.trim() !== name) {
      problem.textContent = t("accounts.data.wrong_name", { name });
      return false;
    }
    return await Promise.resolve(true);
  };
  const answer = await openDialog(
    t("accounts.data.question"),
    [
      h("p", {}, t("accounts.data.consequence")),
      h("label", { class: "field account-confirm" }, t("accounts.data.type_name", { name }), input),
      problem,
    ],
    [
      { label: t("common.cancel"), value: "" },
      { label: t("accounts.data.delete"), value: "delete", class: "danger" },
    ],
    mayClose,
  );
  if (answer !== "delete") {
    return null;
  }
  try {
    await askProved("/delete", { name });
  } catch (error) {
    if (error instanceof Refused && error.code === "not_now") {
      return await sayWhatBinds(session);
    }
    throw error;
  }
  await leave(session);
  return t("accounts.data.deleted");
}

/**
 * Show what must end before the account can be deleted, with links to the running games.
 * @param {Session} session
 */
async function sayWhatBinds(session) {
  const links = session.myGames.map((game) => {
    const names = game.players.map((player) => player.name).join(" – ");
    const link = h("a", { href: `/game/${game.game_id}`, "data-link": true }, names);
    link.addEventListener("click", () => link.closest("dialog")?.close(""));
    return h("li", {}, session.catalogue.title(game.setup.game), ": ", link);
  });
  await openDialog(
    t("accounts.data.bound_title"),
    [
      h("p", {}, links.length ? t("accounts.data.bound_games") : t("accounts.data.bound")),
      links.length > 0 && h("ul", {}, links),
    ],
    [{ label: t("common.close"), value: "", class: "primary" }],
  );
  return null;
}
