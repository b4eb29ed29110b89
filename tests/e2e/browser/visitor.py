"""A person at the page: what they do, and what they see."""

import re

from playwright.async_api import Locator, Page, expect

from tests.e2e.browser.looks import until

AT_ONCE = """(what) => {
    for (const each of what) {
        const cell = document.querySelector(`.cell[data-cell="${each}"]`);
        const event = cell
            ? new MouseEvent("click", { bubbles: true })
            : new KeyboardEvent("keydown", { key: each, bubbles: true });
        (cell ?? document.body).dispatchEvent(event);
    }
}"""

NOW = ".turn-bar[data-phase=choosing], .result-title"
"""The person is to move, or the game is over."""


class Visitor:
    """Wraps a `Page`; every step waits for the page, none for time."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.board = page.locator("svg.board")
        self.prompt = page.locator(".prompt")
        self.complaint = page.locator(".complaint")
        self.result = page.locator(".result-title")
        self.turns = page.locator(".turns .turn")
        self.stones = page.locator(".stones .stone")
        self.ghosts = page.locator(".ghost")
        self.pending = page.locator(".stone.pending")
        self.status = page.locator("#status")

    async def visit(self, path: str) -> None:
        """Open an address of the arena, and wait until the page is connected."""
        await self.page.goto(path)
        await self.be_online()

    async def reload(self) -> None:
        """Load the page again, and wait until it is connected."""
        await self.page.reload()
        await self.be_online()

    async def be_online(self) -> None:
        """Wait until the page is connected: it has drawn what it needs no answers for."""
        await expect(self.page.locator("html")).to_have_attribute("data-status", "online")

    def cell(self, name: str) -> Locator:
        return self.page.locator(f'.cell[data-cell="{name}"]')

    async def name(self) -> str:
        """The person's name on the arena."""
        return await until(self.page.locator("#name").inner_text, bool)

    async def take_name(self, name: str) -> None:
        await self.page.locator("#name").click()
        window = self.page.get_by_label("Your name").filter(has=self.page.locator("input"))
        await window.get_by_role("textbox").fill(name)
        await self.page.get_by_role("button", name="Save").click()

    async def choose(
        self,
        board: str | None = "pent-4",
        clock: str = "Unlimited time",
        begins: str = "Me",
        game: str = "bluestone",
    ) -> None:
        """Choose what to play on the front page; no board in a game that has only one."""
        await self.page.locator(f'.game-card:has(input[value="{game}"])').click()
        if board is not None:
            await self.page.locator(f'.board-card:has(input[value="{board}"])').click()
        for label in (clock, begins):
            await self.page.locator(".chip", has_text=re.compile(f"^{label}$")).click()

    async def challenge(self, bot: str) -> str:
        """Start a game against a bot; the game's id."""
        await self.page.get_by_role("button", name=f"Play against {bot}").click()
        return await self.arrive_at_game()

    async def arrive_at_game(self) -> str:
        await self.page.wait_for_url("**/game/*")
        await expect(self.board).to_be_visible()
        return self.page.url.rsplit("/", 1)[-1]

    async def tab_to_board(self) -> None:
        """Move the focus to a cell with the Tab key."""
        focused = "document.activeElement.matches('.cell')"
        while not await self.page.evaluate(focused):  # a key moves the focus at once
            await self.page.keyboard.press("Tab")

    async def press_cell(self, name: str) -> None:
        """Click a cell, also an illegal one."""
        await self.cell(name).click(force=True)

    async def press_at_once(self, *what: str) -> None:
        """Click cells, and press keys of one letter or digit, faster than any server answers."""
        await self.page.evaluate(AT_ONCE, what)

    def colour(self, name: str) -> Locator:
        """The button that gives the next stone this colour."""
        return self.page.get_by_role("radio", name=name)

    async def place(self, colour: str, cell: str) -> None:
        """Place a stone of a colour, in a game in which players own two."""
        await self.colour(colour).click()
        await self.press_cell(cell)

    async def play(self, turn: str) -> None:
        """Play a whole turn by mouse, and wait until it is on the board."""
        await expect(self.page.locator(".turn-bar")).to_have_attribute("data-phase", "choosing")
        played = await self.turns.count()  # no earlier: the opponent's turn may be on its way
        if turn == "pass":
            await self.page.get_by_role("button", name="Pass", exact=True).click()
            window = self.page.get_by_role("dialog")
            # The page does not ask if nothing else is legal; the bot may answer at once.
            await expect(window.or_(self.turns.nth(played)).first).to_be_visible()
            if await window.count():
                await window.get_by_role("button", name="Pass").click()
        else:
            for cell in turn.split(","):
                await self.press_cell(cell)
        await self.see_turn(played, turn)

    async def play_somewhere(self) -> None:
        """Play the first free cells, or pass where no cell is free, and wait for the next turn."""
        ply = await self.turns.count()
        for stones in (0, 1):
            cell = self.page.locator(".cell.open").first
            if await cell.count():
                await cell.click(force=True)
            elif stones == 0:
                await self.page.get_by_role("button", name="Pass", exact=True).click()
            placed = self.pending.nth(stones)
            await expect(placed.or_(self.turns.nth(ply)).first).to_be_attached()
            if await self.turns.count() > ply:
                break
        await self.sees(ply + 1)
        await expect(self.page.locator(NOW).first).to_be_visible()

    async def play_to_the_end(self) -> None:
        while not await self.result.is_visible():
            await self.play_somewhere()

    async def see_turn(self, ply: int, turn: str) -> None:
        """Wait until a turn is in the list."""
        await expect(self.turns.nth(ply)).to_contain_text(turn.replace(",", " "))

    async def sees(self, ply: int) -> None:
        """Wait until at least so many turns are in the list."""
        await expect(self.turns.nth(ply - 1)).to_be_attached()

    async def scores(self, seat: int) -> list[int]:
        """The scores shown for a player."""
        shown = self.page.locator(f".player.seat-{seat} .score")
        return [int(text) for text in await shown.all_inner_texts()]
