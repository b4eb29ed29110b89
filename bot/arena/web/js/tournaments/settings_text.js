/** The settings of a tournament from a text: TOML, or JSON. */

// @ts-types="../../vendor/smol-toml.esm.min.d.ts"
import { parse } from "../../vendor/smol-toml.esm.min.js";
import { t } from "../shared/messages.js";

/** @import { OfferedTournament } from "../shared/wire.d.ts" */

/** @typedef {{settings: OfferedTournament | null, problem: string}} ReadSettings */

/**
 * Parse the text. The server validates the settings.
 * @param {string} text
 * @returns {ReadSettings} `problem` is "" if the text can be read
 */
export function readSettings(text) {
  try {
    const table = text.trimStart().startsWith("{") ? JSON.parse(text) : parse(text);
    // Dates of TOML become texts, as in the protocol.
    return { settings: JSON.parse(JSON.stringify(table)), problem: "" };
  } catch (error) {
    const [first = ""] = String(error instanceof Error ? error.message : error).split("\n");
    return { settings: null, problem: t("tournaments.new.unreadable", { why: first }) };
  }
}

/** The text at the beginning. */
export const EXAMPLE = `name = "Autumn cup"
admits = "both"
review_s = 600              # to correct results after the last game
# bots = ["Sand", "Granite"]  # the only bots that may enter
# games_per_pairing = 2
# openings = "random:4"     # or a list, such as [["5-3", "0-0,5-9"]]

[format]
kind = "swiss"
rounds = 5

[[setups]]
game = "bluestone"
board = "pent-6"
clock = "60+1"
`;
