/** The windows for the settings and for the person's name. */

import { playSound } from "../shared/sound.js";
import { openDialog } from "../shared/dialogs.js";
import { h, setAttributes } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { languageChoice } from "./language_choice.js";
import { takeName } from "./renaming.js";

/** @import { Areas, Link } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Settings } from "../shared/storage.js" */

/** @typedef {Exclude<keyof Settings, "volume">} Choice */

/** @type {[Choice, string, string][]} */
const CHOICES = [
  ["confirm", t("common.settings.confirm"), t("common.settings.confirm_hint")],
  ["premove", t("common.settings.premove"), t("common.settings.premove_hint")],
  ["cellNames", t("common.settings.cell_names"), t("common.settings.cell_names_hint")],
  ["threats", t("common.settings.threats"), t("common.settings.threats_hint")],
  ["prospects", t("game.prospects"), t("game.prospects_hint")],
  ["track", t("game.track"), t("game.track_hint")],
  [
    "overTheBoard",
    t("common.settings.over_the_board"),
    t("common.settings.over_the_board_hint"),
  ],
  ["evaluation", t("common.settings.evaluation"), t("common.settings.evaluation_hint")],
  ["sound", t("common.settings.sound"), t("common.settings.sound_hint")],
];

/**
 * @param {Session} session
 * @param {Areas} areas
 */
export async function openSettings(session, areas) {
  const rows = CHOICES.map(([key, label, hint]) => {
    const checked = session.settings.value[key];
    const box = h("input", { type: "checkbox", name: key, checked });
    box.addEventListener("change", () => session.settings.set({ [key]: box.checked }));
    return h(
      "label",
      { class: "setting" },
      box,
      h("span", {}, label, h("small", { class: "quiet" }, hint)),
    );
  });
  const more = await areas.settings(session);
  const body = [languageChoice(), ...rows, volumeRow(session), ...more];
  const buttons = [{ label: t("common.close"), value: "", class: "primary" }];
  await openDialog(t("common.settings.title"), body, buttons);
}

/**
 * The loudness of the sounds; a sound is heard when it is changed.
 * @param {Session} session
 */
function volumeRow(session) {
  const { volume: value } = session.settings.value;
  const range = h("input", { type: "range", name: "volume", min: 0, max: 100, step: 10, value });
  range.addEventListener("change", () => {
    session.settings.set({ volume: Number(range.value) });
    playSound("mine", session.settings.value);
  });
  return h("label", { class: "setting volume" }, h("span", {}, t("common.settings.volume")), range);
}

/**
 * @param {Session} session
 * @param {Areas} areas
 */
export async function openName(session, areas) {
  const input = h("input", {
    type: "text",
    name: "name",
    value: session.you?.name ?? "",
    minlength: 2,
    maxlength: 24,
    pattern: "[A-Za-z0-9][A-Za-z0-9 _.\\-]*",
    autocomplete: "nickname",
    required: true,
  });
  const problem = h("p", { class: "field-problem", id: "name-problem", role: "alert" });
  const body = [
    h("label", { class: "field" }, t("common.name.field"), input),
    problem,
    h("p", { class: "quiet" }, t("common.name.hint")),
    ...areas.ownLinks(session.you).map((link) => h("p", { class: "account-link" }, closing(link))),
  ];
  const complain = (/** @type {string} */ words) => {
    problem.textContent = words;
    setAttributes(input, { "aria-invalid": words ? "true" : null, "aria-describedby": problem.id });
  };
  input.addEventListener("input", () => complain(""));
  const take = async (/** @type {string} */ answer) => {
    if (answer !== "take" || input.value === session.you?.name) {
      return true;
    }
    const words = await takeName(input.value, session.you?.name);
    complain(words);
    return words === "";
  };
  const buttons = [
    { label: t("common.save"), value: "take", class: "primary", needsConnection: true },
    { label: t("common.cancel"), value: "" },
  ];
  await openDialog(t("common.name.title"), body, buttons, take);
}

/** A link that closes the window. @param {Link} link */
function closing({ href, words }) {
  const link = h("a", { href, "data-link": true }, words);
  link.addEventListener("click", () => link.closest("dialog")?.close(""));
  return link;
}
