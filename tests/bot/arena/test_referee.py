"""What the arena says of positions."""

from pathlib import Path

import pytest

import engine
from bot.arena import referee
from tests.bot.arena.table import table


def played(*turns: str, rules: str = "official", board: str = "pent-3") -> engine.Position:
    position = engine.game("bluestone", board=board, rules=rules).start()
    for turn in turns:
        position = position.play(turn)
    return position


@pytest.mark.parametrize("rules", ["official", "abstractplay"])
@pytest.mark.parametrize("turns", [(), ("0-0",), ("0-0", "2-0,2-2"), ("2-0", "2-1,2-9", "2-4,2-6")])
def test_legal_cells_are_those_of_the_legal_turns(rules: str, turns: tuple[str, ...]) -> None:
    position = played(*turns, rules=rules)
    legal = [turn.split(",") for turn in position.legal_turns() if turn != "pass"]
    view = referee.legal_view(position, ())
    assert set(view.legal) == {cells[0] for cells in legal}
    assert view.illegal.keys() == set(position.game.board.cells) - set(view.legal)
    assert not view.complete
    for first in view.legal:
        after = referee.legal_view(position, (first,))
        assert set(after.legal) == {c[1] for c in legal if c[0] == first and len(c) == 2}
        assert after.complete == ([first] in legal)


def test_what_a_first_stone_captures_is_shown_at_once() -> None:
    position = played("2-0", "2-1,2-9")
    position = position.play("pass")
    view = referee.legal_view(position, ("1-0",))
    assert not view.complete
    assert view.captured == ["2-0"]


def test_why_a_cell_cannot_be_chosen() -> None:
    view = referee.legal_view(played("0-0"), ("1-0",))
    assert view.illegal["0-0"].rule == "occupied"
    assert view.illegal["1-0"].rule == "same-cell"
    assert view.illegal["1-1"].rule == "same-group"
    assert view.illegal["1-1"].message == "1-1 would join the group of 1-0."


async def test_positions_and_legal_cells_over_the_wire(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await t.play(0, "0-0")
        await t.play(1, "2-0,2-2")
        first = (await t.one.do("game.position", game_id=t.game_id, ply=0)).position
        last = (await t.one.do("game.position", game_id=t.game_id)).position
        view = (await t.two.do("game.legal", game_id=t.game_id, chosen=["1-0"])).legal
        code = await t.one.refused("game.position", game_id=t.game_id, ply=3)
    assert (first.stones, first.ply) == ({}, 0)
    assert last.stones == {"0-0": (1, 1), "2-0": (2, 1), "2-2": (2, 1)}
    assert last.last == ["2-0", "2-2"]
    assert view.ply == 2
    assert view.illegal["2-0"].rule == "occupied"
    assert code == "stale_ply"
