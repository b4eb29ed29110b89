"""The check of an engine that speaks Six: its steps in order."""

from functools import partial
from typing import Final

import engine
from bot.engines.check.script import EngineCheck, check_engine
from bot.engines.check.step import ANSWER_S, READY_S, Failed, Skipped, Step, Talk, Warned
from bot.engines.protocol import kind_of
from bot.guests.hexo.six_dialogue import position_line
from bot.guests.hexo.turns import OPENING, turn_of, without_surplus

STOP_S: Final = 1.0
LATE_MS: Final = 500
LONG_MS: Final = 60_000
GAME_TURNS: Final = 30
TURN_MS: Final = 100
MIDDLE: Final = (OPENING, "1:0,0:1", "-1:1,1:-1", "2:-1,-2:1", "3:0,0:-1")
FIVE: Final = (OPENING, "0:1,0:2", "1:0,2:0", "0:3,1:1", "3:0,4:0", "5:5,6:6")
"""x has five in a row, and is to move."""


class SixRefusal(Failed):
    """The engine answers by `error`."""


async def introduced(talk: Talk) -> None:
    """Bring a new engine to the state after the first steps."""
    await says_hello(talk)
    await talk.ready()


async def says_hello(talk: Talk) -> str:
    talk.say("six")
    talk.hello = await talk.until("sixok", READY_S)
    return f"{len(talk.hello)} lines"


async def says_who_it_is(talk: Talk) -> str:
    texts = {words[1]: words[2] for line in talk.hello if len(words := line.split(maxsplit=2)) == 3}
    if "name" not in texts:
        raise Failed("no `id name`")
    if "version" not in texts:
        raise Warned("no `id version`")
    return f"{texts['name']} {texts['version']}"


async def is_ready(talk: Talk) -> None:
    await talk.ready("newgame")


async def survives_other_lines(talk: Talk) -> None:
    lines = await talk.ready("nonsense 1 2", "stop", within_s=ANSWER_S)
    if any(kind_of(line) == "bestmove" for line in lines):
        raise Failed("a `bestmove` without a search")


async def plays_the_opening(talk: Talk) -> str:
    return await _turn(talk, (), f"movetime {TURN_MS}")


async def plays_a_turn(talk: Talk) -> str:
    return await _turn(talk, (OPENING,), f"movetime {TURN_MS}")


async def plays_in_the_middle(talk: Talk) -> str:
    return await _turn(talk, MIDDLE, f"movetime {TURN_MS}")


async def wins_with_one_stone(talk: Talk) -> str:
    turn, line = await _answer(talk, FIVE, "movetime 1000")
    if not engine.game("hexo").replay([*FIVE, turn]).over:
        raise Warned(f"does not win at once, and plays {turn}")
    if len(line.split()) > 3 and "," not in turn:
        raise Warned(f"names a second cell after the one that wins: {line}")
    return turn


async def keeps_its_time(talk: Talk) -> str:
    began = talk.now()
    await _turn(talk, MIDDLE, "movetime 500")
    took = round((talk.now() - began) * 1000)
    if took > 500 + LATE_MS:
        raise Warned(f"took {took} ms of 500; use `turn_nodes` if it keeps no time")
    return f"{took} ms"


async def counts_nodes(talk: Talk) -> str:
    try:
        return await _turn(talk, MIDDLE, "nodes 100")
    except SixRefusal as error:
        raise Skipped(f"it does not count nodes: {error}") from None


async def plays_by_the_clock(talk: Talk) -> str:
    return await _turn(talk, MIDDLE, "xtime 20000 otime 20000 xinc 100 oinc 100")


async def stops(talk: Talk) -> str:
    talk.say(position_line(MIDDLE), f"go movetime {LONG_MS}")
    early = await talk.for_a_while(0.3)
    if any(kind_of(line) == "bestmove" for line in early):
        raise Skipped(f"it answered a search of {LONG_MS // 1000} s at once")
    talk.say("stop")
    began = talk.now()
    line = (await talk.until("bestmove", ANSWER_S))[-1]
    took = talk.now() - began
    if took > STOP_S:
        raise Failed(f"answered {took:.1f} s after `stop`")
    return line


async def is_ready_while_it_thinks(talk: Talk) -> None:
    talk.say(position_line(MIDDLE), f"go movetime {LONG_MS}", "isready")
    lines = await talk.until("readyok", ANSWER_S)
    if any(kind_of(line) == "bestmove" for line in lines):
        raise Skipped("it answered before it was asked")
    talk.say("stop")
    await talk.until("bestmove", ANSWER_S)


async def refuses_an_illegal_position(talk: Talk) -> str:
    lines = await talk.ready("position radius 8 moves 0 0 0 0 1 0", within_s=ANSWER_S)
    errors = [line for line in lines if kind_of(line) == "error"]
    if not errors:
        raise Warned("no `error` for a stone on an occupied cell")
    return errors[0]


async def plays_a_game(talk: Talk) -> str:
    """Both sides of a game; each turn must be legal and nearly in time."""
    await talk.ready("newgame")
    position, slowest = engine.game("hexo").start(), 0
    while not position.over and len(position.turns) < GAME_TURNS:
        began = talk.now()
        position = position.play(await _turn(talk, position.turns, f"movetime {TURN_MS}"))
        slowest = max(slowest, round((talk.now() - began) * 1000))
    if slowest > TURN_MS + LATE_MS:
        raise Warned(f"its slowest turn took {slowest} ms of {TURN_MS}")
    return f"{len(position.turns)} turns, the slowest in {slowest} ms"


async def quits(talk: Talk) -> None:
    talk.say("quit")
    await talk.ended()


async def ends_with_its_input(talk: Talk) -> None:
    talk.end_input()
    await talk.ended()


async def _turn(talk: Talk, turns: tuple[str, ...], go: str) -> str:
    """Search and return the turn, which is legal. Raises Failed."""
    return (await _answer(talk, turns, go))[0]


async def _answer(talk: Talk, turns: tuple[str, ...], go: str) -> tuple[str, str]:
    """Search and return the turn, which is legal, and the line of the answer. Raises Failed."""
    position = engine.game("hexo").replay(turns)
    talk.say(position_line(turns), f"go {go}")
    line = (await talk.until_any(("bestmove", "error"), READY_S))[-1]
    if kind_of(line) == "error":
        raise SixRefusal(line[:80])
    try:
        cells = [int(number) for number in line.split()[1:]]
        turn = turn_of(zip(cells[::2], cells[1::2], strict=True))
        turn = without_surplus(position, turn)
        position.play(turn)
    except (ValueError, engine.IllegalTurn) as error:
        raise Failed(f"{line[:80]!r}: {error}") from None
    return turn, line


SIX_SCRIPT: Final[tuple[Step, ...]] = (
    Step("hello", "`six`: id lines and `sixok`", says_hello, essential=True),
    Step("identity", "`id name` and `id version`", says_who_it_is),
    Step("isready", "`readyok` after `newgame`", is_ready, essential=True),
    Step("other lines", "unknown lines and `stop` do no harm", survives_other_lines),
    Step("opening", "one cell, 0 0, on the empty board", plays_the_opening),
    Step("turn", "two cells, both legal", plays_a_turn, essential=True),
    Step("middle game", "two cells, both legal", plays_in_the_middle),
    Step("win", "one cell, which wins", wins_with_one_stone),
    Step("movetime", f"an answer within 500 ms and {LATE_MS} more", keeps_its_time),
    Step("nodes", "an answer to `go nodes 100`", counts_nodes),
    Step("clocks", "an answer to `go xtime otime xinc oinc`", plays_by_the_clock),
    Step("stop", f"an answer within {STOP_S:g} s after `stop`", stops),
    Step("isready in a search", "`readyok` before `bestmove`", is_ready_while_it_thinks),
    Step("illegal position", "`error`", refuses_an_illegal_position),
    Step("game", f"{GAME_TURNS} legal turns against itself, in time", plays_a_game),
    Step("quit", "it ends", quits, fresh=True),
    Step("end of input", "it ends", ends_with_its_input, fresh=True),
)


def checked() -> tuple[EngineCheck, int]:
    """Return the check of an engine that speaks Six, and its number of steps."""
    return partial(check_engine, steps=SIX_SCRIPT, introduce=introduced), len(SIX_SCRIPT)
