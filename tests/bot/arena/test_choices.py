"""What may be chosen, step by step, and why not the rest."""

from typing import Any

import pytest

import engine
from bot import wire
from bot.arena.choices import legal_view
from bot.arena.refusals import sentence

SETUPS: list[tuple[str, dict[str, Any]]] = [
    ("bluestone", {"board": "pent-3"}),
    ("bluestone", {"board": "pent-3", "rules": "abstractplay"}),
    ("blooms", {"board": "hexhex-4", "captures": 3}),
    ("stargazers", {"board": "stars-39"}),
    ("stargazers", {"board": "stars-39", "rules": "ludii"}),
    ("stargazers", {"board": "stars-39", "protocol": "alternating"}),
]
EVERY_GAME = pytest.mark.parametrize(("name", "choice"), SETUPS)


def played(*turns: str, name: str = "bluestone", **choice: Any) -> engine.Position:
    position = engine.game(name, **{"board": "pent-3", **choice}).start()
    for turn in turns:
        position = position.play(turn)
    return position


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
        view = legal_view(position, ())
        assert set(view.legal) == {turn[0] for turn in both}
        assert view.illegal.keys() == set(position.game.step_names) - set(view.legal)
        assert view.may_pass == position.is_legal("pass")
        assert not view.complete
        for first in view.legal[::5]:
            after = legal_view(position, (first,))
            assert set(after.legal) == {t[1] for t in both if t[0] == first and len(t) == 2}
            assert after.complete == ([first] in legal)
            assert not after.may_pass


def refusal_of(position: engine.Position, steps: tuple[str, ...]) -> wire.Illegal:
    with pytest.raises(engine.IllegalTurn) as caught:
        position.play(",".join(steps))
    return wire.Illegal(rule=caught.value.rule, message=sentence(caught.value.reason))


@EVERY_GAME
def test_reasons_are_those_with_which_the_turn_would_be_refused(
    name: str, choice: dict[str, Any]
) -> None:
    for position in some_positions(name, choice):
        names = position.game.step_names
        for chosen in [(), *[(first,) for first in names[::7]], (names[0], names[-1]), ("9z9",)]:
            for step, reason in legal_view(position, chosen).illegal.items():
                assert reason == refusal_of(position, (*chosen, step)), (chosen, step)


@pytest.mark.parametrize("chosen", [(), ("1d4",)])
def test_no_stone_is_tried_where_one_stands(
    chosen: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = played("1a1", "1b2,2d1", "1c3,2d2", name="blooms", board="hexhex-4")
    tried: list[str] = []
    play = engine.Position.play

    def noted(position: engine.Position, turn: str) -> engine.Position:
        tried.extend(turn.split(",")[len(chosen) :])
        return play(position, turn)

    monkeypatch.setattr(engine.Position, "play", noted)
    view = legal_view(before, chosen)
    occupied = {step for step, reason in view.illegal.items() if reason.rule == "occupied"}
    assert len(occupied) == 10
    assert not occupied & set(tried)


def test_where_a_turn_is_one_stone_not_every_second_one_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns: list[str] = []
    play = engine.Position.play

    def noted(position: engine.Position, turn: str) -> engine.Position:
        turns.append(turn)
        return play(position, turn)

    monkeypatch.setattr(engine.Position, "play", noted)
    view = legal_view(played(board="pent-5"), ("0-0",))
    assert {reason.rule for reason in view.illegal.values()} == {"one-stone"}
    assert turns == ["0-0", "0-0,0-0"]


@EVERY_GAME
def test_nothing_may_be_chosen_once_the_game_is_over(name: str, choice: dict[str, Any]) -> None:
    view = legal_view(engine.play_out(engine.game(name, **choice)), ())
    assert (view.legal, view.may_pass, view.complete) == ([], False, False)
    assert {reason.rule for reason in view.illegal.values()} == {"game-over"}


@pytest.mark.parametrize("chosen", [("pass",), ("9z9",), ("1a1", "1a1"), ("1a1", "2b2")])
def test_what_cannot_be_continued_leaves_nothing_to_choose(chosen: tuple[str, ...]) -> None:
    view = legal_view(played("1d4", name="blooms", board="hexhex-4"), chosen)
    assert view.legal == []
    assert view.complete == (chosen == ("1a1", "2b2"))


def test_what_a_first_stone_captures_is_shown_at_once() -> None:
    position = played("2-0", "2-1,2-9").play("pass")
    view = legal_view(position, ("1-0",))
    assert not view.complete
    assert view.captured == ["2-0"]


def test_a_bloom_that_one_stone_fences_is_shown_as_captured() -> None:
    fenced = played("1a1", "1a2", "1d4", name="blooms", board="hexhex-4")
    assert legal_view(fenced, ("1b1",)).captured == []
    assert legal_view(fenced, ("2b2",)).captured == []
    assert legal_view(fenced, ("1b1", "2b2")).captured == ["a1"]


def test_why_a_cell_cannot_be_chosen() -> None:
    view = legal_view(played("0-0"), ("1-0",))
    assert view.illegal["0-0"].rule == "occupied"
    assert view.illegal["1-0"].rule == "same-cell"
    assert view.illegal["1-1"].rule == "same-group"
    assert view.illegal["1-1"].message == "1-1 would join the group of 1-0."


def test_why_a_stone_of_a_kind_cannot_be_chosen() -> None:
    view = legal_view(played("1a1", name="blooms", board="hexhex-4"), ("2B2",))
    assert view.illegal["2a1"].rule == view.illegal["1a1"].rule == "occupied"
    assert view.illegal["1a1"].message == "a1 is not empty."
    assert view.illegal["1b2"].rule == "same-cell"
    assert view.illegal["2c3"].rule == "same-colour"
    assert "1c3" in view.legal
    assert view.complete


def test_a_cell_from_which_no_star_is_seen_says_so() -> None:
    position = engine.play_out(engine.game("stargazers", board="stars-39"), seed=3)
    before = engine.game("stargazers", board="stars-39").start()
    for turn in position.turns[:-1]:
        before = before.play(turn)
    rules = {reason.rule for reason in legal_view(before, ()).illegal.values()}
    assert rules == {"occupied", "uninspired-cell"}
