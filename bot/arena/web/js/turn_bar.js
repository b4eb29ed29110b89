/** Under the board: what is to be done, why something cannot be done, and the turn's buttons. */

import { h, replace } from "./dom.js";
import { COLOURS } from "./sentences.js";

/** @typedef {import("./protocol.js").GameState} GameState */
/** @typedef {import("./protocol.js").Seat} Seat */
/** @typedef {import("./turn_input.js").TurnInput} TurnInput */

/**
 * @typedef {object} Situation
 * @property {GameState} game
 * @property {Seat | null} seat the person's, null for a spectator
 * @property {boolean} live whether the newest position is looked at
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
    this.buttons = h("div", { class: "buttons" });
    this.element = h(
      "section",
      { class: "turn-bar", "aria-label": "Your turn" },
      h("div", { class: "turn-words" }, this.prompt, this.complaint),
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
    replace(this.buttons, ...this.#buttons(situation));
  }

  /** @param {Situation} situation */
  #prompt({ game, seat, live }) {
    if (!live) {
      return "You are looking at an earlier position.";
    }
    if (game.state === "finished") {
      return "The game is over.";
    }
    if (seat === null || game.to_play !== seat) {
      return `${game.players[game.to_play - 1]?.name} (${COLOURS[game.to_play]}) is thinking.`;
    }
    return this.#task();
  }

  #task() {
    const { phase, chosen, passing, mustPass } = this.input;
    if (phase === "sending") {
      return "Sending your turn.";
    }
    if (phase === "confirming") {
      return passing ? "Pass this turn?" : `Play ${chosen.join(" and ")}?`;
    }
    if (mustPass) {
      return "No cell is open to you: pass.";
    }
    if (chosen.length > 0) {
      return "Place your second stone, in another group.";
    }
    return this.input.ply === 0
      ? "Your turn: place the first stone."
      : "Your turn: place two stones.";
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
          button("Take back", () => input.undo(), "", "undo"),
          button(input.passing ? "Pass" : "Send", () => input.send(), "primary", "send"),
        ];
      case "choosing":
        return [
          input.chosen.length > 0 && button("Undo", () => input.undo(), "", "undo"),
          input.canStop && button("Play one stone", () => input.send(), "primary", "stop"),
          input.chosen.length === 0 &&
            button("Pass", () => input.pass(), input.mustPass ? "primary" : "quiet-button", "pass"),
        ];
      default:
        return [];
    }
  }
}

/** @param {import("./turn_input.js").Complaint} complaint */
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
