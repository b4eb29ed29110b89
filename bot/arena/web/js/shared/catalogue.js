/** The games that the arena plays: requested once, and again only after a failure. */

import { fetchOffers } from "./api.js";
import { hasMessage, t } from "./messages.js";
import { capital } from "./sentences.js";
import { Signal } from "./signal.js";

/** @import { Offers } from "./api.js" */
/** @import { GameSetup } from "./wire.d.ts" */

export class Catalogue {
  /** @type {Signal<void>} */
  loaded = new Signal();
  /** @type {Offers} */
  offers = { games: [], clocks: [] };
  /** @type {Promise<Offers> | null} */
  #asking = null;

  /** @returns {Promise<Offers>} rejected if the request fails; the next call sends another */
  load() {
    this.#asking ??= fetchOffers().then(
      (offers) => this.#learn(offers),
      (error) => {
        this.#asking = null;
        throw error;
      },
    );
    return this.#asking;
  }

  /** @param {Offers} offers */
  #learn(offers) {
    this.offers = offers;
    this.loaded.emit();
    return offers;
  }

  /** @param {string} game */
  #offer(game) {
    return this.offers.games.find((each) => each.game === game);
  }

  /**
   * The title of a game, also of one that the arena no longer offers.
   * @param {string} game
   */
  title(game) {
    return this.#offer(game)?.title ?? capital(game);
  }

  /**
   * How many kinds of stones a player owns.
   * @param {string} game
   */
  kinds(game) {
    return this.#offer(game)?.kinds ?? 1;
  }

  /**
   * Whether a rule set is the default of a game.
   * @param {string} game
   * @param {string} rules
   */
  isUsual(game, rules) {
    return rules === (this.#offer(game)?.rules[0] ?? rules);
  }

  /**
   * The options of a setup that differ from the defaults, in words.
   * @param {GameSetup} setup
   */
  options({ game, options }) {
    const offer = this.#offer(game);
    return Object.entries(options).map(([name, value]) => {
      const title = offer?.options.find((option) => option.name === name)?.title ?? name;
      return `${optionTitle(game, name, title)}: ${valueTitle(value)}`;
    });
  }
}

/**
 * @param {string} game
 * @param {string} name
 * @param {string} title the server's, in English
 */
export function optionTitle(game, name, title) {
  const key = `${game}_${name}`;
  return hasMessage(`common.option.${key}`) ? t(`common.option.${key}`) : title;
}

/**
 * A value of an option.
 * @param {string} value a number or a word
 */
export function valueTitle(value) {
  return hasMessage(`common.option_value.${value}`) ? t(`common.option_value.${value}`) : value;
}
