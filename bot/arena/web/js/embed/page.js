/** A board in a page of another site: one game or one position, read over HTTP alone. */

import { boardOf } from "../board/board.js";
import { commonShading, SmallBoard } from "../board/small.js";
import { ReplayControls } from "../game/replay_controls.js";
import { fetchFacts, fetchPosition, fetchPositionOf } from "../records/requests.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard, reach } from "../shared/api.js";
import { messageOf } from "../shared/dialogs.js";
import { byId, h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { resultTitle } from "../shared/sentences.js";
import { colourDots } from "../shared/side.js";
import { here } from "../shared/site.js";

/** @import { Facts } from "../records/requests.js" */
/** @import { PositionView } from "../shared/wire.d.ts" */

const GAME = /^\/embed\/game\/([A-Za-z0-9_-]+)\/?$/;
/** A running game is looked at again after this time. */
const AGAIN_MS = 5_000;
/** @type {Record<string, "first" | "previous" | "next" | "last">} */
const KEYS = { Home: "first", ArrowLeft: "previous", ArrowRight: "next", End: "last" };

class EmbeddedBoard {
  #ply = 0;
  #plies = 0;
  /** @type {SmallBoard | null} */
  #board = null;
  /** @type {Map<number, Promise<PositionView>>} */
  #positions = new Map();

  /**
   * @param {(ply: number) => Promise<PositionView>} fetch
   * @param {string} link to the same on the site
   */
  constructor(fetch, link) {
    this.fetch = fetch;
    this.head = h("p", { class: "embed-head" });
    this.place = h("div", { class: "embed-board", role: "group" });
    this.words = h("p", { class: "quiet", role: "status" });
    this.controls = new ReplayControls(h("span"));
    this.controls.wanted.on((ply) => this.go(ply));
    const open = h(
      "a",
      { class: "quiet", href: link, target: "_blank", rel: "noopener" },
      t("records.open_on_site"),
    );
    this.element = h(
      "main",
      { id: "page", class: "embed", tabindex: -1 },
      h("h1", { class: "hidden-visually" }, t("common.game")),
      this.head,
      commonShading(),
      this.place,
      this.controls.element,
      h("p", { class: "embed-foot" }, this.words, open),
    );
    document.addEventListener("keydown", ({ key }) => {
      const name = KEYS[key];
      name && this.controls.buttons[name].click();
    });
  }

  /**
   * @param {string} game
   * @param {string} board
   */
  async build(game, board) {
    const [raw, texts] = await Promise.all([fetchBoard(game, board), gameTexts(game)]);
    this.#board = new SmallBoard(boardOf(raw, texts.rows?.reach));
    replace(this.place, this.#board.element);
    return raw;
  }

  /**
   * @param {number} plies how many turns there are
   * @param {number} ply the one to show
   */
  async showAll(plies, ply) {
    this.#plies = plies;
    await this.go(ply);
  }

  get isAtEnd() {
    return this.#ply === this.#plies;
  }

  /** @param {number} wanted */
  async go(wanted) {
    const ply = this.#ply = Math.max(0, Math.min(wanted, this.#plies));
    this.controls.update(ply, this.#plies);
    try {
      const asked = this.#positions.get(ply) ?? this.fetch(ply);
      this.#positions.set(ply, asked);
      const position = await asked;
      if (ply === this.#ply) {
        this.#board?.show(position);
        const turn = t("records.turn_of", { ply, plies: this.#plies });
        this.place.setAttribute("aria-label", turn);
        this.words.textContent = "";
      }
    } catch (error) {
      this.#positions.delete(ply);
      this.words.textContent = messageOf(error);
    }
  }
}

/** @param {number} plies */
function wantedPly(plies) {
  const text = new URLSearchParams(location.search).get("ply");
  return text !== null && /^\d{1,5}$/.test(text) ? Number(text) : plies;
}

/** @param {string} id */
async function showGame(id) {
  const view = new EmbeddedBoard((ply) => fetchPositionOf(id, ply), `/game/${id}`);
  byId("page").replaceWith(view.element);
  let facts = await fetchFacts(id);
  const { setup } = facts;
  const { kinds } = await view.build(setup.game, setup.board);
  showPlayers(view, facts, kinds);
  await view.showAll(facts.turns.length, wantedPly(facts.turns.length));
  while (facts.result === null) {
    await new Promise((done) => setTimeout(done, AGAIN_MS));
    const { isAtEnd } = view;
    const known = facts.turns.length;
    facts = await fetchFacts(id).catch(() => facts);
    if (facts.turns.length !== known && isAtEnd) {
      await view.showAll(facts.turns.length, facts.turns.length);
    }
    showPlayers(view, facts, kinds);
  }
}

/**
 * @param {EmbeddedBoard} view
 * @param {Facts} facts
 * @param {number} kinds
 */
function showPlayers(view, { players, result }, kinds) {
  const [one, two] = players.map((player, index) =>
    h("span", { class: "side" }, colourDots(moverOf(index), kinds), player.name)
  );
  const end = result &&
    h("span", { class: "quiet" }, resultTitle(result, players.map(({ name }) => name)));
  replace(view.head, one, " – ", two, " ", end);
  document.title = players.map(({ name }) => name).join(" – ");
}

async function showPosition() {
  const query = new URLSearchParams(location.search);
  const turns = (query.get("turns") ?? "").split(/\s+/).filter(Boolean);
  query.delete("ply");
  const link = `/openings/${encodeURIComponent(query.get("game") ?? "bluestone")}?${query}`;
  const view = new EmbeddedBoard((ply) => fetchPosition(query, ply), link);
  byId("page").replaceWith(view.element);
  const game = query.get("game") ?? "bluestone";
  await view.build(game, query.get("board") || await usualBoard(game));
  await view.showAll(turns.length, wantedPly(turns.length));
}

/** @param {string} game */
async function usualBoard(game) {
  const response = await reach("/api/games");
  const { games } = await response.json();
  const offer = games.find((/** @type {{game: string}} */ each) => each.game === game);
  return String(offer?.boards[0] ?? "");
}

const [, id] = GAME.exec(here()) ?? [];
try {
  await (id === undefined ? showPosition() : showGame(id));
} catch (error) {
  replace(byId("page"), h("p", { class: "embed-head" }, messageOf(error)));
}
