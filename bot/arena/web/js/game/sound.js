/** The sound of a stone: a soft knock, made by the browser's synthesizer. */

/** @type {AudioContext | null} */
let context = null;

export function playStoneSound() {
  context ??= new AudioContext();
  const start = context.currentTime;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.type = "sine";
  tone.frequency.setValueAtTime(420, start);
  tone.frequency.exponentialRampToValueAtTime(180, start + 0.08);
  volume.gain.setValueAtTime(0.12, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.14);
  tone.connect(volume).connect(context.destination);
  tone.start(start);
  tone.stop(start + 0.15);
}
