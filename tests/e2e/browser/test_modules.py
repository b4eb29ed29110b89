"""The page's own reckoning, asked for directly in the browser."""

from typing import Any

import engine
from bot.time_controls import ByoYomi, Fischer, full_clock, run_down
from tests.e2e.browser.conftest import OpenPage

REACHABLE = """async (board) => {
    const { Geometry } = await import("/js/geometry.js");
    const answer = await fetch(`/api/boards/bluestone/${board}`);
    const geometry = new Geometry(await answer.json());
    const found = [geometry.middle()];
    const seen = new Set(found);
    for (const cell of found) {
        for (const direction of ["up", "down", "left", "right"]) {
            const next = geometry.step(cell, direction);
            if (!seen.has(next)) {
                seen.add(next);
                found.push(next);
            }
        }
    }
    return found;
}"""

GROUPS = """async ([board, stones]) => {
    const { Geometry } = await import("/js/geometry.js");
    const answer = await fetch(`/api/boards/bluestone/${board}`);
    const groups = new Geometry(await answer.json()).groups(stones);
    return [1, 2].map((seat) =>
        groups.filter((group) => group.seat === seat).map((group) => group.blue.length));
}"""

RUN_DOWN = """async ([control, clock, elapsed]) => {
    const { runDown, formatTime } = await import("/js/clock.js");
    const shown = runDown(control, clock, elapsed);
    return { ...shown, text: formatTime(shown.ms) };
}"""

NEWEST = """async (revisions) => {
    const { Games } = await import("/js/games.js");
    const games = new Games();
    for (const revision of revisions) {
        games.accept({ game_id: "g", revision, server_time: "2026-01-01T00:00:00Z" });
    }
    return games.get("g").revision;
}"""


async def test_arrow_keys_reach_every_cell(open_page: OpenPage) -> None:
    visitor = await open_page()
    for board in ("pent-6", "pent-8", "pent-3", "limping-7", "limping-4", "hexhex-7", "hexhex-5"):
        reached = await visitor.page.evaluate(REACHABLE, board)
        assert sorted(reached) == sorted(engine.game("bluestone", board=board).board.cells)


async def test_groups_score_what_the_engine_says(open_page: OpenPage) -> None:
    visitor = await open_page()
    for board in ("pent-6", "hexhex-5", "limping-4"):
        position = engine.play_out(engine.game("bluestone", board=board), seed=4)
        stones = {cell: [stone.player, 1] for cell, stone in position.stones.items()}
        shown = await visitor.page.evaluate(GROUPS, [board, stones])
        scoring = [[score for score in scores if score] for scores in shown]
        assert scoring == [[score for score in scores if score] for scores in position.scores]


async def test_clocks_run_down_as_on_the_server(open_page: OpenPage) -> None:
    visitor = await open_page()

    async def shown(control: ByoYomi | Fischer, elapsed_ms: int) -> dict[str, Any]:
        clock = full_clock(control).model_dump()
        answer: dict[str, Any] = await visitor.page.evaluate(
            RUN_DOWN, [control.model_dump(), clock, elapsed_ms]
        )
        return answer

    byoyomi = ByoYomi(main_s=60, period_s=30, periods=3)
    for elapsed_ms in (0, 59_999, 60_001, 89_000, 90_500, 149_000):
        seen = await shown(byoyomi, elapsed_ms)
        there = run_down(byoyomi, full_clock(byoyomi), elapsed_ms)
        assert seen["periods"] == there.periods
        assert seen["ms"] == (there.main_ms or 30_000 - there.period_used_ms)
        assert not seen["flagged"]
    assert (await shown(byoyomi, 150_000))["flagged"]
    fischer = Fischer(initial_s=300, increment_s=5)
    assert (await shown(fischer, 65_000))["text"] == "3:55"
    assert (await shown(fischer, 290_200))["text"] == "9.8"
    assert (await shown(fischer, 300_000))["flagged"]


async def test_an_older_state_does_not_replace_a_newer_one(open_page: OpenPage) -> None:
    visitor = await open_page()
    assert await visitor.page.evaluate(NEWEST, [3, 5, 4]) == 5
