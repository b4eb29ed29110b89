/** A finished game in a list: its last position, who played, the result, and when it ended. */

import { h } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { resultTitle } from "../shared/sentences.js";
import { botMark, colourDots } from "../shared/side.js";
import { termsOf } from "../shared/terms.js";
import { momentText } from "../shared/tournament_words.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameSummary } from "../shared/wire.d.ts" */

/**
 * @param {GameSummary} game
 * @param {string | null} player whose games are listed: the name or the id
 * @param {Session} session
 */
export function recordRow(game, player, session) {
  const { game_id: id, players, result, ended_at: ended, setup, plies, tournament } = game;
  const kinds = session.catalogue.kinds(setup.game);
  const place = tournament ? [tournament.name] : [];
  const terms = [...place, ...termsOf(setup, session.catalogue)];
  const mark = markOf(game, player);
  return h(
    "li",
    { class: "record" },
    h(
      "a",
      { class: "record-link", href: `/game/${id}`, "data-link": true, "data-key": `game-${id}` },
      h("img", {
        src: `/api/records/${id}.svg`,
        alt: "",
        loading: "lazy",
        decoding: "async",
        width: 96,
        height: 96,
      }),
      h(
        "span",
        { class: "record-words" },
        h(
          "span",
          { class: "sides" },
          players.map((each, index) =>
            h(
              "span",
              { class: result?.winner === index + 1 ? "side won" : "side" },
              colourDots(moverOf(index), kinds),
              each.name,
              botMark(each),
            )
          ),
        ),
        h(
          "span",
          {},
          mark && h("span", { class: `mark ${mark}` }, t(`records.mark_${mark}`)),
          mark && " ",
          result && resultTitle(result, players.map(({ name }) => name)),
        ),
        h(
          "span",
          { class: "quiet" },
          ended && h("time", { datetime: ended }, momentText(ended)),
          " · ",
          t("records.turns", { n: plies }),
        ),
        h("span", { class: "quiet" }, terms.join(" · ")),
      ),
    ),
    h(
      "span",
      { class: "record-files" },
      file(id, "sgf", "SGF", players),
      file(id, "jsonl", "JSON", players),
    ),
  );
}

/**
 * @param {string} id
 * @param {string} form
 * @param {string} label
 * @param {readonly {name: string}[]} players
 */
function file(id, form, label, players) {
  const [one, two] = players;
  const words = t("records.file_of", { form: label, one: one?.name ?? "", two: two?.name ?? "" });
  return h(
    "a",
    {
      class: "quiet-button button",
      href: `/api/records/${id}.${form}`,
      download: true,
      "aria-label": words,
    },
    label,
  );
}

/**
 * The result for the player whose games are listed; null without a player.
 * @param {GameSummary} game
 * @param {string | null} player
 * @returns {"won" | "lost" | "drawn" | "aborted" | null}
 */
function markOf({ players, result }, player) {
  const wanted = player?.toLowerCase();
  const index = players.findIndex((each) =>
    each.id === player || each.name.toLowerCase() === wanted
  );
  if (player === null || index < 0 || result === null) {
    return null;
  }
  if (result.winner === null) {
    return result.reason === "aborted" ? "aborted" : "drawn";
  }
  return result.winner === index + 1 ? "won" : "lost";
}
