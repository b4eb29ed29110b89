/** What is still being compiled on the arena's machine, in words. */

/** @import { Warming } from "../shared/wire.d.ts" */

/**
 * What somebody who wants to play has to know: which games are not ready, and where the bots are.
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
        ? "The bots come in a moment: their engine is being compiled, once."
        : "No bot is online at the moment.",
    );
  } else if (withoutBots.length) {
    sentences.push(`The bots’ engine is still being compiled for ${titles(withoutBots)}, once.`);
  }
  if (unplayable.length) {
    sentences.push(`Ready in a minute: ${titles(unplayable)}.`);
  }
  return sentences;
}
