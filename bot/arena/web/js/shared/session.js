/** What all pages share: the connection, the person, and the known games and challenges. */

import { Catalogue } from "./catalogue.js";
import { Connection } from "./connection.js";
import { isShared } from "./device_games.js";
import { messageOf, notify, notifyOf } from "./dialogs.js";
import { Games, other, turnsPlayed } from "./games.js";
import { t } from "./messages.js";
import { concerns, exchanged } from "./offers.js";
import { Refused } from "./protocol.js";
import { helpWith, turnedDownWords } from "./server_words.js";
import { Signal } from "./signal.js";
import { BASE } from "./site.js";
import { SettingsStore } from "./storage.js";
import { Tournaments } from "./tournaments.js";

/**
 * @import {
 *   Challenge,
 *   ChallengeDone,
 *   GameChange,
 *   GameSetup,
 *   GameState,
 *   Lobby,
 *   Player,
 *   Seat,
 *   Welcome,
 * } from "./wire.d.ts"
 */

/** @typedef {{setup: GameSetup, seats: [string | null, string | null], random_seats: boolean}} Offer */

export class Session {
  connection = new Connection();
  catalogue = new Catalogue();
  games = new Games();
  settings = new SettingsStore();
  tournaments = new Tournaments(this.connection);
  /** @type {Player | null} */
  you = null;
  /** @type {Lobby | null} */
  lobby = null;
  /** What the server said first; capabilities read their fields. @type {Welcome | null} */
  welcome = null;
  /** Whether the person may make tournaments. */
  mayHost = false;
  /** Open challenges by id. @type {Map<string, Challenge>} */
  challenges = new Map();
  /** @type {Signal<void>} the lobby, the challenges or the person's name */
  lobbyChanged = new Signal();
  /** @type {Signal<void>} */
  titleChanged = new Signal();
  /** @type {Signal<string>} a game that the person should see now */
  gameStarted = new Signal();
  /** @type {Signal<void>} finished games of the person that no event tells of */
  gamesAdded = new Signal();
  /** Games of two others that the person has started, and has not seen yet. @type {Set<string>} */
  toWatch = new Set();
  /** @type {Signal<string>} a private challenge that the person has made in this tab */
  invited = new Signal();
  /** Whether the server has greeted this page. */
  #isWelcome = false;
  /** Challenges that this tab made or accepted. @type {Set<string>} */
  #awaited = new Set();
  /** Challenges that are no longer open. @type {Map<string, Challenge>} */
  #ended = new Map();
  /** Tournament games that the page has opened by itself, or need not open. @type {Set<string>} */
  #called = new Set();
  /** By game: changes that arrive while its whole state is requested. @type {Map<string, GameChange[]>} */
  #missed = new Map();

  constructor() {
    this.connection.welcomed.on((welcome) => this.#welcome(welcome));
    this.connection.lobby.on((lobby) => this.#enter(lobby));
    this.connection.challenge.on((challenge) => this.#note(challenge));
    this.connection.game.on((game) => this.#play(game));
    this.connection.change.on((change) => this.#change(change));
    this.connection.problem.on(({ message }) => notify(message, "error"));
  }

  /** @param {Welcome} welcome */
  #welcome(welcome) {
    const isFirst = !this.#isWelcome;
    this.#isWelcome = true;
    if (isFirst) {
      // Created before the page was reloaded; the person still wants to see the game.
      const own = welcome.challenges.filter((each) => each.creator.name === welcome.you.name);
      own.forEach((each) => this.#awaited.add(each.challenge_id));
    }
    this.welcome = welcome;
    this.you = welcome.you;
    this.mayHost = welcome.may_host;
    this.games.forget();
    for (const game of welcome.games) {
      this.games.accept(game);
      // A person who opens a page has chosen what to see.
      isFirst ? this.#called.add(game.game_id) : this.#call(game);
    }
    this.challenges = new Map(welcome.challenges.map((each) => [each.challenge_id, each]));
    this.lobby = null;
    this.lobbyChanged.emit();
  }

  /**
   * Show what was known earlier, until there is a connection.
   * @param {{you: Player, lobby: Lobby, games: GameState[]}} known
   */
  remember({ you, lobby, games }) {
    this.you = you;
    this.lobby = lobby;
    games.forEach((game) => this.games.accept(game));
    this.lobbyChanged.emit();
  }

  /** @param {GameState} game */
  #play(game) {
    this.games.accept(game);
    this.#call(game);
  }

  /** @param {GameChange} change */
  #change(change) {
    if (!this.games.change(change)) {
      this.#askWhole(change);
    }
  }

  /**
   * A change before this one was lost: request the whole game, and apply later changes to it.
   * @param {GameChange} change
   */
  async #askWhole(change) {
    const id = change.game_id;
    const waiting = this.#missed.get(id);
    if (waiting) {
      waiting.push(change);
      return;
    }
    this.#missed.set(id, []);
    const game = await this.#whole(id);
    const missed = this.#missed.get(id) ?? [];
    this.#missed.delete(id);
    if (game) {
      this.games.replace(game);
      this.#call(game);
      missed.forEach((each) => this.#change(each));
    }
  }

  /** @param {string} id */
  async #whole(id) {
    try {
      return (await this.connection.request("game.state", { game_id: id })).game;
    } catch (error) {
      if (
        this.connection.online && !(error instanceof Refused && error.code === "unknown_game_id")
      ) {
        // A new connection begins with the whole state of everything.
        this.connection.reopen();
      }
      return null;
    }
  }

  /**
   * Show a tournament game when it begins: there is no offer, and the person must be there.
   * @param {GameState} game
   */
  #call(game) {
    const { game_id: id, tournament, state, players } = game;
    const isMine = players.some((player) => player.id === this.you?.id);
    const begins = state === "playing" && turnsPlayed(game) < 2;
    if (tournament && isMine && begins && !this.#called.has(id)) {
      this.#called.add(id);
      notify(t("common.tournament_game", { name: tournament.name, round: tournament.round }));
      this.#lead(id);
    }
  }

  /**
   * Open a game in one of the person's tabs, as soon as one is visible; the other tabs stay. In a
   * browser without locks every visible tab opens it.
   * @param {string} id
   */
  #lead(id) {
    const go = () => this.gameStarted.emit(id);
    if (this.games.get(id)?.state !== "playing") {
      return;
    }
    if (document.visibilityState === "hidden") {
      document.addEventListener("visibilitychange", () => this.#lead(id), { once: true });
      return;
    }
    if (!navigator.locks) {
      go();
      return;
    }
    navigator.locks.request(`bluestone${BASE}.${id}`, { ifAvailable: true }, (lock) => {
      if (lock === null) {
        return null;
      }
      go();
      return new Promise(() => {}); // held until this tab is closed
    });
  }

  /** @param {Lobby} lobby */
  #enter(lobby) {
    if (this.lobby && this.lobby.revision > lobby.revision) {
      return;
    }
    this.lobby = lobby;
    // The lobby lists only some challenges; those that concern this person stay until they end.
    const kept = [...this.challenges.values()].filter((each) => concerns(each, this.you?.name));
    const listed = lobby.challenges.filter((each) => !this.#ended.has(each.challenge_id));
    const open = [...kept, ...listed];
    this.challenges = new Map(open.map((each) => [each.challenge_id, each]));
    this.lobbyChanged.emit();
  }

  /** @param {Challenge} challenge */
  #note(challenge) {
    const id = challenge.challenge_id;
    if (this.#ended.has(id)) {
      return;
    }
    if (challenge.state === "open") {
      this.challenges.set(id, challenge);
    } else {
      this.#end(challenge);
    }
    this.lobbyChanged.emit();
  }

  /** @param {Challenge} challenge */
  #end(challenge) {
    const id = challenge.challenge_id;
    this.#ended.set(id, challenge);
    this.challenges.delete(id);
    if (this.#awaited.has(id)) {
      this.#follow(challenge);
    }
    const turnedDown = challenge.state === "declined" || challenge.state === "expired";
    if (turnedDown && challenge.creator.name === this.you?.name) {
      const { setup, seats, random_seats, instead, code } = challenge;
      const remedy = this.#remedy({ setup, seats, random_seats }, instead);
      notify(turnedDownWords(challenge), "error", remedy ?? helpWith({ code: code ?? "" }));
    }
  }

  /** @param {Challenge} challenge */
  #follow(challenge) {
    if (challenge.state === "started" && challenge.game_id) {
      if (this.you && !challenge.seats.includes(this.you.name)) {
        this.toWatch.add(challenge.game_id);
      }
      this.gameStarted.emit(challenge.game_id);
    }
  }

  /** @param {Offer} offer */
  async challenge(offer) {
    try {
      await this.#agreed(this.connection.request("challenge.create", offer));
    } catch (error) {
      const refused = error instanceof Refused ? error : null;
      const remedy = this.#remedy(offer, refused?.instead ?? null);
      notify(messageOf(error), "error", remedy ?? (refused && helpWith(refused)));
    }
  }

  /**
   * A button that offers the game to another bot; null if there is none.
   * @param {Offer} offer
   * @param {string | null} instead
   */
  #remedy(offer, instead) {
    if (!instead) {
      return null;
    }
    const [one, two] = offer.seats;
    const mine = this.you?.name ?? null;
    /** @type {[string | null, string | null]} */
    const seats = one === mine ? [one, instead] : [instead, two];
    const label = t("common.challenge.instead", { name: instead });
    return { label, press: () => this.challenge({ ...offer, seats }) };
  }

  /**
   * Make a challenge that only those can accept who get its link.
   * @param {Offer} offer
   */
  async invite(offer) {
    try {
      const asked = this.connection.request("challenge.create", { ...offer, private: true });
      this.invited.emit((await this.#agreed(asked)).challenge_id);
    } catch (error) {
      notifyOf(error);
    }
  }

  /**
   * Accept a private challenge.
   * @param {string} id
   * @throws {Refused}
   */
  async acceptInvitation(id) {
    await this.#agreed(this.connection.request("challenge.accept", { challenge_id: id }));
  }

  /** @param {string} id */
  async accept(id) {
    await this.#agree(this.connection.request("challenge.accept", { challenge_id: id }));
  }

  /** @param {Promise<ChallengeDone>} asked */
  async #agree(asked) {
    try {
      await this.#agreed(asked);
    } catch (error) {
      notifyOf(error);
    }
  }

  /** @param {Promise<ChallengeDone>} asked */
  async #agreed(asked) {
    const { challenge } = await asked;
    this.#awaited.add(challenge.challenge_id);
    const ended = this.#ended.get(challenge.challenge_id);
    if (ended) {
      // The event has arrived before the answer.
      this.#follow(ended);
    } else {
      this.#note(challenge);
    }
    return challenge;
  }

  /** @param {string} id */
  async decline(id) {
    // The opponent's page says it in their language, by the code.
    const fields = { challenge_id: id, code: "declined", message: `${this.you?.name} declined.` };
    await this.#tell(this.connection.request("challenge.decline", fields));
  }

  /** @param {string} id */
  async cancel(id) {
    await this.#tell(this.connection.request("challenge.cancel", { challenge_id: id }));
  }

  /** @param {Promise<unknown>} asked */
  async #tell(asked) {
    try {
      await asked;
    } catch (error) {
      notifyOf(error);
    }
  }

  /**
   * The same game against the same opponent, with the colours exchanged.
   * @param {GameState} game
   * @param {Seat} seat
   */
  async offerRematch(game, seat) {
    const [one, two] = game.players;
    const me = this.you?.name ?? null;
    const opponent = this.nameOf(game.players[other(seat) - 1]) || null;
    /** @type {[string | null, string | null]} */
    const here = seat === 1 ? [opponent, me] : [me, opponent];
    /** @type {[string | null, string | null]} */
    const seats = isShared(game) ? [two.id ?? null, one.id ?? null] : here;
    await this.challenge({ setup: exchanged(game.setup), seats, random_seats: false });
  }

  /**
   * The name that a player has now, if they are connected; a finished game has the name of then.
   * @param {Player | undefined} player
   */
  nameOf(player) {
    const here = player?.id && this.lobby?.players.find(({ id }) => id === player.id);
    return (here || player)?.name ?? "";
  }

  /** The running games in which the person sits. */
  get myGames() {
    const name = this.you?.name;
    const running = this.lobby?.games.filter((game) => game.state === "playing") ?? [];
    return running.filter((game) => game.players.some((player) => player.name === name));
  }

  /** Whether a running game or an open challenge prevents a new name. */
  get nameIsBound() {
    const name = this.you?.name;
    return this.myGames.length > 0 ||
      [...this.challenges.values()].some(({ creator }) => creator.name === name);
  }

  /**
   * @param {string} id
   * @param {boolean} follow
   */
  async watch(id, follow) {
    const { game } = await this.connection.request("game.watch", { game_id: id, follow });
    if (follow) {
      this.games.accept(game);
    }
  }

  /**
   * @param {string} id
   * @param {number} ply
   */
  async askPosition(id, ply) {
    return (await this.connection.request("game.position", { game_id: id, ply })).position;
  }

  /**
   * @param {string} id
   * @param {string[]} chosen
   * @param {string} [about] a step to explain if it is illegal
   */
  async askLegal(id, chosen, about) {
    const asked = { game_id: id, chosen, ...(about === undefined ? {} : { about }) };
    return (await this.connection.request("game.legal", asked)).legal;
  }

  /**
   * @param {string} id
   * @param {number} ply
   * @param {string} turn
   * @param {number} takebacks how often turns had been taken back when this one was chosen
   */
  async playTurn(id, ply, turn, takebacks) {
    await this.connection.request("game.turn", { game_id: id, ply, turn, takebacks });
  }
}
