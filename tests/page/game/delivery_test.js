import { deepStrictEqual } from "node:assert/strict";
import { Delivery } from "../../../bot/arena/web/js/game/delivery.js";
import { Refused } from "../../../bot/arena/web/js/shared/protocol.js";

/** @import { Parcel } from "../../../bot/arena/web/js/game/delivery.js" */

const PARCEL = { ply: 4, turn: "a1,b2", takebacks: 0 };

/**
 * A delivery, what it sends, and what it tells the page.
 * @param {(string | null)[]} codes how the attempts end: a code, or null if the turn is accepted
 */
function delivering(codes) {
  /** @type {Parcel[]} */
  const sent = [];
  /** @type {string[]} */
  const told = [];
  const delivery = new Delivery((parcel) => {
    sent.push(parcel);
    const code = codes.shift() ?? null;
    return code === null ? Promise.resolve() : Promise.reject(new Refused(code, code));
  });
  delivery.delayed.on((why) => told.push(`delayed: ${why}`));
  delivery.refused.on((why) => told.push(`refused: ${why}`));
  return { delivery, sent, told };
}

Deno.test("a turn without an answer is sent again by itself", async () => {
  const { delivery, sent, told } = delivering(["no_answer"]);
  await delivery.send(PARCEL);
  deepStrictEqual(sent, [PARCEL, PARCEL]);
  deepStrictEqual(told, ["delayed: no_answer"]);
});

Deno.test("a turn chosen offline is kept until the page is connected", async () => {
  const { delivery, sent, told } = delivering(["offline"]);
  await delivery.send(PARCEL);
  deepStrictEqual([sent.length, told], [1, ["delayed: offline"]]);
  delivery.again();
  deepStrictEqual(sent, [PARCEL, PARCEL]);
});

Deno.test("a withdrawn turn is not sent again, and its refusal is not shown", async () => {
  const { delivery, sent, told } = delivering(["illegal_turn"]);
  const end = delivery.send(PARCEL);
  delivery.withdraw();
  await end;
  delivery.again();
  deepStrictEqual([sent.length, told], [1, []]);
});

Deno.test("the page is told why the server refuses a turn", async () => {
  const { delivery, sent, told } = delivering(["illegal_turn"]);
  await delivery.send(PARCEL);
  deepStrictEqual([sent.length, told], [1, ["refused: illegal_turn"]]);
});
