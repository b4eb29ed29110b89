/** Starts the page: its frame, and the page for the current address. */

import { DrawOffers } from "./frame/draw_offers.js";
import { openHelp } from "./frame/help.js";
import { OffersBar } from "./frame/offers_bar.js";
import { takeHostKey } from "./frame/host_link.js";
import { openName, openSettings } from "./frame/preferences.js";
import { routeOf } from "./frame/routes.js";
import { UnknownPage } from "./frame/unknown_page.js";
import { GamePage } from "./game/page.js";
import { LobbyPage } from "./lobby/page.js";
import { notify } from "./shared/dialogs.js";
import { byId, h, setAttributes } from "./shared/dom.js";
import { Parts } from "./shared/parts.js";
import { Session } from "./shared/session.js";
import { TournamentsPage } from "./tournament/list_page.js";
import { NewTournamentPage } from "./tournament/new_page.js";
import { TournamentPage } from "./tournament/page.js";

/** @import { Status } from "./shared/connection.js" */

/** The site's name in the tab's title, on pages that are not about one game. */
const SITE = "Bluestone";
const session = new Session();
const parts = new Parts();
/** @typedef {ReturnType<typeof pageFor>} Page */
/** @type {Page | null} */
let page = null;

/** @param {string} path */
function pageFor(path) {
  const route = routeOf(path);
  switch (route.page) {
    case "game":
      return new GamePage(session, route.id);
    case "tournament":
      return new TournamentPage(session, route.id);
    case "tournaments":
      return new TournamentsPage(session);
    case "new-tournament":
      return new NewTournamentPage(session, go);
    case "lobby":
      return new LobbyPage(session);
    case "unknown":
      return new UnknownPage();
  }
}

function show() {
  page?.dispose();
  page = pageFor(location.pathname);
  byId("page").replaceWith(page.element);
  showTitle();
}

/** @param {string} path */
function go(path) {
  history.pushState(null, "", path);
  show();
  scrollTo(0, 0);
  byId("page").focus({ preventScroll: true });
}

function showTitle() {
  const title = `${page?.title ?? ""} – ${page?.site ?? SITE}`;
  if (document.title !== title) {
    document.title = title;
  }
}

/** @param {MouseEvent} event */
function followLink(event) {
  const link = event.target instanceof Element ? event.target.closest("a[data-link]") : null;
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  if (link instanceof HTMLAnchorElement && plain) {
    event.preventDefault();
    go(link.pathname);
  }
}

/** @type {Record<Status, string>} */
const STATUS_WORDS = {
  connecting: "Connecting",
  online: "Connected",
  reconnecting: "Reconnecting",
  refused: "Refused",
};

function showStatus() {
  const { status, refusal } = session.connection;
  document.documentElement.dataset["status"] = status;
  byId("status").textContent = STATUS_WORDS[status];
  const words = {
    connecting: "",
    online: "",
    reconnecting: "Connection lost. Reconnecting…",
    refused: `${refusal} Retrying…`,
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
  setAttributes(byId("name"), { "aria-label": name ? `Your name: ${name}` : null });
}

/** @param {string} id */
function enterGame(id) {
  const { game, seat } = page instanceof GamePage ? page : { game: undefined, seat: null };
  if (game?.state === "playing" && seat !== null && game.game_id !== id) {
    notify("Another of your games has begun. It is listed in the lobby.");
  } else {
    go(`/game/${id}`);
  }
}

session.connection.statusChanged.on(showStatus);
session.titleChanged.on(showTitle);
session.lobbyChanged.on(showName);
session.gameStarted.on(enterGame);
// A link that is pasted over the address of an open page does not load the page again.
addEventListener("hashchange", async () => {
  if (await takeHostKey()) {
    session.connection.reopen();
  }
});
byId("help").addEventListener("click", () => openHelp(session.catalogue, page?.subject ?? null));
byId("settings").addEventListener("click", () => openSettings(session));
byId("name").addEventListener("click", () => openName(session));
document.addEventListener("click", followLink);
addEventListener("popstate", show);
new DrawOffers(session);
new OffersBar(session, byId("offers"));
show();
showStatus();
// A failure is harmless here: the lobby asks again, and titles have a fallback.
session.catalogue.load().catch(() => undefined);
await takeHostKey();
session.connection.open();
