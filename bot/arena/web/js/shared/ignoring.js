/** Ignoring a player: the server refuses their challenges and their chat. */

import { notify, notifyOf } from "./dialogs.js";
import { t } from "./messages.js";

/** @import { Session } from "./session.js" */

/**
 * @param {Session} session
 * @param {string} name
 */
export async function ignorePlayer(session, name) {
  try {
    await session.connection.request("player.ignore", { name, ignore: true });
    notify(t("common.ignored", { name }));
  } catch (error) {
    notifyOf(error);
  }
}
