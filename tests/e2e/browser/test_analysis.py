"""The analysis board, the analysis of a finished game, and learning from its mistakes."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from playwright.async_api import Route, expect

import engine
from bot.arena.analysis.analysis_store import admit
from tests.bot.arena.table import begin
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import fits
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.early_end import DECIDED
from tests.fakes.early_end import TURNS as DECIDED_TURNS

PLAYED = ["2-1", "2-4,2-7", "1-1,2-5"]
BETTER = "2-9,2-2"
OPINIONS: dict[tuple[str, ...], tuple[str, float]] = {
    (): ("2-1", 0.5),
    ("2-1",): (BETTER, 0.6),
    ("2-1", BETTER): ("1-1,2-5", 0.4),
    ("2-1", "2-4,2-7"): ("1-1,2-5", 0.9),
    tuple(PLAYED): ("2-8,2-0", 0.1),
}
"""What the engine of these tests says: its choice, and the chance of the player to move."""
BOARD = "/analysis#game=bluestone&board=pent-3"


def opinion(turns: list[str]) -> tuple[str, float]:
    """Of any other position: the mover is winning."""
    if (known := OPINIONS.get(tuple(turns))) is not None:
        return known
    position = engine.game("bluestone", board="pent-3").replay(turns)
    return next(position.legal_turns()), 0.9


async def work(client: ArenaClient) -> None:
    while True:
        job = (await client.do("analysis.take", engine="Fake")).job
        if job is not None:
            turn, value = opinion(job.turns)
            line = {"turn": turn, "value": value, "visits": 1000, "pv": [turn]}
            await client.do(
                "analysis.report", job_id=job.job_id, state="done", visits=5000, lines=[line]
            )


@asynccontextmanager
async def analyst(arena: LocalArena) -> AsyncIterator[None]:
    """A worker, as long as the block runs."""
    token = await arena.token("Analyst")
    await admit(arena.data, "Analyst")
    async with connected(arena.address, token=token) as client:
        working = asyncio.create_task(work(client))
        try:
            yield
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)


async def finished_game(arena: LocalArena, board: str = "pent-3") -> str:
    async with AsyncExitStack() as stack:
        names = ("Anna", "Ben")
        players = [
            await stack.enter_async_context(connected(arena.address, name=each)) for each in names
        ]
        game_id = await begin(players[0], players[1], board=board)
        for ply, turn in enumerate(PLAYED):
            await players[ply % 2].do("game.turn", game_id=game_id, ply=ply, turn=turn)
        await players[1].do("game.action", game_id=game_id, action="resign")
        return game_id


async def test_a_board_has_variations_an_engine_and_an_address(
    open_page: OpenPage, arena: LocalArena
) -> None:
    async with analyst(arena):
        reader = await open_page(BOARD)
        page, tree = reader.page, reader.page.locator(".tree")
        await reader.cell("2-1").click()
        await expect(tree.locator(".turn")).to_have_text(["2-1"])
        lines = page.locator(".engine-lines li")
        await expect(lines.first).to_contain_text("60 %")
        await expect(page.locator(".engine-summary")).to_have_text("White 60 %")
        await expect(page.locator(".imagined")).to_have_count(2)
        # The value of a turn with the cell under the pointer.
        await reader.cell("2-9").hover()
        await expect(page.locator(".pointed")).to_contain_text("60 %")
        await lines.first.locator("button").first.click()
        await expect(tree.locator(".turn")).to_have_text(["2-1", "2-9 2-2"])
        # Another turn in the same position is a variation.
        await page.keyboard.press("ArrowLeft")
        for cell in ("2-4", "2-7"):
            await reader.cell(cell).click()
        await expect(tree.locator(".variation .turn")).to_have_text(["2-4 2-7"])
        text = "t=2-1_2-9,2-2(2-4,2-7*)"
        await page.wait_for_function("(text) => location.hash.endsWith(text)", arg=text)
        await check(page)
        # The address has it all, and the variation can become the main line.
        other = await open_page(f"/analysis{await page.evaluate('location.hash')}")
        await expect(other.page.locator(".variation .turn")).to_have_text(["2-4 2-7"])
        await expect(other.stones).to_have_count(3)
        await other.page.get_by_role("button", name="Make main line").click()
        await expect(other.page.locator(".variation .turn")).to_have_text(["2-9 2-2"])
        await other.page.get_by_role("button", name="Delete from here").click()
        await expect(other.page.locator(".tree .turn")).to_have_text(["2-1", "2-9 2-2"])


async def test_without_an_engine_the_board_says_so_and_works(open_page: OpenPage) -> None:
    reader = await open_page(BOARD, viewport={"width": 320, "height": 640})
    await reader.cell("2-1").click()
    await expect(reader.page.locator(".tree .turn")).to_have_text(["2-1"])
    await expect(reader.page.locator(".engine-status")).to_contain_text("No analysis engine")
    await fits(reader.page, 320)


async def test_turns_that_capture_say_how_many_stones(open_page: OpenPage) -> None:
    rng = random.Random(1)
    position = engine.game("blooms", board="hexhex-4").start()
    captured = 0
    while captured == 0:
        turn = position.random_turn(rng)
        before, position = position, position.play(turn)
        captured = len(before.stones) + len(turn.split(",")) - len(position.stones)
    line = "_".join(position.turns)
    reader = await open_page(f"/analysis#game=blooms&board=hexhex-4&t={line}*")
    await expect(reader.stones).to_have_count(len(position.stones))
    await reader.page.keyboard.press("ArrowLeft")  # both positions are known then
    last = reader.page.locator(".tree .turn").last
    await expect(last.locator(".captures")).to_have_text(f"×{captured}")


async def test_a_player_learns_from_the_mistakes_of_a_finished_game(
    open_page: OpenPage, arena: LocalArena
) -> None:
    game_id = await finished_game(arena)
    async with analyst(arena):
        reader = await open_page(f"/game/{game_id}")
        await reader.page.get_by_role("link", name="Analyse").click()
        page = reader.page
        await page.get_by_role("button", name="Analyse the game").click()
        await expect(page.locator(".review-counts")).to_contain_text("0 mistakes")
        blunder = page.locator(".tree .turn.blunder")
        await expect(blunder).to_have_text("2-4 2-7??")
        await expect(page.locator(".review-dot.blunder")).to_have_count(1)
        await page.get_by_role("button", name="Learn from White").click()
        verdict = page.locator(".learn-verdict")
        await expect(page.locator(".learn-task")).to_contain_text(
            "2-4 2-7. The chance to win falls by 50 points."
        )
        await expect(page.locator(".engine-panel")).to_be_hidden()
        for cells, words in [
            (("2-4", "2-7"), "That is the turn of the game"),
            (("2-3", "2-6"), "your chance to win falls by 50 points"),
            (("2-2", "2-9"), "Well done!"),
        ]:
            for cell in cells:
                await reader.cell(cell).click()
            await expect(verdict).to_contain_text(words)
        await check(page)
        await page.get_by_role("button", name="Next", exact=True).click()
        await expect(verdict).to_have_text("Done: 1 of 1 turn found.")
        await page.get_by_role("button", name="Leave").click()
        await expect(page.locator(".engine-panel")).to_be_visible()
    # The analysis is stored, and the page of the game has its marks.
    again = await open_page(f"/game/{game_id}")
    await expect(again.page.locator(".turns .turn.blunder")).to_have_text("2-4 2-7??")
    await expect(again.page.locator(".evaluation .review-dot.blunder")).to_have_count(1)


async def test_decided_stones_and_cells_are_marked_with_a_switch(
    open_page: OpenPage,
) -> None:
    turns = "k6_n5,n3_j9,h3_m6,i8_c6,k8_i6,l5_l7,h5_m4,m8_j3,e6_h9,g6_f3,c4_d7,m2"
    reader = await open_page(f"/analysis#game=stargazers&board=stars-39&t={turns}*")
    await expect(reader.stones.nth(5)).to_be_visible()
    await expect(reader.page.locator(".prospects > *")).to_have_count(0)
    await reader.page.get_by_label("Decided stones and cells").check()
    closed = reader.page.locator(".prospects .closed")
    await expect(closed.first).to_be_attached()
    # No cell that is closed for good to the player to move is open now.
    names = await closed.evaluate_all(
        "all => all.filter((each) => !each.classList.contains('seat-2'))"
        ".map((each) => each.dataset.closed)"
    )
    setup = engine.game("stargazers", board="stars-39")
    open_now = setup.replay(turns.split("_")).choices(()).legal
    assert not set(names) & set(open_now)


async def test_an_early_end_is_a_result_after_which_turns_may_be_tried(
    open_page: OpenPage,
) -> None:
    turns = "_".join(DECIDED_TURNS[:DECIDED])
    reader = await open_page(f"/analysis#game=stargazers&board=stars-39&t={turns}*")
    prompt = reader.page.locator(".turn-bar .prompt")
    await expect(prompt).to_have_text("White has won.")
    await reader.page.get_by_role("switch", name="Engine").check()
    status = reader.page.locator(".engine-status")
    await expect(status).to_have_text("The game is over in this position.")
    await expect(reader.page.locator(".marks [data-word=dead]")).to_have_count(3)
    await expect(reader.page.locator(".prospects .closed").first).to_be_attached()
    await expect(reader.page.locator(".prospects .secured")).to_have_count(0)
    for cell in DECIDED_TURNS[DECIDED].split(","):
        await reader.press_cell(cell)
    await expect(reader.page.locator(".tree .turn")).to_have_count(DECIDED + 1)
    await expect(prompt).to_have_text("White has won.")
    for _ in range(2):
        await reader.page.get_by_role("button", name="Previous turn").click()
    await expect(prompt).to_have_text("White to play")
    await expect(reader.page.locator(".marks [data-word=dead]")).to_have_count(0)


async def test_names_of_games_are_right_even_if_they_arrive_last(open_page: OpenPage) -> None:
    page = (await open_page("/", service_workers="block")).page
    may_answer = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await may_answer.wait()
        await route.continue_()

    await page.route("**/api/games*", answer_late)
    await page.goto("/analysis#game=freego&board=square-9")
    facts = page.locator(".about .facts")
    await expect(facts).to_have_text("Freego, 9 × 9 lines")
    may_answer.set()
    await expect(facts).to_have_text("Free Go, 9 × 9 lines")
    await expect(page).to_have_title("Analysis – Free Go")


async def test_a_game_of_a_program_for_go_opens_as_free_go(open_page: OpenPage) -> None:
    page = (await open_page("/analysis")).page
    window = page.get_by_role("dialog")
    await page.get_by_role("button", name="Open a record").click()
    text = window.get_by_label("A record of a game, as JSON")
    await text.fill("(;GM[1]SZ[9]HA[2]AB[cc][gg];W[ee])")
    await window.get_by_role("button", name="Open").click()
    await expect(window.get_by_role("alert")).to_contain_text("A game of Go opens as Free Go if")
    await text.fill("(;GM[1]SZ[9]KM[7];B[ee];W[ce](;B[gc];W[];B[])(;B[aa]))")
    await window.get_by_role("button", name="Open").click()
    await expect(page.locator(".about .facts")).to_have_text("Free Go, 9 × 9 lines")
    await expect(page.locator(".tree .turn")).to_have_text(["e5", "c5", "g7"])
