/** Under the board: what is to be done, why something cannot be done, and the turn's buttons. */

import { h, replace, setAttributes } from "../shared/dom.js";
import { sideTitle, stoneColour } from "../shared/sentences.js";
import { ColourChooser } from "./colour_chooser.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */
/** @import { Complaint, TurnInput } from "./turn_input.js" */

/**
 * @typedef {object} Situation
 * @property {GameState} game
 * @property {Seat | null} seat the person's, null for a spectator
 * @property {boolean} live whether the newest position is looked at
 * @property {boolean} online whether the server is there
 * @property {GameTexts} texts
 */

export class TurnBar {
  /**
   * @param {TurnInput} input
   * @param {() => void} toNewest
   */
  constructor(input, toNewest) {
    this.input = input;
    this.toNewest = toNewest;
    this.prompt = h("p", { class: "prompt", "aria-live": "polite" });
    this.complaint = h("p", { class: "complaint", role: "status", "aria-live": "assertive" });
    this.colours = new ColourChooser(input);
    this.buttons = h("div", { class: "buttons" });
    this.element = h(
      "section",
      { class: "turn-bar", "aria-label": "Your turn" },
      h("div", { class: "turn-words" }, this.prompt, this.complaint),
      this.colours.element,
      this.buttons,
    );
  }

  /** @param {Situation} situation */
  update(situation) {
    const { complaint } = this.input;
    const prompt = this.#prompt(situation);
    if (this.prompt.textContent !== prompt) {
      this.prompt.textContent = prompt;
    }
    const words = complaint ? sentence(complaint) : "";
    if (this.complaint.textContent !== words) {
      this.complaint.textContent = words;
    }
    this.element.dataset["phase"] = this.input.phase;
    this.element.classList.toggle("mine", situation.live && this.input.phase !== "waiting");
    this.colours.update(situation.live ? situation.seat : null);
    replace(this.buttons, ...this.#buttons(situation));
  }

  /** @param {Situation} situation */
  #prompt({ game, seat, live, online, texts }) {
    if (!live) {
      return "You are looking at an earlier position.";
    }
    if (game.state === "finished") {
      return "The game is over.";
    }
    if (!online && (this.input.phase === "waiting" || this.input.phase === "choosing")) {
      return "The server cannot be reached at the moment. The game goes on when it can.";
    }
    if (seat === null || game.to_play !== seat) {
      return `${game.players[game.to_play - 1]?.name} (${this.#side(game.to_play)}) is thinking.`;
    }
    return this.#task(seat, texts);
  }

  /** @param {Seat} seat */
  #side(seat) {
    return sideTitle(seat, this.input.draft.kinds);
  }

  /**
   * @param {Seat} seat
   * @param {GameTexts} texts
   */
  #task(seat, texts) {
    const { phase, draft, passing, mustPass } = this.input;
    if (phase === "sending") {
      return "Sending your turn.";
    }
    if (phase === "confirming") {
      const stones = draft.stones.map(({ cell, kind }) =>
        draft.kinds > 1 ? `${stoneColour(seat, kind)} ${cell}` : cell
      );
      return passing ? "Pass this turn?" : `Play ${stones.join(" and ")}?`;
    }
    if (mustPass) {
      return "No cell is open to you: pass.";
    }
    if (draft.stones.length > 0) {
      return texts.second;
    }
    return this.input.ply === 0 ? "Your turn: place the first stone." : texts.turn;
  }

  /** @param {Situation} situation */
  #buttons({ live }) {
    const { input } = this;
    if (!live) {
      return [button("Back to the newest", this.toNewest, "primary", "newest")];
    }
    switch (input.phase) {
      case "confirming":
        return [
          input.canSwap && swapButton(input),
          button("Take back", () => input.undo(), "", "undo"),
          button(input.passing ? "Pass" : "Send", () => input.send(), "primary", "send"),
        ];
      case "choosing":
        return [
          input.canSwap && swapButton(input),
          input.draft.stones.length > 0 && button("Undo", () => input.undo(), "", "undo"),
          input.canStop && button("Play one stone", () => input.send(), "primary", "stop"),
          input.mayPass &&
          button("Pass", () => input.pass(), input.mustPass ? "primary" : "quiet-button", "pass"),
        ];
      default:
        return [];
    }
  }
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
  const swap = button("Swap", () => input.swapKinds(), "", "swap");
  setAttributes(swap, {
    title: "Exchange the colours of your stones (S)",
    "aria-label": "Swap colours",
  });
  return swap;
}
