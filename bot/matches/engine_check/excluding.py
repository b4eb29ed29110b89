"""Steps about turns that are not to be chosen; an engine need not be able to be told."""

from collections.abc import Collection
from itertools import islice
from typing import Final

import engine
from bot.matches.engine_check.step import Failed, Skipped, Step
from bot.matches.engine_check.talk import Talk

ROUNDS: Final = 3
"""So many of its own turns are excluded, one after another."""
FEWEST: Final = 3
MOST: Final = 400
"""A position of which all turns are named has so many: the line must not become too long."""
GO: Final = "nodes 50"


async def chooses_another_than_its_own(talk: Talk) -> str:
    _check_offered(talk)
    await talk.play_on(talk.game)
    start = talk.game.start()
    position = start.play(next(start.legal_turns()))
    excluded = list[str]()
    for _ in range(ROUNDS):
        excluded.append(_turned(await _chosen(talk, position, excluded)))
    last = await _chosen(talk, position, excluded)
    await _exclude(talk, ())
    return f"{last} instead of {' '.join(excluded)}"


async def chooses_the_only_one_left(talk: Talk) -> str:
    """Twice, so that the second list has to take the place of the first."""
    _check_offered(talk)
    position = await _with_few_turns(talk)
    turns = _turns(position)
    for kept in sorted(turns, key=_stones)[-2:]:
        await _chosen(talk, position, [_turned(each) for each in turns if each != kept])
    await _exclude(talk, ())
    return f"of {len(turns)}"


async def chooses_though_none_is_left(talk: Talk) -> str:
    _check_offered(talk)
    position = await _with_few_turns(talk)
    turns = _turns(position)
    await _exclude(talk, turns)
    await talk.search(position, GO)
    await _exclude(talk, ())
    return f"of {len(turns)}"


# ---- inside ------------------------------------------------------------------------------------


def _check_offered(talk: Talk) -> None:
    if "exclude" not in talk.options:
        raise Skipped("not offered: it has no option Exclude")


async def _chosen(talk: Talk, position: engine.Position, excluded: Collection[str]) -> str:
    await _exclude(talk, excluded)
    turn, _ = await talk.search(position, GO)
    if engine.stones_of(turn) in map(engine.stones_of, excluded):
        raise Failed(f"plays {turn}, which is excluded")
    return turn


async def _exclude(talk: Talk, turns: Collection[str]) -> None:
    name = talk.options["exclude"].name
    await talk.ready(f"setoption name {name} value {' '.join(turns)}".rstrip())


async def _with_few_turns(talk: Talk) -> engine.Position:
    """One near the end of a random game. Raises Skipped."""
    await talk.play_on(talk.game)
    played = engine.play_out(talk.game).turns
    for plies in reversed(range(len(played))):
        position = talk.game.replay(played[:plies])
        if FEWEST <= len(_turns(position)) <= MOST:
            return position
    raise Skipped(f"no position of {talk.game.name} with few turns was found")


def _turns(position: engine.Position) -> list[str]:
    """Each in one of its orders; more than `MOST` are not looked for."""
    different = {engine.stones_of(turn): turn for turn in islice(position.legal_turns(), 2 * MOST)}
    return list(different.values())


def _stones(turn: str) -> int:
    return len(engine.stones_of(turn))


def _turned(turn: str) -> str:
    """The same turn in the other order of its stones."""
    return ",".join(reversed(turn.split(",")))


EXCLUDING: Final = (
    Step("excluded turn", "another legal `bestmove`, in whatever order of the stones",
         chooses_another_than_its_own),
    Step("excluded all but one", "that one", chooses_the_only_one_left),
    Step("excluded all", "a legal `bestmove`", chooses_though_none_is_left),
)  # fmt: skip
