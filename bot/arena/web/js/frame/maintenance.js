/** A line above every page while the operator plans maintenance: why, and from when. */

import { h, replace } from "../shared/dom.js";
import { locale, t } from "../shared/messages.js";

/** @import { Session } from "../shared/session.js" */

const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/**
 * @param {Session} session
 * @param {HTMLElement} place
 */
export function showMaintenance(session, place) {
  let shown = "";
  session.lobbyChanged.on(() => {
    const planned = session.lobby?.maintenance ?? null;
    const words = planned === null ? "" : t("common.maintenance", {
      time: moments.format(new Date(planned.starts_at)),
      why: planned.reason,
    });
    if (words !== shown) { // the same sentence set again would be announced again
      shown = words;
      replace(place, words && h("p", { class: "notice" }, words));
    }
  });
}
