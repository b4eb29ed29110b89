// @ts-check
"use strict";
// Steps through a game. The page has the changes of each turn as one word, such as `A1c.C9.X0`.
(() => {
  /** @type {Record<string, string>} */
  const NAMES = { A: "1-1", B: "1-2", C: "2-1", D: "2-2" };
  const SVG = "http://www.w3.org/2000/svg";

  /**
   * After a turn: the letter of the stone on each cell, and the cells of the stones just placed.
   * @typedef {{ stones: Map<number, string>, last: number[] }} Position
   */

  /**
   * A part that every page has. Throws TypeError if it is missing.
   * @template T
   * @param {T | null | undefined} value
   * @returns {T}
   */
  function there(value) {
    if (value === null || value === undefined) throw new TypeError("a part of the page is missing");
    return value;
  }

  /**
   * @template {keyof HTMLElementTagNameMap} Tag
   * @param {Tag} name
   * @param {Record<string, string>} attributes
   * @returns {HTMLElementTagNameMap[Tag]}
   */
  const make = (name, attributes, text = "") => {
    const made = Object.assign(document.createElement(name), { textContent: text });
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  /**
   * @param {string[]} places
   * @param {number[]} cells
   */
  const path = (places, cells) =>
    cells.length ? `M${cells.map((cell) => places[cell]).join(" ")}h0` : "";

  /** @param {string[]} changes */
  function positions(changes) {
    /** @type {Position} */
    let position = { stones: new Map(), last: [] };
    const all = [position];
    for (const turn of changes) {
      position = after(position, turn);
      all.push(position);
    }
    return all;
  }

  /**
   * @param {Position} before
   * @param {string} turn
   * @returns {Position}
   */
  function after(before, turn) {
    const stones = new Map(before.stones), last = [];
    for (const one of turn === "-" ? [] : turn.split(".")) {
      const letter = one.charAt(0), cell = Number.parseInt(one.slice(1), 36);
      if (letter === "X") stones.delete(cell);
      else {
        stones.set(cell, letter);
        last.push(cell);
      }
    }
    return { stones, last };
  }

  /**
   * A path for each kind of stone by its letter, and one for those just placed.
   * @param {SVGElement} svg
   */
  function paths(svg) {
    svg.querySelectorAll("path").forEach((old) => old.remove());
    const added = (/** @type {string} */ name) => {
      const made = document.createElementNS(SVG, "path");
      made.setAttribute("class", `stones-${name}`);
      svg.append(made);
      return made;
    };
    const kinds = Object.entries(NAMES).map(([letter, name]) => ({ letter, path: added(name) }));
    return { kinds, last: added("last") };
  }

  /** @param {HTMLElement} replay */
  function begin(replay) {
    const board = there(document.getElementById(there(replay.dataset["board"])));
    const places = there(board.dataset["cells"]).split(",");
    const changes = there(replay.dataset["changes"]).split(" ").filter(Boolean);
    const all = positions(changes);
    const svg = there(replay.querySelector("svg")), drawn = paths(svg);
    const title = there(svg.getAttribute("aria-label")).replace(/\d+ turns?$/, "");
    const turns = [...replay.querySelectorAll(".turns > li")].slice(0, changes.length).map(
      (item, index) => {
        const written = there(item.firstChild), text = written.textContent ?? "";
        const button = make("button", { type: "button" }, text);
        button.addEventListener("click", () => show(index + 1));
        written.replaceWith(button);
        return { button, text };
      },
    );
    const steps = make("div", {
      class: "steps",
      role: "group",
      "aria-label": "Step through the game",
    });
    const slider = make("input", {
      type: "range",
      min: "0",
      max: `${changes.length}`,
      "aria-label": "Turn",
    });
    const now = make("p", { class: "now quiet", "aria-live": "polite" });
    const seats = there(replay.closest("details")).querySelectorAll(".seat");
    const players = [...seats].map((one) => one.textContent);
    let at = changes.length;

    /** @param {number} turn */
    function show(turn) {
      at = Math.max(0, Math.min(changes.length, turn));
      const { stones, last } = there(all[at]);
      for (const kind of drawn.kinds) {
        const cells = [...stones].filter(([, stone]) => stone === kind.letter);
        kind.path.setAttribute("d", path(places, cells.map(([cell]) => cell)));
      }
      drawn.last.setAttribute("d", path(places, last));
      svg.setAttribute("aria-label", `${title}${at} turns`);
      const text = turns[at - 1]?.text ?? "";
      slider.value = `${at}`;
      slider.setAttribute("aria-valuetext", at ? `${at}: ${text}` : "the start");
      turns.forEach(({ button }, index) =>
        index + 1 === at
          ? button.setAttribute("aria-current", "step")
          : button.removeAttribute("aria-current")
      );
      const player = players[(at + 1) % 2];
      now.textContent = at ? `After turn ${at}: ${player} played ${text}` : "The start";
    }

    /**
     * @param {string} label
     * @param {string} text
     * @param {() => number} to
     */
    const step = (label, text, to) => {
      const button = make("button", { type: "button", "aria-label": label, title: label }, text);
      button.addEventListener("click", () => show(to()));
      return button;
    };
    slider.addEventListener("input", () => show(Number(slider.value)));
    steps.append(
      step("To the start", "|◀", () => 0),
      step("One turn back", "◀", () => at - 1),
      step("One turn on", "▶", () => at + 1),
      step("To the end", "▶|", () => changes.length),
      slider,
      now,
    );
    replay.addEventListener("keydown", (event) => {
      const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
      if (!by || event.target === slider || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(at + by);
      if (event.target instanceof Element && event.target.closest(".turns")) {
        turns[at - 1]?.button.focus();
      }
    });
    there(replay.querySelector(".board-box")).append(steps);
    show(at);
  }

  /** @type {NodeListOf<HTMLDetailsElement>} */
  const games = document.querySelectorAll("details.game");
  for (const game of games) {
    game.addEventListener("toggle", () => {
      /** @type {HTMLElement | null} */
      const replay = game.querySelector(".replay[data-changes]");
      if (!game.open || !replay || replay.dataset["begun"]) return;
      replay.dataset["begun"] = "yes";
      begin(replay);
    });
  }

  function open() {
    const wanted = document.getElementById(location.hash.slice(1));
    /** @type {HTMLDetailsElement | null | undefined} */
    const game = wanted?.closest("details.game");
    if (!game) return;
    game.open = true;
    game.scrollIntoView();
    there(game.querySelector("summary")).focus({ preventScroll: true });
  }
  addEventListener("hashchange", open);
  // A link to the current address causes no event, and the game may have been closed since.
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    /** @type {HTMLAnchorElement | null} */
    const link = event.target.closest('a[href^="#game-"]');
    if (link?.hash === location.hash) open();
  });
  open();
})();
