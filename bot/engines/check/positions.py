"""Steps about positions, queries, and excluded turns."""

from collections.abc import Collection
from itertools import islice
from typing import Final

import engine
from bot.engines.check.step import Failed, Skipped, Step, Talk, Warned

SILENT_S: Final = 0.3


async def knows_who_is_to_move(talk: Talk) -> None:
    start = await _at_start(talk)
    await _check_response(talk, start, "p1turn", "true")
    await _check_response(talk, start.play(next(start.legal_turns())), "p1turn", "false")


async def knows_that_a_game_goes_on(talk: Talk) -> None:
    start = await _at_start(talk)
    await _check_response(talk, start, "gameover", "false")
    await _check_response(talk, start, "result", "none")


async def knows_that_a_game_is_over(talk: Talk) -> None:
    await talk.play_on(talk.game)
    last = engine.play_out(talk.game)
    await _check_response(talk, last, "gameover", "true")
    result = "draw" if last.winner is None else f"p{last.winner}win"
    await _check_response(talk, last, "result", result)


async def refuses_an_illegal_turn(talk: Talk) -> str:
    await talk.play_on(talk.game)
    lines = await talk.ready("position startpos moves zz-99")
    errors = [line for line in lines if line.split()[0] == "error"]
    if not errors:
        raise Failed("no `error`")
    return errors[0][:80]


async def names_the_illegal_turn(talk: Talk) -> None:
    await talk.play_on(talk.game)
    turn = next(talk.game.start().legal_turns())
    lines = await talk.ready(f"position startpos moves {turn} {turn}")
    if not any(line.startswith("error illegal turn 2") for line in lines):
        raise Warned("no `error illegal turn 2: ...` for a stone on an occupied cell")


async def has_no_position_after_it(talk: Talk) -> None:
    lines = await talk.ready("position startpos moves zz-99", "go nodes 1")
    lines += await talk.for_a_while(SILENT_S)
    if any(line.split()[0] == "bestmove" for line in lines):
        raise Failed("searches from a position that cannot be reached")


async def reads_a_long_list_of_turns(talk: Talk) -> str:
    """Send the whole of a random game except its last turn."""
    await talk.play_on(talk.game)
    turns = engine.play_out(talk.game).turns[:-1]
    await talk.search(talk.game.replay(turns), "nodes 10")
    return f"{len(turns)} turns"


async def begins_another_game(talk: Talk) -> None:
    await talk.play_on(talk.game)
    await talk.search(talk.game.replay(engine.play_out(talk.game).turns[:4]), "nodes 10")
    await talk.ready("uginewgame")
    await talk.search(talk.game.start(), "nodes 10")


async def _at_start(talk: Talk) -> engine.Position:
    await talk.play_on(talk.game)
    return talk.game.start()


async def _check_response(talk: Talk, position: engine.Position, word: str, right: str) -> None:
    talk.place(position)
    talk.say(f"query {word}")
    line = (await talk.until("response"))[-1]
    if line.split()[1:] != [right]:
        raise Failed(f"answers {line[:80]!r} to `query {word}`; {right} is correct")


POSITIONS: Final = (
    Step("query p1turn", "`response true`, a turn later `false`", knows_who_is_to_move),
    Step("query while the game goes on", "`response false`, `response none`",
         knows_that_a_game_goes_on),
    Step("query after a game", "`response true`, and the winner", knows_that_a_game_is_over),
    Step("illegal turn", "`error illegal turn 1: ...`", refuses_an_illegal_turn),
    Step("go without a position", "no `bestmove`", has_no_position_after_it),
    Step("illegal second turn", "`error illegal turn 2: ...`", names_the_illegal_turn),
    Step("long list of turns", "a legal `bestmove`", reads_a_long_list_of_turns),
    Step("uginewgame", "a legal `bestmove` in the new game", begins_another_game),
)  # fmt: skip


ROUNDS: Final = 3
"""The number of the engine's own turns that are excluded, one after another."""
FEWEST: Final = 3
MOST: Final = 400
"""The maximal number of turns of a position if all are named, so that the line is not too long."""
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
    """Run it twice, so that the second list must replace the first."""
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
        raise Failed(f"plays {turn}, although it is excluded")
    return turn


async def _exclude(talk: Talk, turns: Collection[str]) -> None:
    name = talk.options["exclude"].name
    await talk.ready(f"setoption name {name} value {' '.join(turns)}".rstrip())


async def _with_few_turns(talk: Talk) -> engine.Position:
    """Return a position near the end of a random game. Raises Skipped."""
    await talk.play_on(talk.game)
    played = engine.play_out(talk.game).turns
    for plies in reversed(range(len(played))):
        position = talk.game.replay(played[:plies])
        if FEWEST <= len(_turns(position)) <= MOST:
            return position
    raise Skipped(f"found no position of {talk.game.name} with few turns")


def _turns(position: engine.Position) -> list[str]:
    """Return each turn in one order of its stones, up to `MOST` turns."""
    different = {engine.stones_of(turn): turn for turn in islice(position.legal_turns(), 2 * MOST)}
    return list(different.values())


def _stones(turn: str) -> int:
    return len(engine.stones_of(turn))


def _turned(turn: str) -> str:
    """Return the same turn with its stones in the other order."""
    return ",".join(reversed(turn.split(",")))


EXCLUDING: Final = (
    Step("excluded turn", "another legal `bestmove`, in any order of the stones",
         chooses_another_than_its_own),
    Step("excluded all but one", "that one", chooses_the_only_one_left),
    Step("excluded all", "a legal `bestmove`", chooses_though_none_is_left),
)  # fmt: skip
