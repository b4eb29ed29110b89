/** What a rated game did to the ratings of its players, asked for after its end. */

import { h } from "../shared/dom.js";
import { loadMessages, t } from "../shared/messages.js";
import { ratingText } from "../shared/ratings.js";
import { fetchRatingChanges } from "./requests.js";

/** @import { GameState, Seat } from "../shared/wire.d.ts" */
/** @import { RatingChange } from "./requests.js" */

/** The arena rates a game a moment after its end. Pauses before the attempts. */
const PAUSES_MS = [300, 700, 1_500, 3_000, 6_000];

export class RatingChanges {
  /** The changes by seat; empty as long as there are none. @type {(RatingChange | undefined)[]} */
  #bySeat = [];
  #isAsked = false;

  /** @param {() => void} onChange is called when the changes have arrived */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /**
   * What the game did to the rating of a player, such as "+12"; null if nothing, or not yet.
   * @param {GameState} game
   * @param {Seat} seat
   */
  noteOn(game, seat) {
    this.#follow(game);
    const change = this.#bySeat[seat - 1];
    return change ? h("span", { class: "rating-change" }, changeWords(change)) : null;
  }

  /** Ask once after the end of a rated game. @param {GameState} game */
  async #follow(game) {
    const counts = game.setup.rated && game.state === "finished" && !game.result?.unrated &&
      game.result?.reason !== "aborted";
    if (!counts || this.#isAsked) {
      return;
    }
    this.#isAsked = true;
    await loadMessages("ratings");
    for (const pause of PAUSES_MS) {
      await new Promise((done) => setTimeout(done, pause));
      const changes = await fetchRatingChanges(game.game_id).catch(() => []);
      if (changes.length) {
        this.#bySeat = game.players.map(({ id }) => changes.find(({ player }) => player === id));
        this.onChange();
        return;
      }
    }
  }
}

/** The new rating, and by how much it moved. @param {RatingChange} change */
function changeWords({ before, after, provisional }) {
  const rating = ratingText({ rating: after, provisional });
  return t("ratings.change", { rating, change: signed(after - before) });
}

/** A change of a rating with its sign, such as +12 or −3. @param {number} points */
function signed(points) {
  const whole = Math.round(points);
  return whole < 0 ? `\u2212${-whole}` : `+${whole}`;
}
