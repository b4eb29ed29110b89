/** One player of a game: name, colours, clock and score. */

import { formatTime, runDown } from "../shared/clock.js";
import { h, replace } from "../shared/dom.js";
import { levelWord } from "../shared/levels.js";
import { t } from "../shared/messages.js";
import { playerName } from "../shared/player_link.js";
import { ratingMark } from "../shared/ratings.js";
import { duration, sideTitle } from "../shared/sentences.js";
import { ScoresView } from "./scores_view.js";

/** @import { ShownClock } from "../shared/clock.js" */
/** @import { Child } from "../shared/dom.js" */
/** @import { GameState, Player, Seat, TimeControl } from "../shared/wire.d.ts" */

const LOW_MS = 20_000;

export class PlayerView {
  /**
   * @param {Seat} seat
   * @param {number} kinds how many kinds of stones the player owns
   */
  constructor(seat, kinds) {
    this.seat = seat;
    this.side = sideTitle(seat, kinds);
    this.name = h("div", { class: "player-name" });
    this.about = h("div", { class: "player-about" });
    this.clock = h("div", { class: "clock", role: "timer", "aria-live": "off" });
    this.scores = new ScoresView(seat);
    this.element = h(
      "section",
      { class: `panel player seat-${seat}`, "aria-label": this.side },
      h(
        "div",
        { class: "swatches", "aria-hidden": "true" },
        Array.from(
          { length: kinds },
          (_, index) => h("div", { class: `swatch seat-${seat} kind-${index + 1}` }),
        ),
      ),
      h("div", { class: "player-words" }, this.name, this.about),
      this.clock,
      this.scores.element,
    );
  }

  /**
   * @param {GameState} game
   * @param {boolean} isMe
   * @param {Child[]} notes of capabilities, beside the name
   */
  update(game, isMe, notes) {
    const player = game.players[this.seat - 1];
    const here = game.connected[this.seat - 1];
    const playing = game.state === "playing";
    this.element.classList.toggle("to-play", playing && game.to_play === this.seat);
    this.element.classList.toggle("winner", game.result?.winner === this.seat);
    replace(
      this.name,
      player ? playerName(player, `player-${this.seat}`) : null,
      ratingMark(player, game.setup.game),
      ...notes,
      player?.kind === "bot" && h("span", { class: "badge" }, botBadge(player)),
    );
    const absent = playing && !here && !isMe;
    replace(
      this.about,
      player?.name !== this.side && this.side, // two people on one device may have no other names
      isMe && h("span", { class: "badge you" }, t("common.you")),
      player && strength(player),
      absent && h("span", { class: "absent" }, ` · ${t("game.not_connected")}`),
    );
  }

  /**
   * @param {GameState} game
   * @param {number} elapsed milliseconds since the time of the state
   */
  tick(game, elapsed) {
    const running = game.clocks.running === this.seat;
    const control = game.setup.clock;
    const clock = game.clocks.players[this.seat - 1];
    const firstTurn = game.clocks.first_turn_ms ?? null;
    const isFirst = firstTurn !== null && game.to_play === this.seat;
    if (isFirst) {
      const left = Math.max(0, firstTurn - elapsed);
      this.clock.classList.toggle("low", left < LOW_MS);
      this.#showClock(formatTime(left), "", `${t("game.first_turn")} `);
    } else if (clock && clock.main_ms !== null) {
      const shown = runDown(control, clock, running ? elapsed : 0);
      const low = running && (shown.ms ?? 0) < LOW_MS && control.kind !== "per_turn";
      this.clock.classList.toggle("low", low || shown.flagged);
      this.#showClock(formatTime(shown.ms ?? 0), extra(control, shown));
    } else {
      this.clock.hidden = true;
    }
    this.clock.classList.toggle("running", running || isFirst);
  }

  /**
   * @param {string} time
   * @param {string} words
   * @param {string} [label]
   */
  #showClock(time, words, label = "") {
    this.clock.hidden = false;
    const shown = label + time + words;
    if (this.clock.dataset["shown"] !== shown) {
      this.clock.dataset["shown"] = shown;
      replace(this.clock, label && h("small", {}, label), time, words && h("small", {}, words));
    }
  }
}

/** @param {Player} bot */
function botBadge({ level }) {
  return level ? t("game.bot_badge", { level: levelWord(level) }) : t("common.bot");
}

/**
 * The level that a bot declares. Its engine is then only in the title: the name, which may be that of
 * another game, tells a player less. A bot without a level shows its engine.
 * @param {Player} bot
 */
function strength({ engine, level }) {
  const words = level ? t("common.level_number", { level }) : engine;
  return words && h("span", { title: level ? engine : null }, ` · ${words}`);
}

/**
 * What a clock shows apart from the time.
 * @param {TimeControl} control
 * @param {ShownClock} shown
 */
function extra(control, { periods, inPeriod }) {
  if (control.kind !== "byoyomi") {
    return "";
  }
  return inPeriod
    ? ` ${t("game.periods_left", { periods })}`
    : ` + ${periods} × ${duration(control.period_s)}`;
}
