"""What the pages about the games say of their figures."""

import math

import pytest

import engine
from bot.drawing.board_layers import connected, liberties, seen
from bot.terminal.play import greeting
from tests.docs.pages import ROOT, before, figure, position


def refusal(at: engine.Position, turn: str) -> str:
    with pytest.raises(engine.IllegalTurn) as refused:
        at.play(turn)
    return refused.value.rule


def touched(at: engine.Position, cells: list[str]) -> int:
    board = at.game.board
    indices = {board.index(cell) for cell in cells}
    return sum(not indices.isdisjoint(stone.touches) for stone in board.blue_stones)


def gazes(at: engine.Position, cell: str) -> int:
    here = at.game.board.position(cell)
    return sum(is_star and math.dist(here, place) > 1.5 for place, is_star in seen(at, cell))


# ---- All games ----


@pytest.mark.parametrize("game", [info.name for info in engine.games()])
def test_the_first_line_of_the_terminal_is_quoted(game: str) -> None:
    page = (ROOT / "docs" / f"{game}.md").read_text(encoding="utf-8")
    assert f"\n{greeting(engine.game(game))}\n" in page


# ---- Bluestone ----


def test_bluestone_the_edge_of_the_usual_board() -> None:
    start = position("bluestone-board")
    assert start.game.board.name == "pent-6"
    edge = [start.game.board.cells[cell] for cell in start.game.board.perimeter]
    for number in range(len(edge)):
        neighbours = [edge[number - 2], edge[number - 1], edge[number]]
        assert [touched(start, neighbours[:count]) for count in (1, 2, 3)] == [2, 3, 4]


def test_bluestone_the_coloured_cells_are_closed_to_the_second_stone() -> None:
    shown, earlier = figure("bluestone-turn"), before("bluestone-turn")
    first = next(cell for cell, text in shown.marks.items() if text == "1")
    assert set(shown.highlighted) == set(earlier.game.board.neighbours(first))
    for cell in shown.highlighted:
        assert refusal(earlier, f"{first},{cell}") == "same-group"


def test_bluestone_the_connected_group_scores_four() -> None:
    now = position("bluestone-groups")
    (shown,) = figure("bluestone-groups").connected
    cells = connected(now, shown)
    assert now.stones[shown].player == 1
    assert (len(cells), touched(now, cells)) == (4, 4)
    assert now.scores[0][0] == 4


def test_bluestone_a_is_the_way_to_the_fourth_blue_stone() -> None:
    now = position("bluestone-threat")
    group = connected(now, "3-1")
    assert (now.to_play, now.stones["3-1"].player) == (1, 2)
    assert (len(group), touched(now, group)) == (2, 3)
    assert liberties(now, group) == ["3-3"]
    saved = now.play("3-8,2-7").play("3-3,2-6")
    assert touched(saved, connected(saved, "3-1")) == 4


def test_bluestone_a_captures_two_stones_that_cannot_come_back() -> None:
    now = position("bluestone-capture")
    assert before("bluestone-capture").turns == position("bluestone-threat").turns
    assert now.captured == ("3-1", "3-2")
    assert {refusal(now, f"{cell},2-6") for cell in now.captured} == {"dead-cell"}


def test_bluestone_the_second_groups_decide() -> None:
    end = position("bluestone-end")
    assert end.over
    assert end.winner == 1
    assert end.scores == ((6, 5), (6, 4))
    assert len(end.stones) == len(end.game.board.cells)
    for cell, score in figure("bluestone-end").marks.items():
        assert touched(end, connected(end, cell)) == int(score)


# ---- Blooms ----


def test_blooms_two_stones_are_of_different_colours() -> None:
    kinds = [one.kind for one in position("blooms-turn").stones.values()]
    assert sorted(kinds) == [1, 1, 2]
    assert refusal(before("blooms-turn"), "1d3,1e5") == "same-colour"
    assert before("blooms-turn").is_legal("2e5")


def test_blooms_one_liberty_is_left_and_an_own_stone_took_one() -> None:
    now = position("blooms-liberties")
    bloom = connected(now, "g1")
    assert {now.stones[cell] for cell in bloom} == {engine.Stone(2, 1)}
    assert liberties(now, bloom) == ["f3"]
    board = now.game.board
    beside = {now.stones.get(other) for cell in bloom for other in board.neighbours(cell)}
    assert {engine.Stone(1, 1), engine.Stone(1, 2), engine.Stone(2, 2)} <= beside


def test_blooms_the_last_liberty_captures() -> None:
    now = position("blooms-capture")
    assert before("blooms-capture").turns == position("blooms-liberties").turns
    assert (now.captured, now.scores) == (("g1", "g2"), (2, 0))
    assert now.stones["g3"] == engine.Stone(2, 2)


def test_blooms_an_own_fenced_stone_stands_for_a_turn() -> None:
    now = position("blooms-own")
    assert now.captured == ()
    assert liberties(now, connected(now, "d7")) == []
    after = list(now.legal_turns())[::50]
    assert after
    for turn in after:
        assert "d7" in now.play(turn).captured


def test_blooms_two_liberties_are_taken_in_one_turn() -> None:
    end, earlier = position("blooms-end"), before("blooms-end")
    assert (end.winner, end.scores) == (2, (1, 6))
    bloom = connected(earlier, end.captured[0])
    assert set(bloom) == set(end.captured)
    assert len(bloom) == 6
    placed = end.game.placements(end.turns[-1])
    assert {one.cell for one in placed} == set(liberties(earlier, bloom))
    assert {one.kind for one in placed} == {1, 2}


# ---- Stargazers ----


def test_stargazers_the_first_stone_gazes_at_three_stars_and_not_at_the_one_beside_it() -> None:
    now = position("stargazers-view")
    views = list(seen(now, "h5"))
    assert all(is_star for _, is_star in views)
    assert (len(views), gazes(now, "h5")) == (4, 3)


def test_stargazers_b_is_inspired_through_a_alone() -> None:
    now = position("stargazers-friend")
    assert now.marks == {}
    assert (gazes(now, "g4"), gazes(now, "e4")) == (1, 0)
    sights = [place for place, is_star in seen(now, "g4") if not is_star]
    assert len(sights) == 3
    assert len(list(seen(now, "g4"))) == 5


def test_stargazers_filling_the_gap_takes_both_inspirations_and_c_brings_them_back() -> None:
    now = position("stargazers-blocked")
    assert before("stargazers-blocked").turns == position("stargazers-friend").turns
    assert now.marks == {"g4": "uninspired", "e4": "uninspired"}
    assert now.scores == (0, 2)
    assert gazes(now, "c4") == 2
    assert now.to_play == 2
    assert now.play("c4,l3").marks == {}


def test_stargazers_the_coloured_cells_are_closed_to_dark_and_not_to_light() -> None:
    now = position("stargazers-closed")
    coloured = set(figure("stargazers-closed").highlighted)
    open_cells = {turn.split(",")[0] for turn in now.legal_turns()}
    assert now.to_play == 1
    assert set(now.game.board.cells) - set(now.stones) - open_cells == coloured
    assert {refusal(now, f"{cell},f3") for cell in coloured} == {"uninspired-cell"}
    light_now = {turn.split(",")[0] for turn in now.play("f3,n3").legal_turns()}
    assert coloured & light_now


def test_stargazers_dark_is_stuck_and_has_more_uninspired_stones() -> None:
    end = position("stargazers-end")
    assert end.over
    assert (end.winner, end.scores) == (2, (11, 6))
    assert len(end.game.board.cells) - len(end.stones) == 4
    assert end.game.placements(end.turns[-1])
    assert before("stargazers-end").to_play == 2


# ---- HeXO ----


def test_hexo_a_and_b_stop_all_three_ways_to_make_six() -> None:
    now, shown = position("hexo-threat"), figure("hexo-threat")
    answer = ",".join(sorted(shown.marks, key=shown.marks.__getitem__))
    assert shown.marks.keys() == {"-1:0", "4:0"}
    wins = [turn for turn in ("-2:0,-1:0", "-1:0,4:0", "4:0,5:0") if wins_after(now, turn)]
    assert len(wins) == 3
    after = now.play(answer)
    assert not any(after.is_legal(turn) for turn in wins)
    for one in shown.marks:
        assert any(now.play(f"{one},9:0").is_legal(turn) for turn in wins)


def wins_after(now: engine.Position, turn: str) -> bool:
    """Whether Black wins by a turn after a turn of White elsewhere."""
    return now.play("9:0,9:-1").play(turn).winner == 1


def test_hexo_the_first_stone_of_the_last_turn_wins() -> None:
    end = position("hexo-end")
    assert (end.winner, end.scores[0]) == (1, 6)
    assert len(end.game.placements(end.turns[-1])) == 1


def test_hexo_the_first_turn_is_on_the_origin_and_white_has_the_next() -> None:
    assert [*position("hexo-board").stones] == ["0:0"]
    shown = figure("hexo-turn")
    placed = [p.cell for turn in position("hexo-turn").turns[1:] for p in shown_stones(turn)]
    assert placed == sorted(shown.marks, key=shown.marks.__getitem__)


def shown_stones(turn: str) -> tuple[engine.Placement, ...]:
    return engine.game("hexo").placements(turn)


# ---- Free Go ----


def test_free_go_a_chain_of_four_has_four_liberties() -> None:
    now = position("freego-liberties")
    chain = connected(now, "c4")
    assert (len(chain), len(liberties(now, chain))) == (4, 4)


def test_free_go_the_last_liberty_captures() -> None:
    now = position("freego-capture")
    assert (now.turns[-1], now.captured, now.scores) == ("d3", ("c4", "d4"), (2, 0))


def test_free_go_a_stone_without_liberties_is_lost_or_captures() -> None:
    now = position("freego-suicide")
    lost, won = now.play("a7"), now.play("g1")
    assert (lost.scores, "a7" in lost.stones) == ((0, 1), False)
    assert (won.scores, won.captured, "g1" in won.stones) == ((1, 0), ("f1",), True)


def test_free_go_the_ko_is_open_after_a_turn_elsewhere() -> None:
    now = position("freego-ko")
    assert now.captured == ("d3",)
    assert refusal(now, "d3") == "ko"
    assert now.play("a1").play("a7").play("d3").captured == ("c3",)


def test_free_go_a_snapback_captures_five_in_return() -> None:
    captured = position("freego-snapback").play("a1")
    assert captured.captured == ("b1",)
    assert len(captured.play("b1").captured) == 5


def test_free_go_a_stone_in_one_of_two_eyes_is_lost() -> None:
    now, shown = position("freego-eyes"), figure("freego-eyes")
    assert set(liberties(now, connected(now, "a2"))) == set(shown.highlighted)
    for eye in shown.highlighted:
        assert (now.play(eye).captured, now.play(eye).scores) == ((eye,), (1, 0))


def test_free_go_white_must_give_up_an_eye_first() -> None:
    now, shown = position("freego-fill"), figure("freego-fill")
    mine = set(liberties(now, connected(now, "a5")))
    assert mine == set(shown.highlighted)
    theirs = set(now.legal_turns()) - mine
    assert (len(mine), len(theirs)) == (3, 2)
    filled = now.play("b5").play("e4")
    assert filled.scores == (0, 0)
    assert len(filled.play("d1").captured) == 11


def test_free_go_the_last_stone_of_the_game_captures_a_large_chain() -> None:
    end = position("freego-game")
    assert (len(end.captured), end.scores, end.winner) == (27, (44, 8), 1)


def test_free_go_the_usual_number_of_captures() -> None:
    page = (ROOT / "docs" / "freego.md").read_text(encoding="utf-8")
    usual = engine.game("freego").all_options["captures"]
    assert f"{usual} on the usual board" in page


# ---- boards and options ----


@pytest.mark.parametrize("info", engine.games(), ids=lambda info: info.name)
def test_a_page_names_the_rule_sets_the_options_and_the_usual_board(info: engine.GameInfo) -> None:
    page = (ROOT / "docs" / f"{info.name}.md").read_text(encoding="utf-8")
    usual = (*info.rule_sets, *(option.name for option in info.options), info.boards[0])
    assert [word for word in usual if f"`{word}`" not in page] == []
