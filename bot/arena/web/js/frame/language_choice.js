/** The choice of the page's language, each language named in itself. */

import { h } from "../shared/dom.js";
import { changeLanguage, language, t } from "../shared/messages.js";

/** As the server has them, in `page_bundle.py`. @type {Record<string, string>} */
const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  it: "Italiano",
  es: "Español",
};

/** A button for each language: a press loads the page again, at the same address. */
export function languageChoice() {
  return h(
    "div",
    { class: "languages", role: "group", "aria-labelledby": "languages-title" },
    h("span", { id: "languages-title" }, t("common.settings.language")),
    h(
      "div",
      {},
      Object.entries(LANGUAGES).map(([code, name]) =>
        h(
          "button",
          {
            type: "button",
            class: "small",
            lang: code,
            "aria-pressed": String(code === language),
            onclick: () => changeLanguage(code),
          },
          name,
        )
      ),
    ),
  );
}
