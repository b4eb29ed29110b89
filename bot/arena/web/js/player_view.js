/** One player of a game: name, clock, and the scores of the groups. */

import { formatTime, runDown } from "./clock.js";
import { h, replace } from "./dom.js";
import { COLOURS, duration } from "./sentences.js";
import { Signal } from "./signal.js";

/** @typedef {import("./protocol.js").GameState} GameState */
/** @typedef {import("./protocol.js").Seat} Seat */
/** @typedef {import("./geometry.js").Group} Group */

const LOW_MS = 20_000;

export class PlayerView {
  /** @type {Signal<Group | null>} a group to show on the board */
  pointed = new Signal();
  #scores = "";

  /** @param {Seat} seat */
  constructor(seat) {
    this.seat = seat;
    this.name = h("div", { class: "player-name" });
    this.about = h("div", { class: "player-about" });
    this.clock = h("div", { class: "clock", role: "timer", "aria-live": "off" });
    this.scores = h("div", { class: "scores", role: "list" });
    this.element = h(
      "section",
      { class: `panel player seat-${seat}`, "aria-label": COLOURS[seat] },
      h("div", { class: `swatch seat-${seat}`, "aria-hidden": "true" }),
      h("div", { class: "player-words" }, this.name, this.about),
      this.clock,
      this.scores,
    );
  }

  /**
   * @param {GameState} game
   * @param {boolean} isMe
   */
  update(game, isMe) {
    const player = game.players[this.seat - 1];
    const here = game.connected[this.seat - 1];
    const playing = game.state === "playing";
    this.element.classList.toggle("to-play", playing && game.to_play === this.seat);
    this.element.classList.toggle("winner", game.result?.winner === this.seat);
    replace(
      this.name,
      h("span", {}, player?.name),
      isMe && h("span", { class: "badge you" }, "you"),
      player?.kind === "bot" && h("span", { class: "badge" }, "bot"),
    );
    const absent = playing && !here && !isMe;
    replace(
      this.about,
      `${COLOURS[this.seat]}`,
      player?.engine && h("span", {}, ` · ${player.engine}`),
      absent && h("span", { class: "absent" }, " · not connected"),
    );
  }

  /**
   * @param {number[]} mine this player's scores, from high to low
   * @param {number[]} theirs
   * @param {Group[]} groups this player's groups, in the order of the scores
   */
  updateScores(mine, theirs, groups) {
    // A chip must not be exchanged while somebody points at it.
    const key = JSON.stringify([mine, theirs, groups]);
    if (key === this.#scores) {
      return;
    }
    this.#scores = key;
    const decides = firstLead(mine, theirs);
    const scoring = mine.filter((score) => score > 0);
    const chips = scoring.map((score, index) => {
      const group = groups[index] ?? null;
      const matches = group !== null && group.blue.length === score;
      return this.#chip(score, index, index === decides, matches ? group : null);
    });
    replace(
      this.scores,
      ...(chips.length ? chips : [h("span", { class: "quiet" }, "No score yet")]),
    );
  }

  /**
   * @param {number} score
   * @param {number} index
   * @param {boolean} decides
   * @param {Group | null} group
   */
  #chip(score, index, decides, group) {
    const show = () => this.pointed.emit(group);
    const hide = () => this.pointed.emit(null);
    const title = decides
      ? "A group’s score: the first difference decides, and it is here"
      : "A group’s score";
    return h(
      "button",
      {
        type: "button",
        class: decides ? "score decides" : "score",
        "data-key": `score-${this.seat}-${index}`,
        title,
        onpointerenter: show,
        onpointerleave: hide,
        onfocus: show,
        onblur: hide,
      },
      score,
    );
  }

  /**
   * @param {GameState} game
   * @param {number} elapsed milliseconds since the moment of the state
   */
  tick(game, elapsed) {
    const running = game.clocks.running === this.seat;
    const control = game.setup.clock;
    const clock = game.clocks.players[this.seat - 1];
    const firstTurn = game.clocks.first_turn_ms ?? null;
    if (firstTurn !== null && game.to_play === this.seat) {
      this.#showClock(formatTime(Math.max(0, firstTurn - elapsed)), " first turn");
    } else if (clock && clock.main_ms !== null) {
      const shown = runDown(control, clock, running ? elapsed : 0);
      const low = running && (shown.ms ?? 0) < LOW_MS && control.kind !== "per_turn";
      this.clock.classList.toggle("low", low || shown.flagged);
      this.#showClock(formatTime(shown.ms ?? 0), extra(control, shown));
    } else {
      this.clock.hidden = true;
    }
    this.clock.classList.toggle("running", running);
  }

  /**
   * @param {string} time
   * @param {string} words
   */
  #showClock(time, words) {
    this.clock.hidden = false;
    if (this.clock.dataset["shown"] !== time + words) {
      this.clock.dataset["shown"] = time + words;
      replace(this.clock, time, words && h("small", {}, words));
    }
  }
}

/**
 * What a clock says besides the time.
 * @param {import("./protocol.js").TimeControl} control
 * @param {import("./clock.js").ShownClock} shown
 */
function extra(control, { periods, inPeriod }) {
  if (control.kind !== "byoyomi") {
    return "";
  }
  return inPeriod ? ` ${periods} left` : ` + ${periods} × ${duration(control.period_s)}`;
}

/**
 * Where a list of scores gets ahead of another; -1 if it does not.
 * @param {number[]} mine
 * @param {number[]} theirs
 */
function firstLead(mine, theirs) {
  const at = mine.findIndex((score, index) => score !== theirs[index]);
  return at >= 0 && (mine[at] ?? 0) > (theirs[at] ?? 0) ? at : -1;
}
