/** The window in which two people start a game on this device: their names, and a clock. */

import { ClockFields } from "../setup/clock_fields.js";
import { SEAT } from "../shared/device_games.js";
import { openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { sideTitle } from "../shared/sentences.js";
import { fieldset } from "../shared/setup_fields.js";
import { load, save } from "../shared/storage.js";
import { isClock, LONGEST_NAME } from "./stored_game.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameSetup, Seat, TimeControl } from "../shared/wire.d.ts" */

/** What two people chose last. */
const KEPT = "two_people";
const NO_CLOCK = /** @type {const} */ ({ kind: "none" });

/**
 * @param {Session} session
 * @param {GameSetup} setup
 */
export async function openTwoPeople(session, setup) {
  const { clocks } = await session.catalogue.load();
  const kept = choiceKept();
  const kinds = session.catalogue.kinds(setup.game);
  const names = /** @type {const} */ ([1, 2]).map((seat) => nameField(seat, kinds, kept.names));
  // Days pass while nobody looks, and these clocks stop then.
  const suggested = clocks.filter(({ kind }) => kind !== "none" && kind !== "correspondence");
  const clock = new ClockFields([NO_CLOCK, ...suggested], kept.clock);
  const pressed = await openDialog(
    t("outside.local.two_people"),
    [
      h("p", { class: "quiet" }, t("local.two_people.note")),
      h(
        "div",
        { class: "setup" },
        fieldset(t("lobby.setup.clock"), "clock-field", [clock.element]),
      ),
      ...names.map(({ element }) => element),
    ],
    [
      { label: t("common.cancel"), value: "" },
      { label: t("local.two_people.start"), value: "start", class: "primary" },
    ],
  );
  if (pressed !== "") {
    const [one = "", two = ""] = names.map(({ input }) => input.value.trim());
    const chosen = clock.value();
    save(KEPT, { names: [one, two], clock: chosen });
    /** @type {[string, string]} */
    const seats = [SEAT + one, SEAT + two];
    await session.challenge({
      setup: { ...setup, clock: chosen, rated: false },
      ...{ seats, random_seats: false },
    });
  }
}

/**
 * @param {Seat} seat
 * @param {number} kinds how many kinds of stones a player owns
 * @param {unknown[]} kept
 */
function nameField(seat, kinds, kept) {
  const side = sideTitle(seat, kinds);
  const value = String(kept[seat - 1] ?? "");
  const limits = { maxlength: LONGEST_NAME, autocomplete: "off" };
  const input = h("input", { type: "text", value, placeholder: side, ...limits });
  const words = seat === 1 ? t("local.two_people.first", { side }) : side;
  return { input, element: h("label", { class: "field" }, words, input) };
}

/** @returns {{names: unknown[], clock: TimeControl}} */
function choiceKept() {
  const { names, clock } = load(KEPT, { names: [], clock: NO_CLOCK }) ?? {};
  return {
    names: Array.isArray(names) ? names : [],
    clock: clock && isClock(clock) ? clock : NO_CLOCK,
  };
}
