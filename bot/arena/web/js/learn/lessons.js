/** The lessons and pictured rules of the games, as `python -m tools.lessons` computes them. */

import { reach } from "../shared/api.js";
import { loadMessages } from "../shared/messages.js";

/** @import { Stones } from "../board/geometry.js" */
/** @import { Seat } from "../shared/wire.d.ts" */

/**
 * What is drawn on a board besides its stones: marked cells, the group of a stone, what is seen from
 * a cell, arrows between cells, and texts on cells.
 * @typedef {object} Notes
 * @property {string[]} [cells]
 * @property {string[]} [good]
 * @property {string[]} [bad]
 * @property {string[]} [group]
 * @property {string[]} [rays]
 * @property {[string, string][]} [arrows]
 * @property {Record<string, string>} [labels]
 */

/**
 * @typedef {object} Shown
 * @property {Stones} stones
 * @property {string[]} last
 * @property {string[]} captured
 * @property {Seat} [loser] whose stones were captured, where the last turn's stone does not show it
 * @property {Record<string, string>} marks
 * @property {[number[], number[]]} scores
 */

/**
 * What one turn changes.
 * @typedef {object} Frame
 * @property {Seat} seat whose turn it is
 * @property {string[]} put steps
 * @property {string[]} [gone] the cells that it clears
 * @property {Record<string, string>} [marks]
 * @property {[number[], number[]]} scores
 */

/** @typedef {{rule: string, n?: number, notes?: Notes}} Broken */
/**
 * What a stone leads to: the frames that show it, or the next stone. `say` is the end of the key of
 * the text for a wrong one.
 * @typedef {{right?: boolean, say?: string, frames?: Frame[], notes?: Notes | undefined, node?: Node}} Leaf
 */
/**
 * What may be placed. A step that is not listed is a wrong one, or a right one if `any` is set.
 * @typedef {{legal?: Record<string, Leaf>, illegal: Record<string, Broken>, any?: boolean}} Node
 */

/**
 * A position with what is drawn on it.
 * @typedef {object} Pictured
 * @property {string} id
 * @property {string} board
 * @property {Shown} position
 * @property {Seat} seat
 * @property {Notes} [notes]
 * @property {string[]} [window]
 */

/**
 * @typedef {object} StepData
 * @property {"read" | "place" | "mark" | "choose" | "play"} kind
 * @property {Frame[]} [film]
 * @property {number} [stones]
 * @property {string[]} [begun]
 * @property {Node} [node]
 * @property {Notes} [other] what is drawn after most wrong answers
 * @property {string[]} [solution]
 * @property {string[]} [cells]
 * @property {boolean} [one]
 * @property {number} [choices]
 * @property {number} [right]
 * @property {Notes} [after]
 */

/** @typedef {Pictured & StepData} Step */

/**
 * @typedef {object} Lesson
 * @property {string} game
 * @property {string} board of a first game
 * @property {Record<string, string>} options of a first game
 * @property {Step[]} steps
 * @property {{id: string, paragraphs: number, pictures: string[]}[]} sections
 * @property {Pictured[]} pictures
 */

/** @type {Map<string, Promise<Lesson>>} */
const lessons = new Map();

/**
 * A lesson and its texts; rejected if it cannot be loaded.
 * @param {string} game one of `TAUGHT` in shared/guides.js
 * @param {"learn" | "guide"} area of the texts
 */
export async function loadLesson(game, area) {
  const asked = lessons.get(game) ?? fetched(game);
  lessons.set(game, asked);
  asked.catch(() => lessons.delete(game));
  const [lesson] = await Promise.all([asked, loadMessages(`${area}_${game}`)]);
  return lesson;
}

/**
 * @param {string} game
 * @returns {Promise<Lesson>}
 */
async function fetched(game) {
  const { build } = document.documentElement.dataset;
  const response = await reach(`/lessons/${game}.json${build ? `?v=${build}` : ""}`);
  if (!response.ok) {
    throw new Error(`/lessons/${game}.json: ${response.status}`);
  }
  return await response.json();
}
