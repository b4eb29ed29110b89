"""Functions of the page's scripts, called directly in the browser."""

import random
from pathlib import Path
from typing import Any

import engine
from bot import wire
from bot.time_controls import ByoYomi, Fischer, full_clock, run_down
from tests.e2e.browser.conftest import OpenPage
from tests.fakes.announced import random_game

OTHER_BOARDS = [
    (info.name, board)
    for info in engine.games()[1:]
    for board in info.boards
    if engine.game(info.name, board=board).board.is_bounded
]

REACHABLE = """async ([game, board]) => {
    const { Geometry } = await import("/js/board/geometry.js");
    const answer = await fetch(`/api/boards/${game}/${board}`);
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
    const { Geometry } = await import("/js/board/geometry.js");
    const answer = await fetch(`/api/boards/bluestone/${board}`);
    const groups = new Geometry(await answer.json()).groups(stones);
    return [1, 2].map((seat) =>
        groups.filter((group) => group.seat === seat).map((group) => group.blue.length));
}"""

DARK = """async (stones) => {
    const { Geometry } = await import("/js/board/geometry.js");
    const { Sight } = await import("/js/board/sight.js");
    const answer = await fetch("/api/boards/stargazers/stars-39");
    const groups = new Sight(new Geometry(await answer.json())).groups(stones);
    return groups.filter((group) => group.stars.length === 0).flatMap((group) => group.cells);
}"""

STUCK = """async (games) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "lobby", "game", "rules");
    const { gameTexts } = await import("/js/rules/texts.js");
    const { ended } = await gameTexts("stargazers");
    return games.map((game) => ended(game));
}"""

UNKNOWN_GAME = """async () => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "lobby", "game", "rules");
    const { gameTexts } = await import("/js/rules/texts.js");
    const { ScoresView } = await import("/js/game/scores_view.js");
    const texts = await gameTexts("a-new-game");
    const view = new ScoresView(1);
    view.update({ mine: [3], theirs: [1], groups: [] }, { score: "points", goal: null });
    return [texts.turn({}), view.element.textContent];
}"""

WARMING = """async ([warming, botsAreHere]) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "lobby", "game", "rules");
    const { warmingSentences } = await import("/js/lobby/warming.js");
    return warmingSentences(warming, botsAreHere);
}"""

RUN_DOWN = """async ([control, clock, elapsed]) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "lobby", "game", "rules");
    const { runDown, formatTime } = await import("/js/shared/clock.js");
    const shown = runDown(control, clock, elapsed);
    return { ...shown, text: formatTime(shown.ms) };
}"""

NEWEST = """async (revisions) => {
    const { Games } = await import("/js/shared/games.js");
    const games = new Games();
    for (const revision of revisions) {
        const time = "2026-01-01T00:00:00Z";
        games.accept({ game_id: "g", revision, sub_revision: 0, turns: [], server_time: time });
    }
    return games.get("g").revision;
}"""


TOLD = """async (messages) => {
    const { Games } = await import("/js/shared/games.js");
    const games = new Games();
    const shown = [];
    for (const [kind, message, whole] of messages) {
        if (kind === "game") {
            games.accept(message);
        } else if (!games.change(message)) {
            games.replace(whole);
        }
        shown.push(games.get(message.game_id));
    }
    return shown;
}"""


async def test_arrow_keys_reach_every_cell(open_page: OpenPage) -> None:
    visitor = await open_page()
    boards = ("pent-6", "pent-8", "pent-3", "limping-7", "limping-4", "hexhex-7", "hexhex-5")
    for game, board in [*(("bluestone", board) for board in boards), *OTHER_BOARDS]:
        reached = await visitor.page.evaluate(REACHABLE, [game, board])
        assert sorted(reached) == sorted(engine.game(game, board=board).board.cells)


async def test_groups_score_what_the_engine_says(open_page: OpenPage) -> None:
    visitor = await open_page()
    for board in ("pent-6", "hexhex-5", "limping-4"):
        position = engine.play_out(engine.game("bluestone", board=board), seed=4)
        stones = {cell: [stone.player, 1] for cell, stone in position.stones.items()}
        shown = await visitor.page.evaluate(GROUPS, [board, stones])
        scoring = [[score for score in scores if score] for scores in shown]
        assert scoring == [[score for score in scores if score] for scores in position.scores]


async def test_stones_that_gaze_at_no_star_are_those_that_the_engine_marks(
    open_page: OpenPage,
) -> None:
    visitor = await open_page()
    game = engine.game("stargazers", board="stars-39")
    for seed in range(5):
        position = game.start()
        for turn in engine.play_out(game, seed).turns:
            position = position.play(turn)
            stones = {cell: [stone.player, 1] for cell, stone in position.stones.items()}
            found = await visitor.page.evaluate(DARK, stones)
            assert set(found) == set(position.marks)


async def test_the_end_of_stargazers_names_the_player_without_a_cell(open_page: OpenPage) -> None:
    visitor = await open_page()
    games, stuck = [], []
    for protocol in ("122", "alternating"):
        game = engine.game("stargazers", board="stars-39", protocol=protocol)
        for seed in range(12):
            position = engine.play_out(game, seed)
            *before, last = position.turns
            is_half = protocol == "122" and "," not in last
            stuck.append(game.replay(before).to_play if is_half else position.to_play)
            games.append(
                {
                    "setup": {"rules": "official", "options": {"protocol": protocol}},
                    "turns": [{"turn": turn} for turn in position.turns],
                    "players": [{"name": "Anna"}, {"name": "Ben"}],
                }
            )
    assert {1, 2} == set(stuck)
    names = {1: "Anna", 2: "Ben"}
    found = await visitor.page.evaluate(STUCK, games)
    assert found == [f"{names[seat]} had no cell for the next stone." for seat in stuck]


async def test_a_game_without_texts_on_the_page_is_shown(
    open_page: OpenPage,
) -> None:
    visitor = await open_page()
    turn, score = await visitor.page.evaluate(UNKNOWN_GAME)
    assert (turn, score) == ("Your turn: place a stone.", "3 points")


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
    found = await shown(byoyomi, 150_000)
    assert found["flagged"]
    fischer = Fischer(initial_s=300, increment_s=5)
    found = await shown(fischer, 65_000)
    assert found["text"] == "3:55"
    found = await shown(fischer, 290_200)
    assert found["text"] == "9.8"
    found = await shown(fischer, 300_000)
    assert found["flagged"]


async def test_an_older_state_does_not_replace_a_newer_one(open_page: OpenPage) -> None:
    visitor = await open_page()
    found = await visitor.page.evaluate(NEWEST, [3, 5, 4])
    assert found == 5


async def test_the_page_says_which_games_are_still_being_compiled(open_page: OpenPage) -> None:
    visitor = await open_page()
    search = {"game": "bluestone", "title": "Bluestone", "parts": ["search"]}
    both = {"game": "blooms", "title": "Blooms", "parts": ["rules", "search"]}

    async def said(warming: list[dict[str, Any]], bots_are_here: bool) -> list[str]:
        told: list[str] = await visitor.page.evaluate(WARMING, [warming, bots_are_here])
        return told

    found = await said([], bots_are_here=True)
    assert found == []
    found = await said([], bots_are_here=False)
    assert found == ["No bot is online at the moment."]
    found = await said([search, both], bots_are_here=False)
    assert found == [
        "Bots will be ready shortly (one-time setup).",
        "Blooms will be ready in about a minute.",
    ]
    found = await said([search], bots_are_here=True)
    assert found == ["Bots will be ready for Bluestone shortly (one-time setup)."]


async def test_changes_give_exactly_the_whole_states_in_spite_of_losses_and_repeats(
    open_page: OpenPage, tmp_path: Path
) -> None:
    visitor = await open_page()
    for seed in range(3):
        announced = await random_game(tmp_path / str(seed), seed)
        chance = random.Random(seed)
        messages, truth = [], {}
        for index, (state, _) in enumerate(announced):
            truth[state.revision, state.sub_revision] = wire.encode(state)
            again = [chance.randrange(index + 1)] if chance.random() < 0.3 else []
            for each in [*([index] if chance.random() < 0.8 or not index else []), *again]:
                whole, change = announced[each]
                kind, told = ("game", whole) if change is None else ("change", change)
                messages.append((kind, wire.encode(told), wire.encode(state)))
        shown = await visitor.page.evaluate(TOLD, messages)
        numbers = [(state["revision"], state["sub_revision"]) for state in shown]
        assert [truth[number] for number in numbers] == shown
        assert numbers == sorted(numbers)


NO_LAYOUT = """async () => {
    const { PanZoom } = await import("/js/board/pan_zoom.js");
    const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const box = () => ({ x: 0, y: 0, width: 9, height: 9 });
    const view = new PanZoom(element, { box, reach: 8, cells: new Map() });
    view.follow([], [], true);
    for (const move of ["whole", "in", "last", "whole"]) {
        view.press(move);
    }
    return element.getAttribute("viewBox");
}"""


async def test_a_board_without_a_size_gets_no_view(open_page: OpenPage) -> None:
    visitor = await open_page()
    found = await visitor.page.evaluate(NO_LAYOUT)
    assert found is None
