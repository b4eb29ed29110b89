/** Which of an engine's chances may be shown, and which of them may be relied on. */

/** A line with less than this part of the playouts of the best one has no value to rely on. */
const UNSURE = 0.02;

/**
 * What an engine says: the mover's chance to win, and the playouts behind it, if it tells them.
 * @typedef {{ value: number | null, visits: number | null }} Said
 */

/**
 * The chance to show. Without a playout there is none, unless it is a sure win or loss, as on the
 * server (bot/engines/lines.py).
 * @param {Said | null | undefined} said
 * @returns {number | null}
 */
export function chanceOf(said) {
  const { value = null, visits = null } = said ?? {};
  return visits === 0 && value !== 0 && value !== 1 ? null : value;
}

/**
 * Which lines of a search, best first, have a chance to rely on. The best one may have few playouts: it
 * is then proved, or there are no others.
 * @param {readonly Said[]} lines
 * @returns {boolean[]}
 */
export function sureLines(lines) {
  const most = Math.max(...lines.map(({ visits }) => visits ?? 0));
  return lines.map((line, place) =>
    chanceOf(line) !== null && (place === 0 || (line.visits ?? most) >= UNSURE * most)
  );
}
