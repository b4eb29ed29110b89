"""The built-in players: always legal, the same for one seed, quicker for what they know."""

import random
import threading

import pytest

import engine
from engine.contract import Candidate, Choice, Info, Limits, Signals
from engine.game import Position
from engine.notation import stones_of
from engine.players.levels import LEVEL_WORDS, level
from engine.players.random import RandomEngine, guess
from engine.players.search import (
    SearchEngine,
    chance,
    choice_with_chances,
    info_with_chances,
    tuning_with,
    with_chance,
)
from engine.search.searcher import Searcher
from engine.search.tree import ROOT

LIKELY = Candidate("0-0", 0.7, visits=50, line=("0-0",))
UNLIKELY = Candidate("1-0", 0.3, visits=20, line=("1-0",))


def test_the_order_of_values_is_kept() -> None:
    values = [percent / 100 for percent in range(101)]
    chances = [chance(value) for value in values]
    assert chances == sorted(set(chances))
    assert (chances[0], chances[-1]) == (0, 1)
    assert all(0 < each < 1 for each in chances[1:-1])


@pytest.mark.parametrize("value", [0.2, 0.8])
def test_a_search_is_more_careful_than_games_are(value: float) -> None:
    assert abs(chance(value) - 0.5) > abs(value - 0.5)


def test_the_best_of_equal_values_is_rather_too_high() -> None:
    assert 0.3 < chance(0.5) < 0.5


@pytest.mark.parametrize("value", [5e-324, 1 - 2**-53])
def test_the_extreme_values_are_finite(value: float) -> None:
    assert 0 <= chance(value) <= 1


@pytest.mark.parametrize(
    "candidate",
    [
        Candidate("0-0", 0.5, visits=9, line=("0-0",), result=0.5),
        Candidate("0-0", 0.7, visits=0, line=("0-0",)),
    ],
)
def test_proved_and_unsearched_values_are_unchanged(candidate: Candidate) -> None:
    assert with_chance(candidate) == candidate


def test_reports_and_the_choice_speak_of_chances() -> None:
    info = info_with_chances(Info(70, 0.1, LIKELY, (UNLIKELY,)))
    assert (info.best.value, info.others[0].value) == (chance(0.7), chance(0.3))
    told = choice_with_chances(Choice("0-0", 0.7, 50, ("0-0",), (LIKELY, UNLIKELY)))
    assert told.value == told.candidates[0].value == chance(0.7)
    assert (told.turn, told.visits, told.pv) == ("0-0", 50, ("0-0",))


def player(**options: int) -> SearchEngine:
    built = SearchEngine()
    for name, value in {"Hash": 16, **options}.items():
        built.set_option(name, value)
    return built


def think(built: SearchEngine | RandomEngine, position: Position, nodes: int = 400) -> Choice:
    built.set_position(position)
    return built.search(Limits(nodes=nodes), lambda _: None, Signals())


def replay(board: str, rules: str, *turns: str) -> Position:
    position = engine.game("bluestone", board=board, rules=rules).start()
    for turn in turns:
        position = position.play(turn)
    return position


SHORT_GAMES = [
    *(
        engine.game("bluestone", board, rules)
        for board in ("pent-4", "limping-3", "hexhex-3")
        for rules in ("official", "abstractplay")
    ),
    engine.game("blooms", "hexhex-4", captures=5),
    engine.game("stargazers", "stars-39"),
    engine.game("stargazers", "stars-39", "ludii", protocol="alternating"),
]


@pytest.mark.parametrize("game", SHORT_GAMES, ids=lambda game: f"{game.name}-{game.rule_set}")
def test_a_whole_game_of_legal_turns_with_legal_lines(game: engine.Game) -> None:
    position, search, chance = game.start(), player(), RandomEngine()
    while not position.over:
        answer = think(search if position.to_play == 1 else chance, position, nodes=150)
        line = position
        for turn in answer.pv:
            line = line.play(turn)
        position = position.play(answer.turn)
    assert position.winner == 1


def test_two_stones_together_capture_a_bloom_and_win() -> None:
    position = engine.game("blooms", "hexhex-4", captures=6).start()
    played = (
        "2d4 1d3,2e5 1c3,2e3 1e2,2c4 1c2,2f2 1d2,2d5 1b3,2f4 1f3,2e4 1b4,2g3 1f1,2c5 1b5,2g2 "
        "1g1,2f3 1c6,2d6"
    )
    for turn in played.split():
        position = position.play(turn)
    answer = think(player(), position, nodes=4000)
    assert answer.candidates[0].result == 1.0
    assert position.play(answer.turn).winner == 2


@pytest.mark.parametrize("game", ["blooms", "stargazers"])
def test_knowledge_can_be_left_out(game: str) -> None:
    position = engine.game(game).start()
    position = position.play(next(position.legal_turns()))
    knowing, ignorant = (think(player(Knowledge=on, Seed=1), position) for on in (1, 0))
    assert knowing.candidates != ignorant.candidates


def test_proofs_are_knowledge_that_levels_with_coarse_judgement_lack() -> None:
    mechanics = engine.game("hexo").mechanics
    full = tuning_with(mechanics, None, knowledge=True)
    assert full.proof_nodes > 0
    assert full.exploration > 0
    for knowledge, proofs in ((False, True), (True, False)):
        less = tuning_with(mechanics, None, knowledge=knowledge, proofs=proofs)
        assert less.proof_nodes == 0
        assert less.exploration == 0, "without priors or among few visits, AMAF values choose"


def test_one_thread_and_one_seed_give_one_answer() -> None:
    position = replay("pent-5", "official", "0-0", "1-0,3-4")
    first, again = (think(player(Seed=7), position) for _ in range(2))
    assert first == again
    assert think(player(Seed=8), position).candidates != first.candidates


def test_several_threads_search_together() -> None:
    position = replay("pent-5", "official", "0-0", "1-0,3-4")
    answer = think(player(Threads=3, Seed=1), position, nodes=900)
    assert position.is_legal(answer.turn)
    assert answer.candidates[0].visits > 1


def test_the_tree_is_kept_for_the_next_turn() -> None:
    position = replay("pent-4", "official", "0-0")
    searcher = Searcher(position.game, megabytes=16, threads=1, seed=1)
    searcher.move_to(position)
    searcher.grow(3000)
    line = searcher.candidates(1)[0].line
    kept = searcher.move_to(position.play(line[0]).play(line[1]))
    assert kept > 1
    searcher.grow(500)
    assert searcher.visits == kept + 500
    assert searcher.move_to(replay("pent-4", "official", "1-0")) == 0


def test_the_tree_survives_a_position_that_was_only_expected() -> None:
    position = replay("pent-4", "official", "0-0")
    searcher = Searcher(position.game, megabytes=16, threads=1, seed=1)
    searcher.move_to(position)
    searcher.grow(3000)
    after = position.play(searcher.candidates(1)[0].turn)
    searcher.move_to(after)
    expected, played = (after.play(each.turn) for each in searcher.candidates(2))
    straight = Searcher(position.game, megabytes=16, threads=1, seed=1)
    straight.move_to(position)
    straight.grow(3000)
    kept = straight.move_to(played)
    searcher = Searcher(position.game, megabytes=16, threads=1, seed=1)
    searcher.move_to(position)
    searcher.grow(3000)
    assert searcher.move_to(expected) > 1
    searcher.grow(500)
    assert searcher.move_to(played) == kept > 1
    searcher.grow(200)
    assert searcher.visits == kept + 200
    assert searcher.move_to(replay("pent-4", "official", "1-0")) == 0


def test_going_back_finds_the_tree_of_before() -> None:
    position = replay("pent-4", "official", "0-0")
    searcher = Searcher(position.game, megabytes=16, threads=1, seed=1)
    searcher.move_to(position)
    searcher.grow(300)
    assert searcher.move_to(replay("pent-4", "official", "1-0", "3-0,3-2")) == 0
    searcher.grow(100)
    assert searcher.move_to(position) == 300
    assert searcher.move_to(position) == 300


def test_freed_memory_is_forgotten_and_the_search_goes_on() -> None:
    position = replay("pent-4", "official", "0-0")
    searcher = Searcher(position.game, megabytes=16, threads=1, seed=1)
    searcher.move_to(position)
    searcher.grow(3000)
    after = position.play(searcher.candidates(1)[0].turn)
    kept = searcher.move_to(after)
    searcher.free_earlier()
    searcher.grow(100)
    assert searcher.visits == kept + 100
    assert searcher.move_to(position) == 0


def test_a_player_keeps_its_search_although_it_expected_another_turn() -> None:
    position, built, pondering = replay("pent-4", "official", "0-0"), player(Seed=1), Signals()
    after = position.play(think(built, position, nodes=3000).turn)
    expected, played = (
        after.play(each.turn) for each in think(built, after, nodes=1).candidates[:2]
    )
    built = player(Seed=1)
    think(built, position, nodes=3000)
    built.set_position(expected)
    pondering.stop.set()  # the opponent has played already
    built.search(Limits(nodes=1, ponder=True), lambda _: None, pondering)
    assert think(built, played, nodes=1).visits > 1


def test_a_full_memory_ends_no_search() -> None:
    position = replay("pent-8", "official", "0-0")
    searcher = Searcher(position.game, megabytes=0.2, threads=1, seed=1)
    searcher.move_to(position)
    assert searcher.grow(5000) == 5000
    assert position.is_legal(searcher.candidates(1)[0].turn)


def test_a_stop_from_another_thread_ends_an_endless_search() -> None:
    search, signals = player(), Signals()
    search.set_position(replay("pent-6", "official"))
    seen = threading.Event()

    def on_info(_: Info) -> None:
        seen.set()
        signals.stop.set()

    answer = search.search(Limits(), on_info, signals)
    assert seen.is_set()
    assert answer.visits > 0


def test_a_stop_while_the_kernels_compile_is_answered_by_a_legal_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    position, search, signals = replay("pent-6", "official", "0-0"), player(), Signals()
    compiled = threading.Event()
    monkeypatch.setattr(search, "_compile", lambda _: compiled.wait(60))
    search.set_position(position)
    signals.stop.set()
    answer = search.search(Limits(), lambda _: None, signals)
    compiled.set()
    assert position.is_legal(answer.turn)
    assert answer.visits == 0


def test_a_stop_while_the_search_compiles_is_answered_by_a_likely_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In HeXO a random turn is thrown away: nearly all are far from the stones, or miss a win."""
    compiling, compiled = threading.Event(), threading.Event()

    def warm_up(_: Searcher) -> None:
        compiling.set()
        compiled.wait(60)

    monkeypatch.setattr(Searcher, "warm_up", warm_up)
    turns = ("0:0", "0:5,1:5", "1:0,2:0", "0:6,1:6", "3:0,4:0", "0:7,1:7")
    position, signals = engine.game("hexo").replay(turns), Signals()
    for seed in range(5):
        compiling.clear()
        search = player(Seed=seed)
        search.set_position(position)
        threading.Thread(target=search.warm_up, args=(position.game,), daemon=True).start()
        assert compiling.wait(60)
        signals.stop.set()
        answer = search.search(Limits(), lambda _: None, signals)
        assert answer.turn in {"5:0", "-1:0"}
        assert answer.visits == 0
    compiled.set()


def test_a_guess_avoids_an_excluded_turn_by_another_likely_one() -> None:
    turns = ("0:0", "0:5,1:5", "1:0,2:0", "0:6,1:6", "3:0,4:0", "0:7,1:7")
    position, excluded = engine.game("hexo").replay(turns), {frozenset({"5:0"})}
    guesses = [guess(position, random.Random(seed), excluded, likely=True) for seed in range(8)]
    assert {each.turn for each in guesses} == {"-1:0"}


def test_a_pass_that_wins_ends_the_game() -> None:
    """The opponent has passed while behind: passing too is a proved win."""
    position = replay("pent-4", "official", "3-0", "pass")
    answer = think(player(), position, nodes=2000)
    assert (answer.turn, answer.candidates[0].result) == ("pass", 1.0)


@pytest.mark.parametrize("name", ["bluestone", "blooms", "stargazers"])
@pytest.mark.parametrize("nodes", [1, 4, 10])
def test_after_a_few_playouts_the_stones_that_seem_best_are_played(
    name: str, nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No turn may have been seen to its end by then, but none is guessed."""
    monkeypatch.delattr("engine.players.search.guess")
    position = engine.game(name).start().play(next(engine.game(name).start().legal_turns()))
    for seed in range(6):
        answer = think(player(Seed=seed), position, nodes=nodes)
        assert position.is_legal(answer.turn)
        assert answer.candidates[0].turn == answer.turn


# ---- levels ------------------------------------------------------------------------------------

LEVELS = range(1, len(LEVEL_WORDS) + 1)


@pytest.mark.parametrize("number", LEVELS)
@pytest.mark.parametrize("name", ["bluestone", "blooms", "stargazers"])
def test_a_level_thinks_of_every_turn_and_no_further_than_it_may(name: str, number: int) -> None:
    game = engine.game(name)
    position = game.start().play(next(game.start().legal_turns()))
    told: list[Info] = []
    built = player(Level=number, Seed=3)
    built.set_position(position)
    answer = built.search(Limits(nodes=1_000), told.append, Signals())
    assert position.is_legal(answer.turn)
    assert answer.candidates[0].turn == answer.turn
    assert told[-1].nodes == min(1_000, level(number, game).bound_on(game) or 1_000)
    assert told[-1].best == answer.candidates[0]


def test_a_low_level_varies_by_its_seed_and_only_by_that() -> None:
    position = replay("pent-6", "official", "0-0")
    turns = [think(player(Level=1, Seed=seed), position).turn for seed in range(8)]
    assert len(set(turns)) > 4
    assert turns == [think(player(Level=1, Seed=seed), position).turn for seed in range(8)]


@pytest.mark.parametrize("number", LEVELS)
def test_no_level_misses_a_win_that_it_has_proved(number: int) -> None:
    """The opponent has passed while behind: passing too wins."""
    position = replay("pent-4", "official", "3-0", "pass")
    for seed in range(5):
        answer = think(player(Level=number, Seed=seed), position, nodes=2000)
        assert answer.turn == "pass"


def test_a_level_does_not_look_further_on_the_time_of_the_other() -> None:
    signals, built = Signals(), player(Level=6)
    position = replay("pent-6", "official", "0-0")
    built.set_position(position)
    told: list[Info] = []
    built.search(Limits(turn_time=0.1, ponder=True), told.append, signals)
    assert told[-1].nodes == level(6, position.game).bound_on(position.game)


def test_more_threads_make_no_other_level() -> None:
    position = replay("pent-6", "official", "0-0")
    one, many = (think(player(Level=7, Seed=1, Threads=n), position) for n in (1, 3))
    assert one == many


def test_both_orders_of_a_turn_are_one_candidate() -> None:
    position = replay("pent-4", "abstractplay", "0-0")
    searcher = Searcher(position.game, megabytes=16, threads=1, seed=1)
    searcher.move_to(position)
    searcher.grow(2000)
    turns = [frozenset(each.turn.split(",")) for each in searcher.candidates(50)]
    assert len(turns) == len(set(turns))
    assert sum(each.visits for each in searcher.candidates(10_000)) <= searcher.visits
    assert searcher.visits == 2000
    assert ROOT == 0


# ---- several lines -----------------------------------------------------------------------------


@pytest.mark.parametrize(("lines", "number"), [(1, 10), (3, 10), (10, 10), (3, 1)])
def test_reports_tell_of_as_many_turns_as_are_wanted(lines: int, number: int) -> None:
    """From the best one, which is the answer; the others by their visits."""
    built, told = player(MultiPV=lines, Seed=1, Level=number), list[Info]()
    built.set_position(replay("pent-5", "official", "0-0"))
    answer = built.search(Limits(nodes=2_000), told.append, Signals())
    assert (told[-1].best, *told[-1].others) == answer.candidates[:lines]
    assert len(told[-1].others) == lines - 1
    visits = [each.visits for each in told[-1].others]
    assert visits == sorted(visits, reverse=True)
    assert answer.turn == told[-1].best.turn


def test_more_lines_do_not_change_the_search() -> None:
    position = replay("pent-5", "official", "0-0")
    one, many = (think(player(MultiPV=lines, Seed=1), position) for lines in (1, 5))
    assert one == many


# ---- turns that are not to be chosen -----------------------------------------------------------


@pytest.mark.parametrize("swap", [False, True], ids=["as it is", "the other order"])
def test_an_excluded_turn_gives_way_to_the_next_best(swap: bool) -> None:
    position = engine.game("bluestone", "pent-4").start().play("0-0")
    free = player(Seed=1)
    first, second = think(free, position).candidates[:2]
    assert "," in first.turn
    excluded = ",".join(reversed(first.turn.split(","))) if swap else first.turn
    bound = player(Seed=1)
    bound.set_option("Exclude", f"{excluded} 9-9")
    assert think(bound, position).turn == second.turn
    bound.new_game()
    bound.set_option("Exclude", "")
    assert think(bound, position).turn == first.turn


@pytest.mark.parametrize("number", [1, 10], ids=["coarsely", "fully"])
def test_an_excluded_turn_is_chosen_only_if_there_is_no_other(number: int) -> None:
    position = engine.game("bluestone", "pent-4").start().play("0-0")
    turns = list(position.legal_turns())
    only = stones_of(turns[0])
    built = player(Level=number)
    built.set_option("Exclude", " ".join(turn for turn in turns if stones_of(turn) != only))
    assert stones_of(think(built, position, nodes=20).turn) == only
    built.set_option("Exclude", " ".join(turns))
    assert position.is_legal(think(built, position, nodes=20).turn)
