/** The texts of the document of a static site, which no server has translated. */

import { t } from "./messages.js";

const MARK = "data-text";

/**
 * Translate what is marked: `data-text` has the key of an element's text, `data-text-NAME` that of an
 * attribute.
 */
export function translateDocument() {
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      if (name === MARK) {
        element.textContent = t(value);
      } else if (name.startsWith(MARK)) {
        element.setAttribute(name.slice(MARK.length + 1), t(value));
      }
    }
  }
}
