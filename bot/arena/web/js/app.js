/** Starts the page: its frame, and the page for the current address. */

import { AREAS } from "./areas.js";
import { gateControls } from "./frame/connection_gate.js";
import { openHelp } from "./frame/help.js";
import { OfferAnswers } from "./frame/offer_answers.js";
import { OffersBar } from "./frame/offers_bar.js";
import { takeSignInLink } from "./frame/host_link.js";
import { LastState } from "./frame/last_state.js";
import { showMaintenance } from "./frame/maintenance.js";
import { openName, openSettings } from "./frame/preferences.js";
import { routeOf } from "./frame/routes.js";
import { makeMenu } from "./frame/site_menu.js";
import { countedTitle, gamesToMove, showBadge } from "./frame/turn_count.js";
import { UnknownPage } from "./frame/unknown_page.js";
import { registerWorker } from "./frame/worker.js";
import { GamePage } from "./game/page.js";
import { LobbyPage } from "./lobby/page.js";
import { Areas } from "./shared/areas.js";
import { notify } from "./shared/dialogs.js";
import { byId, find, h, setAttributes } from "./shared/dom.js";
import { loadMessages, t } from "./shared/messages.js";
import { Parts } from "./shared/parts.js";
import { Session } from "./shared/session.js";
import { addressOf, here, pathIn, STATIC } from "./shared/site.js";

/** @import { Page } from "./shared/areas.js" */
/** @import { Status } from "./shared/connection.js" */

/** The site's name in the tab's title, on pages that are not about one game. */
const SITE = "Bluestone";
const session = new Session();
const areas = new Areas(STATIC ? AREAS.filter(({ name }) => STATIC?.includes(name)) : AREAS);
const site = { session, areas, go };
const parts = new Parts();
/** @type {Page | null} */
let page = null;
/** How many pages have been asked for: one that arrives late is not shown. */
let asked = 0;

/** The pages by their names in `routes.js`. @type {Record<string, (id: string) => Page | Promise<Page>>} */
const PAGES = {
  lobby: () => new LobbyPage(session, areas),
  game: (id) => new GamePage(session, id, areas),
  invite: later("invite", async (id) => {
    const { InvitePage } = await import("./invite/page.js");
    return new InvitePage(session, id, areas);
  }),
  learn: later("learn", async () => {
    const { LearnPage } = await import("./learn/learn_page.js");
    return new LearnPage();
  }),
  lesson: later("learn", async (game) => {
    const { lessonPage } = await import("./learn/lesson_page.js");
    return await lessonPage(session, game) ?? new UnknownPage();
  }),
  rules: later("learn", async (game) => {
    const { rulesPage } = await import("./learn/rules_page.js");
    return await rulesPage(session.catalogue, game) ?? new UnknownPage();
  }),
  games: later("records", async () => {
    const { GamesPage } = await import("./records/page.js");
    return new GamesPage(session);
  }),
};

/**
 * A page whose texts and scripts are loaded when it is first shown.
 * @param {string} area of the texts
 * @param {(id: string) => Promise<Page>} load
 */
function later(area, load) {
  return async (/** @type {string} */ id) => {
    await loadMessages(area);
    return await load(id);
  };
}

/**
 * The page at an address.
 * @param {string} path
 * @returns {Promise<Page>}
 */
async function pageAt(path) {
  const found = areas.pageAt(path);
  if (found) {
    await loadMessages(found.area.name);
    return await found.open(site, found.id);
  }
  const { page: name, id } = routeOf(path);
  return await (PAGES[name]?.(id) ?? new UnknownPage());
}

async function show() {
  const number = ++asked;
  const next = await pageAt(here());
  if (number !== asked) {
    next.dispose();
    return;
  }
  page?.dispose();
  page = next;
  byId("page").replaceWith(page.element);
  showTitle();
}

/** Whether the page of the address could not be loaded without a connection. */
let isMissing = false;

/**
 * Show the page of the address; load everything again if the server has a newer page.
 *
 * Without a connection, nothing could be loaded again: what is shown stays until there is one.
 */
async function showOrReload() {
  isMissing = false;
  try {
    await show();
  } catch {
    isMissing = session.connection.status !== "online" || !navigator.onLine;
    if (!isMissing) {
      location.reload();
    }
  }
}

function showMissing() {
  if (isMissing && session.connection.status === "online") {
    showOrReload();
  }
}

/** @param {string} path */
async function go(path) {
  history.pushState(null, "", addressOf(path));
  await showOrReload();
  scrollTo(0, 0);
  byId("page").focus({ preventScroll: true });
}

function showTitle() {
  const count = gamesToMove(session).length;
  const title = countedTitle(`${page?.title ?? ""} – ${page?.site ?? SITE}`, count);
  showBadge(count);
  if (document.title !== title) {
    document.title = title;
  }
}

/** Those of the document are relative to where it was loaded, and `pushState` leads elsewhere. */
function fixLinks() {
  for (const link of document.querySelectorAll('a[href^="."]')) {
    link instanceof HTMLAnchorElement && setAttributes(link, { href: pathIn(link.pathname) });
  }
}

/** @param {MouseEvent} event */
function followLink(event) {
  const link = event.target instanceof Element ? event.target.closest("a[data-link]") : null;
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  if (link instanceof HTMLAnchorElement && plain) {
    event.preventDefault();
    go(pathIn(link.pathname) + link.search);
  }
}

/** @type {Record<Status, string>} */
const STATUS_WORDS = {
  connecting: t("common.status.connecting"),
  online: t("common.status.online"),
  reconnecting: t("common.status.reconnecting"),
  refused: t("common.status.refused"),
};

function showStatus() {
  const { status, refusal } = session.connection;
  document.documentElement.dataset["status"] = status;
  byId("status").textContent = STATUS_WORDS[status];
  const words = {
    connecting: "",
    online: "",
    reconnecting: t("common.status.lost"),
    refused: t("common.status.retrying", { why: refusal }),
  }[status];
  const lost = byId("lost");
  // The same sentence set again would be announced again at each attempt.
  if (lost.textContent !== words) {
    lost.textContent = words;
  }
  lost.hidden = words === "";
}

function showName() {
  const name = session.you?.name;
  parts.draw(byId("name"), name, () => [name && h("span", {}, name)]);
  setAttributes(byId("name"), { "aria-label": name ? t("common.name.label", { name }) : null });
}

/** Follow the link with a secret in the address, if there is one. */
async function takeHashLink() {
  for (const { name, hashLink } of areas.all) {
    const [, secret] = hashLink?.pattern.exec(location.hash) ?? [];
    if (hashLink && secret) {
      history.replaceState(null, "", location.pathname);
      await loadMessages(name);
      await hashLink.take(site, secret);
    }
  }
}

/**
 * Enable a button of the document, which does nothing before the scripts are there.
 * @param {string} id
 * @param {() => void} press
 */
function enable(id, press) {
  const button = find(document, `#${id}`, HTMLButtonElement);
  button.addEventListener("click", press);
  button.disabled = false;
}

/** @param {string} id */
function enterGame(id) {
  const { game, seat } = page instanceof GamePage ? page : { game: undefined, seat: null };
  if (game?.state === "playing" && seat !== null && game.game_id !== id) {
    notify(t("common.another_game"));
  } else {
    go(`/game/${id}`);
  }
}

gateControls(session.connection);
session.connection.statusChanged.on(showStatus);
session.connection.statusChanged.on(showMissing);
session.titleChanged.on(showTitle);
session.catalogue.loaded.on(showTitle);
session.lobbyChanged.on(showName);
session.lobbyChanged.on(showTitle);
session.games.changed.on(showTitle);
session.gameStarted.on(enterGame);
session.invited.on((id) => go(`/invite/${id}`));
// A link that is pasted over the address of an open page does not load the page again.
addEventListener("hashchange", async () => {
  if (await takeSignInLink(areas)) {
    session.connection.reopen();
  }
  await takeHashLink();
});
enable("help", () => openHelp(session.catalogue, page?.subject ?? null));
enable("settings", () => openSettings(session, areas));
byId("name").addEventListener("click", () => openName(session, areas));
fixLinks();
document.addEventListener("click", followLink);
makeMenu(byId("menu"));
addEventListener("popstate", showOrReload);
new OfferAnswers(session);
new OffersBar(session, byId("offers"));
new LastState(session, byId("offline"));
showMaintenance(session, byId("maintenance"));
registerWorker();
areas.all.forEach((area) => area.start?.(site));
await show();
showStatus();
// A failure is harmless here: the lobby asks again, and titles have a fallback.
session.catalogue.load().catch(() => undefined);
await takeSignInLink(areas);
session.connection.open();
await takeHashLink();
