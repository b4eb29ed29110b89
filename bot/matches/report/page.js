"use strict";
// Steps through a game: its page holds what each turn changes, a word a turn, `A1c.C9.X0`.
(() => {
  const NAMES = { A: "1-1", B: "1-2", C: "2-1", D: "2-2" };
  const SVG = "http://www.w3.org/2000/svg";

  const make = (name, attributes, text = "") => {
    const made = Object.assign(document.createElement(name), { textContent: text });
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  const path = (places, cells) =>
    cells.length ? `M${cells.map((cell) => places[cell]).join(" ")}h0` : "";

  function positions(changes) {
    const all = [{ stones: new Map(), last: [] }];
    for (const turn of changes) {
      const stones = new Map(all.at(-1).stones), last = [];
      for (const one of turn === "-" ? [] : turn.split(".")) {
        const cell = Number.parseInt(one.slice(1), 36);
        if (one[0] === "X") stones.delete(cell);
        else {
          stones.set(cell, one[0]);
          last.push(cell);
        }
      }
      all.push({ stones, last });
    }
    return all;
  }

  function paths(svg) {
    svg.querySelectorAll("path").forEach((old) => old.remove());
    return Object.fromEntries([...Object.keys(NAMES), "last"].map((key) => {
      const made = document.createElementNS(SVG, "path");
      made.setAttribute("class", `stones-${NAMES[key] ?? key}`);
      svg.append(made);
      return [key, made];
    }));
  }

  function begin(replay) {
    const places = document.getElementById(replay.dataset.board).dataset.cells.split(",");
    const changes = replay.dataset.changes.split(" ").filter(Boolean);
    const all = positions(changes);
    const svg = replay.querySelector("svg"), drawn = paths(svg);
    const title = svg.getAttribute("aria-label").replace(/\d+ turns?$/, "");
    const items = [...replay.querySelectorAll(".turns > li")].slice(0, changes.length);
    const texts = items.map((item) => item.firstChild.textContent);
    const buttons = items.map((item, index) => {
      const button = make("button", { type: "button" }, texts[index]);
      button.addEventListener("click", () => show(index + 1));
      item.firstChild.replaceWith(button);
      return button;
    });
    const steps = make("div", {
      class: "steps",
      role: "group",
      "aria-label": "Step through the game",
    });
    const slider = make("input", {
      type: "range",
      min: 0,
      max: changes.length,
      "aria-label": "Turn",
    });
    const now = make("p", { class: "now quiet", "aria-live": "polite" });
    const players = [...replay.closest("details").querySelectorAll(".seat")].map((one) =>
      one.textContent
    );
    let at = changes.length;

    function show(turn) {
      at = Math.max(0, Math.min(changes.length, turn));
      const { stones, last } = all[at];
      for (const key of Object.keys(NAMES)) {
        const cells = [...stones].filter(([, stone]) => stone === key).map(([cell]) => cell);
        drawn[key].setAttribute("d", path(places, cells));
      }
      drawn.last.setAttribute("d", path(places, last));
      svg.setAttribute("aria-label", `${title}${at} turns`);
      slider.value = at;
      slider.setAttribute("aria-valuetext", at ? `${at}: ${texts[at - 1]}` : "the start");
      buttons.forEach((button, index) =>
        index + 1 === at
          ? button.setAttribute("aria-current", "step")
          : button.removeAttribute("aria-current")
      );
      const player = players[(at + 1) % 2];
      now.textContent = at ? `After turn ${at}: ${player} played ${texts[at - 1]}` : "The start";
    }

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
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (
        by === undefined || event.target === slider || event.altKey || event.ctrlKey ||
        event.metaKey
      ) return;
      event.preventDefault();
      show(at + by);
      if (event.target.closest(".turns") && at) buttons[at - 1].focus();
    });
    replay.querySelector(".board-box").append(steps);
    show(at);
  }

  for (const game of document.querySelectorAll("details.game")) {
    game.addEventListener("toggle", () => {
      const replay = game.querySelector(".replay[data-changes]");
      if (!game.open || !replay || replay.dataset.begun) return;
      replay.dataset.begun = "yes";
      begin(replay);
    });
  }

  function open() {
    const wanted = document.getElementById(location.hash.slice(1));
    const game = wanted?.closest("details.game");
    if (!game) return;
    game.open = true;
    game.scrollIntoView();
    game.querySelector("summary").focus({ preventScroll: true });
  }
  addEventListener("hashchange", open);
  // A link to where the page is already changes no address, and its game may be closed by now.
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#game-"]');
    if (link?.hash === location.hash) open();
  });
  open();
})();
