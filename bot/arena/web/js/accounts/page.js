/** The page of the person's account: ways to sign in, devices, and the data. */

import { openName } from "../frame/preferences.js";
import { messageOf, notify, notifyOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { load } from "../shared/storage.js";
import { dataSection } from "./data.js";
import { devicesSection } from "./devices.js";
import { ignoredSection } from "./ignored.js";
import { ask } from "./requests.js";
import { signInSection } from "./sign_in.js";
import { waysInSection } from "./ways_in.js";

/** @import { Areas } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Account } from "./requests.js" */

export class AccountPage {
  title = t("accounts.title");
  site = null;
  subject = null;
  /** @type {(() => void)[]} */
  #listeners = [];
  /** What is shown: the person and the connection. */
  #shown = "";

  /**
   * @param {Session} session
   * @param {Areas} areas
   */
  constructor(session, areas) {
    this.session = session;
    this.areas = areas;
    this.body = h("div", { class: "account-body" });
    this.element = h(
      "main",
      { class: "account", id: "page", tabindex: -1 },
      h("h1", {}, t("accounts.title")),
      this.body,
    );
    this.#wait();
    this.#listeners.push(session.lobbyChanged.on(() => this.#follow()));
    this.#follow();
  }

  dispose() {
    this.#listeners.forEach((remove) => remove());
  }

  #wait() {
    replace(this.body, h("p", { class: "quiet" }, t("accounts.loading")));
  }

  /** Show the account of whoever is signed in now. */
  #follow() {
    const { you } = this.session;
    const shown = you ? `${you.id} ${you.name} ${you.registered} ${load("guest_key", "")}` : "";
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#load();
    }
  }

  async #load() {
    try {
      this.#draw(/** @type {Account} */ (await ask("")));
    } catch (error) {
      const again = h(
        "button",
        { type: "button", onclick: () => this.#load() },
        t("accounts.retry"),
      );
      replace(
        this.body,
        h("section", { class: "panel" }, h("p", { role: "alert" }, messageOf(error)), again),
      );
    }
  }

  /** @param {Account} account */
  #draw(account) {
    const scene = {
      account,
      session: this.session,
      act: (/** @type {() => Promise<unknown>} */ work) => this.#act(work),
    };
    replace(
      this.body,
      this.#nameSection(account),
      waysInSection(scene),
      !account.you.registered && signInSection(scene),
      devicesSection(scene),
      ignoredSection(scene),
      dataSection(scene),
    );
  }

  /** @param {Account} account */
  #nameSection({ you }) {
    const isNamed = you.kind === "person";
    const words = you.registered
      ? t("accounts.name.registered")
      : isNamed
      ? t("accounts.name.only_here")
      : t("accounts.name.guest");
    return h(
      "section",
      { class: "panel account-name", "aria-label": t("accounts.name.title") },
      h("div", {}, h("strong", {}, you.name), h("p", { class: "quiet" }, words)),
      h(
        "button",
        {
          type: "button",
          class: isNamed ? null : "primary",
          "data-key": "name",
          onclick: () => openName(this.session, this.areas),
        },
        isNamed ? t("accounts.name.change") : t("accounts.name.choose"),
      ),
    );
  }

  /**
   * Do something, and show the account as it is then.
   * @param {() => Promise<unknown>} work
   */
  async #act(work) {
    try {
      const done = await work();
      if (typeof done === "string") {
        notify(done);
      }
    } catch (error) {
      notifyOf(error);
    }
    await this.#load();
  }
}
