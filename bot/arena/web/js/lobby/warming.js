/** Sentences about the games that the arena still compiles. */

import { listed, t } from "../shared/messages.js";

/** @import { Warming } from "../shared/wire.d.ts" */

/**
 * Which games are not ready, and why no bots are listed.
 * @param {Warming[]} warming
 * @param {boolean} botsAreHere
 */
export function warmingSentences(warming, botsAreHere) {
  const titles = (/** @type {Warming[]} */ games) => listed(games.map(({ title }) => title));
  const unplayable = warming.filter(({ parts }) => parts.includes("rules"));
  const withoutBots = warming.filter((game) => !unplayable.includes(game));
  const sentences = [];
  if (!botsAreHere) {
    sentences.push(
      warming.length ? t("lobby.warming.bots") : t("lobby.warming.no_bot"),
    );
  } else if (withoutBots.length) {
    sentences.push(t("lobby.warming.bots_for", { games: titles(withoutBots) }));
  }
  if (unplayable.length) {
    sentences.push(t("lobby.warming.games", { games: titles(unplayable) }));
  }
  return sentences;
}
