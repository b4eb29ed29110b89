/** The windows for the settings and for the person's name. */

import { openDialog } from "../shared/dialogs.js";
import { h, setAttributes } from "../shared/dom.js";
import { identitySection } from "./identity.js";
import { takeName } from "./renaming.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Settings } from "../shared/storage.js" */

/** @type {[keyof Settings, string, string][]} */
const CHOICES = [
  ["confirm", "Confirm moves", "Ask before a complete turn is sent."],
  ["cellNames", "Coordinates", "Show them on the board."],
  ["threats", "Threats", "In HeXO, show lines that can be completed in one turn."],
  ["evaluation", "Evaluation", "Show the bots’ evaluation of games that you watch or replay."],
  ["evaluationInPlay", "Show evaluation during my games", "Otherwise it appears after the game."],
  ["sound", "Sound", "Play a soft knock for each turn."],
];

/** @param {Session} session */
export async function openSettings(session) {
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
  const body = [...rows, identitySection(session.you?.name ?? "")];
  await openDialog("Settings", body, [{ label: "Close", value: "", class: "primary" }]);
}

/** @param {Session} session */
export async function openName(session) {
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
  const hint = "2 to 24 letters, digits, spaces, dots, dashes or underscores.";
  const problem = h("p", { class: "field-problem", id: "name-problem", role: "alert" });
  const body = [
    h("label", { class: "field" }, "Your name", input),
    problem,
    h("p", { class: "quiet" }, hint),
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
    // The Enter key presses the first one.
    { label: "Save", value: "take", class: "primary" },
    { label: "Cancel", value: "" },
  ];
  await openDialog("Your name", body, buttons, take);
}
