/**
 * The sounds of a game, made by the browser's synthesizer: no files, and nothing to license.
 *
 * Browsers allow sound only after the person has pressed something, so the first sounds of a page
 * may be missing.
 */

/** @import { Settings } from "./storage.js" */

/** @typedef {"turn" | "capture" | "mine" | "end" | "low" | "chat"} Sound */

/**
 * A tone: when it starts and how long it lasts, in seconds, its frequencies at both ends in hertz,
 * and its loudness.
 * @typedef {[at: number, length: number, from: number, to: number, loudness: number]} Tone
 */

/** @type {Record<Sound, Tone[]>} */
const SOUNDS = {
  turn: [[0, 0.14, 420, 180, 0.5]],
  capture: [[0, 0.1, 300, 120, 0.5], [0.07, 0.16, 220, 80, 0.5]],
  mine: [[0, 0.14, 420, 180, 0.5], [0.1, 0.18, 660, 640, 0.2]],
  end: [[0, 0.3, 523, 523, 0.3], [0.12, 0.3, 659, 659, 0.3], [0.24, 0.5, 784, 784, 0.3]],
  low: [[0, 0.08, 880, 880, 0.3], [0.14, 0.08, 880, 880, 0.3]],
  chat: [[0, 0.1, 1046, 1046, 0.15], [0.09, 0.14, 1318, 1318, 0.15]],
};

/** @type {AudioContext | null} */
let context = null;

/**
 * @param {Sound} name
 * @param {Pick<Settings, "sound" | "volume">} settings
 */
export function playSound(name, { sound, volume }) {
  if (sound && volume > 0) {
    // A sound takes milliseconds to make: the turn is drawn first, unless the page is in the background.
    const make = () => start(name, volume);
    document.hidden ? make() : requestAnimationFrame(() => setTimeout(make));
  }
}

/**
 * @param {Sound} name
 * @param {number} volume from 0 to 100
 */
function start(name, volume) {
  context ??= new AudioContext();
  if (context.state === "suspended") {
    // The person has pressed nothing yet; a sound later would be about something that is past.
    context.resume();
    return;
  }
  for (const tone of SOUNDS[name]) {
    play(context, tone, volume / 100);
  }
}

/**
 * @param {AudioContext} audio
 * @param {Tone} tone
 * @param {number} volume from 0 to 1
 */
function play(audio, [at, length, from, to, loudness], volume) {
  const start = audio.currentTime + at;
  const tone = audio.createOscillator();
  const gain = audio.createGain();
  tone.type = "sine";
  tone.frequency.setValueAtTime(from, start);
  tone.frequency.exponentialRampToValueAtTime(to, start + length * 0.6);
  gain.gain.setValueAtTime(Math.max(0.0002, loudness * volume), start);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  tone.connect(gain).connect(audio.destination);
  tone.start(start);
  tone.stop(start + length);
}
