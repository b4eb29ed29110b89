/** The windows for the settings and for the person's name. */

import { openDialog } from "../shared/dialogs.js";
import { h, setAttributes } from "../shared/dom.js";
import { takeName } from "./renaming.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Settings } from "../shared/storage.js" */

/** @type {[keyof Settings, string, string][]} */
const CHOICES = [
  ["confirm", "Confirm before sending", "A complete turn waits for one more press."],
  ["cellNames", "Names of the cells", "Write them on the board."],
  ["evaluation", "Evaluation", "Show what the bots think of games that you watch or look back at."],
  ["evaluationInPlay", "Evaluation while I play", "Show it during your own games too."],
  ["sound", "Sound", "A soft knock for each turn."],
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
  await openDialog("Settings", rows, [{ label: "Close", value: "", class: "primary" }]);
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
  const hint = "2 to 24 letters, digits, blanks, dots, dashes or underscores.";
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
    { label: "Take this name", value: "take", class: "primary" },
    { label: "Keep the old one", value: "" },
  ];
  await openDialog("Your name", body, buttons, take);
}
