/** The engine of an analysis board: it evaluates the shown position while it is switched on. */

import { Signal } from "../shared/signal.js";
import { STATIC } from "../shared/site.js";
import { load, save } from "../shared/storage.js";
import { DeviceEngine } from "./device_engine.js";
import { ServerEngine } from "./server_engine.js";

/** @import { Session } from "../shared/session.js" */
/** @import { AnalysisState } from "../shared/wire.d.ts" */
/** @import { Played } from "../game/tree_address.js" */
/** @import { Effort, News, Place } from "./source.d.ts" */

const KEPT = 200;
/** @type {Effort[]} */
export const EFFORTS = ["quick", "normal", "deep"];
/** @type {Place[]} */
export const PLACES = ["device", "server"];
/** @type {Record<Place, Effort>} */
const USUAL_EFFORT = { device: "deep", server: "normal" };

export class EngineClient {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** Why there is no analysis; "" if there is no reason. */
  problem = "";
  /** @type {AnalysisState | null} */
  state = null;
  /** Whether the server searches because this device cannot. */
  isReplaced = false;
  /** @type {string[] | null} */
  #turns = null;
  /** What was searched last; a device may lack the engine of one board only. */
  #played = "";
  /** Complete analyses by position, place and effort. @type {Map<string, AnalysisState>} */
  #done = new Map();
  #device;
  #server;

  /**
   * @param {Session} session
   * @param {() => Played | null} played
   */
  constructor(session, played) {
    this.session = session;
    this.played = played;
    /** @type {boolean} */
    this.on = load("engine", true);
    /** @type {Place} */
    this.wanted = PLACES.find((each) => each === load("engine_place", "device")) ?? "device";
    this.#device = new DeviceEngine(session, (news) => this.#hear("device", news));
    this.#server = new ServerEngine(session, (news) => this.#hear("server", news));
  }

  dispose() {
    this.#device.dispose();
    this.#server.dispose();
  }

  /** The places at which this game can be searched. */
  get places() {
    const played = this.played();
    const isKnown = !played || this.#device.knows(played);
    return PLACES.filter((each) => each === "server" ? !STATIC || !isKnown : isKnown);
  }

  /** Where positions are searched now. @returns {Place} */
  get place() {
    return this.isReplaced || !this.places.includes(this.wanted) ? "server" : this.wanted;
  }

  /** @returns {Effort} */
  get effort() {
    const stored = load(effortKey(this.place), USUAL_EFFORT[this.place]);
    return EFFORTS.find((each) => each === stored) ?? USUAL_EFFORT[this.place];
  }

  get #source() {
    return this.place === "device" ? this.#device : this.#server;
  }

  /** @param {boolean} on */
  turn(on) {
    this.on = on;
    save("engine", on);
    this.#restart();
  }

  /**
   * @param {Place} place
   * @param {Effort} effort
   */
  choose(place, effort) {
    this.#source.cancel();
    this.wanted = place;
    this.isReplaced = false;
    save("engine_place", place);
    save(effortKey(place), effort);
    this.#restart();
  }

  /**
   * Evaluate the position after some turns; null: none.
   * @param {string[] | null} turns
   */
  look(turns) {
    if (turns?.join("_") !== this.#turns?.join("_")) {
      this.#turns = turns;
      this.#restart();
    }
  }

  #restart() {
    const [turns, played] = [this.#turns, this.played()];
    this.isReplaced &&= this.#played === JSON.stringify(played);
    this.#played = JSON.stringify(played);
    this.state = (this.on && this.#done.get(this.#key)) || null;
    this.problem = "";
    if (!this.on || !turns || !played || this.state) {
      this.#source.cancel();
    } else {
      this.#source.start(played, turns, this.effort);
    }
    this.changed.emit();
  }

  get #key() {
    return JSON.stringify([this.played(), this.place, this.effort, this.#turns]);
  }

  /**
   * @param {Place} place
   * @param {News} news
   */
  #hear(place, { state, problem = "", isMissing = false }) {
    if (place !== this.place) {
      return;
    }
    if (isMissing) {
      this.isReplaced = true;
      this.#restart();
      return;
    }
    this.state = state ?? this.state;
    this.problem = problem;
    if (state?.state === "done") {
      this.#keep(state);
    }
    this.changed.emit();
  }

  /** @param {AnalysisState} news */
  #keep(news) {
    const oldest = this.#done.size >= KEPT && this.#done.keys().next().value;
    if (typeof oldest === "string") {
      this.#done.delete(oldest);
    }
    this.#done.set(this.#key, news);
  }
}

/** @param {Place} place */
function effortKey(place) {
  return place === "server" ? "effort" : "effort_here";
}
