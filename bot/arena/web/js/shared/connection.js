/** The Socket.IO connection to the arena: one for the page, for as long as it is open. */

// @ts-types="../../vendor/socket.io.esm.min.d.ts"
import { io } from "../../vendor/socket.io.esm.min.js";
import { Refused, VERSION } from "./protocol.js";
import { Signal } from "./signal.js";
import { load, save } from "./storage.js";

/** @import { ConnectError, Socket } from "../../vendor/socket.io.esm.min.d.ts" */
/**
 * @import {
 *   Challenge,
 *   ClientEvents,
 *   Credentials,
 *   GameChange,
 *   GameState,
 *   Lobby,
 *   Problem,
 *   Refusal,
 *   ServerEvents,
 *   TournamentState,
 *   Welcome,
 * } from "./wire.d.ts"
 */

/** @typedef {"connecting" | "online" | "reconnecting" | "refused"} Status */

const ANSWER_DEADLINE_MS = 8000;
const RETRY_MS = 1500;

export class Connection {
  /** @type {Status} */
  status = "connecting";
  /** Why the server does not let the page in, when `status` is `refused`. */
  refusal = "";
  /** @type {Signal<Status>} */
  statusChanged = new Signal();
  /** @type {Signal<Welcome>} */
  welcomed = new Signal();
  /** @type {Signal<Lobby>} */
  lobby = new Signal();
  /** @type {Signal<Challenge>} */
  challenge = new Signal();
  /** @type {Signal<GameState>} */
  game = new Signal();
  /** @type {Signal<GameChange>} */
  change = new Signal();
  /** @type {Signal<Pick<Problem, "code" | "message">>} */
  problem = new Signal();
  /** @type {Signal<TournamentState>} */
  tournament = new Signal();

  constructor() {
    /** @type {Socket<ServerEvents>} */
    this.socket = io({
      autoConnect: false,
      auth: (/** @type {(auth: object) => void} */ give) => give(credentials()),
      transports: ["websocket"],
      reconnectionDelay: 500,
      reconnectionDelayMax: 5000,
    });
    this.#listen();
  }

  open() {
    this.socket.connect();
  }

  /** Drop the connection and come back at once, for example under another name. */
  reopen() {
    this.socket.disconnect().connect();
  }

  get online() {
    return this.status === "online";
  }

  /**
   * Ask the server for something; again, for as long as it cannot write to its disk.
   * @template {keyof ClientEvents} Event
   * @param {Event} event
   * @param {Omit<ClientEvents[Event]["send"], "v">} fields
   * @returns {Promise<ClientEvents[Event]["answer"]>} the acknowledgement
   * @throws {Refused} with the server's sentence, or one about the connection
   */
  async request(event, fields) {
    let told = false;
    for (;;) {
      if (!this.online) {
        throw new Refused("offline", "There is no connection to the server at the moment.");
      }
      const answer = await this.#emit(event, { v: VERSION, ...fields });
      if (answer.ok) {
        return answer;
      }
      if (answer.code !== "unavailable") {
        throw new Refused(answer.code, answer.message);
      }
      if (!told) {
        told = true;
        this.problem.emit(answer);
      }
      await pause(answer.retry_after_ms ?? RETRY_MS);
    }
  }

  /**
   * @template {keyof ClientEvents} Event
   * @param {Event} event
   * @param {object} message
   */
  async #emit(event, message) {
    try {
      /** @type {unknown} */
      const answer = await this.socket.timeout(ANSWER_DEADLINE_MS).emitWithAck(event, message);
      return /** @type {ClientEvents[Event]["answer"] | Refusal} */ (answer);
    } catch {
      throw new Refused("no_answer", "The server has not answered.");
    }
  }

  #listen() {
    const { socket } = this;
    socket.on("welcome", (message) => this.#welcome(message));
    socket.on("lobby", (message) => this.lobby.emit(message));
    socket.on("challenge", (message) => this.challenge.emit(message));
    socket.on("game", (message) => this.game.emit(message));
    socket.on("change", (message) => this.change.emit(message));
    socket.on("tournament", (message) => this.tournament.emit(message));
    socket.on("problem", (message) => this.problem.emit(message));
    socket.on("disconnect", (reason) => this.#lost(reason));
    socket.on("connect_error", (error) => this.#refused(error));
    addEventListener("online", () => this.#hurry());
    document.addEventListener("visibilitychange", () => this.#hurry());
  }

  /** @param {Welcome} welcome */
  #welcome(welcome) {
    if (welcome.guest_key) {
      save("guest_key", welcome.guest_key);
    }
    // Those who hear of the welcome may ask for more at once.
    this.status = "online";
    this.welcomed.emit(welcome);
    this.statusChanged.emit(this.status);
  }

  /** @param {Status} status */
  #become(status) {
    this.status = status;
    this.statusChanged.emit(status);
  }

  /** @param {string} reason */
  #lost(reason) {
    this.#become("reconnecting");
    if (reason === "io server disconnect") {
      // The client library comes back by itself after every other reason.
      setTimeout(() => this.socket.connect(), RETRY_MS);
    }
  }

  /** @param {ConnectError} error */
  #refused(error) {
    if (this.socket.active) {
      this.#become(this.status === "connecting" ? "connecting" : "reconnecting");
      return;
    }
    const code = error.data?.code;
    if (code === "bad_guest_key" || code === "name_taken") {
      save("guest_key", code === "bad_guest_key" ? null : load("guest_key", null));
      save("name", null);
    }
    this.refusal = error.data?.message ?? error.message;
    this.#become("refused");
    setTimeout(() => this.socket.connect(), RETRY_MS);
  }

  /** A phone that wakes up should not wait for the next attempt. */
  #hurry() {
    if (document.visibilityState === "visible" && this.status === "reconnecting") {
      this.reopen();
    }
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * The `auth` of a connection: come back as the same guest, or as a new one.
 * @returns {Credentials}
 */
function credentials() {
  const name = load("name", null);
  return { v: VERSION, guest_key: load("guest_key", null), name, events: "new" };
}
