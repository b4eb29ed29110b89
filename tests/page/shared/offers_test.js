import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  concerns,
  exchanged,
  isAddressedTo,
  isRematchOf,
} from "../../../bot/arena/web/js/shared/offers.js";

Deno.test("a challenge is addressed to the player on its seat who has not answered", () => {
  const challenge = /** @type {any} */ ({
    creator: { name: "Anna" },
    seats: ["Ben", "Carla"],
    accepted: ["Carla"],
  });
  const people = ["Anna", "Ben", "Carla", "Dora", undefined];
  deepStrictEqual(people.filter((me) => isAddressedTo(challenge, me)), ["Ben"]);
  deepStrictEqual(people.filter((me) => concerns(challenge, me)), ["Anna", "Ben", "Carla"]);
});

const SETUP = /** @type {any} */ ({ game: "blooms", board: "hexhex-4", rated: false });

Deno.test("in a rematch each player keeps the own options, and the others stay", () => {
  const given = { ...SETUP, options: { captures: "15", handicap_1: "2", handicap_2: "3" } };
  const options = { captures: "15", handicap_2: "2", handicap_1: "3" };
  deepStrictEqual(exchanged(given), { ...SETUP, options });
  deepStrictEqual(exchanged(exchanged(given)), given);
});

Deno.test("a rematch is the finished game with the options of the players exchanged", () => {
  const anna = { id: "a", name: "Anna" };
  const isRematch = (/** @type {object} */ options, /** @type {object} */ before) => {
    const setup = { ...SETUP, options: before };
    const game = { state: "finished", players: [anna, { id: "b", name: "Ben" }], setup };
    const challenge = { creator: anna, setup: { ...SETUP, options } };
    return isRematchOf(/** @type {any} */ (challenge), /** @type {any} */ (game));
  };
  strictEqual(isRematch({ captures: "15" }, { captures: "15" }), true);
  strictEqual(isRematch({ handicap_1: "3" }, { handicap_2: "3" }), true);
  strictEqual(isRematch({ handicap_2: "3" }, { handicap_2: "3" }), false);
  const [one, two] = [{ handicap_1: "3", handicap_2: "1" }, { handicap_1: "1", handicap_2: "3" }];
  strictEqual(isRematch(one, two), true);
});
