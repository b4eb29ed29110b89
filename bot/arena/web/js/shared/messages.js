/**
 * The page's texts in the reader's language.
 *
 * `messages/LANGUAGE/AREA.json` has texts by name. A key is `AREA.NAME`. A text is a string, or an
 * object with a string for each plural category of the language, chosen by the value `n`. Values
 * are inserted for `{name}`. An area is loaded before the scripts that use it, so that their
 * constants may be texts; the server answers with English where a translation is missing.
 */

import { addressOf, STATIC } from "./site.js";

/** @import { Child } from "./dom.js" */
/** @typedef {string | Record<string, string>} Message */
/** @typedef {Record<string, string | number>} Values */

const COOKIE = "language";

/** The language that the server has chosen, from a cookie or the browser's preferences. */
export const language = STATIC ? chosenLanguage() : document.documentElement.lang || "en";
document.documentElement.lang = language;

/** The language as the browser names it, with a country for dates and numbers. */
export const locale = navigator.languages.find((each) => each.split("-")[0] === language) ??
  language;

const YEAR_S = 31_536_000;
const TRIES = 5;
const PAUSE_MS = 1_000;
const PLACE = /\{(\w+)\}/;
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(locale);
const lists = new Intl.ListFormat(language);
/** The texts by key. @type {Map<string, Message>} */
const texts = new Map();
/** Texts at their places, because a board uses a text thousands of times. @type {Map<string, string[]>} */
const split = new Map();
/** What is loaded or on its way, by area. @type {Map<string, Promise<void>>} */
const areas = new Map();

/** The person's choice or preference among the languages of a static site. */
function chosenLanguage() {
  const { lang, dataset } = document.documentElement;
  const known = dataset["languages"]?.split(" ") ?? [];
  const [, chosen = ""] = new RegExp(`(?:^|; )${COOKIE}=(\\w+)`).exec(document.cookie) ?? [];
  const preferred = navigator.languages.map((each) => each.split("-")[0] ?? "");
  return [chosen, ...preferred].find((each) => known.includes(each)) ?? lang;
}

/**
 * Load the texts of some areas; an area is loaded once.
 * @param {...string} names
 */
export async function loadMessages(...names) {
  await Promise.all(names.map((area) => {
    const known = areas.get(area) ?? loadArea(area);
    areas.set(area, known);
    return known;
  }));
}

/** @param {string} area */
async function loadArea(area) {
  const { build } = document.documentElement.dataset;
  const version = build ? `?v=${build}` : "";
  try {
    const found = await fetched(`/messages/${language}/${area}.json${version}`, TRIES);
    for (const [name, message] of Object.entries(found)) {
      texts.set(`${area}.${name}`, message);
    }
  } catch (error) {
    areas.delete(area);
    throw error;
  }
}

/**
 * @param {string} address
 * @param {number} tries
 * @returns {Promise<Record<string, Message>>}
 */
async function fetched(address, tries) {
  try {
    const response = await fetch(addressOf(address));
    if (response.ok) {
      return await response.json();
    }
    throw new Error(`${address}: ${response.status}`);
  } catch (error) {
    if (tries <= 1) {
      throw error;
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    return await fetched(address, tries - 1);
  }
}

/**
 * The text of a key; the key itself if it has no text.
 * @param {string} key
 * @param {Values} [values]
 */
export function t(key, values = {}) {
  const parts = partsOf(pattern(key, values));
  return parts.length === 1
    ? parts[0] ?? ""
    : parts.map((part, index) => index % 2 ? shown(values[part]) : part).join("");
}

/**
 * A text whose values may be elements, as children of an element.
 * @param {string} key
 * @param {Record<string, Child>} values
 * @returns {Child[]}
 */
export function nodes(key, values) {
  return partsOf(pattern(key, values))
    .map((part, index) => index % 2 ? values[part] ?? null : part);
}

/**
 * The parts of a text: every second one is the name of a place.
 * @param {string} text
 */
function partsOf(text) {
  const known = split.get(text) ?? text.split(PLACE);
  split.set(text, known);
  return known;
}

/**
 * @param {string} key
 * @param {Record<string, unknown>} values
 */
function pattern(key, values) {
  const message = texts.get(key);
  if (message === undefined || typeof message === "string") {
    return message ?? key;
  }
  const number = values["n"];
  const category = typeof number === "number" ? plurals.select(number) : "other";
  return message[category] ?? message["other"] ?? key;
}

/** @param {string | number | undefined} value */
function shown(value) {
  return typeof value === "number" ? numbers.format(value) : value ?? "";
}

/** Names as a list in a sentence, such as "Ann and Bob". @param {string[]} names */
export function listed(names) {
  return lists.format(names);
}

/** Whether there is a text of that key. @param {string} key */
export function hasMessage(key) {
  return texts.has(key);
}

/**
 * Show the page in another language from now on.
 * @param {string} wanted
 */
export function changeLanguage(wanted) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const rest = `Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
  document.cookie = `${COOKIE}=${wanted}; Path=${addressOf("/")}; ${rest}`;
  location.reload();
}
