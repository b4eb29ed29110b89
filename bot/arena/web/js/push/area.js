/** What notifications give the page: they stay those of the player who is here, and a setting. */

import { keepSubscribed, notificationSetting } from "./notifications.js";

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {},
  start: ({ session }) => keepSubscribed(session),
  setting: notificationSetting,
};
