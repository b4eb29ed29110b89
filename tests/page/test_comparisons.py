"""What the page computes by itself is what the engine and the server compute."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from bot import wire
from bot.arena.games.games_api import board_document
from bot.drawing.board_layers import everything
from bot.drawing.track import track
from bot.records.sgf import sgf_game
from bot.time_controls import (
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    TimeControl,
    Untimed,
    charge,
    full_clock,
    run_down,
)
from tests.bot.records.samples import record_of
from tests.fakes.announced import random_game
from tests.page.scripts import answers

BOARDS = [
    *(
        ("bluestone", board)
        for board in (
            "pent-6",
            "pent-8",
            "pent-3",
            "limping-7",
            "limping-4",
            "hexhex-7",
            "hexhex-5",
        )
    ),
    *(
        (info.name, board)
        for info in engine.games()[1:]
        for board in info.boards
        if engine.game(info.name, board=board).board.is_bounded
    ),
]


def compared(*calls: tuple[object, ...]) -> list[Any]:
    return answers("comparisons.js", calls)


def shown(position: engine.Position) -> dict[str, tuple[int, int]]:
    """The stones of a game with one kind of stones, as the page gets them."""
    return {cell: (stone.player, 1) for cell, stone in position.stones.items()}


def test_arrow_keys_reach_every_cell() -> None:
    reached = compared(*(("reachable", board_document(*names)) for names in BOARDS))
    for (game, board), cells in zip(BOARDS, reached, strict=True):
        assert sorted(cells) == sorted(engine.game(game, board=board).board.cells)


def test_the_scoring_track_is_that_of_drawn_boards() -> None:
    boards = ("hexhex-4", "hexhex-5", "hexhex-10")
    cases = [(board, goal) for board in boards for goal in (1, 15, 50, 63, 1000)]
    calls = [("trackOf", board_document("blooms", board), goal) for board, goal in cases]
    for (board, goal), found in zip(cases, compared(*calls), strict=True):
        captures, places, sizes, letters = found
        drawn = track(everything(engine.game("blooms", board=board).board), goal)
        assert captures == [*drawn.captures]
        assert np.allclose(places, drawn.places, atol=0.001)
        radii = (drawn.field_radius, drawn.marker_radius, drawn.letters, drawn.reach)
        assert sizes == pytest.approx(radii, abs=0.001)
        assert letters == pytest.approx(drawn.letters_of(1000), abs=0.001)


def test_the_page_opens_what_is_exported_as_sgf() -> None:
    games = [engine.game(known.name) for known in engine.games()]
    games += [engine.game("freego", board, captures=5) for board in ("square-7", "square-13")]
    ends = [engine.play_out(game, seed=3) for game in games]
    calls = (("gameInSgf", sgf_game(record_of(end))) for end in ends)
    for end, (played, turns) in zip(ends, compared(*calls), strict=True):
        game = end.game
        assert (played["game"], played["board"]) == (game.info.name, game.board.name)
        options = record_of(end).options
        assert played["options"] == {name: str(value) for name, value in options.items()}
        assert turns == [*end.turns]


def test_groups_score_what_the_engine_says() -> None:
    boards = ("pent-6", "hexhex-5", "limping-4")
    ends = [engine.play_out(engine.game("bluestone", board=board), seed=4) for board in boards]
    calls = (
        ("groupScores", board_document("bluestone", board), shown(end))
        for board, end in zip(boards, ends, strict=True)
    )
    scoring = [[[score for score in scores if score] for scores in end.scores] for end in ends]
    assert compared(*calls) == scoring


def test_stones_that_gaze_at_no_star_are_those_that_the_engine_marks() -> None:
    board = board_document("stargazers", "stars-39")
    game = engine.game("stargazers", board="stars-39")
    positions = []
    for seed in range(5):
        position = game.start()
        for turn in engine.play_out(game, seed).turns:
            position = position.play(turn)
            positions.append(position)
    found = compared(*(("darkStones", board, shown(position)) for position in positions))
    assert [set(cells) for cells in found] == [set(position.marks) for position in positions]


@pytest.mark.parametrize("protocol", ["122", "alternating"])
@pytest.mark.parametrize("board", ["stars-39", "stars-63", "stars-111"])
def test_the_page_bounds_final_scores_as_the_engine_does(board: str, protocol: str) -> None:
    document = board_document("stargazers", board)
    game = engine.game("stargazers", board=board, protocol=protocol)
    positions = [game.start()]
    for seed in range(3):
        last = engine.play_out(game, seed)
        counts = range(1, len(last.turns), 3 if board == "stars-39" else 7)
        positions += [game.replay(last.turns[:count]) for count in counts]
    stones_a_turn = 2 if protocol == "122" else 1
    found = compared(
        *(("prospects", document, shown(position), stones_a_turn) for position in positions)
    )
    for position, prospects in zip(positions, found, strict=True):
        assert tuple(map(tuple, prospects["scores"])) == position.final_scores
        assert set(prospects["dead"]) <= set(position.marks)
        for cell in prospects["secured"]:
            assert cell not in position.marks
        closed = dict(prospects["closed"])
        assert not any(
            position.to_play in closed.get(cell, ()) for cell in position.choices().legal
        )


def test_the_page_names_the_two_numbers_of_an_early_end() -> None:
    states = [
        {
            "setup": {"rules": rules, "options": {}},
            "turns": [],
            "players": [{"name": "Anna"}, {"name": "Ben"}],
            "position": {"early_end": {"winner": 2, "assured": assured, "potential": 0}},
        }
        for rules, assured in (("official", 3), ("ludii", 1))
    ]
    certain, estimated = compared(*(("endWords", "stargazers", state) for state in states))
    numbers = "Anna keeps at least {}, and Ben gets at most 0."
    assert certain == f"The winner is certain: {numbers.format(3)}"
    assert estimated == f"By Ludii’s estimate, {numbers.format(1)}"


def test_the_end_of_stargazers_names_the_player_without_a_cell() -> None:
    calls: list[tuple[object, ...]] = []
    stuck = []
    for protocol in ("122", "alternating"):
        game = engine.game("stargazers", board="stars-39", protocol=protocol)
        for seed in range(12):
            position = engine.play_out(game, seed)
            *before, last = position.turns
            is_half = protocol == "122" and "," not in last
            stuck.append(game.replay(before).to_play if is_half else position.to_play)
            state = {
                "setup": {"rules": "official", "options": {"protocol": protocol}},
                "turns": [{"turn": turn} for turn in position.turns],
                "players": [{"name": "Anna"}, {"name": "Ben"}],
                "position": {"early_end": None},
            }
            calls.append(("endWords", "stargazers", state))
    assert {1, 2} == set(stuck)
    names = {1: "Anna", 2: "Ben"}
    assert compared(*calls) == [f"{names[seat]} had no cell for the next stone." for seat in stuck]


def test_clocks_run_down_as_on_the_server() -> None:
    byoyomi = ByoYomi(main_s=60, period_s=30, periods=3)
    fischer = Fischer(initial_s=300, increment_s=5)
    cases: list[tuple[ByoYomi | Fischer, int]] = [
        *((byoyomi, ms) for ms in (0, 59_999, 60_001, 89_000, 90_500, 149_000, 150_000)),
        *((fischer, ms) for ms in (0, 65_000, 290_200, 299_999, 300_000)),
    ]
    found = compared(
        *(
            ("runDown", control.model_dump(), full_clock(control).model_dump(), elapsed_ms)
            for control, elapsed_ms in cases
        )
    )
    for (control, elapsed_ms), clock in zip(cases, found, strict=True):
        there = run_down(control, full_clock(control), elapsed_ms)
        assert clock["flagged"] == there.flagged
        if not there.flagged:
            assert clock["periods"] == there.periods
            assert clock["ms"] == (there.main_ms or 30_000 - there.period_used_ms)


def test_turns_on_a_device_are_charged_as_on_the_server() -> None:
    """Each turn is charged to what the turns before it have left."""
    controls: list[TimeControl] = [
        ByoYomi(main_s=60, period_s=30, periods=3),
        Fischer(initial_s=66.00000000000001, increment_s=5.0001),
        Correspondence(initial_s=90, increment_s=20, maximum_s=100),
        PerTurn(turn_s=70),
        Absolute(initial_s=150.00000000000003),
        Untimed(),
    ]
    cases, expected = list[tuple[object, ...]](), []
    for control in controls:
        clock = full_clock(control)
        for elapsed_ms in (0, 41_250, 19_000, 30_500, 60_000, 90_000):
            after = charge(control, clock, elapsed_ms)
            cases.append(("charged", control.model_dump(), clock.model_dump(), elapsed_ms))
            expected.append(after.model_dump())
            if after.flagged:
                break
            clock = after
    assert compared(*cases) == expected


async def test_changes_give_exactly_the_whole_states_in_spite_of_losses_and_repeats(
    tmp_path: Path,
) -> None:
    calls: list[tuple[object, ...]] = []
    truths = []
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
        calls.append(("shownStates", messages))
        truths.append(truth)
    for truth, states in zip(truths, compared(*calls), strict=True):
        numbers = [(state["revision"], state["sub_revision"]) for state in states]
        assert [truth[number] for number in numbers] == states
        assert numbers == sorted(numbers)
