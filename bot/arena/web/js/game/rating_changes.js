/** What a rated game did to the ratings of its players, asked for after its end. */

import { fetchRatingChanges } from "../shared/ratings.js";

/** @import { RatingChange } from "../shared/ratings.js" */
/** @import { GameState } from "../shared/wire.d.ts" */

/** The arena rates a game a moment after its end. Pauses before the attempts. */
const PAUSES_MS = [300, 700, 1_500, 3_000, 6_000];

export class RatingChanges {
  /** The changes by seat; empty as long as there are none. @type {(RatingChange | undefined)[]} */
  bySeat = [];
  #isAsked = false;

  /** @param {() => void} onChange is called when the changes have arrived */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /** Ask once after the end of a rated game. @param {GameState} game */
  async follow(game) {
    const counts = game.setup.rated && game.state === "finished" && !game.result?.unrated &&
      game.result?.reason !== "aborted";
    if (!counts || this.#isAsked) {
      return;
    }
    this.#isAsked = true;
    for (const pause of PAUSES_MS) {
      await new Promise((done) => setTimeout(done, pause));
      const changes = await fetchRatingChanges(game.game_id).catch(() => []);
      if (changes.length) {
        this.bySeat = game.players.map(({ id }) => changes.find(({ player }) => player === id));
        this.onChange();
        return;
      }
    }
  }
}
