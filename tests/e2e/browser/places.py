"""Every page and dialog of the site: its address, what must be there, and what it is for."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from playwright.async_api import Page, expect

from tests.e2e.browser.scenery import Scenery

Act = Callable[[Page], Awaitable[None]]


@dataclass(frozen=True)
class Place:
    """A page in one of its states. `act` leads there from the page when `seen` is visible.

    `path` may have names of `Scenery.names` in braces. `words` describe the place to a reader.
    """

    name: str
    path: str
    seen: str
    words: str
    act: Act | None = None

    async def open(self, page: Page, scenery: Scenery) -> None:
        """Go there, and wait until everything is drawn."""
        # The address of a position differs from others only behind `#`, which loads no page.
        await page.goto("about:blank")
        await page.goto(self.path.format(**scenery.names))
        await expect(page.locator(self.seen).first).to_be_visible()
        if not self.path.startswith("/embed/"):  # which has no connection
            await expect(page.locator("#status")).to_have_text("Connected")
        if self.act is not None:
            await self.act(page)
        await page.evaluate("document.fonts.ready")


def press(selector: str, then: str) -> Act:
    """Press a button, and wait until something is visible."""

    async def act(page: Page) -> None:
        await page.locator(selector).first.click()
        await expect(page.locator(then).first).to_be_visible()

    return act


async def _solve(page: Page) -> None:
    await page.locator('[data-key="show"]').click()
    await expect(page.locator('[data-stage="shown"]')).to_be_visible()
    await expect(page.locator(".puzzle-verdict")).to_contain_text(re.compile("[0-9] %"))


async def _wait_for_engine(page: Page) -> None:
    await expect(page.locator(".engine-status")).not_to_have_text(re.compile("Asking|^$"))


LINE: Final = "/analysis#game=bluestone&board=pent-4&t=0-0_1-0,3-0_3-3,3-6(3-2,3-9)*"
PLACES: Final = (
    Place(
        *("lobby", "/", ".newcomer"),
        "The front page offers lessons, ten levels, your setup, live games and tournaments.",
    ),
    Place(
        *("game", "/game/{running}", ".turns .turn:nth-child(2)"),
        "A running game as a spectator sees it: clocks, scores, turns and the bots' evaluation.",
    ),
    Place(
        *("finished", "/game/{finished}", ".result-title"),
        "A finished game: the result, the reason, the evaluation, and replay controls.",
    ),
    Place(
        *("share", "/game/{finished}", ".share"),
        "Share a game: a link to the position, pictures, records, and code for a web page.",
        press('[data-key="share"]', "dialog[open]"),
    ),
    Place(
        *("tournaments", "/tournaments", ".rows a"),
        "Tournaments that are open, running or finished.",
    ),
    Place(
        *("tournament", "/tournament/{tournament}", ".standings tbody tr"),
        "A tournament: standings, crosstable and rounds.",
    ),
    Place(
        *("learn", "/learn", ".learn-game svg"),
        "Learn: a lesson and pictured rules for each game.",
    ),
    Place(
        *("lesson", "/learn/bluestone", ".lesson svg.board"),
        "A lesson: short exercises on a board, each with an answer at once.",
    ),
    Place(
        *("rules", "/rules/bluestone", ".rules-board svg"),
        "The rules with pictures.",
    ),
    Place(
        *("puzzles", "/puzzles", ".puzzle-card span"),
        "Puzzles: one each day, and those of each game.",
    ),
    Place(
        *("puzzle", "/puzzles/bluestone", ".puzzle-panel .puzzle-task"),
        "A puzzle: punish a mistake of the opponent.",
    ),
    Place(
        *("solution", "/puzzles/bluestone", ".puzzle-panel .puzzle-task"),
        "The solution of a puzzle, with the chances that it leaves.",
        _solve,
    ),
    Place(
        *("analysis", LINE, ".tree .variation"),
        "The analysis board: a tree of variations and, where the arena has one, an engine.",
        _wait_for_engine,
    ),
    Place(
        *("games", "/games", ".record img"),
        "Finished games, searched by player, game, board, result and date.",
    ),
    Place(
        *("openings", "/openings/bluestone?board={board}", ".openings-table tbody tr"),
        "The opening explorer: what was played from a position, and how it ended.",
    ),
    Place(
        *(
            "embed",
            "/embed/position?game=bluestone&board=pent-4&turns=0-0+1-0,3-0",
            ".embed-board svg",
        ),
        "A board for other web pages.",
    ),
    Place(
        *("player", "/player/{player}", ".curve svg"),
        "A player: ratings over time, results by opponent and board.",
    ),
    Place(
        *("leaderboards", "/leaderboards", ".leaders tbody tr"),
        "Leaderboards for each game, of people, bots or both.",
    ),
    Place(
        *("account", "/account", ".account-body .panel:nth-child(2)"),
        "The account: passkeys, a recovery link, devices, and all data to download or delete.",
    ),
    Place(
        *("invite", "/invite/{invitation}", ".terms"),
        "A private invitation: one press on the link begins the game.",
    ),
    Place(
        *("settings", "/", ".newcomer, .board-card"),
        "Settings: language, theme, sound, coordinates, confirmation of moves.",
        press("#settings", "dialog[open]"),
    ),
    Place(
        *("name", "/", ".newcomer, .board-card"),
        "A name without a password.",
        press("#name", "dialog[open]"),
    ),
)
