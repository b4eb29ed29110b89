"""What a search does with the proofs of a game's prover."""

import pytest

import engine
from engine.search.searcher import Searcher
from engine.search.tree import EDGES, NOTHING, REFUTED, ROOT
from engine.search.tuning import BY_PRIORS, PLAYOUTS_ALONE

HEXO = engine.game("hexo")
FIRST = ("-2:-3,-3:6", "1:0,0:4", "5:-4,-5:2", "2:0,1:4")
BEGUN = ("0:0", *FIRST, "6:3,-1:8", "2:4,1:2")
"""The first player has three stones in a row, twice, and has just moved."""
WON = (*BEGUN, "-3:-5,-4:8")
"""The second player did nothing about it."""


def searcher(
    game: engine.Game = HEXO, *, proof_nodes: int = 300, proof_visits: int = -1
) -> Searcher:
    tuning = BY_PRIORS if game is HEXO else PLAYOUTS_ALONE
    tuning = tuning._replace(proof_nodes=proof_nodes, proof_visits=proof_visits)
    return Searcher(game, megabytes=16, threads=1, seed=1, tuning=tuning)


def test_a_forced_win_is_played_after_one_playout() -> None:
    search = searcher()
    search.move_to(HEXO.replay(WON))
    search.grow(1)
    assert search.solved
    (best,) = search.candidates(1)
    assert best.result == 1
    after = HEXO.replay(WON).play(best.turn)
    assert not after.over

    search.move_to(after)
    search.grow(400)
    assert search.solved
    assert search.candidates(1)[0].result == 0


def test_a_forced_win_of_many_turns_is_played_to_its_end_against_every_delay() -> None:
    search, position = searcher(), HEXO.replay(WON)
    for turn in range(12):
        search.move_to(position)
        search.grow(300)
        best = search.candidates(1)[0]
        assert best.result == (0 if turn % 2 else 1)
        position = position.play(best.turn)
        if position.over:
            break
    assert position.winner == 1


def test_a_search_without_nodes_for_proofs_makes_none() -> None:
    search = searcher(proof_nodes=0)
    search.move_to(HEXO.replay(WON))
    search.grow(1)
    assert not search.solved
    assert not search.may_prove


def test_a_proof_at_the_root_needs_no_playout_that_finds_it() -> None:
    search = searcher(proof_nodes=1)
    search.move_to(HEXO.replay(WON))
    search.grow(1)
    assert not search.solved
    search.prove(2000)
    assert search.candidates(1)[0].result == 1


def test_a_player_whose_opponent_could_force_a_win_searches_only_turns_that_defend() -> None:
    position = HEXO.replay(BEGUN)
    search, blind = searcher(), searcher(proof_nodes=0)
    for each in (search, blind):
        each.move_to(position)
        each.grow(1)
    edges = int(search.tree.edge_count[ROOT])
    assert 0 < edges < int(blind.tree.edge_count[ROOT])
    blind.prove(2000)
    assert int(blind.tree.edge_count[ROOT]) == edges
    search.grow(1000)
    best = search.candidates(1)[0]
    assert best.result is None
    check = searcher()
    check.move_to(position.play(best.turn))
    check.grow(1)
    assert not check.solved


def test_the_prover_looks_again_at_nodes_with_many_visits() -> None:
    position = HEXO.replay(BEGUN)
    once, again = searcher(proof_nodes=1), searcher(proof_nodes=1, proof_visits=30)
    results = list[int]()
    for search in (once, again):
        search.move_to(position)
        search.grow(2000)
        results.append([candidate.result for candidate in search.candidates(9999)].count(0))
    assert results[0] < results[1]


def test_steps_that_a_later_proof_leaves_out_are_not_searched_any_more() -> None:
    search = searcher(proof_nodes=1, proof_visits=30)
    search.move_to(HEXO.replay(BEGUN))
    visits = []
    for _ in range(2):
        search.grow(1500)
        edges = slice(0, int(search.tree.used[EDGES]))
        children, priors = search.tree.child[edges], search.tree.prior[edges]
        left_out = children[(priors == REFUTED) & (children != NOTHING)]
        visits.append({int(child): int(search.tree.visits[child]) for child in left_out})
    assert visits[0]
    assert visits[0].items() <= visits[1].items()


def test_a_kept_tree_that_knows_of_a_win_plays_it() -> None:
    position = HEXO.replay(BEGUN)
    search = searcher(proof_nodes=1, proof_visits=30)
    search.move_to(position)
    search.grow(2000)
    lost = [each.turn for each in search.candidates(9999) if each.result == 0]
    for turn in lost:
        search.move_to(position)
        search.move_to(position.play(turn))
        search.grow(1)
        if not search.solved:
            search.prove(3000)
        assert search.candidates(1)[0].result == 1
    assert lost


def test_a_proof_at_the_root_that_is_halted_proves_nothing_and_may_be_made_later() -> None:
    search = searcher(proof_nodes=1)
    search.move_to(HEXO.replay(WON))
    search.grow(1)
    search.halt()
    search.prove(2000)
    assert not search.solved
    assert search.may_prove
    search.halt_in(None)
    search.prove(2000)
    assert search.candidates(1)[0].result == 1


@pytest.mark.parametrize("name", ["bluestone", "blooms", "stargazers"])
def test_a_game_without_a_prover_is_searched_as_before(name: str) -> None:
    game = engine.game(name)
    found = []
    for nodes in (0, 300):
        search = searcher(game, proof_nodes=nodes)
        search.move_to(game.start())
        search.grow(50)
        if search.may_prove:
            search.prove(1000)
        assert not search.may_prove
        search.grow(50)
        found.append(search.candidates(3))
    assert found[0] == found[1]
