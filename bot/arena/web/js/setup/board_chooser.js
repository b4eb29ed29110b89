/** Choosing a board: the usual ones as pictures, the others in a list. */

import { boardOf } from "../board/board.js";
import { thumbnail } from "../board/thumbnail.js";
import { fetchBoard, fetchUsualBoards } from "../shared/api.js";
import { h, replace } from "../shared/dom.js";
import { hasMessage, t } from "../shared/messages.js";
import { boardTitle } from "../shared/sentences.js";
import { card, fieldset } from "../shared/setup_fields.js";

/** @import { GameOffer } from "../shared/api.js" */

/**
 * The fields `board` and, for a board that is not among the usual ones, `other-board`.
 * @param {GameOffer} offer
 * @param {string | undefined} kept the board that the person chose last time
 */
export function boardChooser(offer, kept) {
  fetchUsualBoards(offer);
  const others = boardsOf(offer.board_forms).filter((board) => !offer.boards.includes(board));
  const chosen = [...offer.boards, ...others].find((board) => board === kept) ?? offer.boards[0];
  const cards = offer.boards.map((board) => boardCard(offer.game, board, board === chosen));
  const field = fieldset(t("lobby.setup.board"), "boards", [...cards, otherBoards(others, chosen)]);
  field.hidden = offer.boards.length + others.length < 2;
  return field;
}

/**
 * @param {string} game
 * @param {string} board
 * @param {boolean} checked
 */
function boardCard(game, board, checked) {
  const picture = h("span", { class: "board-picture" });
  const size = h("span", { class: "quiet" });
  drawBoard(picture, size, game, board);
  const choice = { name: "board", value: board, checked, style: "board-card" };
  return card(choice, picture, h("span", {}, boardTitle(board)), size);
}

/**
 * @param {string[]} others
 * @param {string | undefined} chosen
 */
function otherBoards(others, chosen) {
  if (others.length === 0) {
    return null;
  }
  const options = others.map((board) =>
    h("option", { value: board, selected: board === chosen }, boardTitle(board))
  );
  const select = h(
    "select",
    { name: "other-board", "aria-label": t("lobby.setup.other_boards") },
    options,
  );
  const checked = others.some((board) => board === chosen);
  const input = h("input", { type: "radio", name: "board", value: "", checked });
  select.addEventListener("change", () => {
    input.checked = true;
  });
  return h(
    "div",
    { class: "other-board" },
    h("label", {}, input, ` ${t("lobby.setup.other_sizes")} `),
    select,
  );
}

/**
 * Whether a board that is not among the usual ones may be chosen: the page has no engine for those.
 * One that is chosen comes back as soon as it is allowed again.
 * @param {Element} field made by `boardChooser`
 * @param {boolean} areAllowed
 */
export function allowOtherBoards(field, areAllowed) {
  const other = field.querySelector(".other-board");
  const input = other?.querySelector("input");
  const select = other?.querySelector("select");
  if (!other || !input || !select || input.disabled !== areAllowed) {
    return;
  }
  input.disabled = select.disabled = !areAllowed;
  const usual = field.querySelector(".board-card input");
  const chosen = areAllowed && "wanted" in select.dataset ? input : input.checked && usual;
  if (chosen instanceof HTMLInputElement) {
    chosen.checked = true;
    if (areAllowed) {
      delete select.dataset["wanted"];
    } else {
      select.dataset["wanted"] = "";
    }
  }
  const why = h("p", { class: "quiet" }, t("lobby.setup.usual_sizes_here"));
  areAllowed ? other.querySelector("p")?.remove() : other.append(why);
}

/**
 * The boards that descriptions such as `pent-N with N = 3..13` mean.
 * @param {string[]} forms
 */
export function boardsOf(forms) {
  return forms.flatMap((form) => {
    const [, kind, first, last] = /^([a-z]+)-N with N = (\d+)\.\.(\d+)$/.exec(form) ?? [];
    const count = Math.max(0, Number(last) - Number(first) + 1) || 0;
    return Array.from({ length: count }, (_, index) => `${kind}-${Number(first) + index}`);
  });
}

/**
 * @param {Element} picture
 * @param {Element | null} size shows the number of cells
 * @param {string} game
 * @param {string} board
 */
export async function drawBoard(picture, size, game, board) {
  try {
    const shape = boardOf(await fetchBoard(game, board));
    replace(picture, thumbnail(shape));
    if (size) {
      size.textContent = sizeWords(board, shape.list.length);
    }
  } catch {
    // The chooser also works without pictures.
  }
}

/**
 * How large a board is, in the words of its games.
 * @param {string} board
 * @param {number} n its cells; 0 if it has no edge
 */
export function sizeWords(board, n) {
  const [kind] = board.split("-");
  if (n > 0 && hasMessage(`lobby.setup.cells_${kind}`)) {
    return t(`lobby.setup.cells_${kind}`, { n });
  }
  return n > 0 ? t("lobby.setup.cells", { n }) : t("lobby.setup.no_edge");
}
