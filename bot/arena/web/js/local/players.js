/** Who plays on this device: a bot of each level, and the person, or two people. */

import { LOCAL, SEAT } from "../shared/device_games.js";
import { LEVEL_WORDS } from "../shared/levels.js";
import { t } from "../shared/messages.js";

/** @import { Player, Seat } from "../shared/wire.d.ts" */

/**
 * Who is here, and the name of the colours of a seat.
 * @typedef {object} People
 * @property {Player} you
 * @property {(game: string, seat: Seat) => string} sideOf
 */

/** @type {Omit<Player, "id" | "name" | "kind" | "level">} */
const COMMON = { engine: null, registered: false, ratings: {} };
/** The names of these bots in games that were added to a person's games on the server. */
const ADDED_NAME = /^Level (\d+) on device$/;
const NO_BREAK = "\u00a0";

/** The person, as long as no server has said who they are. @returns {Player} */
export function localPerson() {
  const id = `${LOCAL}person`;
  return { ...COMMON, id, name: t("outside.local.you"), kind: "guest", level: null };
}

/**
 * One of two people who share this device.
 * @param {string} name "" if they gave none
 * @param {string} side the name of their colours
 * @returns {Player}
 */
export function seatedPlayer(name, side) {
  return { ...COMMON, id: SEAT + name, name: name || side, kind: "guest", level: null };
}

/**
 * The names of two people whose ids are in the seats of a challenge; null in another challenge.
 * @param {readonly unknown[]} seats
 * @returns {[string, string] | null}
 */
export function namesIn(seats) {
  const [one, two] = seats.map((id) =>
    typeof id === "string" && id.startsWith(SEAT) ? id.slice(SEAT.length) : null
  );
  return typeof one === "string" && typeof two === "string" ? [one, two] : null;
}

/**
 * The bot of a level. Its name has a character that no name on a server has.
 * @param {number} level
 * @returns {Player}
 */
export function localBot(level) {
  const name = t("outside.local.bot", { level }).replaceAll(" ", NO_BREAK);
  return { ...COMMON, id: `${LOCAL}bot-${level}`, name, kind: "bot", level };
}

/** The bots of all levels, the weakest first. */
export function localBots() {
  return LEVEL_WORDS.map((_, index) => localBot(index + 1));
}

/**
 * The level of the bot with a name; 0 if it is no bot of this device.
 * @param {string | null} name
 */
export function levelOf(name) {
  const added = Number(ADDED_NAME.exec(name ?? "")?.[1] ?? 0);
  return localBots().find((bot) => bot.name === name)?.level ?? added;
}
