"""What the arena says of positions."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import engine
from bot import wire
from bot.arena.games import referee
from bot.arena.games.referee import legal_view
from bot.arena.refusals import Refused, sentence
from bot.time_controls import Untimed
from tests.bot.arena.table import table


def setup(**fields: Any) -> wire.GameSetup:
    return wire.GameSetup(clock=Untimed(), **fields)


def played(game: engine.Game, *turns: str) -> engine.Position:
    position = game.start()
    for turn in turns:
        position = position.play(turn)
    return position


def offered(**fields: Any) -> wire.OfferedSetup:
    return wire.OfferedSetup.model_validate({"clock": {"kind": "none"}, **fields})


@pytest.mark.parametrize("given", ["007", "7", 7, 7.0])
def test_options_are_kept_as_the_game_writes_them(given: object) -> None:
    blooms = offered(game="blooms", board="hexhex-5", options={"captures": given})
    assert referee.settled(blooms).options == {"captures": "7"}


@pytest.mark.parametrize("given", [True, None, 7.5, 2**54, ["7"], {}])
def test_an_option_is_a_text_or_a_whole_number(given: object) -> None:
    with pytest.raises(ValidationError, match="a text or a whole number is needed"):
        offered(game="blooms", board="hexhex-5", options={"captures": given})


def test_options_at_their_default_are_left_out() -> None:
    usual = offered(game="blooms", board="hexhex-5", options={"captures": "25"})
    assert referee.settled(usual).options == {}
    assert referee.game_of(referee.settled(usual)) is engine.game("blooms", board="hexhex-5")


@pytest.mark.parametrize("info", engine.games(), ids=lambda info: info.name)
def test_omitted_fields_have_the_games_defaults(info: engine.GameInfo) -> None:
    usual = referee.settled(offered(game=info.name))
    assert (usual.board, usual.rules, usual.options) == (info.boards[0], info.rule_sets[0], {})
    assert usual.clock == Untimed()


def test_a_setup_may_be_sent_back_as_the_server_sent_it() -> None:
    setup = referee.settled(offered(game="blooms", options={"captures": 7}, rated=True))
    assert referee.settled(wire.OfferedSetup.model_validate(wire.encode(setup))) == setup
    assert wire.OfferedSetup.model_fields.keys() == wire.GameSetup.model_fields.keys()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"game": "chess"}, "known: bluestone, blooms, stargazers, hexo, freego"),
        ({"game": "blooms", "board": "pent-6"}, "known: hexhex-4"),
        ({"game": "bluestone", "board": "stars-39"}, "known: pent-N"),
        ({"game": "stargazers", "board": "stars-39", "rules": "abstractplay"}, "official, ludii"),
        ({"game": "blooms", "board": "hexhex-4", "options": {"captures": "0"}}, "from 1 to 1000"),
        ({"game": "blooms", "board": "hexhex-4", "options": {"handicap_1": "20"}}, "from 0 to 19"),
        ({"game": "stargazers", "board": "stars-39", "options": {"captures": "5"}}, "protocol"),
        (
            {"game": "stargazers", "board": "stars-39", "options": {"protocol": "two"}},
            "one of 122, alternating",
        ),
    ],
)
def test_an_unknown_value_is_refused_with_the_known_ones(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(Refused) as caught:
        referee.game_of(setup(**fields))
    assert caught.value.code == "unknown_game"
    assert says in caught.value.message


def test_a_refused_turn_names_the_rule() -> None:
    blooms = played(engine.game("blooms", board="hexhex-4"), "1a1")
    with pytest.raises(Refused) as caught:
        referee.play(blooms, "1b2,1c3")
    assert (caught.value.code, caught.value.rule) == ("illegal_turn", "same-colour")
    assert "different colours" in caught.value.message


def test_a_view_has_kinds_marks_and_scores_of_every_game() -> None:
    blooms = referee.view(played(engine.game("blooms", board="hexhex-4"), "2a1", "2b2,1c3"))
    assert blooms.stones == {"a1": (1, 2), "b2": (2, 2), "c3": (2, 1)}
    assert (sorted(blooms.last), blooms.marks, blooms.scores) == (["b2", "c3"], {}, ([0], [0]))
    ahead = referee.view(engine.game("blooms", board="hexhex-4", handicap_2=3).start())
    assert ahead.scores == ([0], [3])
    stars = engine.play_out(engine.game("stargazers", board="stars-39"), seed=3)
    view = referee.view(stars)
    assert set(view.marks.values()) == {"uninspired"}
    for seat in (1, 2):
        faded = [cell for cell in view.marks if view.stones[cell][0] == seat]
        assert view.scores[seat - 1] == [len(faded)]


def test_scores_in_words_begin_with_the_winner() -> None:
    blooms = engine.play_out(engine.game("blooms", board="hexhex-4", captures=5), seed=3)
    assert (blooms.winner, referee.tally(blooms)) == (2, "7 captured stones against 2")
    stars = engine.play_out(engine.game("stargazers", board="stars-39"), seed=3)
    assert (stars.winner, referee.tally(stars)) == (2, "5 uninspired stones against 11")
    groups = played(engine.game("bluestone", board="pent-3"), "2-0", "pass", "pass")
    assert referee.tally(groups) == "2 against 0"


@pytest.mark.parametrize(
    ("rules", "winner", "says"),
    [("official", 1, "the last to place wins"), ("ludii", 2, "the player who cannot place loses")],
)
def test_equal_numbers_of_uninspired_stones_come_with_the_tie_break(
    rules: str, winner: int, says: str
) -> None:
    # Player 1 has no cell for the second stone of this game's last turn.
    stars = engine.play_out(engine.game("stargazers", board="stars-39", rules=rules), seed=240)
    assert referee.tally(stars) == f"5 uninspired stones against 5, and {says}"
    assert stars.winner == winner


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


def test_the_legal_view_lists_second_stones() -> None:
    position = engine.game("blooms", board="hexhex-4").replay(["1a1"])
    view = legal_view(position, ("2b2",))
    assert (view.ply, view.complete, view.may_pass, view.captured) == (1, True, False, [])
    assert view.legal == list(position.choices(("2b2",)).legal)
    assert "1a2" in view.legal
    assert view.illegal["1a1"] == wire.Illegal(rule="occupied", message="a1 is not empty.")
    assert len(view.legal) + len(view.illegal) == len(position.game.step_names)


@pytest.mark.parametrize(
    ("setup", "turns", "chosen", "rule"),
    [
        (("bluestone", "pent-3"), ["0-0"], ("0-0",), "occupied"),
        (("bluestone", "pent-3"), ["0-0"], ("1-0", "1-1"), "same-group"),
        (("bluestone", "pent-3"), ["0-0"], ("9-9",), "unknown-cell"),
        (("blooms", "hexhex-4"), ["1a1"], ("1a1",), "occupied"),
        (("stargazers", "stars-39"), ["i2"], ("i2",), "occupied"),
        (("hexo", None), ["0:0"], ("0:0",), "occupied"),
        (("freego", "square-5"), ["c3"], ("c3",), "occupied"),
        (("freego", "square-5"), ["c3"], ("d4", "d5"), "one-stone"),
    ],
)
def test_chosen_steps_that_no_turn_begins_with_are_refused(
    setup: tuple[str, str | None], turns: list[str], chosen: tuple[str, ...], rule: str
) -> None:
    position = engine.game(*setup).replay(turns)
    with pytest.raises(Refused) as caught:
        legal_view(position, chosen)
    assert (caught.value.code, caught.value.rule) == ("illegal_turn", rule)
    with pytest.raises(engine.IllegalTurn) as played:
        position.play(",".join(chosen))
    assert caught.value.message == sentence(played.value.reason)


def test_a_first_stone_whose_turn_needs_another_is_no_refusal() -> None:
    for setup, turn, first in (
        (("bluestone", "pent-3"), "0-0", "1-1"),
        (("stargazers", "stars-39"), "i2", "j3"),
        (("hexo", None), "0:0", "1:0"),
    ):
        assert legal_view(engine.game(*setup).replay([turn]), (first,)).legal
    free = legal_view(engine.game("freego", "square-5").start(), ("c3",))
    assert (free.legal, free.complete) == ([], True)
    assert {why.rule for why in free.illegal.values()} == {"one-stone"}


def test_without_an_edge_the_legal_view_explains_stones_and_the_cell_asked_for() -> None:
    position = engine.game("hexo").replay(["0:0", "1:0,2:0"])
    view = legal_view(position, ("-8:0",))
    assert view.legal == list(position.choices(("-8:0",)).legal)
    assert set(view.illegal) == {"0:0", "1:0", "2:0", "-8:0"}
    assert legal_view(position, ("-8:0",), "-16:0") == view  # legal: the first stone counts
    far = legal_view(position, (), "-16:0")
    assert far.illegal["-16:0"] == wire.Illegal(
        rule="out-of-range", message="-16:0 is more than 8 cells away from every stone."
    )
    assert set(legal_view(position, ()).illegal) == {"0:0", "1:0", "2:0"}
    assert legal_view(position, (), "z9").illegal["z9"].rule == "unknown-cell"


def test_the_arena_offers_no_game_that_may_never_end() -> None:
    menu = referee.Menu(engine.games(), ())
    with pytest.raises(Refused, match="needs a limit of turns"):
        menu.settled(offered(game="hexo", options={"cap": 0}))
    assert menu.settled(offered(game="hexo", options={"cap": 2000})).options == {"cap": "2000"}


def test_a_row_is_counted_in_stones() -> None:
    turns = ["0:0", "0:1,1:1", "1:0,2:0", "2:1,-1:4", "3:0,4:0", "-2:4,-3:4", "5:0"]
    assert referee.tally(engine.game("hexo").replay(turns)) == "6 stones in a row against 3"


def test_captures_of_a_first_stone_are_reported_at_once() -> None:
    position = engine.game("bluestone", board="pent-3").replay(["2-0", "2-1,2-9", "pass"])
    assert legal_view(position, ("1-0",)).captured == ["2-0"]
