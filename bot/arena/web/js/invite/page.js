/** A private invitation: its creator shares the link, and the friend who opens it accepts. */

import { drawBoard } from "../setup/board_chooser.js";
import { gameTexts } from "../rules/texts.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Parts } from "../shared/parts.js";
import { Refused } from "../shared/protocol.js";
import { linkTo } from "../shared/site.js";
import { termsOf } from "../shared/terms.js";
import { shareParts } from "./share.js";

/** @import { Areas } from "../shared/areas.js" */
/** @import { Child } from "../shared/dom.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Challenge } from "../shared/wire.d.ts" */

/** How often a friend's page asks whether the invitation is still open. */
const ASK_AGAIN_MS = 5_000;

export class InvitePage {
  /** @type {null} */
  site = null;
  /** @type {Challenge | null} */
  #challenge = null;
  /** Why there is nothing to accept; "" while there is. */
  #gone = "";
  /** What prevents a game at the moment. */
  #problem = "";
  #aim = "";
  #isAccepting = false;
  #parts = new Parts();
  /** @type {(() => void)[]} */
  #endings = [];

  /**
   * @param {Session} session
   * @param {string} id
   * @param {Areas} areas
   */
  constructor(session, id, areas) {
    this.session = session;
    this.areas = areas;
    this.id = id;
    this.element = h("main", { class: "invite", id: "page", tabindex: -1 });
    this.panel = h("section", { class: "panel", "aria-label": t("invite.title") });
    replace(this.element, this.panel);
    const asking = setInterval(() => this.#askAgain(), ASK_AGAIN_MS);
    this.#endings.push(
      session.lobbyChanged.on(() => this.#draw()),
      session.catalogue.loaded.on(() => this.#draw()),
      session.connection.welcomed.on(() => this.#ask()),
      () => clearInterval(asking),
    );
    this.#ask();
    this.#draw();
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  get title() {
    return t("invite.title");
  }

  get subject() {
    return this.#challenge?.setup.game ?? null;
  }

  get #isMine() {
    return this.#challenge?.creator.name === this.session.you?.name;
  }

  #askAgain() {
    if (document.visibilityState === "visible" && !this.#isMine && !this.#gone) {
      this.#ask();
    }
  }

  async #ask() {
    const { connection } = this.session;
    if (!connection.online || this.#isAccepting) {
      return;
    }
    try {
      const asked = { challenge_id: this.id };
      const { challenge } = await connection.request("challenge.state", asked);
      this.#gone = "";
      if (!this.#challenge) {
        const { aim } = await gameTexts(challenge.setup.game);
        this.#aim = aim(null);
      }
      this.#challenge = challenge;
    } catch (error) {
      if (error instanceof Refused && !error.undelivered && !this.#isAccepting) {
        this.#gone = t("invite.gone");
      }
    }
    this.#draw();
  }

  #draw() {
    const { session } = this;
    const challenge = session.challenges.get(this.id) ?? this.#challenge;
    const mine = this.#isMine;
    const isOver = mine && !session.challenges.has(this.id) && session.lobby !== null;
    const gone = this.#gone || (isOver ? t("invite.gone") : "");
    const known = [session.catalogue.offers.games.length, session.you?.registered];
    const source = [challenge, mine, gone, this.#problem, this.#aim, this.#isAccepting, known];
    this.#parts.draw(this.panel, source, () => {
      if (gone) {
        return gonePart(gone);
      }
      if (!challenge) {
        return [h("p", { class: "quiet" }, t("common.loading"))];
      }
      return mine ? this.#creatorPart(challenge) : this.#friendPart(challenge);
    });
  }

  /**
   * @param {Challenge} challenge
   * @returns {Child[]}
   */
  #creatorPart(challenge) {
    const { catalogue } = this.session;
    const link = linkTo(`/invite/${this.id}`);
    const words = t("invite.share_text", { game: catalogue.title(challenge.setup.game) });
    const cancel = () => this.session.cancel(this.id);
    return [
      h("h1", {}, t("invite.invite_title")),
      this.#terms(challenge),
      h("p", {}, t(challenge.setup.rated ? "invite.how_rated" : "invite.how")),
      ...shareParts(link, words),
      h("p", { class: "quiet", role: "status" }, waitingWords(challenge)),
      h(
        "div",
        { class: "buttons" },
        h(
          "button",
          { type: "button", "data-key": "cancel", "data-needs-connection": true, onclick: cancel },
          t("invite.cancel"),
        ),
      ),
    ];
  }

  /**
   * @param {Challenge} challenge
   * @returns {Child[]}
   */
  #friendPart(challenge) {
    const picture = h("span", { class: "board-picture" });
    drawBoard(picture, null, challenge.setup.game, challenge.setup.board);
    const play = {
      type: "button",
      class: "primary large",
      "data-key": "play",
      "data-needs-connection": true,
      disabled: this.#isAccepting,
      onclick: () => this.#accept(),
    };
    return [
      picture,
      h("h1", {}, t("invite.from", { name: challenge.creator.name })),
      this.#terms(challenge),
      this.#aim && h("p", {}, this.#aim),
      ...(this.#needsAccount(challenge) ? this.#accountPart() : [
        h(
          "div",
          { class: "buttons" },
          h("button", play, this.#isAccepting ? t("invite.starting") : t("invite.play")),
        ),
      ]),
      h("p", { class: "field-problem", role: "alert" }, this.#problem),
    ];
  }

  /** Whether the person must make an account before they accept. @param {Challenge} challenge */
  #needsAccount({ setup }) {
    return setup.rated === true && this.session.you?.registered === false;
  }

  /** @param {Challenge} challenge */
  #terms({ setup, seats, random_seats: random, creator }) {
    const creatorFirst = seats[0] === creator.name;
    const order = random
      ? t("invite.random")
      : creatorFirst === this.#isMine
      ? t("invite.you_first")
      : t("invite.you_second");
    const terms = termsOf(setup, this.session.catalogue).join(" · ");
    return h("p", { class: "quiet terms" }, terms, ". ", order);
  }

  async #accept() {
    this.#isAccepting = true;
    this.#problem = "";
    this.#draw();
    try {
      await this.session.acceptInvitation(this.id);
    } catch (error) {
      const isAway = error instanceof Refused && error.code === "creator_away";
      const name = this.#challenge?.creator.name ?? "";
      this.#problem = isAway ? t("invite.away", { name }) : messageOf(error);
      this.#gone = error instanceof Refused && error.code === "unknown_challenge"
        ? t("invite.gone")
        : "";
    } finally {
      this.#isAccepting = false;
      this.#draw();
    }
  }

  /** Why a guest cannot accept, and the way to an account. @returns {Child[]} */
  #accountPart() {
    const links = this.areas.ownLinks(this.session.you).map(({ href }) =>
      h(
        "a",
        { class: "button primary large", href, "data-link": true },
        t("invite.make_account"),
      )
    );
    return [h("p", {}, t("invite.rated_guest")), h("div", { class: "buttons" }, links)];
  }
}

/** @param {Challenge} challenge */
function waitingWords({ setup, creator }) {
  // A guest's invitation ends when they leave, whatever the clock.
  const mayLeave = ["correspondence", "none"].includes(setup.clock.kind) &&
    creator.kind !== "guest";
  return mayLeave ? t("invite.waiting_slow") : t("invite.waiting");
}

/**
 * @param {string} words
 * @returns {Child[]}
 */
function gonePart(words) {
  return [
    h("h1", {}, words),
    h("p", {}, t("invite.gone_hint")),
    h("a", { class: "button primary", href: "/", "data-link": true }, t("invite.lobby")),
  ];
}
