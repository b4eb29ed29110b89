/** The page of a player: who it is, and the ratings and results in each game. */

import { hiddenUntilReady } from "../shared/arrival.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { locale, t } from "../shared/messages.js";
import { ratingText } from "../shared/ratings.js";
import { botWords } from "../shared/side.js";
import { ratingCurve } from "./curve.js";
import { fetchProfile } from "./requests.js";
import { byBoard, byOpponent, scoreBar, scoreOf } from "./results.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Areas } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Player } from "../shared/wire.d.ts" */
/** @import { GameProfile, Profile } from "./requests.js" */

const NOT_FOUND = "404";

export class PlayerPage {
  /** @type {null} */
  site = null;
  /** @type {null} */
  subject = null;
  /** @type {Profile | null} */
  #profile = null;
  /** The game that is shown. */
  #game = "";
  #drawn = "";
  /** @type {(() => void)[]} */
  #endings = [];

  /**
   * @param {Session} session
   * @param {string} id the name, as it is in the address
   * @param {Areas} areas
   */
  constructor(session, id, areas) {
    this.session = session;
    this.areas = areas;
    this.title = named(id);
    this.body = h("div", { class: "player-body" });
    this.head = h("header", { class: "panel player-head" }, h("h1", {}, this.title));
    this.element = h(
      "main",
      { class: "player-page", id: "page", tabindex: -1 },
      this.head,
      this.body,
    );
    this.reveal = hiddenUntilReady(this.element);
    this.#endings.push(
      session.catalogue.loaded.on(() => this.#draw()),
      session.lobbyChanged.on(() => this.#draw()),
    );
    replace(this.body, h("p", { class: "panel quiet" }, t("ratings.profile.loading")));
    this.#load();
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  async #load() {
    try {
      this.#profile = await fetchProfile(this.title);
      this.title = this.#profile.player.name;
      this.#game = this.#profile.ratings[0]?.game ?? "";
      this.#draw();
      this.session.titleChanged.emit();
    } catch (error) {
      const words = messageOf(error);
      const again = h(
        "button",
        { type: "button", onclick: () => this.#load() },
        t("common.try_again"),
      );
      const isUnknown = words.endsWith(NOT_FOUND);
      replace(
        this.body,
        h(
          "section",
          { class: "panel empty" },
          h(
            "p",
            {},
            isUnknown
              ? t("ratings.profile.unknown", { name: this.title })
              : t("ratings.profile.failed"),
          ),
          isUnknown
            ? h("a", { class: "button", href: "/", "data-link": true }, t("common.to_the_lobby"))
            : again,
        ),
      );
    }
    this.reveal();
  }

  #draw() {
    const profile = this.#profile;
    const { you, lobby, catalogue } = this.session;
    const isHere = Boolean(lobby?.players.some(({ id }) => id === profile?.player.id));
    const drawn = JSON.stringify([
      profile,
      this.#game,
      you?.id,
      isHere,
      catalogue.offers.games.length,
    ]);
    if (!profile || drawn === this.#drawn) {
      return;
    }
    this.#drawn = drawn;
    replace(this.head, ...this.#headParts(profile, isHere));
    const shown = profile.ratings.find(({ game }) => game === this.#game);
    replace(
      this.body,
      shown ? this.#tabs(profile) : null,
      shown ? this.#gamePanel(shown) : h("p", { class: "panel quiet" }, this.#unrated(profile)),
    );
  }

  /**
   * @param {Profile} profile
   * @param {boolean} isHere
   */
  #headParts({ player, since, games }, isHere) {
    const isMe = player.id === this.session.you?.id;
    const links = [
      h("a", {
        class: "button",
        href: `/games?player=${encodeURIComponent(player.name)}`,
        "data-link": true,
      }, t("ratings.profile.all_games")),
      h(
        "a",
        { class: "button", href: "/leaderboards", "data-link": true },
        t("outside.ratings.menu"),
      ),
    ];
    return [
      h(
        "div",
        { class: "player-title" },
        h("h1", {}, player.name),
        isMe && h("span", { class: "badge you" }, t("common.you")),
        h("span", { class: "badge" }, kindWords(player)),
        isHere && h("span", { class: "badge here" }, t("ratings.profile.here")),
      ),
      h(
        "p",
        { class: "quiet" },
        [
          player.engine,
          t("ratings.profile.since", { day: dayText(since) }),
          t("ratings.profile.games_played", { n: games }),
        ]
          .filter(Boolean).join(" · "),
      ),
      h("div", { class: "buttons" }, links),
    ];
  }

  /** @param {Profile} profile */
  #unrated({ player }) {
    const isMe = player.id === this.session.you?.id;
    if (isMe && !player.registered) {
      return h(
        "span",
        {},
        `${t("ratings.keep_account")} `,
        this.areas.ownLinks(player).map(({ href }) =>
          h("a", { href, "data-link": true }, t("ratings.account_link"))
        ),
      );
    }
    return t("ratings.profile.no_ratings");
  }

  /** A button for each game, with the rating. @param {Profile} profile */
  #tabs({ ratings }) {
    const { catalogue } = this.session;
    return h(
      "div",
      { class: "rating-tabs", role: "group", "aria-label": t("ratings.profile.ratings") },
      ratings.map((each) =>
        h(
          "button",
          {
            type: "button",
            class: "rating-tab",
            "aria-pressed": String(each.game === this.#game),
            "data-key": `game-${each.game}`,
            onclick: () => {
              this.#game = each.game;
              this.#draw();
            },
          },
          h("span", { class: "quiet" }, catalogue.title(each.game)),
          h("strong", {}, ratingText(each)),
          h("span", { class: "quiet" }, t("ratings.profile.rated_games", { n: each.games })),
        )
      ),
    );
  }

  /** @param {GameProfile} profile */
  #gamePanel(profile) {
    const title = this.session.catalogue.title(profile.game);
    return h(
      "section",
      { class: "panel rating-panel", "aria-label": title },
      h("h2", {}, title),
      this.#figures(profile),
      ratingCurve(profile, title),
      profile.provisional && h("p", { class: "quiet" }, t("ratings.profile.provisional")),
      h("div", { class: "result-tables" }, byOpponent(profile), byBoard(profile)),
    );
  }

  /** @param {GameProfile} profile */
  #figures(profile) {
    const { results, best, rank, game } = profile;
    const figure = (/** @type {string} */ name, /** @type {Child[]} */ ...value) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, value));
    return h(
      "dl",
      { class: "rating-figures" },
      figure(
        t("ratings.profile.rating"),
        ratingText(profile),
        h("small", {}, ` ± ${Math.round(2 * profile.deviation)}`),
      ),
      figure(
        t("ratings.profile.rank"),
        rank === null
          ? "–"
          : h("a", { href: `/leaderboards/${game}`, "data-link": true }, `#${rank}`),
      ),
      figure(
        t("ratings.profile.best"),
        best && h(
          "a",
          { href: `/game/${best.game_id}`, "data-link": true, "data-key": "best" },
          String(Math.round(best.rating)),
        ),
        best ? h("small", {}, ` ${dayText(best.at)}`) : "–",
      ),
      figure(
        t("ratings.profile.score"),
        `${scoreOf(results)} %`,
        scoreBar(results),
        h(
          "small",
          {},
          t("ratings.profile.tally", {
            won: results.won,
            drawn: results.drawn,
            lost: results.lost,
          }),
        ),
      ),
    );
  }
}

/** What kind of player it is. @param {Player} player */
function kindWords({ kind, level, registered }) {
  if (kind === "bot") {
    return botWords(level);
  }
  if (registered) {
    return t("ratings.profile.registered");
  }
  return kind === "guest" ? t("ratings.profile.guest") : t("ratings.profile.person");
}

/** @param {string} moment */
function dayText(moment) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(Date.parse(moment));
}

/** The name in an address, which may be damaged. @param {string} id */
function named(id) {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
