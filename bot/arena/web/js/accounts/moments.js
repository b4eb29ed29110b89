/** Times in the reader's language. */

import { language, t } from "../shared/messages.js";

const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const ago = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

/**
 * A day, or for the last two days how long ago it was.
 * @param {string} iso
 */
export function moment(iso) {
  const at = new Date(iso);
  const passed = Date.now() - at.getTime();
  if (passed > 2 * DAY_MS) {
    return days.format(at);
  }
  const hours = Math.floor(passed / HOUR_MS);
  return hours < 1 ? t("accounts.just_now") : ago.format(-hours, "hour");
}
