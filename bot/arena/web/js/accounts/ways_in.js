/** The ways to sign in again: passkeys, and the recovery link. */

import { openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { moment } from "./moments.js";
import { createPasskey, knowsPasskeys } from "./passkeys.js";
import { showNewLink } from "./recovery.js";
import { ask } from "./requests.js";
import { askProved } from "./proof.js";

/** @import { Scene } from "./scene.d.ts" */
/** @import { Account, Passkey } from "./requests.js" */

/** @param {Scene} scene */
export function waysInSection(scene) {
  const { account } = scene;
  const title = account.you.registered ? t("accounts.ways.title") : t("accounts.ways.keep");
  return h(
    "section",
    { class: "panel", "aria-labelledby": "ways-in" },
    h("h2", { id: "ways-in" }, title),
    h("p", {}, t("accounts.ways.about")),
    account.you.kind === "person" ? [passkeys(scene), recovery(scene)] : h(
      "p",
      { class: "quiet" },
      t("accounts.ways.name_first"),
    ),
  );
}

/**
 * Why this page cannot use passkeys; null if it can.
 * @param {Account} account
 */
function whyNoPasskeys({ why_no_passkeys: why }) {
  if (why !== null) {
    return t(`accounts.passkey.why.${why.code}`, { domain: why.domain });
  }
  return knowsPasskeys() ? null : t("accounts.passkey.unknown");
}

/** @param {Scene} scene */
function passkeys(scene) {
  const { account, act } = scene;
  const why = whyNoPasskeys(account);
  const create = async () => {
    const { options } = await askProved("/passkeys/options");
    const made = await createPasskey(options);
    return made && t("accounts.passkey.created");
  };
  return h(
    "div",
    { class: "account-way" },
    h("h3", {}, t("accounts.passkey.title")),
    h("p", { class: "quiet" }, t("accounts.passkey.about")),
    account.passkeys.length > 0 &&
      h("ul", { class: "account-rows" }, account.passkeys.map((each) => row(scene, each))),
    why === null
      ? h(
        "button",
        {
          type: "button",
          class: account.passkeys.length ? null : "primary",
          "data-key": "create-passkey",
          onclick: () => act(create),
        },
        account.passkeys.length ? t("accounts.passkey.another") : t("accounts.passkey.create"),
      )
      : h("p", { class: "account-note" }, why),
  );
}

/**
 * @param {Scene} scene
 * @param {Passkey} passkey
 */
function row({ act }, passkey) {
  const label = passkey.label || t("accounts.passkey.unnamed");
  return h(
    "li",
    {},
    h("div", {}, h("strong", {}, label), h("p", { class: "quiet" }, usedWords(passkey))),
    h(
      "div",
      { class: "account-actions" },
      h(
        "button",
        {
          type: "button",
          "data-key": `rename-${passkey.id}`,
          "aria-label": t("accounts.passkey.rename_label", { label }),
          onclick: () => act(() => rename(passkey)),
        },
        t("accounts.passkey.rename"),
      ),
      h(
        "button",
        {
          type: "button",
          "data-key": `remove-${passkey.id}`,
          "aria-label": t("accounts.passkey.remove_label", { label }),
          onclick: () => act(() => remove(passkey, label)),
        },
        t("accounts.passkey.remove"),
      ),
    ),
  );
}

/** @param {Passkey} passkey */
function usedWords({ created_at: created, used_at: used }) {
  return used === null
    ? t("accounts.passkey.never_used", { created: moment(created) })
    : t("accounts.passkey.last_used", { created: moment(created), used: moment(used) });
}

/** @param {Passkey} passkey */
async function rename(passkey) {
  const input = h("input", {
    type: "text",
    value: passkey.label,
    required: true,
    maxlength: 40,
    autocomplete: "off",
  });
  const answer = await openDialog(
    t("accounts.passkey.rename_title"),
    [h("label", { class: "field" }, t("accounts.passkey.label"), input)],
    [
      { label: t("common.save"), value: "save", class: "primary" },
      { label: t("common.cancel"), value: "" },
    ],
  );
  if (answer === "save") {
    await ask("/passkeys/rename", { id: passkey.id, label: input.value.trim() });
  }
}

/**
 * @param {Passkey} passkey
 * @param {string} label
 */
async function remove(passkey, label) {
  const answer = await openDialog(
    t("accounts.passkey.remove_question", { label }),
    [h("p", {}, t("accounts.passkey.remove_consequence"))],
    [
      { label: t("common.cancel"), value: "" },
      { label: t("accounts.passkey.remove"), value: "remove", class: "danger" },
    ],
  );
  if (answer === "remove") {
    await askProved("/passkeys/remove", { id: passkey.id });
  }
}

/** @param {Scene} scene */
function recovery({ account, act }) {
  const since = account.recovery_since;
  const isMissing = since === null && account.you.registered;
  const words = since !== null
    ? t("accounts.recovery.since", { created: moment(since) })
    : isMissing
    ? t("accounts.recovery.missing")
    : t("accounts.recovery.about");
  return h(
    "div",
    { class: "account-way" },
    h("h3", {}, t("accounts.recovery.heading")),
    h("p", { class: "quiet" }, words),
    h(
      "button",
      {
        type: "button",
        class: whyNoPasskeys(account) === null || since ? null : "primary",
        "data-key": "create-link",
        onclick: () => act(() => showNewLink(account.you.name)),
      },
      since === null ? t("accounts.recovery.create") : t("accounts.recovery.replace"),
    ),
  );
}
