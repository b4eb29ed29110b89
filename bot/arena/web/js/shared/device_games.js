/** Games on this device, which the page plays without the server. */

/** @import { Player } from "./wire.d.ts" */

/** What the ids of these games and of their players begin with; no id of a server does. */
export const LOCAL = "local-";

/**
 * What the ids of two people begin with who share this device. The name that they gave follows; without
 * one they have the name of their colours.
 */
export const SEAT = `${LOCAL}seat:`;

/** Whether an id belongs to this device. @param {unknown} id */
export function isLocal(id) {
  return typeof id === "string" && id.startsWith(LOCAL);
}

/**
 * Whether two people play a game on this device: then whoever is to move uses the page.
 * @param {{players: readonly Player[]}} game
 */
export function isShared({ players }) {
  return players.every(({ id }) => id?.startsWith(SEAT));
}
