/** What the page of a game shows: its board, its panels, and their layout. */

import { placeBoard } from "../board/placed.js";
import { trackOf } from "../board/track.js";
import { ProspectsSwitch } from "../board/prospects_switch.js";
import { isShared } from "../shared/device_games.js";
import { guideLink } from "../shared/guides.js";
import { h, replace } from "../shared/dom.js";
import { hasMessage, nodes, t } from "../shared/messages.js";
import { isBare } from "../shared/over_the_board.js";
import { termsOf } from "../shared/terms.js";
import { GameActions } from "./actions.js";
import { clocksAt } from "./clock_history.js";
import { isEvaluationShown } from "./evaluation.js";
import { EvaluationView } from "./evaluation_view.js";
import { pictureOf } from "./picture.js";
import { PlayerView } from "./player_view.js";
import { TurnBar } from "./turn_bar.js";
import { scoreOf, scoringOf } from "./scores_view.js";
import { TurnsView } from "./turns_view.js";

/** @import { Group } from "../board/geometry.js" */
/** @import { Move, PanZoom } from "../board/pan_zoom.js" */
/** @import { TrackLayer } from "../board/track.js" */
/** @import { BoardView } from "../board/view.js" */
/** @import { GameTexts } from "../rules/texts.js" */
/** @import { RawBoard } from "../shared/api.js" */
/** @import { Areas } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameState, PositionView, Queue, Seat, TournamentPlace } from "../shared/wire.d.ts" */
/** @import { Imagined } from "./evaluation.js" */
/** @import { Scoring } from "./scores_view.js" */
/** @import { Situation } from "./prompt.js" */
/** @import { TurnInput } from "./turn_input.js" */

/**
 * What is shown.
 * @typedef {object} Scene
 * @property {GameState} game
 * @property {Seat | null} seat for which the page plays, null for a spectator
 * @property {PositionView} position
 * @property {boolean} live whether it is the newest one
 * @property {number} ply the ply that is or will be shown
 * @property {number | null} offlineMs how long the page has been offline; null while it is connected
 * @property {Imagined | null} imagined
 */

export class GameView {
  /** @type {BoardView | null} */
  board = null;
  /** What a bot has said about its present turn. @type {Queue | null} */
  queue = null;
  /** Of a board without an end. @type {PanZoom | null} */
  panZoom = null;
  /** @type {TrackLayer | null} */
  #track = null;
  /** @type {PlayerView[]} */
  #players = [];
  /** @type {Scoring} */
  #scoring = { score: "", goal: null };
  /** @type {GameTexts | null} */
  #texts = null;
  #drawnPly = -1;
  /** The words on the stones that are shown. @type {Record<string, string>} */
  #marks = {};
  /** Whether all help is hidden. */
  #bare = false;
  /** As in the style sheets: the page has one column. */
  #narrow = matchMedia("(max-width: 900px)");

  /**
   * @param {Session} session
   * @param {TurnInput} input
   * @param {{
   *   toNewest: () => void,
   *   pass: () => void,
   *   look: (move: Move) => void,
   *   share: () => void,
   *   redraw: () => void,
   * }} press
   * @param {Areas} areas
   */
  constructor(session, input, press, areas) {
    this.press = press;
    this.session = session;
    this.input = input;
    this.turns = new TurnsView();
    this.evaluation = new EvaluationView();
    this.actions = new GameActions(session, areas);
    this.bar = new TurnBar(input, this.actions.banner, press);
    const loading = h("p", { class: "quiet" }, t("game.loading"));
    this.boardPlace = h("div", { class: "board-place" }, loading);
    this.aim = h("span", { class: "aim" });
    this.pointed = h("span", { class: "pointed", "aria-live": "polite" });
    this.tip = h("p", { class: "tip" }, this.pointed, this.aim);
    this.facts = h("p", { class: "facts" });
    this.notes = areas.playerNotes(press.redraw);
    this.prospects = new ProspectsSwitch(session.settings);
    this.element = h("main", { class: "game", id: "page", tabindex: -1 });
    this.#narrow.addEventListener("change", this.#place);
  }

  /** Remove the listener outside the page. */
  dispose() {
    this.#narrow.removeEventListener("change", this.#place);
  }

  #place = () => this.turns.controls.place(this.#narrow.matches, this.boardPlace, this.tip);

  /** @param {string} message why there is no game to show */
  showNothing(message) {
    const home = h(
      "a",
      { class: "button", href: "/", "data-link": true },
      t("common.to_the_lobby"),
    );
    replace(this.element, h("section", { class: "panel empty" }, h("h1", {}, message), home));
  }

  /** @param {() => void} retry */
  showFailure(retry) {
    const again = h("button", { type: "button", onclick: retry }, t("common.try_again"));
    replace(this.boardPlace, h("p", {}, t("game.board_failed"), " "), again);
    replace(this.element, this.boardPlace);
  }

  /**
   * Make the board and the panels of a game.
   * @param {GameState} game
   * @param {Seat | null} seat the person's
   * @param {RawBoard} raw
   * @param {GameTexts} texts
   */
  build({ setup }, seat, raw, texts) {
    const { kinds } = raw;
    this.#texts = texts;
    this.#scoring = scoringOf(setup, raw, texts);
    const rules = guideLink("rules", setup.game, t("game.rules"));
    replace(this.aim, texts.aim(this.#scoring.goal), rules && " ", rules);
    this.#players = [new PlayerView(1, kinds), new PlayerView(2, kinds)];
    this.#players.forEach((view) => view.scores.pointed.on((group) => this.#point(group)));
    this.turns.kinds = this.evaluation.kinds = kinds;
    const { board, panZoom } = placeBoard(this.boardPlace, raw, texts, this.press.look);
    board.pointed.on((cell) => this.#point(cell === null ? null : board.groupAt(cell)));
    if (board.prospects) {
      board.prospects.stonesATurn = texts.stonesATurn(setup);
    }
    this.board = board;
    this.#track = trackOf(board, this.#scoring);
    this.panZoom = panZoom;
    this.#layOut(seat);
    return board;
  }

  /** @param {Seat | null} seat */
  #layOut(seat) {
    const [first, second] = this.#players;
    const mine = seat === 1 ? first : second;
    const theirs = mine === first ? second : first;
    theirs?.element.classList.add("opponent");
    replace(
      this.element,
      h("h1", { class: "hidden-visually" }, t("common.game")),
      theirs?.element,
      h(
        "div",
        { class: "board-column" },
        this.boardPlace,
        this.tip,
        this.bar.element,
      ),
      mine?.element,
      this.evaluation.element,
      this.turns.element,
      h(
        "section",
        { class: "panel about", "aria-label": t("game.about") },
        this.facts,
        this.prospects.element,
        this.actions.element,
      ),
    );
    this.#place();
  }

  /** @param {Group | null} about */
  #point(about) {
    const group = this.#bare ? null : about;
    this.board?.highlight(group);
    const words = (group && this.board?.words.describeGroup(group)) ?? "";
    const mark = this.#marks[group?.cells[0] ?? ""] ?? "";
    this.pointed.textContent = hasMessage(`game.mark_means.${mark}`)
      ? t(`game.mark_means.${mark}`, { words })
      : words;
  }

  /** @param {Scene} scene */
  show(scene) {
    if (!this.board || !this.#texts) {
      return;
    }
    const { game, seat, live, ply } = scene;
    const { settings } = this.session;
    this.#bare = isBare(game, settings.value);
    this.#showBoard(this.board, scene);
    this.#showPlayers(this.board, scene);
    this.bar.update(this.#situation(scene, this.#texts));
    this.turns.update(game, ply);
    this.actions.update(game, seat, this.#texts, live);
    this.evaluation.review = this.turns.review;
    this.evaluation.update(game, ply, isEvaluationShown(game, settings.value));
    replace(this.facts, ...this.#factsOf(game));
  }

  /**
   * @param {BoardView} board
   * @param {Scene} scene
   */
  #showBoard(board, { game, position, live, seat, imagined }) {
    const isNew = position.ply !== this.#drawnPly;
    const bare = this.#bare;
    if (isNew || bare) {
      // What was pointed at belongs to another position.
      this.#drawnPly = position.ply;
      this.#point(null);
    }
    const { cellNames, threats, prospects } = this.session.settings.value;
    const { input, actions } = this;
    // A sentence that names cells is of no use to a person who cannot find them.
    board.named = cellNames || (live && (input.complaint !== null || actions.hint.turn !== null));
    board.rows.showsThreats = threats && !bare;
    board.element.classList.toggle("premove", live && this.input.hasPremove);
    const looked = { position, live, seat: seat ?? position.to_play, imagined, bare };
    const picture = pictureOf(looked, this.input);
    if (board.prospects) {
      const isEnd = live && game.result?.reason === "played_out";
      board.prospects.shown = bare ? "nothing" : prospects ? "all" : isEnd ? "lost" : "nothing";
      picture.marks = board.prospects.marked(picture.marks, picture.stones);
    }
    this.#marks = picture.marks;
    this.prospects.update(board.prospects !== null && !bare, prospects);
    board.show(picture);
    board.accuse(live ? (this.input.complaint?.cell ?? null) : null);
    this.panZoom?.follow(Object.keys(position.stones), position.last, isNew);
  }

  /**
   * @param {BoardView} board
   * @param {Scene} scene
   */
  #showPlayers({ geometry, prospects }, { game, seat, position, live }) {
    const { stones, scores } = (live && this.input.drafted) || position;
    this.#track?.show(this.session.settings.value.track ? scores : null);
    const groups = geometry.groups(stones);
    const isOver = position.over || (live && game.state === "finished");
    const bounds = this.#bare || isOver ? null : prospects?.of(stones).scores ?? null;
    for (const view of this.#players) {
      const isMe = view.seat === seat && !isShared(game);
      view.update(game, isMe, this.notes(game, view.seat));
      const score = scoreOf(view.seat, scores, groups);
      const bounded = { ...score, bounds: bounds?.[view.seat - 1] ?? null };
      view.scores.update(bounded, this.#scoring, this.#bare);
    }
  }

  /**
   * @param {Scene} scene
   * @param {GameTexts} texts
   * @returns {Situation}
   */
  #situation({ game, seat, live, offlineMs }, texts) {
    const elapsed = this.session.games.elapsed(game);
    return { game, seat, live, offlineMs, elapsed, texts, queued: this.queue?.before ?? 0 };
  }

  /**
   * Update the clocks.
   * @param {Scene} scene
   */
  tick(scene) {
    const { game, seat, live, ply, offlineMs } = scene;
    if (this.#texts) {
      this.bar.tick(this.#situation(scene, this.#texts));
    }
    // Offline, it is unknown whether the opponent's clock runs: it shows the last known time.
    if (offlineMs === null || game.to_play === seat || !live) {
      const elapsed = this.session.games.elapsed(game);
      const then = live ? game : { ...game, clocks: clocksAt(game, ply) };
      this.#players.forEach((view) => view.tick(then, elapsed));
    }
  }

  /** @param {GameState} game */
  #factsOf({ setup, state, tournament, hints, takebacks, spectators }) {
    const terms = termsOf(setup, this.session.catalogue);
    const share = h(
      "button",
      {
        type: "button",
        class: "quiet-button share",
        "data-key": "share",
        onclick: this.press.share,
      },
      t("game.share"),
    );
    return [
      tournament && placeOf(tournament),
      terms.join(" · "),
      hints > 0 && ` · ${t("game.hints", { n: hints })}`,
      takebacks !== null && takebacks > 0 && ` · ${t("game.takebacks", { n: takebacks })}`,
      state === "playing" && spectators > 0 && ` · ${t("game.spectators", { n: spectators })}`,
      ...(state === "finished" ? [" ", share] : []),
    ];
  }
}

/**
 * The tournament and round of a game, with a link.
 * @param {TournamentPlace} place
 */
function placeOf({ tournament_id: id, name, round }) {
  const link = h("a", { href: `/tournament/${id}`, "data-link": true, "data-key": "place" }, name);
  return h(
    "span",
    { class: "tournament-place" },
    nodes("common.tournament_place", { name: link, round }),
  );
}
