/** A person's turn: stones are chosen one by one, checked by the rules, and sent. */

import { IllegalTurn } from "../engine/refusal.js";
import { t } from "../shared/messages.js";
import { illegalWords } from "../shared/server_words.js";
import { Signal } from "../shared/signal.js";
import { PASS } from "../shared/steps.js";
import { ActionQueue } from "./action_queue.js";
import { Delivery } from "./delivery.js";
import { LegalQuestion } from "./legal_question.js";
import { TurnDraft } from "./turn_draft.js";

/** @import { Position } from "../engine/rules.js" */
/** @import { Placement } from "../shared/steps.js" */
/** @import { Parcel } from "./delivery.js" */
/** @import { Answering } from "./legal_question.js" */
/** @import { LegalView, PositionView } from "../shared/wire.d.ts" */

/** @typedef {"waiting" | "choosing" | "confirming" | "sending"} Phase */
/** @typedef {{cell: string | null, message: string}} Complaint */

/** @typedef {Answering & { play: (parcel: Parcel) => Promise<void> }} Wire */

const UNKNOWN = t("game.legal_unknown");

export class TurnInput {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** @type {Phase} */
  phase = "waiting";
  draft = new TurnDraft();
  /** @type {Complaint | null} */
  complaint = null;
  /** The ply of the turn that is being chosen, or was sent and is not on the board yet. */
  ply = -1;
  /** What follows the turn that is sent; null without rules in the page. @type {PositionView | null} */
  played = null;
  /** How often turns of the game were taken back: after that a ply comes again. */
  takebacks = 0;
  /** Whether stones may be chosen for the next turn while the opponent thinks: a premove. */
  mayPremove = false;
  /** Whether the turn that is sent was chosen before the opponent's. */
  #isPremove = false;
  #queue = new ActionQueue();

  /**
   * @param {Wire} wire
   * @param {() => boolean} confirms whether a complete turn waits for a confirmation
   */
  constructor(wire, confirms) {
    this.confirms = confirms;
    this.locate = wire.locate;
    this.question = new LegalQuestion(wire);
    this.question.answered.on((legal) => this.#learn(legal));
    this.question.refused.on((message) => this.#complain(null, message));
    this.delivery = new Delivery(wire.play);
    this.delivery.delayed.on((message) => this.#delayed(message));
    this.delivery.refused.on((message) => this.#refused(message));
  }

  /** The legal steps; null while the server has not answered. */
  get legal() {
    return this.question.answer;
  }

  /** The board with the chosen stones; null without any, and without rules in the page. */
  get drafted() {
    const isOpen = this.phase === "choosing" || this.phase === "confirming";
    return isOpen ? this.question.drafted : null;
  }

  /**
   * The server's state says that this person must play `ply`.
   * @param {number} ply
   * @param {number} [takebacks] how often turns were taken back
   */
  begin(ply, takebacks = 0) {
    if (ply !== this.ply || takebacks !== this.takebacks) {
      const planned = this.hasPremove && takebacks === this.takebacks ? this.draft.stones : [];
      this.takebacks = takebacks;
      this.mayPremove = false;
      this.#queue.clear();
      this.#reset("choosing", ply);
      this.draft.clear();
      planned.length > 0 ? this.#playPlanned(planned) : this.#ask();
    }
  }

  /**
   * The opponent is to move: stones may be chosen for the turn after that.
   * @param {number} takebacks how often turns were taken back
   */
  wait(takebacks) {
    if (this.phase !== "waiting" || takebacks !== this.takebacks) {
      this.end();
    }
    this.takebacks = takebacks;
    this.mayPremove = true;
  }

  get hasPremove() {
    return this.phase === "waiting" && this.mayPremove && this.draft.stones.length > 0;
  }

  /**
   * Choose a cell for the next turn, or take it out again.
   * @param {string} cell an empty one
   */
  premove(cell) {
    if (this.draft.has(cell)) {
      this.draft.remove(cell);
    } else if (this.draft.most === 1) {
      this.draft.clear();
      this.draft.add(cell);
    } else if (this.draft.stones.length < this.draft.most) {
      this.draft.add(cell);
    }
    this.changed.emit();
  }

  cancelPremove() {
    if (this.hasPremove) {
      this.draft.clear();
      this.changed.emit();
    }
  }

  /**
   * Send a premove; one that is not complete, or must be confirmed, is chosen as if by hand.
   * @param {Placement[]} stones
   */
  #playPlanned(stones) {
    if (stones.length === this.draft.most && !this.confirms()) {
      this.draft.stones = stones;
      this.#isPremove = true;
      const flaw = this.#flaw;
      flaw ? this.#refused(flaw) : this.send();
      return;
    }
    this.#ask();
    for (const { cell, kind } of stones) {
      this.chooseKind(kind);
      this.choose(cell);
    }
  }

  /** Why the chosen stones are no turn, by the rules in the page; empty if they are, or without rules. */
  get #flaw() {
    const { stones, steps } = this.draft;
    const position = this.locate(this.ply);
    for (const [place, { cell }] of stones.entries()) {
      const why = position?.why(steps.slice(0, place), steps[place] ?? "");
      if (why) {
        return illegalWords(why, cell);
      }
    }
    return "";
  }

  /** The connection is back, and the server still waits for the same ply. */
  resume() {
    if (this.delivery.isOpen) {
      this.delivery.again();
    } else if (this.phase !== "waiting") {
      this.#ask();
    }
  }

  /** The server's state says that nothing can be chosen here. */
  end() {
    this.mayPremove = false;
    if (this.phase !== "waiting" || this.draft.stones.length > 0) {
      this.#queue.clear();
      this.#reset("waiting", -1);
      this.draft.clear();
      this.changed.emit();
    }
  }

  /** @param {string} cell */
  choose(cell) {
    this.#queue.add((isWanted) => this.#choose(cell, isWanted));
  }

  /**
   * @param {string} cell
   * @param {() => boolean} isWanted
   */
  async #choose(cell, isWanted) {
    if (this.draft.has(cell) && this.phase !== "sending") {
      this.#takeBack(cell);
      return;
    }
    if (this.phase !== "choosing") {
      return;
    }
    const legal = await this.question.latest();
    if (!isWanted() || this.phase !== "choosing") {
      return;
    }
    if (legal) {
      await this.#judge(cell, legal, isWanted);
    } else {
      this.#ask();
      this.#complain(cell, UNKNOWN);
    }
  }

  /**
   * @param {string} cell
   * @param {LegalView} legal
   * @param {() => boolean} isWanted
   */
  async #judge(cell, legal, isWanted) {
    const step = this.draft.step(cell);
    if (!legal.legal.includes(step)) {
      const why = legal.illegal[step] ?? (await this.question.why(step));
      if (isWanted() && this.phase === "choosing") {
        this.#complain(cell, (why && illegalWords(why, cell)) || t("game.illegal_now"));
      }
      return;
    }
    this.draft.add(cell);
    this.complaint = null;
    if (this.draft.stones.length === this.draft.most && !this.confirms()) {
      this.send();
      return;
    }
    this.#ask();
  }

  /**
   * Say why something that is not a cell cannot be chosen.
   * @param {string} message
   */
  refuse(message) {
    if (this.phase === "choosing") {
      this.#complain(null, message);
    }
  }

  /** Take the last chosen stone back. */
  undo() {
    if (this.phase === "choosing" || this.phase === "confirming") {
      this.#queue.clear();
      this.#takeBack(this.draft.stones.at(-1)?.cell ?? "");
    }
  }

  /** @param {string} cell */
  #takeBack(cell) {
    this.draft.remove(cell);
    this.#restart();
  }

  /** The cells on which a stone of the chosen kind may be placed now; null: not known. */
  get open() {
    return this.legal && new Set(this.draft.openTo(this.draft.kind, this.legal));
  }

  /**
   * Choose the kind of the next stone. If only the stone that is chosen already could be of that
   * kind, the two exchange theirs.
   * @param {number} kind
   */
  chooseKind(kind) {
    this.#queue.add(() => this.#chooseKind(kind));
  }

  /** @param {number} kind */
  #chooseKind(kind) {
    const { draft, legal } = this;
    if (this.mayPremove && this.phase === "waiting" && kind <= draft.kinds) {
      draft.kind = kind;
      this.changed.emit();
      return;
    }
    if (this.phase !== "choosing" || kind > draft.kinds || kind === draft.kind) {
      return;
    }
    if (legal && draft.stones.length > 0 && draft.openTo(kind, legal).length === 0) {
      this.#swapKinds();
    } else {
      draft.kind = kind;
      this.complaint = null;
      this.changed.emit();
    }
  }

  /** Whether there are kinds to exchange. */
  get canSwap() {
    const choosing = this.phase === "choosing" || this.phase === "confirming";
    return choosing && this.draft.kinds > 1 && this.draft.stones.length > 0;
  }

  /** Exchange the kinds of all stones that are not sent yet, and of the next one. */
  swapKinds() {
    this.#queue.add(() => this.#swapKinds());
  }

  #swapKinds() {
    if (this.canSwap) {
      this.draft.swap();
      this.#restart(this.phase);
    }
  }

  /** Whether the chosen stones are a whole turn, although another could follow. */
  get canStop() {
    return (
      this.phase === "choosing" && this.draft.stones.length > 0 && (this.legal?.complete ?? false)
    );
  }

  /** Whether a pass is the only legal turn. */
  get mustPass() {
    return this.mayPass && this.legal?.legal.length === 0;
  }

  /** Whether the turn may be a pass; not every game has one. */
  get mayPass() {
    return this.phase === "choosing" && (this.legal?.may_pass ?? false);
  }

  /**
   * Pass, unless the person's turn has changed since.
   * @param {number} ply
   */
  pass(ply) {
    if (this.phase === "choosing" && ply === this.ply) {
      this.#deliver(PASS);
    }
  }

  /** Send the chosen stones. */
  send() {
    this.#deliver(this.draft.steps.join(","));
  }

  /** @param {string} turn */
  #deliver(turn) {
    this.phase = "sending";
    this.played = viewAfter(this.locate(this.ply), turn);
    this.changed.emit();
    this.delivery.send({ ply: this.ply, turn, takebacks: this.takebacks });
  }

  /** @param {string} message */
  #delayed(message) {
    this.#complain(null, t("game.turn_is_kept", { why: message }));
  }

  /** @param {string} message */
  #refused(message) {
    const why = this.#isPremove ? t("game.premove.dropped", { why: message }) : message;
    this.draft.clear();
    this.#restart();
    this.#complain(null, why);
  }

  /**
   * Continue with the draft.
   * @param {Phase} [phase]
   */
  #restart(phase = "choosing") {
    this.#reset(phase, this.ply);
    this.#ask();
  }

  /**
   * @param {Phase} phase
   * @param {number} ply
   */
  #reset(phase, ply) {
    this.question.withdraw();
    this.delivery.withdraw();
    this.phase = phase;
    this.ply = ply;
    this.complaint = null;
    this.played = null;
    this.#isPremove = false;
  }

  /**
   * @param {string | null} cell
   * @param {string} message
   */
  #complain(cell, message) {
    this.complaint = { cell, message };
    this.changed.emit();
  }

  #ask() {
    this.question.ask(this.ply, this.draft.steps);
    if (!this.legal) {
      this.changed.emit(); // an answer of the page has done so
    }
  }

  /** @param {LegalView} legal */
  #learn(legal) {
    if (this.draft.stones.length > 0 && legal.legal.length === 0 && legal.complete) {
      this.#finish();
    }
    this.draft.adapt(legal);
    if (this.complaint?.message === UNKNOWN) {
      this.complaint = null;
    }
    this.changed.emit();
  }

  /** Nothing more can be chosen: the turn is whole. */
  #finish() {
    if (this.confirms()) {
      this.phase = "confirming";
    } else {
      this.send();
    }
  }
}

/**
 * @param {Position | null} position
 * @param {string} turn
 */
function viewAfter(position, turn) {
  try {
    return position?.play(turn).view() ?? null;
  } catch (error) {
    if (error instanceof IllegalTurn) {
      return null; // the server says why
    }
    throw error;
  }
}
