/** Games on this device, which the page plays without the server. */

/** What the ids of these games and of their players begin with; no id of a server does. */
export const LOCAL = "local-";

/** Whether an id belongs to this device. @param {unknown} id */
export function isLocal(id) {
  return typeof id === "string" && id.startsWith(LOCAL);
}
