/** Starts a person's first game: on a small board, without a clock, against the weakest bot. */

import { withLevel } from "../shared/levels.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Player } from "../shared/wire.d.ts" */

/** @typedef {{game: string, board: string, options: Record<string, string>}} FirstGame */

/**
 * The bot for a first game; undefined while there is none.
 * @param {Session} session
 */
export function easiestBot(session) {
  const bots = (session.lobby?.players ?? []).filter((player) => player.kind === "bot");
  return withLevel(bots)[0] ?? bots[0];
}

/**
 * @param {Session} session
 * @param {FirstGame} what
 * @param {Player} bot
 */
export function startFirstGame(session, { game, board, options }, bot) {
  const rules = session.catalogue.offers.games.find((each) => each.game === game)?.rules[0] ?? "";
  session.challenge({
    setup: { game, board, rules, options, clock: { kind: "none" }, rated: false },
    seats: [session.you?.name ?? null, bot.name],
    random_seats: false,
  });
}

/**
 * A button that starts the game as soon as there is a bot, and the ways to go on.
 * @param {Session} session
 * @param {FirstGame} what
 */
export function firstGame(session, what) {
  const place = h("div", { class: "buttons" });
  const element = h(
    "div",
    { class: "first-game" },
    place,
    h(
      "p",
      { class: "quiet" },
      h("a", { href: `/rules/${what.game}`, "data-link": true }, t("learn.read_rules")),
      h("a", { href: "/learn", "data-link": true }, t("learn.other_game")),
      h("a", { href: "/", "data-link": true }, t("learn.to_lobby")),
    ),
  );
  const draw = () => {
    const bot = easiestBot(session);
    const start = () => bot && startFirstGame(session, what, bot);
    const attributes = {
      type: "button",
      class: "primary large",
      "data-key": "first-game",
      "data-needs-connection": true,
      disabled: !bot,
      onclick: start,
    };
    const waiting = bot ? null : h("span", { class: "quiet", role: "status" }, t("learn.no_bot"));
    replace(place, h("button", attributes, t("learn.first_game")), waiting);
  };
  draw();
  return { element, dispose: session.lobbyChanged.on(draw) };
}
