/** Notifications of turns: the switch in the settings, and the browser's subscription. */

import { messageOf } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { language, t } from "../shared/messages.js";

/** @import { Session } from "../shared/session.js" */

/**
 * Keep this browser's notifications those of the player who is here: another one may have signed
 * in, and the server may have lost the subscription.
 * @param {Session} session
 */
export function keepSubscribed(session) {
  session.connection.welcomed.on(async () => {
    const registration = await navigator.serviceWorker?.getRegistration();
    const manager = registration?.pushManager;
    if (session.welcome?.push_key && manager && await isOn(manager)) {
      // Refused or not delivered: the next connection tries again.
      await subscribe(session, await manager.getSubscription()).catch(() => undefined);
    }
  });
}

/**
 * The row of the settings that switches notifications on and off.
 * @param {Session} session
 */
export async function notificationSetting(session) {
  const registration = await navigator.serviceWorker?.getRegistration();
  const key = session.welcome?.push_key;
  const manager = registration?.pushManager;
  const hint = h("small", { class: "quiet" });
  const box = h("input", {
    type: "checkbox",
    name: "notifications",
    "data-needs-connection": true,
  });
  const row = h("label", { class: "setting" }, box, h("span", {}, t("push.setting"), hint));
  const explain = (/** @type {string} */ words) => {
    hint.textContent = words;
  };
  if (!manager || !key || !("Notification" in window)) {
    box.disabled = true;
    explain(t("push.unsupported"));
    return row;
  }
  box.checked = await isOn(manager);
  explain(Notification.permission === "denied" ? t("push.denied") : t("push.hint"));
  box.addEventListener("change", async () => {
    box.disabled = true;
    try {
      await (box.checked ? switchOn(session, manager, key) : switchOff(session, manager));
    } catch (error) {
      const denied = Notification.permission === "denied";
      explain(denied ? t("push.denied") : t("push.failed", { why: messageOf(error) }));
    }
    box.checked = await isOn(manager);
    box.disabled = false;
  });
  return row;
}

/** @param {PushManager} manager */
async function isOn(manager) {
  return "Notification" in window && Notification.permission === "granted" &&
    await manager.getSubscription() !== null;
}

/**
 * @param {Session} session
 * @param {PushManager} manager
 * @param {string} key the server's
 */
async function switchOn(session, manager, key) {
  if (await Notification.requestPermission() !== "granted") {
    return;
  }
  const options = { userVisibleOnly: true, applicationServerKey: key };
  await subscribe(session, await manager.subscribe(options));
}

/**
 * Tell the server that this browser gets the notifications of the player who is here.
 * @param {Session} session
 * @param {PushSubscription | null} subscription
 */
async function subscribe(session, subscription) {
  const { endpoint, keys } = subscription?.toJSON() ?? {};
  if (endpoint) {
    await session.connection.request("push.subscribe", {
      endpoint,
      p256dh: keys?.["p256dh"] ?? "",
      auth: keys?.["auth"] ?? "",
      language,
    });
  }
}

/**
 * @param {Session} session
 * @param {PushManager} manager
 */
async function switchOff(session, manager) {
  const subscription = await manager.getSubscription();
  if (subscription) {
    await session.connection.request("push.unsubscribe", { endpoint: subscription.endpoint });
    await subscription.unsubscribe();
  }
}
