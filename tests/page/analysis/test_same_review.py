"""The analysis of a game on a device has the turns, values and marks of the server's."""

import random
from typing import Any

import pytest

import engine
from bot import wire
from bot.arena.analysis.game_review import GameReview
from tests.ahead import PATIENCE_S, built
from tests.page.scripts import answers

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]


def lines_of(position: engine.Position, chance: random.Random) -> list[wire.AnalysisLine]:
    """The lines of an engine that guesses."""
    turns = {position.random_turn(chance) for _ in range(3)}
    return [
        wire.AnalysisLine(turn=turn, value=round(chance.random(), 3), visits=9, pv=[turn])
        for turn in sorted(turns)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_each_turn_is_judged_as_on_the_server(seed: int) -> None:
    chance = random.Random(seed)
    game = engine.game("bluestone", board="pent-4")
    last = engine.play_out(game, seed)
    setup = {"game": "bluestone", "board": "pent-4", "rules": game.rule_set, "options": {}}
    review = GameReview("g", wire.AnalysisSetup(**setup), last)
    lines: dict[str, list[dict[str, Any]]] = {}
    while (sought := review.next()) is not None:
        found = lines_of(game.replay(sought.turns), chance)
        before = game.replay(last.turns[: sought.ply])
        if sought.after_choice is None and not before.over and chance.random() < 0.3:
            agreed = last.turns[sought.ply]
            found[0] = found[0].model_copy(update={"turn": agreed, "pv": [agreed]})
        lines["_".join(game.replay(sought.turns).turns)] = [
            each.model_dump(mode="json") for each in found
        ]
        review.found(sought, found)
    state = wire.GameAnalysis(game_id="g", revision=0, state="running")
    there = [turn.model_dump(mode="json") for turn in review.analysis(state).turns]
    folder = str(built("bluestone"))
    [here] = answers("analysis/review.js", [("analysed", folder, setup, last.turns, lines)])
    assert len(there) == len(last.turns)
    assert here == there
