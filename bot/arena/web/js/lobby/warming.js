/** Sentences about the games that the arena still compiles. */

/** @import { Warming } from "../shared/wire.d.ts" */

/**
 * Which games are not ready, and why no bots are listed.
 * @param {Warming[]} warming
 * @param {boolean} botsAreHere
 */
export function warmingSentences(warming, botsAreHere) {
  const titles = (/** @type {Warming[]} */ games) => games.map(({ title }) => title).join(" and ");
  const unplayable = warming.filter(({ parts }) => parts.includes("rules"));
  const withoutBots = warming.filter((game) => !unplayable.includes(game));
  const sentences = [];
  if (!botsAreHere) {
    sentences.push(
      warming.length
        ? "Bots will be ready shortly (one-time setup)."
        : "No bot is online at the moment.",
    );
  } else if (withoutBots.length) {
    sentences.push(`Bots will be ready for ${titles(withoutBots)} shortly (one-time setup).`);
  }
  if (unplayable.length) {
    sentences.push(`${titles(unplayable)} will be ready in about a minute.`);
  }
  return sentences;
}
