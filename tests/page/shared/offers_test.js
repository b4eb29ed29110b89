import { deepStrictEqual } from "node:assert/strict";
import { concerns, isAddressedTo } from "../../../bot/arena/web/js/shared/offers.js";

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
