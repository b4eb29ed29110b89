/** The Socket.IO connection to the arena: one for the page, for as long as it is open. */

// @ts-types="../../vendor/socket.io.esm.min.d.ts"
import { io } from "../../vendor/socket.io.esm.min.js";
import { isLocal } from "./device_games.js";
import { t } from "./messages.js";
import { Refused, VERSION } from "./protocol.js";
import { refusalWords } from "./server_words.js";
import { Signal } from "./signal.js";
import { addressOf } from "./site.js";
import { load, save } from "./storage.js";

/** @import { ConnectError, Socket } from "../../vendor/socket.io.esm.min.d.ts" */
/**
 * @import {
 *   AnalysisState,
 *   Challenge,
 *   Chat,
 *   ClientEvents,
 *   Credentials,
 *   GameAnalysis,
 *   GameChange,
 *   GameState,
 *   Lobby,
 *   Problem,
 *   Queue,
 *   Refusal,
 *   ServerEvents,
 *   TournamentState,
 *   Welcome,
 * } from "./wire.d.ts"
 */

/** @typedef {"connecting" | "online" | "reconnecting" | "refused"} Status */

/**
 * Answers requests in the page; null leaves a request to the server.
 * @typedef {<Event extends keyof ClientEvents>(
 *   event: Event,
 *   fields: Omit<ClientEvents[Event]["send"], "v">,
 * ) => Promise<ClientEvents[Event]["answer"]> | null} AnswerHere
 */

/** @typedef {{welcome: Welcome, lobby: Lobby}} Greeting */

const SOCKET = "/socket.io/";
const ANSWER_DEADLINE_MS = 8000;
const RETRY_MS = 1500;
/** The longest pause between two attempts to connect. */
const LONGEST_PAUSE_MS = 5000;
/** The pause after a refusal that holds for long. */
const BLOCKED_PAUSE_MS = 60_000;
const REASON_DEADLINE_MS = 4000;
const LONGEST_REASON = 300;
/** The codes of refused WebSocket handshakes, as in docs/arena-protocol.md. */
const HANDSHAKE_REFUSALS = ["origin", "too_many"];

export class Connection {
  /** A capability may answer requests without the server. @type {AnswerHere} */
  answerHere = () => null;
  /** What the page says to itself where there is no server. @type {Greeting | null} */
  greeting = null;
  /** @type {Status} */
  status = "connecting";
  /** The server's sentence when `status` is `refused`. */
  refusal = "";
  #isAskingWhy = false;
  #wasOnline = false;
  /** @type {Signal<Status>} */
  statusChanged = new Signal();
  /** @type {Signal<Welcome>} */
  welcomed = new Signal();
  /** @type {Signal<Lobby>} */
  lobby = new Signal();
  /** @type {Signal<Challenge>} */
  challenge = new Signal();
  /** @type {Signal<Chat>} */
  chat = new Signal();
  /** @type {Signal<Queue>} */
  queue = new Signal();
  /** @type {Signal<GameState>} */
  game = new Signal();
  /** @type {Signal<GameChange>} */
  change = new Signal();
  /** @type {Signal<Pick<Problem, "code" | "message">>} */
  problem = new Signal();
  /** @type {Signal<TournamentState>} */
  tournament = new Signal();
  /** @type {Signal<AnalysisState>} */
  analysis = new Signal();
  /** @type {Signal<GameAnalysis>} */
  gameAnalysis = new Signal();

  constructor() {
    /** @type {Socket<ServerEvents>} */
    this.socket = io({
      path: addressOf(SOCKET),
      autoConnect: false,
      auth: (/** @type {(auth: object) => void} */ give) => give(credentials()),
      transports: ["websocket"],
      reconnectionDelay: 500,
      reconnectionDelayMax: LONGEST_PAUSE_MS,
    });
    this.#listen();
  }

  open() {
    if (this.greeting) {
      this.#welcome(this.greeting.welcome);
      this.lobby.emit(this.greeting.lobby);
    } else {
      this.socket.connect();
    }
  }

  /** Close the connection and open it again at once, for example under another name. */
  reopen() {
    this.socket.disconnect().connect();
  }

  get online() {
    return this.status === "online";
  }

  /**
   * Send a request; repeat it while the server cannot write to its disk. The page itself answers
   * requests about games on this device.
   * @template {keyof ClientEvents} Event
   * @param {Event} event
   * @param {Omit<ClientEvents[Event]["send"], "v">} fields
   * @returns {Promise<ClientEvents[Event]["answer"]>} the acknowledgement
   * @throws {Refused} with the server's sentence, or one about the connection
   */
  async request(event, fields) {
    const here = this.answerHere(event, fields);
    if (here !== null) {
      return await here;
    }
    if ("game_id" in fields && isLocal(fields.game_id)) {
      throw new Refused("unknown_game_id", t("common.refusal.unknown_game_id"));
    }
    if (this.greeting) {
      throw new Refused("not_now", t("common.connection.none"));
    }
    let told = false;
    for (;;) {
      if (!this.online) {
        throw new Refused("offline", t("common.connection.offline"));
      }
      const answer = await this.#emit(event, { v: VERSION, ...fields });
      if (answer.ok) {
        return answer;
      }
      if (answer.code !== "unavailable") {
        throw new Refused(answer.code, refusalWords(answer), answer.instead, answer.rule);
      }
      if (!told) {
        told = true;
        this.problem.emit({ code: answer.code, message: refusalWords(answer) });
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
      throw new Refused("no_answer", t("common.connection.no_answer"));
    }
  }

  #listen() {
    const { socket } = this;
    socket.on("welcome", (message) => this.#welcome(message));
    socket.on("lobby", (message) => this.lobby.emit(message));
    socket.on("challenge", (message) => this.challenge.emit(message));
    socket.on("chat", (message) => this.chat.emit(message));
    socket.on("queue", (message) => this.queue.emit(message));
    socket.on("game", (message) => this.game.emit(message));
    socket.on("change", (message) => this.change.emit(message));
    socket.on("tournament", (message) => this.tournament.emit(message));
    socket.on("analysis", (message) => this.analysis.emit(message));
    socket.on("game_analysis", (message) => this.gameAnalysis.emit(message));
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
    // Listeners may send requests at once.
    this.status = "online";
    this.#wasOnline = true;
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
      // After every other reason the client library reconnects by itself.
      setTimeout(() => this.socket.connect(), RETRY_MS);
    }
  }

  /** @param {ConnectError} error */
  #refused(error) {
    if (this.socket.active) {
      this.#findReason();
      return;
    }
    const code = error.data?.code;
    if (code === "bad_guest_key" || code === "name_taken") {
      save("guest_key", code === "bad_guest_key" ? null : load("guest_key", null));
      save("name", null);
    }
    this.refusal = error.data ? refusalWords(error.data) : error.message;
    this.#become("refused");
    setTimeout(() => this.socket.connect(), code === "blocked" ? BLOCKED_PAUSE_MS : RETRY_MS);
  }

  /**
   * An attempt to connect has failed: the server cannot be reached, or refuses the page. The client
   * library tries again meanwhile. Until the reason is known, the status does not change.
   */
  async #findReason() {
    if (this.#isAskingWhy) {
      return;
    }
    this.#isAskingWhy = true;
    const reason = await handshakeRefusal();
    this.#isAskingWhy = false;
    if (this.online) {
      return;
    }
    this.refusal = reason;
    if (reason !== "") {
      this.#become("refused");
    } else {
      this.#become(this.#wasOnline ? "reconnecting" : "connecting");
    }
  }

  /** A phone that wakes up should not wait for the next attempt. */
  #hurry() {
    const isWaiting = this.status === "reconnecting" || this.status === "refused";
    if (document.visibilityState === "visible" && isWaiting) {
      this.reopen();
    }
  }
}

/**
 * Why the server refuses WebSockets to this page. A browser hides the answer to a refused handshake
 * from scripts; the server gives the same answer to a plain request.
 * @returns {Promise<string>} its sentence; "" if it refuses nothing or does not answer in time
 */
async function handshakeRefusal() {
  try {
    const response = await fetch(addressOf(SOCKET), {
      method: "POST", // with GET, a browser does not send the page's origin, which may be refused
      cache: "no-store",
      signal: AbortSignal.timeout(REASON_DEADLINE_MS),
    });
    const { code, message } = await response.json();
    const words = String(message).slice(0, LONGEST_REASON);
    return HANDSHAKE_REFUSALS.includes(code) ? refusalWords({ code, message: words }) : "";
  } catch {
    return "";
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * The `auth` of a connection: of the guest whose key is stored, else of a new guest.
 * @returns {Credentials}
 */
function credentials() {
  const name = load("name", null);
  return { v: VERSION, guest_key: load("guest_key", null), name, events: "new" };
}
