/** The engine's panel: its switch, its evaluation, and its best lines. */

import { chanceOf, sureLines } from "../shared/chances.js";
import { h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { percent, sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";
import { EFFORTS } from "./engine.js";
import { LineRow, write } from "./line_row.js";

/** @import { Imagined } from "../game/evaluation.js" */
/** @import { AnalysisLine } from "../shared/wire.d.ts" */
/** @import { EngineClient } from "./engine.js" */
/** @import { Effort, Place } from "./source.d.ts" */

const SHOWN_LINES = 5;

export class LinesView {
  /** @type {Signal<Imagined | null>} a line to show on the board */
  imagined = new Signal();
  /** @type {Signal<string[]>} turns to play from the shown position */
  played = new Signal();
  kinds = 1;
  /** @type {LineRow[]} */
  #rows = [];
  #offered = "";

  /** @param {EngineClient} engine */
  constructor(engine) {
    this.engine = engine;
    this.box = h("input", { type: "checkbox", role: "switch", class: "switch" });
    this.box.addEventListener("change", () => engine.turn(this.box.checked));
    this.effort = h("select", { "aria-label": t("analysis.effort") });
    this.effort.addEventListener("change", () => {
      const [place, effort] = this.effort.value.split(" ");
      engine.choose(/** @type {Place} */ (place), /** @type {Effort} */ (effort));
    });
    this.leader = h("span");
    this.chance = h("strong");
    const heard = { class: "engine-summary", "aria-live": "polite" };
    this.summary = h("p", heard, this.leader, this.chance);
    this.status = h("p", { class: "engine-status quiet" });
    this.bar = h("div", { class: "evaluation-bar" }, h("div", { class: "evaluation-black" }));
    this.list = h("ol", { class: "engine-lines" });
    this.element = h(
      "section",
      { class: "panel engine-panel", "aria-label": t("analysis.engine") },
      h(
        "div",
        { class: "engine-head" },
        h("label", { class: "engine-switch" }, this.box, h("h2", {}, t("analysis.engine"))),
        this.summary,
        this.effort,
      ),
      this.bar,
      this.list,
      this.status,
    );
  }

  /**
   * @param {number} ply of the shown position
   * @param {boolean} over whether the game is over there
   */
  update(ply, over) {
    const { engine } = this;
    this.box.checked = engine.on;
    this.#offer();
    const state = over ? null : engine.state;
    const value = chanceOf(state);
    const first = value === null ? null : moverOf(ply) === 1 ? value : 1 - value;
    this.bar.classList.toggle("unknown", first === null);
    this.bar.hidden = !engine.on;
    this.bar.style.setProperty("--black", (first ?? 0.5).toFixed(3));
    this.#summarise(first);
    const replaced = engine.on && engine.isReplaced && t("analysis.no_device_engine");
    write(this.status, [this.#status(over), replaced].filter(Boolean).join(" "));
    this.#draw(state?.lines ?? [], ply);
  }

  /** Offer the places of the engine, and how long it may search there. */
  #offer() {
    const { place, places, effort } = this.engine;
    if (this.#offered !== places.join()) {
      this.#offered = places.join();
      replace(this.effort, places.flatMap((each) => effortsAt(each)));
    }
    this.effort.value = `${place} ${effort}`;
  }

  /** @param {number | null} first the first player's chance, if it is known */
  #summarise(first) {
    const leader = (first ?? 0) >= 0.5 ? 1 : 2;
    const chance = percent(leader === 1 ? first ?? 0 : 1 - (first ?? 0));
    write(this.leader, first === null ? "" : `${sideTitle(leader, this.kinds)} `);
    write(this.chance, first === null ? "" : chance);
  }

  /** @param {boolean} over */
  #status(over) {
    const { engine } = this;
    const { state, problem } = engine;
    if (!engine.on) {
      return t("analysis.engine_off");
    }
    if (over) {
      return t("analysis.over");
    }
    if (problem) {
      return problem;
    }
    if (!state) {
      return t("analysis.asking");
    }
    if (state.state === "queued") {
      return t("analysis.queued", { n: state.place ?? 1 });
    }
    const playouts = t("analysis.playouts", { n: state.visits ?? 0 });
    const words = state.state === "done" ? "analysis.searched" : "analysis.searching";
    const found = t(words, { playouts, engine: state.engine ?? "" });
    return state.shortened ? `${found} ${t("analysis.shortened")}` : found;
  }

  /**
   * @param {AnalysisLine[]} lines
   * @param {number} ply
   */
  #draw(lines, ply) {
    const shown = lines.slice(0, SHOWN_LINES);
    const isSure = sureLines(shown);
    this.#rows.splice(shown.length).forEach(({ element }) => element.remove());
    shown.forEach((line, index) => {
      const row = this.#rows[index] ??= new LineRow(index, this);
      row.update(line, ply, isSure[index] ?? false);
      row.element.isConnected || this.list.append(row.element);
    });
  }
}

/** @param {Place} place */
function effortsAt(place) {
  return EFFORTS.map((effort) => {
    const long = place === "device" ? t(`analysis.device_${effort}`) : t(`analysis.${effort}`);
    return h("option", { value: `${place} ${effort}` }, t(`analysis.at_${place}`, { long }));
  });
}
