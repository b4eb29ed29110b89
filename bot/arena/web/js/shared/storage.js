/** What the browser stores for this person: the guest key, the settings, the last setup. */

import { Signal } from "./signal.js";
import { BASE } from "./site.js";

/** Several arenas of one site share the storage, so the path of each is in its keys. */
const PREFIX = `bluestone${BASE}.`;

/**
 * @template T
 * @param {string} key
 * @param {T} fallback also returned if storage is forbidden or its content is invalid
 * @returns {T}
 */
export function load(key, fallback) {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/**
 * @param {string} key
 * @param {unknown} value null removes it
 */
export function save(key, value) {
  try {
    if (value === null) {
      localStorage.removeItem(PREFIX + key);
    } else {
      localStorage.setItem(PREFIX + key, JSON.stringify(value));
    }
  } catch {
    // Without storage the page works, and forgets these values.
  }
}

/**
 * @typedef {object} Settings
 * @property {boolean} confirm ask before a turn is sent
 * @property {boolean} cellNames write the names of the cells on the board
 * @property {boolean} threats show rows that can be completed in one turn
 * @property {boolean} track show the scoring track around the board
 * @property {boolean} prospects show secured and dead stones and closed cells
 * @property {boolean} overTheBoard show no help in running games
 * @property {boolean} evaluation show the bots' evaluation of their games, and of games that are over
 * @property {boolean} premove choose a turn while the opponent thinks
 * @property {boolean} sound
 * @property {number} volume of the sounds, from 0 to 100
 */

/** @returns {Settings} */
function defaults() {
  // A finger covers several cells of a large board, so a phone asks first.
  const confirm = matchMedia("(pointer: coarse)").matches;
  return {
    confirm,
    cellNames: false,
    threats: false,
    prospects: false,
    track: true,
    overTheBoard: false,
    evaluation: true,
    premove: true,
    sound: true,
    volume: 60,
  };
}

/** The person's settings, saved at each change. */
export class SettingsStore {
  /** @type {Signal<Settings>} */
  changed = new Signal();

  constructor() {
    this.value = { ...defaults(), ...load("settings", {}) };
  }

  /** @param {Partial<Settings>} change */
  set(change) {
    this.value = { ...this.value, ...change };
    save("settings", this.value);
    this.changed.emit(this.value);
  }
}
