/** The complete setup of what is analysed. */

/** @import { Setup } from "../engine/mechanics.d.ts" */
/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { Played } from "../game/tree_address.js" */

/**
 * What is played, with the usual board and rules where it names none, and without usual options.
 * @param {Catalogue} catalogue
 * @param {Omit<Played, "options"> & { options: Record<string, string | number> }} played
 * @returns {Promise<Setup>}
 */
export async function settledSetup(catalogue, { game, board, rules, options }) {
  const { games } = await catalogue.load();
  const offer = games.find((each) => each.game === game);
  const usual = new Map(offer?.options.map((each) => [each.name, each.usual]));
  const changed = Object.entries(options).filter(([name, value]) =>
    usual.get(name) !== String(value)
  );
  return {
    game,
    board: board ?? offer?.boards[0] ?? "",
    rules: rules ?? offer?.rules[0] ?? "",
    options: Object.fromEntries(changed),
  };
}
