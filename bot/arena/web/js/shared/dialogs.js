/** Windows over the page, and short notices at its edge. */

import { byId, h } from "./dom.js";
import { t } from "./messages.js";
import { Refused } from "./protocol.js";
import { helpWith } from "./server_words.js";

/** @import { Child } from "./dom.js" */
/** @import { Help } from "./server_words.js" */

const NOTICE_MS = 8000;

/**
 * A button of a window; `needsConnection`: its press sends a request.
 * @typedef {object} DialogButton
 * @property {string} label
 * @property {string} value
 * @property {string} [class]
 * @property {boolean} [needsConnection]
 */

/**
 * Show a window until it is closed.
 * @param {string} title
 * @param {Child[]} body
 * @param {DialogButton[]} buttons those that change nothing have the value "" and come first; the Enter key presses the first of the others
 * @param {(value: string) => Promise<boolean>} [mayClose] asked when a button is pressed
 * @returns {Promise<string>} the value of the button that closed it, "" if it was dismissed
 */
export function openDialog(title, body, buttons, mayClose) {
  const dialog = h(
    "dialog",
    { "aria-label": title },
    h(
      "form",
      { method: "dialog" },
      h("h2", {}, title),
      h("div", { class: "dialog-body" }, body),
      h(
        "div",
        { class: "buttons" },
        inOrder(buttons).map(({ label, value, class: style, needsConnection: isGated }) => {
          const isCancel = value === "" && buttons.length > 1;
          const type = isCancel ? "button" : "submit";
          const onclick = isCancel && (() => dialog.close(""));
          const attributes = { type, value, class: style, onclick };
          return h("button", { ...attributes, "data-needs-connection": isGated }, label);
        }),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) {
        dialog.close("");
      }
    });
    dialog.addEventListener("submit", async (event) => {
      const value = event.submitter?.getAttribute("value") ?? "";
      if (mayClose && !event.defaultPrevented) {
        event.preventDefault();
        if (await mayClose(value)) {
          dialog.close(value);
        }
      }
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/** @param {DialogButton[]} buttons */
function inOrder(buttons) {
  return buttons.toSorted((one, two) => Number(one.value !== "") - Number(two.value !== ""));
}

/**
 * @param {string} question
 * @param {string} consequence
 * @param {string} label of the button that does it
 * @param {{style?: "danger" | "primary", needsConnection?: boolean}} [options] of that button
 * @returns {Promise<boolean>}
 */
export async function confirmed(question, consequence, label, options = {}) {
  const { style = "danger", needsConnection = false } = options;
  const answer = await openDialog(
    question,
    [h("p", {}, consequence)],
    [
      { label: t("common.cancel"), value: "" },
      { label, value: "yes", class: style, needsConnection },
    ],
  );
  return answer === "yes";
}

/**
 * Show a sentence at the edge of the page for a few seconds; screen readers announce it.
 * @param {string} message
 * @param {"info" | "error" | "chat-notice"} [kind]
 * @param {Help | null} [help] a button or link beside it
 * @returns {() => void} removes it
 */
export function notify(message, kind = "info", help = null) {
  const close = h(
    "button",
    { type: "button", class: "icon", "aria-label": t("common.close") },
    "×",
  );
  const remove = () => notice.remove();
  const notice = h(
    "div",
    { class: `notice ${kind}` },
    h("span", {}, message),
    help && helpButton(help, remove),
    close,
  );
  close.addEventListener("click", remove);
  setTimeout(remove, NOTICE_MS);
  byId("notices").append(notice);
  return remove;
}

/**
 * @param {Help} help
 * @param {() => void} done
 */
function helpButton({ label, href, press }, done) {
  const act = () => {
    done();
    press?.();
  };
  return href === undefined
    ? h("button", { type: "button", "data-needs-connection": true, onclick: act }, label)
    : h("a", { class: "button", href, "data-link": true, onclick: done }, label);
}

/** @param {unknown} error what was thrown */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Show why something could not be done.
 * @param {unknown} error
 */
export function notifyOf(error) {
  notify(messageOf(error), "error", error instanceof Refused ? helpWith(error) : null);
}
