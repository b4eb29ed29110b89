/// <reference lib="deno.ns" />
/** Answers of the page's rules about games, for `test_same_rules.py`. */

import { createHash } from "node:crypto";
import { rulesOf } from "../../../bot/arena/web/js/engine/load.js";
import { IllegalTurn } from "../../../bot/arena/web/js/engine/refusal.js";
import { answerCalls } from "../answering.js";
import { Built, digest } from "./built.js";

/** @import { Position, Rules } from "../../../bot/arena/web/js/engine/rules.js" */
/** @import { Setup } from "../../../bot/arena/web/js/engine/mechanics.d.ts" */

/**
 * @typedef {object} Case
 * @property {Setup} setup
 * @property {string[]} turns
 * @property {{ ply: number, chosen: string[], why: string[] }[]} choices to ask about
 * @property {{ ply: number, turn: string }[]} tried turns that may be illegal
 */

/**
 * @param {string} folder
 * @param {string} file of the cases
 */
function answers(folder, file) {
  /** @type {Case[]} */
  const cases = JSON.parse(Deno.readTextFileSync(file));
  return cases.map((each) => answer(folder, each));
}

/**
 * @param {string} folder
 * @param {Case} asked
 */
function answer(folder, { setup, turns, choices, tried }) {
  const built = new Built(folder, setup.game);
  const rules = rulesOf(built, built.board(setup.board), setup);
  const positions = [rules.start()];
  for (const turn of turns) {
    positions.push(/** @type {Position} */ (positions.at(-1)).play(turn));
  }
  const at = (/** @type {number} */ ply) => /** @type {Position} */ (positions[ply]);
  return {
    views: positions.map((position) => text(position.view())),
    choices: choices.map(({ ply, chosen, why }) => {
      const { illegal: _, ...found } = at(ply).legal(chosen);
      return [
        text(found),
        why.map((step) => at(ply).legal(chosen, step).illegal[step]?.rule ?? ""),
      ];
    }),
    tried: tried.map(({ ply, turn }) => played(at(ply), turn)),
    ...inRecords(rules, positions),
  };
}

/** @param {unknown} value */
function text(value) {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);
}

/**
 * The turn in canonical form, or the rule that it breaks.
 * @param {Position} position
 * @param {string} turn
 */
function played(position, turn) {
  try {
    return position.play(turn).turns.at(-1);
  } catch (error) {
    return error instanceof IllegalTurn ? `! ${error.rule}` : String(error);
  }
}

/**
 * The records of positions, and the codes of the turns that were played in them.
 * @param {Rules} rules
 * @param {Position[]} positions
 */
function inRecords({ kernels }, positions) {
  const record = kernels.record("state");
  const records = positions.map((position) => {
    record.bytes.fill(0); // the kernels leave what they do not use as it was
    position.write(record);
    return digest(record.bytes);
  });
  const turns = positions.at(-1)?.turns ?? [];
  const steps = turns.map((turn, ply) => positions[ply]?.stepsOf(turn));
  const names = steps.map((codes, ply) => {
    const placed = codes?.filter((code) => code >= 0) ?? null;
    return placed && placed.map((code) => positions[ply]?.stepName(code));
  });
  return { records, steps, names };
}

/**
 * What a position is like, to see where it differs.
 * @param {string} folder
 * @param {Setup} setup
 * @param {string[]} turns
 * @param {string[]} chosen
 */
function shown(folder, setup, turns, chosen) {
  const built = new Built(folder, setup.game);
  const position = rulesOf(built, built.board(setup.board), setup).replay(turns);
  return { view: position.view(), legal: position.legal(chosen) };
}

if (import.meta.main) {
  await answerCalls({ answers, shown });
}
