/** The choice of a sheet of paper with a board of a game, which the server draws as a PDF. */

import { boardsOf } from "../setup/board_chooser.js";
import { h, setAttributes } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { boardTitle } from "../shared/sentences.js";
import { valueOf } from "../shared/setup_fields.js";
import { STATIC } from "../shared/site.js";

/** @import { GameOffer } from "../shared/api.js" */
/** @import { Catalogue } from "../shared/catalogue.js" */

/** @typedef {{game: string, board: string, paper: string, coordinates: boolean}} Sheet */

const PAPERS = ["A4", "A3", "Letter"];
/** Where paper has the size Letter. */
const LETTER = /-(US|CA|MX|CL|CO|PH)$/;

/**
 * The address of a sheet. A static site has a file for each.
 * @param {Sheet} sheet
 */
export function sheetPath({ game, board, paper, coordinates }) {
  return STATIC
    ? `/sheets/${game}/${board}-${paper}${coordinates ? "-coordinates" : ""}.pdf`
    : `/api/position.pdf?${new URLSearchParams({
      game,
      board,
      paper,
      coordinates: String(coordinates),
    })}`;
}

/**
 * The choice, closed at first. It is removed if the games cannot be loaded.
 * @param {Catalogue} catalogue
 * @param {string} game
 */
export function printBoard(catalogue, game) {
  const choice = h(
    "details",
    { class: "panel print-board" },
    h("summary", {}, t("learn.print_board")),
    h("p", { class: "quiet" }, t("learn.print_note")),
  );
  catalogue.load().then(({ games }) => {
    const offer = games.find((each) => each.game === game);
    offer ? choice.append(formOf(offer)) : choice.remove();
  }, () => choice.remove());
  return choice;
}

/** @param {GameOffer} offer */
function formOf({ game, boards, board_forms }) {
  const all = [...new Set([...boards, ...boardsOf(board_forms)])];
  const usual = LETTER.test(navigator.language) ? "Letter" : "A4";
  const link = h("a", { class: "button", target: "_blank" }, t("learn.print_open"));
  const coordinates = h("input", { type: "checkbox", name: "coordinates" });
  const titles = all.map((name) => /** @type {const} */ ([name, boardTitle(name)]));
  const papers = PAPERS.map((name) => /** @type {const} */ ([name, name]));
  const form = h(
    "form",
    {},
    select("board", t("lobby.setup.board"), titles, all[0]),
    select("paper", t("learn.print_paper"), papers, usual),
    h("label", {}, coordinates, ` ${t("common.settings.cell_names")}`),
    link,
  );
  const choose = () => {
    const [board, paper] = [valueOf(form, "[name=board]"), valueOf(form, "[name=paper]")];
    const href = sheetPath({ game, board, paper, coordinates: coordinates.checked });
    setAttributes(link, { href });
  };
  form.addEventListener("change", choose);
  choose();
  return form;
}

/**
 * @param {string} name
 * @param {string} label
 * @param {(readonly [value: string, title: string])[]} options
 * @param {string | undefined} chosen
 */
function select(name, label, options, chosen) {
  const choices = options.map(([value, title]) =>
    h("option", { value, selected: value === chosen }, title)
  );
  return h("label", {}, `${label} `, h("select", { name }, choices));
}
