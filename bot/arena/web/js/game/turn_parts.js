/** A turn in a list: its cells, each with a dot of its stone's colour where colours differ. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { stoneColour } from "../shared/sentences.js";
import { PASS, placementsOf } from "../shared/steps.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Seat } from "../shared/wire.d.ts" */

/**
 * @param {string} turn
 * @param {Seat} seat who plays it
 * @param {number} kinds how many kinds of stones a player owns
 * @returns {Child[]}
 */
export function turnParts(turn, seat, kinds) {
  if (turn === PASS) {
    return [t("game.pass.turn")];
  }
  const steps = placementsOf(turn, kinds).map(({ cell, kind }) =>
    h("span", { class: "step" }, kinds > 1 && colourDot(seat, kind), cell)
  );
  // The blank separates two cells also for screen readers.
  return steps.flatMap((step, index) => (index > 0 ? [" ", step] : [step]));
}

/**
 * @param {Seat} seat
 * @param {number} kind
 */
function colourDot(seat, kind) {
  const label = stoneColour(seat, kind);
  return h("span", {
    class: `dot seat-${seat} kind-${kind}`,
    role: "img",
    "aria-label": label,
    title: label,
  });
}
