/** The rounds: pairings, results, and the reasons for replaced results. */

import { h, replace } from "../shared/dom.js";
import { nodes, t } from "../shared/messages.js";
import { playerLink } from "../shared/player_link.js";
import { Signal } from "../shared/signal.js";
import { pointsText } from "../shared/tournament_words.js";
import {
  currentRound,
  isSettled,
  outcomeWords,
  replacedWords,
  scoreText,
  voidWords,
} from "./outcomes.js";

/** @import { TournamentGame, TournamentPairing, TournamentRound } from "../shared/wire.d.ts" */

/** The viewer, whose games are shown (null: all), and the names of the setups if there are several. */
/** @typedef {{me: string | undefined, isHost: boolean, setups: string[], player: string | null}} Viewer */
/** @typedef {{element: HTMLDetailsElement, drawn: string}} ShownRound */

export class Schedule {
  /** @type {Signal<TournamentGame>} a game of which the host replaces the result */
  replacing = new Signal();
  /** @type {Map<number, ShownRound>} */
  #rounds = new Map();
  #current = 0;
  /** @type {string | null} */
  #player = null;

  constructor() {
    this.heading = h("h2", { tabindex: -1 }, t("tournaments.schedule"));
    this.everybody = h("a", { href: "#schedule", hidden: true }, t("tournaments.schedule_all"));
    this.element = h("div", { class: "rounds" });
  }

  /**
   * @param {TournamentRound[]} rounds
   * @param {Viewer} viewer
   */
  update(rounds, viewer) {
    const latestFirst = [...rounds].sort((one, two) => two.number - one.number);
    for (const round of latestFirst) {
      this.#show(round, viewer);
    }
    this.#open(currentRound(rounds));
    this.#showPlayer(viewer.player);
    const elements = latestFirst.map(({ number }) => this.#rounds.get(number)?.element);
    const isAsItWas = elements.every((each, place) => this.element.children[place] === each);
    if (!isAsItWas || this.element.children.length !== elements.length || elements.length === 0) {
      const empty = h("p", { class: "quiet" }, t("tournaments.no_round"));
      replace(this.element, ...(elements.length ? elements : [empty]));
    }
  }

  /**
   * Draw a round, unless it would look the same. It stays open or closed.
   * @param {TournamentRound} round
   * @param {Viewer} viewer
   */
  #show(round, viewer) {
    const drawn = JSON.stringify([round, viewer]);
    let shown = this.#rounds.get(round.number);
    if (!shown) {
      shown = { element: h("details"), drawn: "" };
      this.#rounds.set(round.number, shown);
    }
    if (shown.drawn !== drawn) {
      shown.drawn = drawn;
      replace(shown.element, summaryOf(round), this.#pairings(round, viewer));
    }
  }

  /**
   * Open the current round and close the others, when another round has become the current one.
   * @param {number} current
   */
  #open(current) {
    if (current !== this.#current) {
      this.#current = current;
      this.#rounds.forEach(({ element }, number) => element.open = number === current);
    }
  }

  /**
   * Open every round while only one player's games are shown.
   * @param {string | null} player
   */
  #showPlayer(player) {
    if (player !== this.#player) {
      this.#player = player;
      this.#rounds.forEach(({ element }, number) =>
        element.open = player !== null || number === this.#current
      );
    }
    replace(
      this.heading,
      player === null
        ? t("tournaments.schedule")
        : nodes("tournaments.games_of", { name: playerLink(player, "games-of") }),
    );
    this.everybody.hidden = player === null;
  }

  /**
   * @param {TournamentRound} round
   * @param {Viewer} viewer
   */
  #pairings({ pairings, byes }, viewer) {
    const { player } = viewer;
    const isShown = (/** @type {string[]} */ ...names) => player === null || names.includes(player);
    const shown = pairings.filter((pairing) => isShown(...pairing.players));
    const rows = shown.map((pairing) => this.#pairing(pairing, viewer));
    const free = byes.filter((bye) => isShown(bye.player)).map(({ player, points }) =>
      h(
        "li",
        { class: player === viewer.me ? "pairing own" : "pairing" },
        ...nodes("tournaments.has_bye", {
          name: h("strong", {}, player),
          n: points,
          points: pointsText(points),
        })
          .map((part) => typeof part === "string" ? h("span", { class: "quiet" }, part) : part),
      )
    );
    return h("ul", { class: "pairings" }, rows, free);
  }

  /**
   * @param {TournamentPairing} pairing
   * @param {Viewer} viewer
   */
  #pairing(pairing, viewer) {
    const { players: [one, two], score, games, stopped } = pairing;
    const isOwn = viewer.me === one || viewer.me === two;
    const settled = isSettled(pairing);
    const side = (
      /** @type {string} */ name,
      /** @type {boolean} */ ahead,
      /** @type {string} */ style,
    ) =>
      h(
        "span",
        { class: `who ${style}${settled && ahead ? " won" : ""}` },
        playerLink(name, `${pairing.number}-${name}`),
      );
    return h(
      "li",
      { class: isOwn ? "pairing own" : "pairing" },
      h(
        "div",
        { class: "pairing-line" },
        side(one, score[0] > score[1], "first"),
        h("span", { class: "pairing-score" }, scoreText(pairing)),
        side(two, score[1] > score[0], "second"),
      ),
      games.map((game) => this.#game(game, games.length > 1, viewer)),
      stopped !== null && h("p", { class: "reason" }, t("tournaments.stopped", { why: stopped })),
    );
  }

  /**
   * @param {TournamentGame} game
   * @param {boolean} isOneOfMany
   * @param {Viewer} viewer
   */
  #game(game, isOneOfMany, viewer) {
    const { seats, game_id: id, message, reason, state } = game;
    const replaced = replacedWords(game);
    const setup = viewer.setups[game.setup] ?? "";
    const wasVoid = voidWords(game);
    const explains = reason === "no_show" && message;
    return h(
      "div",
      { class: "pairing-game" },
      h(
        "p",
        { class: state === "playing" ? "playing" : null },
        setup !== "" && h("span", { class: "quiet" }, `${setup} · `),
        isOneOfMany &&
          h("span", { class: "quiet" }, `${t("lobby.order.other", { name: seats[0] })} · `),
        outcomeWords(game),
        explains && h("span", { class: "quiet" }, ` · ${message}`),
      ),
      h(
        "span",
        { class: "links" },
        id !== null && this.#link(game, id, viewer),
        viewer.isHost && state !== "playing" && state !== "unplayed" && this.#replace(game),
      ),
      wasVoid !== "" && h("p", { class: "reason" }, wasVoid),
      replaced !== "" && h("p", { class: "reason" }, replaced),
    );
  }

  /**
   * @param {TournamentGame} game
   * @param {string} id
   * @param {Viewer} viewer
   */
  #link({ state, seats, number }, id, { me }) {
    const mine = seats.some((name) => name === me);
    const verb = state === "playing" ? (mine ? "play" : "watch") : "replay";
    const label = t(`tournaments.${verb}_game`, { number, one: seats[0], two: seats[1] });
    const attributes = { href: `/game/${id}`, "data-link": true, "data-key": `game-${number}` };
    return h("a", { ...attributes, "aria-label": label }, t(`common.${verb}`));
  }

  /** @param {TournamentGame} game */
  #replace(game) {
    const { number } = game;
    return h(
      "button",
      {
        type: "button",
        class: "quiet-button small",
        "aria-label": t("tournaments.replace.title", { number }),
        "data-key": `replace-${number}`,
        onclick: () => this.replacing.emit(game),
      },
      t("tournaments.replace.verb"),
    );
  }
}

/** @param {TournamentRound} round */
function summaryOf({ number, pairings }) {
  const games = pairings.flatMap((pairing) => pairing.games);
  const done = games.filter(({ state }) => state === "finished" || state === "unplayed").length;
  const progress = done === games.length
    ? t("tournaments.round_complete")
    : t("tournaments.round_progress", { done, n: games.length });
  return h(
    "summary",
    { "data-key": `round-${number}` },
    h("span", {}, t("common.round", { round: number })),
    h("span", { class: "quiet" }, progress),
  );
}
