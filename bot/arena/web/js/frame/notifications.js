/** Notifications of turns: the switch in the settings, and the browser's subscription. */

import { messageOf } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { language, loadMessages, t } from "../shared/messages.js";

/** @import { Session } from "../shared/session.js" */

const WORKER = "/service_worker.js";

/** Let the browser keep the page for times without a connection. */
export async function registerWorker() {
  try {
    // Browsers allow it over HTTPS and on localhost.
    await navigator.serviceWorker?.register(WORKER);
  } catch {
    // The page works without it.
  }
}

/**
 * The row of the settings that switches notifications on and off.
 * @param {Session} session
 */
export async function notificationSetting(session) {
  await loadMessages("push");
  const registration = await navigator.serviceWorker?.getRegistration();
  const key = session.pushKey;
  const manager = registration?.pushManager;
  const hint = h("small", { class: "quiet" });
  const box = h("input", { type: "checkbox", name: "notifications" });
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
  return Notification.permission === "granted" && await manager.getSubscription() !== null;
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
  const { endpoint, keys } = (await manager.subscribe(options)).toJSON();
  await session.connection.request("push.subscribe", {
    endpoint: endpoint ?? "",
    p256dh: keys?.["p256dh"] ?? "",
    auth: keys?.["auth"] ?? "",
    language,
  });
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
