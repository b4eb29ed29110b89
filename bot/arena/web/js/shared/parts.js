/** The parts of a page that are redrawn when events arrive. */

import { replace } from "./dom.js";

/** @import { Child } from "./dom.js" */

const LOOK_AGAIN_MS = 50;
/** The longest press that is waited for; some browsers do not report that a button was released. */
const LOOKS = 40;

export class Parts {
  /** @type {Map<Element, string | undefined>} */
  #drawn = new Map();

  /**
   * Draw a part, unless it would look the same: redrawing disturbs a person who uses it.
   * @param {Element} place
   * @param {unknown} source what it is drawn from
   * @param {() => Child[]} draw
   */
  draw(place, source, draw) {
    const key = JSON.stringify(source);
    if (this.#drawn.get(place) !== key) {
      this.#drawn.set(place, key);
      this.#onceReleased(place, key, draw, LOOKS);
    }
  }

  /**
   * Draw when no button in the place is pressed: a button that is replaced then gets no click.
   * @param {Element} place
   * @param {string | undefined} key
   * @param {() => Child[]} draw
   * @param {number} looks
   */
  #onceReleased(place, key, draw, looks) {
    if (this.#drawn.get(place) !== key) {
      return; // something newer will be drawn
    }
    if (looks > 0 && place.matches(":active")) {
      setTimeout(() => this.#onceReleased(place, key, draw, looks - 1), LOOK_AGAIN_MS);
    } else {
      replace(place, ...draw());
    }
  }
}
