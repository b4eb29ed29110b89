/** The chat of a game with its opponent: presets, and texts if both players allow them. */

import { notify, notifyOf, openDialog } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { other } from "../shared/games.js";
import { ignorePlayer } from "../shared/ignoring.js";
import { t } from "../shared/messages.js";
import { playSound } from "../shared/sound.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Chat, ChatLine, GameState, Seat } from "../shared/wire.d.ts" */

/** @typedef {"hello" | "good_luck" | "well_played" | "good_game" | "thanks" | "sorry" | "wait" | "bye"} Preset */

/** What is offered before, during and after the game. @type {Record<string, Preset[]>} */
const PRESETS = {
  early: ["hello", "good_luck", "thanks", "wait"],
  late: ["well_played", "thanks", "sorry", "wait"],
  over: ["good_game", "well_played", "thanks", "bye"],
};
const EARLY_TURNS = 6;
const MAX_TEXT = 140;
const LONGEST_REASON = 200;

export class ChatView {
  /** @type {ChatLine[]} */
  #lines = [];
  #unread = 0;
  #isLoaded = false;
  /** @type {{game: GameState, seat: Seat} | null} */
  #shown = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #drawn = "";
  /** Removes the notice of the last line. */
  #unnotify = () => {};

  /**
   * @param {Session} session
   * @param {string} id of the game
   */
  constructor(session, id) {
    this.session = session;
    this.id = id;
    this.badge = h("span", { class: "chat-badge", hidden: true });
    this.button = h(
      "button",
      {
        type: "button",
        class: "quiet-button chat-button",
        "aria-expanded": "false",
        onclick: () => this.#toggle(this.panel.hidden === true),
      },
      t("chat.title"),
      this.badge,
    );
    this.list = h("ol", { class: "chat-lines", role: "log", tabindex: 0 });
    this.list.setAttribute("aria-label", t("chat.title"));
    this.presets = h("div", { class: "chat-presets" });
    this.texts = h("div", { class: "chat-texts" });
    this.input = h("input", {
      type: "text",
      maxlength: MAX_TEXT,
      autocomplete: "off",
      "aria-label": t("chat.write"),
      placeholder: t("chat.write"),
    });
    this.form = h(
      "form",
      { class: "chat-form", onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
      this.input,
      h("button", { class: "primary", "data-needs-connection": true }, t("chat.send")),
    );
    const close = h(
      "button",
      {
        type: "button",
        class: "icon",
        "aria-label": t("chat.close"),
        onclick: () => this.#toggle(false),
      },
      "×",
    );
    this.panel = h(
      "section",
      {
        class: "panel chat",
        hidden: true,
        "aria-label": t("chat.title"),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
      },
      h("header", {}, h("h2", {}, t("chat.title")), close),
      this.list,
      this.presets,
      this.texts,
    );
    this.#endings.push(
      session.connection.chat.on((chat) => this.#hear(chat)),
      session.connection.welcomed.on(() => this.#load()),
    );
    this.#load();
  }

  dispose() {
    this.#unnotify();
    this.#endings.forEach((end) => end());
  }

  /**
   * @param {GameState} game
   * @param {Seat} seat
   */
  update(game, seat) {
    this.#shown = { game, seat };
    this.#draw();
  }

  async #load() {
    try {
      const { lines } = await this.session.connection.request("game.chats", { game_id: this.id });
      this.#lines = lines;
      this.#isLoaded = true;
      this.#draw();
    } catch {
      // A new connection loads it again.
    }
  }

  /** @param {Chat} chat */
  #hear({ game_id: id, line }) {
    if (id !== this.id || this.#lines.some((each) => each.id === line.id)) {
      return;
    }
    this.#lines = [...this.#lines, line];
    if (line.seat !== this.#shown?.seat) {
      playSound("chat", this.session.settings.value);
      if (this.panel.hidden) {
        this.#unread += 1;
        this.#unnotify();
        this.#unnotify = notify(this.#announced(line), "chat-notice");
      }
    }
    this.#draw();
  }

  /** What a notice says of a line. @param {ChatLine} line */
  #announced(line) {
    const name = this.#name(line.seat);
    return isNote(line) ? t(`chat.${line.kind}_by`, { name }) : `${name}: ${said(line)}`;
  }

  /** @param {boolean} open */
  #toggle(open) {
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (open) {
      this.#unread = 0;
      this.#unnotify();
      this.#draw();
      this.list.scrollTop = this.list.scrollHeight;
      this.presets.querySelector("button")?.focus({ preventScroll: true });
    } else {
      this.button.focus({ preventScroll: true });
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    event.stopPropagation(); // the game's keys step through turns
    if (event.key === "Escape") {
      this.#toggle(false);
    }
  }

  /** @param {Seat} seat */
  #name(seat) {
    return this.#shown?.game.players[seat - 1]?.name ?? "";
  }

  /** Whether each player allows texts, by their last word about it. */
  get #open() {
    const open = [false, false];
    for (const { seat, kind } of this.#lines) {
      if (kind === "open" || kind === "closed") {
        open[seat - 1] = kind === "open";
      }
    }
    return open;
  }

  #draw() {
    if (!this.#shown) {
      return;
    }
    const { game, seat } = this.#shown;
    this.badge.hidden = this.#unread === 0;
    this.badge.textContent = String(this.#unread);
    const stage = game.result ? "over" : game.turns.length < EARLY_TURNS ? "early" : "late";
    const key = JSON.stringify([this.#lines.length, stage, this.#isLoaded, game.players]);
    if (key === this.#drawn) {
      return;
    }
    this.#drawn = key;
    replace(this.list, ...this.#lines.map((line) => this.#line(line, seat)));
    this.list.scrollTop = this.list.scrollHeight;
    replace(this.presets, ...(PRESETS[stage] ?? []).map((word) => this.#preset(word)));
    replace(this.texts, ...this.#textParts(seat));
  }

  /**
   * @param {ChatLine} line
   * @param {Seat} seat the person's
   */
  #line(line, seat) {
    const mine = line.seat === seat;
    const style = isNote(line) ? "chat-note" : mine ? "chat-mine" : "chat-theirs";
    const words = isNote(line) ? this.#announced(line) : said(line);
    return h(
      "li",
      { class: style },
      !isNote(line) && h("span", { class: "hidden-visually" }, `${this.#name(line.seat)}: `),
      h("span", {}, words),
    );
  }

  /** @param {Preset} word */
  #preset(word) {
    const send = () => this.#send({ preset: word });
    return h(
      "button",
      {
        type: "button",
        class: "chip-button",
        "data-key": word,
        "data-needs-connection": true,
        onclick: send,
      },
      t(`chat.preset.${word}`),
    );
  }

  /**
   * @param {Seat} seat
   * @returns {Child[]}
   */
  #textParts(seat) {
    const open = this.#open;
    const [mine, theirs] = [open[seat - 1] ?? false, open[other(seat) - 1] ?? false];
    const name = this.#name(other(seat));
    const toggle = (/** @type {boolean} */ on) =>
      h(
        "button",
        {
          type: "button",
          class: "link-button",
          "data-key": "texts",
          "data-needs-connection": true,
          onclick: () => this.#send({ open: on }),
        },
        on ? t("chat.allow") : t("chat.forbid"),
      );
    const report = h(
      "button",
      { type: "button", class: "link-button", onclick: () => this.#report(name) },
      t("chat.report"),
    );
    const ignore = h(
      "button",
      {
        type: "button",
        class: "link-button",
        "data-needs-connection": true,
        onclick: () => ignorePlayer(this.session, name),
      },
      t("common.ignore", { name }),
    );
    const words = mine && !theirs
      ? t("chat.waits", { name })
      : !mine && theirs
      ? t("chat.wants", { name })
      : "";
    return [
      mine && theirs && this.form,
      words && h("p", { class: "quiet" }, words),
      h("div", { class: "chat-links" }, toggle(!mine), report, ignore),
    ];
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    const text = this.input.value.trim();
    if (text && await this.#send({ text })) {
      this.input.value = "";
    }
  }

  /** @param {{preset: Preset} | {text: string} | {open: boolean}} what */
  async #send(what) {
    try {
      await this.session.connection.request("game.chat", { game_id: this.id, ...what });
      return true;
    } catch (error) {
      notifyOf(error);
      return false;
    }
  }

  /** @param {string} name the opponent's */
  async #report(name) {
    const reason = h("textarea", { maxlength: LONGEST_REASON, rows: 3, required: true });
    const body = [
      h("p", {}, t("chat.report_hint")),
      h("label", { class: "field" }, t("chat.report_reason"), reason),
    ];
    const buttons = [
      { label: t("chat.report_send"), value: "yes", class: "primary", needsConnection: true },
      { label: t("common.cancel"), value: "" },
    ];
    if (await openDialog(t("chat.report_title", { name }), body, buttons) !== "yes") {
      return;
    }
    try {
      const report = { game_id: this.id, reason: reason.value.slice(0, LONGEST_REASON) };
      await this.session.connection.request("game.report", report);
      notify(t("chat.reported"));
    } catch (error) {
      notifyOf(error);
    }
  }
}

/** Whether a line says that a player allows texts or not. @param {ChatLine} line */
function isNote({ kind }) {
  return kind === "open" || kind === "closed";
}

/** @param {ChatLine} line */
function said({ kind, body }) {
  return kind === "preset" ? t(`chat.preset.${body}`) : body;
}
