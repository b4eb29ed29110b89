/** The rating curve of a player in one game, as a picture with axes and as a sentence. */

import { h, svg } from "../shared/dom.js";
import { locale, t } from "../shared/messages.js";
import { ratingText } from "../shared/ratings.js";

/** @import { GameProfile } from "./requests.js" */

const WIDTH = 640;
const HEIGHT = 250;
const LEFT = 60;
const RIGHT = 14;
const TOP = 18;
const BOTTOM = 28;
/** The least span of ratings that is shown, so that a few points do not look like a mountain. */
const LEAST_SPAN = 100;
const STEPS = [20, 50, 100, 200, 500, 1000];
const MOST_LINES = 5;
const DATES = 3;
const DAY_MS = 86_400_000;

/** @typedef {{at: number, rating: number}} Point */

/**
 * @param {GameProfile} profile
 * @param {string} title of the game
 */
export function ratingCurve(profile, title) {
  const points = profile.curve.map(([at, rating]) => ({ at: Date.parse(at), rating }));
  const words = curveWords(profile, points, title);
  return h(
    "figure",
    { class: "curve" },
    h("div", { role: "img", "aria-label": words }, picture(points)),
    h("figcaption", { class: "quiet" }, words),
  );
}

/**
 * What the curve shows: where it starts, its extremes and where it ends.
 * @param {GameProfile} profile
 * @param {Point[]} points
 * @param {string} title
 */
function curveWords(profile, points, title) {
  const ratings = points.map(({ rating }) => rating);
  return t("ratings.profile.curve.words", {
    game: title,
    n: profile.games,
    since: day(points[0]?.at ?? 0),
    low: String(Math.round(Math.min(...ratings))),
    high: String(Math.round(Math.max(...ratings))),
    now: ratingText(profile),
  });
}

/** @param {Point[]} points */
function picture(points) {
  const scale = scaleOf(points);
  const line = points.map(({ at, rating }) => `${scale.x(at)},${scale.y(rating)}`);
  const base = HEIGHT - BOTTOM;
  const [first = 0, last = 0] = [points[0]?.at, points.at(-1)?.at].map((at) => scale.x(at ?? 0));
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    scale.lines.map((rating) => [
      svg("line", {
        class: "grid",
        x1: LEFT,
        x2: WIDTH - RIGHT,
        y1: scale.y(rating),
        y2: scale.y(rating),
      }),
      svg("text", { class: "axis", x: LEFT - 8, y: scale.y(rating) + 4 }, String(rating)),
    ]).flat(),
    scale.dates.map((at, index) =>
      svg(
        "text",
        { class: `axis date-${place(index, scale.dates.length)}`, x: scale.x(at), y: HEIGHT - 8 },
        day(at),
      )
    ),
    points.length > 1 &&
      svg("polygon", {
        class: "area",
        points: [`${first},${base}`, ...line, `${last},${base}`].join(" "),
      }),
    points.length > 1 && svg("polyline", { class: "line", points: line.join(" ") }),
    points.slice(-1).map(({ at, rating }) =>
      svg("circle", { class: "last", cx: scale.x(at), cy: scale.y(rating), r: 4.5 })
    ),
  );
}

/**
 * @param {number} index
 * @param {number} count
 */
function place(index, count) {
  return count === 1 ? "middle" : index === 0 ? "first" : index === count - 1 ? "last" : "middle";
}

/**
 * Where moments and ratings are drawn, and which ratings and days the axes name.
 * @param {Point[]} points
 */
function scaleOf(points) {
  const ratings = points.map(({ rating }) => rating);
  const middle = (Math.min(...ratings) + Math.max(...ratings)) / 2;
  const half = Math.max(LEAST_SPAN, Math.max(...ratings) - Math.min(...ratings)) / 2;
  const step = STEPS.find((each) => (2 * half) / each <= MOST_LINES) ?? 1000;
  const low = Math.floor((middle - half) / step) * step;
  const high = Math.ceil((middle + half) / step) * step;
  const lines = Array.from({ length: (high - low) / step + 1 }, (_, index) => low + index * step);
  const [start = 0, end = 0] = [points[0]?.at, points.at(-1)?.at];
  // All games within a moment are in the middle.
  const span = end - start;
  const x = (/** @type {number} */ at) =>
    round(span ? LEFT + ((at - start) / span) * (WIDTH - LEFT - RIGHT) : (LEFT + WIDTH) / 2);
  const y = (/** @type {number} */ rating) =>
    round(TOP + ((high - rating) / (high - low)) * (HEIGHT - TOP - BOTTOM));
  const dates = span < DAY_MS ? [span ? end - span / 2 : end] : Array.from(
    { length: DATES },
    (_, index) => start + (span * index) / (DATES - 1),
  );
  return { x, y, lines, dates };
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {number} at */
function day(at) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(at);
}
