/** The bar below the board: the task, the reason why something is illegal, and the turn's buttons. */

import { isShared } from "../shared/device_games.js";
import { h, replace, setAttributes } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { duration } from "../shared/sentences.js";
import { PASS, placementsOf } from "../shared/steps.js";
import { ColourChooser } from "./colour_chooser.js";
import { cellsOf, moverWords, promptOf } from "./prompt.js";

/** @import { GameState, PlayedTurn, Seat } from "../shared/wire.d.ts" */
/** @import { Prompt, Situation } from "./prompt.js" */
/** @import { Complaint, TurnInput } from "./turn_input.js" */

export class TurnBar {
  /** @type {Prompt} */
  #prompt = { before: "", left: null, after: "" };
  /** How many turns are known; -1 before the first state. */
  #plies = -1;

  /**
   * @param {TurnInput} input
   * @param {HTMLElement} banner replaces the words at the end of a game
   * @param {{toNewest: () => void, pass: () => void}} press
   */
  constructor(input, banner, press) {
    this.input = input;
    this.press = press;
    this.prompt = h("p", { class: "prompt", "aria-live": "polite" });
    // Screen readers announce the sentence once, and not every second.
    this.countdown = h("span", { role: "timer", "aria-live": "off" });
    this.complaint = h("p", { class: "complaint", role: "status", "aria-live": "assertive" });
    /** What the others have played, for those who do not see the board. */
    this.heard = h("p", { class: "hidden-visually heard", "aria-live": "polite" });
    this.colours = new ColourChooser(input);
    this.buttons = h("div", { class: "buttons" });
    this.element = h(
      "section",
      { class: "turn-bar", "aria-label": t("common.your_turn") },
      h("div", { class: "turn-words" }, this.heard, this.prompt, this.complaint),
      this.colours.element,
      this.buttons,
      banner,
    );
  }

  /** @param {Situation} situation */
  update(situation) {
    const { complaint } = this.input;
    this.tick(situation);
    const words = complaint ? sentence(complaint) : "";
    if (this.complaint.textContent !== words) {
      this.complaint.textContent = words;
    }
    const { game, live, seat } = situation;
    this.#hear(game, seat);
    this.element.dataset["phase"] = this.input.phase;
    this.element.classList.toggle("mine", live && this.input.phase !== "waiting");
    this.element.classList.toggle("over", live && game.state === "finished");
    this.colours.update(live ? seat : null);
    replace(this.buttons, ...this.#buttons(situation));
  }

  /**
   * Say the turns that the others play while the page is open.
   * @param {GameState} game
   * @param {Seat | null} seat the person's
   */
  #hear(game, seat) {
    const { turns, players } = game;
    const { kinds } = this.input.draft;
    const mover = moverOf(turns.length - 1);
    const last = turns.at(-1);
    if (turns.length < this.#plies) {
      this.heard.textContent = ""; // that turn was taken back
    } else if (last && this.#plies >= 0 && turns.length > this.#plies && mover !== seat) {
      const name = isShared(game) ? moverWords(game, mover, kinds) : players[mover - 1]?.name ?? "";
      this.heard.textContent = turnWords(name, last, mover, kinds);
    }
    this.#plies = turns.length;
  }

  /**
   * Update the countdowns.
   * @param {Situation} situation
   */
  tick(situation) {
    const prompt = promptOf(situation, this.input);
    const { before, left, after } = prompt;
    if (before !== this.#prompt.before || after !== this.#prompt.after) {
      replace(this.prompt, before, left !== null && this.countdown, after);
    }
    this.#prompt = prompt;
    const time = left === null ? "" : countdown(left);
    if (this.countdown.textContent !== time) {
      this.countdown.textContent = time;
    }
  }

  /** @param {Situation} situation */
  #buttons({ live }) {
    const { input } = this;
    if (!live) {
      return [button(t("game.back_to_current"), this.press.toNewest, "primary", "newest")];
    }
    switch (input.phase) {
      case "confirming":
        return [
          input.canSwap && swapButton(input),
          button(t("game.take_back"), () => input.undo(), "", "undo"),
          button(t("game.send"), () => input.send(), "primary", "send"),
        ];
      case "choosing":
        return [
          input.canSwap && swapButton(input),
          input.draft.stones.length > 0 && button(t("game.undo"), () => input.undo(), "", "undo"),
          input.canStop && button(t("game.play_one_stone"), () => input.send(), "primary", "stop"),
          input.mayPass &&
          button(
            t("game.pass.do"),
            this.press.pass,
            input.mustPass ? "primary" : "quiet-button",
            "pass",
          ),
        ];
      default:
        return [
          input.hasPremove &&
          button(t("game.premove.cancel"), () => input.cancelPremove(), "", "premove"),
        ];
    }
  }
}

/**
 * @param {string} name who has played
 * @param {PlayedTurn} played
 * @param {Seat} seat
 * @param {number} kinds how many kinds of stones a player owns
 */
function turnWords(name, { turn, captured }, seat, kinds) {
  if (turn === PASS) {
    return t("game.heard.pass", { name });
  }
  const words = t("game.heard.turn", {
    name,
    cells: cellsOf(placementsOf(turn, kinds), kinds, seat),
  });
  return captured.length ? `${words} ${t("game.heard.captured", { n: captured.length })}` : words;
}

/** @param {number} ms */
function countdown(ms) {
  const seconds = Math.ceil(ms / 1000);
  return seconds <= 120
    ? t("common.seconds", { n: seconds })
    : duration(60 * Math.ceil(seconds / 60));
}

/** @param {Complaint} complaint */
function sentence({ cell, message }) {
  return cell === null || message.includes(cell) ? message : `${cell}: ${message}`;
}

/**
 * @param {string} label
 * @param {() => void} press
 * @param {string} style
 * @param {string} key
 */
function button(label, press, style, key) {
  return h("button", { type: "button", class: style, "data-key": key, onclick: press }, label);
}

/** @param {TurnInput} input */
function swapButton(input) {
  const swap = button(t("game.swap.do"), () => input.swapKinds(), "", "swap");
  setAttributes(swap, {
    title: t("game.swap.title"),
    "aria-label": t("game.swap.label"),
  });
  return swap;
}
