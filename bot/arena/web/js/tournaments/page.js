/** The page of one tournament: its facts, its standings and its games. */

import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Parts } from "../shared/parts.js";
import { Refused } from "../shared/protocol.js";
import { phaseWords, setupLabels } from "../shared/tournament_words.js";
import { bracket } from "./bracket.js";
import { Countdown } from "./countdown.js";
import { crosstable } from "./crosstable.js";
import { facts } from "./facts.js";
import { CLOSED_BY_HOST, doubtWords, hostActions, replaceResult } from "./host_actions.js";
import { LiveBoards } from "./live_boards.js";
import { currentRound } from "./outcomes.js";
import { playerActions } from "./player_actions.js";
import { Rounds } from "./rounds.js";
import { Schedule } from "./schedule.js";
import { standings } from "./standings.js";

/** @import { Session } from "../shared/session.js" */
/** @import { TournamentState } from "../shared/wire.d.ts" */

/** The usual reasons why a tournament is finished, which the page does not show. */
const USUAL_ENDS = ["all rounds are played", "all games are played"];

export class TournamentPage {
  /** @type {string | null} */
  site = null;
  /** @type {TournamentState | null} */
  state = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #parts = new Parts();

  /**
   * @param {Session} session
   * @param {string} id
   */
  constructor(session, id) {
    this.session = session;
    this.id = id;
    this.head = h("header", { class: "tournament-head" });
    this.phase = h("p", { class: "phase", role: "status" });
    this.actions = h("div", { class: "buttons" });
    this.hosting = h("section", {
      class: "panel hosting",
      "aria-label": t("tournaments.hosting"),
      hidden: true,
    });
    this.facts = h("section", { class: "panel", "aria-label": t("tournaments.about") });
    this.standings = scrolling(t("tournaments.standings"));
    this.crosstable = scrolling(t("tournaments.crosstable.title"));
    this.leading = h("h2", {}, t("tournaments.fact.players"));
    this.crossPanel = h(
      "div",
      { class: "panel" },
      h("h2", {}, t("tournaments.crosstable.title")),
      this.crosstable,
    );
    this.schedule = new Schedule();
    this.countdown = new Countdown(session.tournaments.serverTime);
    this.boards = new LiveBoards(session);
    this.rounds = new Rounds(id, () => this.#draw());
    this.bracket = scrolling(t("tournaments.bracket.title"));
    this.bracketPanel = h(
      "div",
      { class: "panel" },
      h("h2", {}, t("tournaments.bracket.title")),
      this.bracket,
    );
    this.element = h(
      "main",
      { class: "tournament", id: "page", tabindex: -1 },
      h("p", { class: "quiet" }, t("tournaments.loading")),
    );
    this.element.addEventListener("click", (event) => this.#followName(event));
    this.#listen();
    this.#watch();
  }

  #listen() {
    const { session } = this;
    this.#endings.push(
      session.tournaments.changed.on((state) => this.#accept(state)),
      session.connection.welcomed.on(() => this.#back()),
      session.lobbyChanged.on(() => this.#draw()),
      session.catalogue.loaded.on(() => this.#draw()),
      this.schedule.replacing.on((game) => replaceResult(this.id, game, session.tournaments)),
    );
  }

  /**
   * Show the games of a player whose name is clicked, or all games, without loading the page again.
   * @param {MouseEvent} event
   */
  #followName(event) {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    if (link instanceof HTMLAnchorElement && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      history.replaceState(null, "", link.hash);
      this.#draw();
      this.schedule.heading.scrollIntoView({ block: "start" });
      this.schedule.heading.focus({ preventScroll: true });
    }
  }

  dispose() {
    this.#endings.forEach((end) => end());
    this.countdown.dispose();
    this.boards.dispose();
    this.session.tournaments.watch(this.id, false).catch(() => undefined);
  }

  get title() {
    return this.state?.settings.name ?? t("tournaments.title");
  }

  /** The game that the page is about. */
  get subject() {
    return this.state?.settings.setups[0]?.game ?? null;
  }

  async #watch() {
    try {
      await this.session.tournaments.watch(this.id, true);
    } catch (error) {
      const undelivered = error instanceof Refused && error.undelivered;
      if (!undelivered && !this.state) {
        this.#showNothing(messageOf(error));
      }
    }
  }

  #back() {
    this.#watch();
    this.boards.restart();
  }

  /** @param {string} message why there is no tournament to show */
  #showNothing(message) {
    const all = h(
      "a",
      { class: "button", href: "/tournaments", "data-link": true },
      t("outside.tournaments.all"),
    );
    replace(this.element, h("section", { class: "panel empty" }, h("h1", {}, message), all));
  }

  /** @param {TournamentState} state */
  #accept(state) {
    if (state.tournament_id !== this.id) {
      return;
    }
    if (this.state === null) {
      this.#layOut();
    }
    this.state = state;
    this.rounds.update(state);
    this.#draw();
    this.session.titleChanged.emit();
  }

  #layOut() {
    replace(
      this.element,
      this.head,
      this.hosting,
      h(
        "div",
        { class: "tournament-main" },
        this.boards.element,
        this.bracketPanel,
        h("div", { class: "panel" }, this.leading, this.standings),
        this.crossPanel,
      ),
      h(
        "div",
        { class: "tournament-side" },
        this.facts,
        h(
          "section",
          { class: "panel", "aria-label": t("tournaments.schedule"), id: "schedule" },
          this.schedule.heading,
          this.schedule.everybody,
          this.rounds.element,
          this.schedule.element,
        ),
      ),
    );
  }

  #draw() {
    const { state, session } = this;
    if (!state) {
      return;
    }
    const { you, catalogue } = session;
    const me = you?.name;
    const isHost = you?.id === state.host.id;
    const isOver = state.state === "over" || state.state === "cancelled";
    const rounds = this.rounds.all;
    this.#parts.draw(this.head, [state.settings.name], () => this.#headParts(state));
    this.#showPhase(state);
    const asked = [state, you, session.nameIsBound];
    this.#parts.draw(this.actions, asked, () => playerActions(state, session));
    this.hosting.hidden = !isHost || isOver;
    this.#parts.draw(this.hosting, [state, isHost], () => isHost ? this.#hostParts(state) : []);
    const games = catalogue.offers.games.length;
    const source = [state.settings, state.entrants.length, state.state, state.is_open, games];
    this.#parts.draw(this.facts, source, () => [
      h("h2", {}, t("tournaments.about")),
      ...facts(state, catalogue),
    ]);
    this.#parts.draw(
      this.standings,
      [state.standings, state.entrants, me, state.state],
      () => standings(state, me),
    );
    this.leading.textContent = state.standings.length
      ? t("tournaments.standings")
      : t("tournaments.fact.players");
    this.crossPanel.hidden = state.standings.length === 0;
    this.#parts.draw(
      this.crosstable,
      [state.standings, rounds, me],
      () => crosstable(state, rounds, me),
    );
    const setups = setupLabels(state.settings.setups, catalogue);
    const player = playerAsked();
    this.schedule.update(rounds, { me, isHost: isHost && !isOver, setups, player });
    const isKnockout = (state.settings.format["kind"] ?? "").endsWith("knockout");
    this.bracketPanel.hidden = !isKnockout || rounds.length === 0;
    this.#parts.draw(
      this.bracket,
      [rounds, state.standings, isKnockout],
      () => isKnockout ? bracket(state, rounds) : [],
    );
    [this.standings, this.crosstable, this.bracket].forEach(announceScrolling);
    this.countdown.update(state, me);
    this.boards.update(state, me);
  }

  /** @param {TournamentState} state */
  #headParts({ settings }) {
    return [
      h(
        "p",
        {},
        h("a", { href: "/tournaments", "data-link": true }, t("outside.tournaments.menu")),
      ),
      h("h1", {}, settings.name),
      this.phase,
      this.countdown.element,
      this.actions,
    ];
  }

  /** @param {TournamentState} state */
  #showPhase(state) {
    const round = currentRound(state.rounds);
    const why = state.why && !USUAL_ENDS.includes(state.why) ? [whyWords(state.why, state)] : [];
    const winner = winnerOf(state);
    const won = winner === null ? [] : [t("common.won.other", { name: winner })];
    const words = [phaseWords({ ...state, round }), ...why, ...won].join(" – ");
    if (this.phase.textContent !== words) {
      this.phase.textContent = words;
    }
    this.phase.dataset["phase"] = state.state;
  }

  /** @param {TournamentState} state */
  #hostParts(state) {
    const buttons = hostActions(state, this.session.tournaments);
    const doubt = doubtWords(state);
    return [
      h("p", { class: "quiet" }, t("tournaments.you_host")),
      doubt !== "" && h("p", { class: "doubt" }, doubt),
      h("div", { class: "buttons" }, buttons),
    ];
  }
}

/**
 * Who has won a tournament that is played to its end, unless the reason of its end says so. The host
 * may still correct results.
 * @param {TournamentState} state
 */
function winnerOf({ state, why, standings: rows }) {
  const isPlayed = state === "played" || (state === "over" && USUAL_ENDS.includes(why ?? ""));
  const [first, ...others] = rows.filter(({ rank }) => rank === 1);
  return isPlayed && first && others.length === 0 ? first.player : null;
}

/**
 * Why a tournament is over; a reason of the host is as they wrote it.
 * @param {string} why
 * @param {TournamentState} state
 */
function whyWords(why, { entrants }) {
  const winner = entrants.find(({ name }) => why === `${name} has won`);
  if (winner) {
    return t("common.won.other", { name: winner.name });
  }
  return why === CLOSED_BY_HOST ? t("tournaments.closed_by_host") : why;
}

/** The player whose games the address asks for; null for all games. */
function playerAsked() {
  const [, name] = /^#games-of=(.+)$/.exec(location.hash) ?? [];
  return name === undefined ? null : decodeURIComponent(name);
}

/**
 * A place for a wide table, which the keyboard can scroll.
 * @param {string} label
 */
function scrolling(label) {
  const place = h("div", {
    class: "scrolling",
    tabindex: 0,
    role: "region",
    "aria-label": label,
    "data-hint": t("tournaments.scroll"), // the style sheet shows it if the place is `wide`
  });
  new ResizeObserver(() => announceScrolling(place)).observe(place);
  return place;
}

/**
 * Mark a place whose columns are partly out of sight.
 * @param {HTMLElement} place
 */
function announceScrolling(place) {
  place.classList.toggle("wide", place.scrollWidth > place.clientWidth + 1);
}
