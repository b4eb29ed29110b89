"""What may be chosen next of a turn, step by step, and why not the rest."""

from typing import Any

import pytest

import engine
from engine.games.board_turns import BoardTurns

SETUPS: list[tuple[str, dict[str, Any]]] = [
    ("bluestone", {"board": "pent-3"}),
    ("bluestone", {"board": "pent-3", "rules": "abstractplay"}),
    ("blooms", {"board": "hexhex-4", "captures": 3}),
    ("stargazers", {"board": "stars-39"}),
    ("stargazers", {"board": "stars-39", "rules": "ludii"}),
    ("stargazers", {"board": "stars-39", "protocol": "alternating"}),
    ("freego", {"board": "square-5", "captures": 3}),
]
EVERY_GAME = pytest.mark.parametrize(("name", "choice"), SETUPS)


def played(*turns: str, name: str = "bluestone", **choice: Any) -> engine.Position:
    return engine.game(name, **{"board": "pent-3", **choice}).replay(turns)


def some_positions(name: str, choice: dict[str, Any]) -> list[engine.Position]:
    """The first positions of a game, and some from its middle and its end."""
    game = engine.game(name, **choice)
    positions = [game.start()]
    for turn in engine.play_out(game, seed=3).turns:
        positions.append(positions[-1].play(turn))
    return [*positions[:3], positions[len(positions) // 2], *positions[-2:]]


@EVERY_GAME
def test_legal_steps_are_those_of_the_legal_turns(name: str, choice: dict[str, Any]) -> None:
    for position in some_positions(name, choice):
        legal = [turn.split(",") for turn in position.legal_turns() if turn != "pass"]
        # Where the order does not matter, one of the two orders is listed.
        both = [*legal, *[turn[::-1] for turn in legal if position.is_legal(",".join(turn[::-1]))]]
        found = position.choices()
        assert set(found.legal) == {turn[0] for turn in both}
        left = [step for step in position.game.step_names if step not in found.legal]
        assert list(found.illegal) == left
        assert found.may_pass == position.is_legal("pass")
        assert not found.complete
        for first in found.legal[::5]:
            after = position.choices((first,))
            assert set(after.legal) == {t[1] for t in both if t[0] == first and len(t) == 2}
            assert after.complete == ([first] in legal)
            assert not after.may_pass


def refusal_of(position: engine.Position, steps: tuple[str, ...]) -> tuple[str, str]:
    with pytest.raises(engine.IllegalTurn) as caught:
        position.play(",".join(steps))
    return caught.value.rule, caught.value.reason


@EVERY_GAME
def test_reasons_are_those_with_which_the_turn_would_be_refused(
    name: str, choice: dict[str, Any]
) -> None:
    for position in some_positions(name, choice):
        names = position.game.step_names
        for chosen in [(), *[(first,) for first in names[::7]], (names[0], names[-1]), ("9z9",)]:
            for step, reason in position.choices(chosen).illegal.items():
                refused = refusal_of(position, (*chosen, step))
                assert (reason.rule, reason.reason) == refused, (chosen, step)


def turns_tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The turns that are tried from now on, as they are tried."""
    turns: list[str] = []
    play = BoardTurns.play_turn

    def noted(self: BoardTurns, before: Any, turn: str) -> Any:
        turns.append(turn)
        return play(self, before, turn)

    monkeypatch.setattr(BoardTurns, "play_turn", noted)
    return turns


@pytest.mark.parametrize("chosen", [(), ("1d4",)])
def test_occupied_cells_are_not_tried(
    chosen: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = played("1a1", "1b2,2d1", "1c3,2d2", name="blooms", board="hexhex-4")
    turns = turns_tried(monkeypatch)
    found = before.choices(chosen)
    occupied = {step for step, reason in found.illegal.items() if reason.rule == "occupied"}
    assert len(occupied) == 10
    assert not occupied & {step for turn in turns for step in turn.split(",")[len(chosen) :]}


def test_where_a_turn_is_one_stone_not_every_second_one_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = turns_tried(monkeypatch)
    found = played(board="pent-5").choices(("0-0",))
    assert {reason.rule for reason in found.illegal.values()} == {"one-stone"}
    assert turns == ["0-0", "0-0,0-0"]


@EVERY_GAME
def test_nothing_may_be_chosen_once_the_game_is_over(name: str, choice: dict[str, Any]) -> None:
    found = engine.play_out(engine.game(name, **choice)).choices()
    assert (found.legal, found.may_pass, found.complete) == ((), False, False)
    assert {reason.rule for reason in found.illegal.values()} == {"game-over"}


@pytest.mark.parametrize("chosen", [("pass",), ("9z9",), ("1a1", "1a1"), ("1a1", "2b2")])
def test_complete_and_illegal_beginnings_have_no_next_steps(chosen: tuple[str, ...]) -> None:
    found = played("1d4", name="blooms", board="hexhex-4").choices(chosen)
    assert found.legal == ()
    assert found.complete == (chosen == ("1a1", "2b2"))


def test_captures_of_a_first_stone_are_shown_at_once() -> None:
    position = played("2-0", "2-1,2-9").play("pass")
    found = position.choices(("1-0",))
    assert not found.complete
    assert found.captured == ("2-0",)


def test_a_bloom_that_one_stone_fences_is_shown_as_captured() -> None:
    fenced = played("1a1", "1a2", "1d4", name="blooms", board="hexhex-4")
    assert fenced.choices(("1b1",)).captured == ()
    assert fenced.choices(("2b2",)).captured == ()
    assert fenced.choices(("1b1", "2b2")).captured == ("a1",)


def test_why_a_cell_cannot_be_chosen() -> None:
    found = played("0-0").choices(("1-0",))
    assert found.illegal["0-0"].rule == "occupied"
    assert found.illegal["1-0"].rule == "same-cell"
    assert found.illegal["1-1"].rule == "same-group"
    assert found.illegal["1-1"].reason == "1-1 would join the group of 1-0"
    assert found.illegal["1-1"].where == "1-1"


def test_why_a_stone_of_a_kind_cannot_be_chosen() -> None:
    found = played("1a1", name="blooms", board="hexhex-4").choices(("2B2 ",))
    assert found.illegal["2a1"].rule == found.illegal["1a1"].rule == "occupied"
    assert found.illegal["1a1"].reason == "a1 is not empty"
    assert found.illegal["1b2"].rule == "same-cell"
    assert found.illegal["2c3"].rule == "same-colour"
    assert "1c3" in found.legal
    assert found.complete


def test_a_cell_without_a_view_of_a_star_has_that_reason() -> None:
    position = engine.play_out(engine.game("stargazers", board="stars-39"), seed=3)
    before = position.game.replay(position.turns[:-1])
    rules = {reason.rule for reason in before.choices().illegal.values()}
    assert rules == {"occupied", "uninspired-cell"}
