"""The ladder of levels, measured on a small board."""

import random

import engine
from engine.players.levels import level
from lab.engines.levels import (
    FULL_SHARE,
    SIMPLE,
    LadderPlan,
    greedy_turn,
    lead,
    match,
    measure,
    playouts_of,
)

GAME = engine.game("bluestone", board="pent-3")


def test_each_level_meets_the_one_below_and_the_first_simple_players() -> None:
    told: list[str] = []
    rungs = measure(LadderPlan(GAME, 2, highest=3), told.append)
    met = [(rung.level, rung.opponent) for rung in rungs]
    assert met == [(1, "random"), (1, "greedy"), (2, "level 1"), (3, "level 2")]
    assert len(told) == len(rungs)
    for rung in rungs:
        assert rung.games == 2
        assert 0 <= rung.low <= rung.score <= rung.high <= 1
        assert rung.turns > 0


def test_the_same_seed_gives_the_same_games_and_one_rung_can_be_played_alone() -> None:
    alone = measure(LadderPlan(GAME, 4, lowest=3, highest=3), lambda _: None)
    assert [(rung.level, rung.opponent) for rung in alone] == [(3, "level 2")]
    whole = measure(LadderPlan(GAME, 4, lowest=2, highest=3), lambda _: None)
    assert whole[-1:] == alone


def test_a_level_has_its_playouts_and_the_highest_some_times_those_below() -> None:
    assert playouts_of(1, GAME) == level(1, GAME).bound_on(GAME)
    assert playouts_of(10, GAME) == FULL_SHARE * playouts_of(9, GAME)
    judged = engine.game("bluestone", board="pent-6")
    assert playouts_of(9, judged) == level(9, judged).judged
    assert playouts_of(10, judged) == FULL_SHARE * playouts_of(9, judged)


def test_the_seats_are_changed_so_equal_players_share_a_pair() -> None:
    """Both games of a pair are then the same one."""
    random_player = SIMPLE[0]
    rung = match(LadderPlan(GAME, 10), 1, random_player, random_player)
    assert rung.score == 0.5


def test_a_greedy_player_takes_the_win_before_it_and_is_ahead_of_chance() -> None:
    position = GAME.start().play("2-0").play("pass")
    assert greedy_turn(position, random.Random(1)) == "pass"
    assert lead(position.play("pass"), 1) > lead(position, 1) > lead(position, 2)
    rung = match(LadderPlan(GAME, 20), 1, SIMPLE[1], SIMPLE[0])
    assert rung.score > 0.6


def test_a_greedy_player_wants_few_stones_where_fewer_win() -> None:
    """In Stargazers, uninspired stones count."""
    position = engine.game("stargazers").start()
    position = position.play(next(position.legal_turns()))
    own, other = position.scores
    assert lead(position, 1) == (0.0, other - own)
