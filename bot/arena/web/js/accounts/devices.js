/** The browsers in which the person is signed in. */

import { confirmed } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { save } from "../shared/storage.js";
import { moment } from "./moments.js";
import { ask } from "./requests.js";
import { askProved } from "./proof.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Scene } from "./scene.d.ts" */
/** @import { Device } from "./requests.js" */

/** @param {Scene} scene */
export function devicesSection(scene) {
  const { account, act } = scene;
  const others = account.devices.filter((each) => !each.is_this);
  const signOutOthers = async () => {
    const { ended } = await askProved("/devices/sign-out-others");
    return t("accounts.devices.ended", { n: ended });
  };
  return h(
    "section",
    { class: "panel", "aria-labelledby": "devices" },
    h("h2", { id: "devices" }, t("accounts.devices.title")),
    h("ul", { class: "account-rows" }, account.devices.map((each) => row(scene, each))),
    others.length > 1 && h(
      "button",
      { type: "button", "data-key": "sign-out-others", onclick: () => act(signOutOthers) },
      t("accounts.devices.sign_out_others"),
    ),
  );
}

/**
 * @param {Scene} scene
 * @param {Device} device
 */
function row({ account, session, act }, device) {
  const label = device.label || t("accounts.devices.unnamed");
  const used = device.used_at === null
    ? t("accounts.devices.never_used")
    : t("accounts.devices.used", { used: moment(device.used_at) });
  const signOut = () =>
    device.is_this
      ? signOutHere(device, session)
      : askProved("/devices/sign-out", { id: device.id });
  return h(
    "li",
    {},
    h(
      "div",
      {},
      h("strong", {}, label),
      device.is_this && h("span", { class: "badge you" }, t("accounts.devices.this")),
      h("p", { class: "quiet" }, used),
    ),
    // A guest without a passkey or a link could not come back.
    (!device.is_this || account.you.registered) && h(
      "button",
      {
        type: "button",
        "data-key": `sign-out-${device.id}`,
        "aria-label": t("accounts.devices.sign_out_label", { label }),
        onclick: () => act(signOut),
      },
      t("accounts.devices.sign_out"),
    ),
  );
}

/**
 * @param {Device} device
 * @param {Session} session
 */
async function signOutHere(device, session) {
  const question = t("accounts.devices.question");
  const words = t("accounts.devices.consequence");
  if (await confirmed(question, words, t("accounts.devices.sign_out"))) {
    await ask("/devices/sign-out", { id: device.id });
    await leave(session);
  }
}

/**
 * Go on as a new guest, without the notifications of the person.
 * @param {Session} session
 */
export async function leave(session) {
  try {
    const worker = await navigator.serviceWorker?.getRegistration();
    await (await worker?.pushManager?.getSubscription())?.unsubscribe();
  } catch {
    // Then the server stops sending them when it cannot deliver one.
  }
  save("guest_key", null);
  save("name", null);
  session.connection.reopen();
}
