"""Equal keys exactly for positions that differ by a symmetry."""

import random

import pytest

import engine
from bot.puzzles.symmetry import position_key, puzzle_id
from engine.boards.plane import cell_of


def turned(game: engine.Game, turns: list[str], image: tuple[int, ...]) -> list[str]:
    """Return the turns with each cell replaced by its image."""
    cells = game.board.cells
    names = {cell: cells[image[index]] for index, cell in enumerate(cells)}
    return [
        ",".join(step[: -len(cell)] + names[cell] for step, cell in _steps(game, turn))
        for turn in turns
    ]


def _steps(game: engine.Game, turn: str) -> list[tuple[str, str]]:
    placements = game.placements(game.canonical(turn))
    return [
        (step, each.cell)
        for step, each in zip(game.canonical(turn).split(","), placements, strict=True)
    ]


def random_turns(game: engine.Game, count: int) -> list[str]:
    chance, position = random.Random(7), game.start()
    for _ in range(count):
        position = position.play(position.random_turn(chance))
    return list(position.turns)


@pytest.mark.parametrize(
    ("name", "board"),
    [
        ("bluestone", "pent-4"),
        ("blooms", "hexhex-4"),
        ("stargazers", "stars-39"),
        ("freego", "square-5"),
    ],
)
def test_every_symmetry_of_the_board_keeps_the_id(name: str, board: str) -> None:
    game = engine.game(name, board)
    turns = random_turns(game, 5)
    ids = {puzzle_id(game.replay(turned(game, turns, image))) for image in game.board.symmetries}
    assert len(game.board.symmetries) > 1
    assert len(ids) == 1


def test_other_positions_have_other_ids() -> None:
    game = engine.game("bluestone", "pent-4")
    ids = {puzzle_id(game.replay(random_turns(game, count))) for count in range(1, 9)}
    assert len(ids) == 8


def test_turned_mirrored_and_moved_positions_of_the_plane_have_one_id() -> None:
    game = engine.game("hexo")
    turns = ["0:0", "1:0,0:2", "3:-1,1:1"]

    def mapped(turn: str) -> str:
        cells = [cell_of(step) or (0, 0) for step in turn.split(",")]
        return ",".join(f"{-r}:{q + r}" for q, r in cells)

    mirrored = [",".join(":".join(s.split(":")[::-1]) for s in turn.split(",")) for turn in turns]
    ids = {puzzle_id(game.replay(each)) for each in (turns, list(map(mapped, turns)), mirrored)}
    assert len(ids) == 1
    assert puzzle_id(game.replay(["0:0", "1:0,0:2", "3:-1,1:2"])) not in ids


def test_the_colours_of_a_player_of_blooms_may_be_exchanged() -> None:
    game = engine.game("blooms", "hexhex-4")
    one = game.replay(["1a1", "1b2,2c3", "1d4,2d6"])
    other = game.replay(["2a1", "2b2,1c3", "2d4,1d6"])
    assert position_key(one) == position_key(other)
    mixed = game.replay(["1a1", "1b2,2c3", "2d4,1d6"])
    assert position_key(one) != position_key(mixed)


def test_the_player_to_move_decides_whose_stones_are_whose() -> None:
    game = engine.game("hexo")
    one = game.replay(["0:0", "0:1,2:0"])
    assert position_key(one) != position_key(game.replay(["0:0", "0:1,2:0", "5:5,6:6"]))


def test_a_pass_makes_another_position() -> None:
    game = engine.game("bluestone", "pent-4")
    first, second = game.replay(["0-0", "pass"]), game.replay(["0-0", "pass", "pass"])
    assert second.over
    assert position_key(first) != position_key(game.replay(["0-0"]))


def test_a_cell_that_ko_forbids_makes_another_position() -> None:
    game = engine.game("freego", "square-7")
    before = ["b3", "c3", "a2", "d2", "b1", "c1", "g7", "b2"]
    now, earlier = (
        game.replay([*before, "a7", "g1", "c2"]),
        game.replay([*before, "c2", "g1", "a7"]),
    )
    assert position_key(now) != position_key(earlier)
    image = game.board.symmetries[1]
    assert position_key(game.replay(turned(game, list(now.turns), image))) == position_key(now)
