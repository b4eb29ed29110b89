"""Steps about searching: limits, stopping, pondering, and output during a search."""

from collections.abc import Awaitable, Callable
from typing import Final

import engine
from bot.engines.check.step import ANSWER_S, Failed, Skipped, Step, Talk, Warned
from bot.engines.protocol import kind_of

PROMPT_MS: Final = 100
"""Milliseconds that the protocol allows after `stop`."""
SLOW_MS: Final = 1000
"""Milliseconds after which an engine is late even on a busy machine."""
TRIES: Final = 3
PONDER_S: Final = 0.3
MOST_TURNS: Final = 40
SMALL_BOARDS: Final = {"bluestone": "pent-3", "blooms": "hexhex-4"}


async def answers_after_nodes(talk: Talk) -> None:
    start = await _begun(talk)
    await talk.search(start, "nodes 100")


async def says_one_turn_a_search(talk: Talk) -> None:
    start = await _begun(talk)
    await talk.search(start, "nodes 10")
    await _check_no_turn(talk, "names another turn without a question")


async def keeps_to_a_movetime(talk: Talk) -> str:
    start = await _begun(talk)

    async def once() -> float:
        began = talk.now()
        await talk.search(start, "movetime 200")
        return (talk.now() - began) * 1000 - 200

    return await _prompt(once, "over the 200 ms", "less than the 200 ms")


async def keeps_to_a_clock(talk: Talk) -> str:
    start = await _begun(talk)
    began = talk.now()
    await talk.search(start, "p1time 2000 p2time 2000 p1inc 100 p2inc 100")
    took = (talk.now() - began) * 1000
    if took > 2000:
        raise Failed(f"took {took:.0f} ms of 2000 ms")
    return f"{took:.0f} ms of 2000 ms"


async def does_not_lose_with_little_time(talk: Talk) -> str:
    start = await _begun(talk)

    async def once() -> float:
        began = talk.now()
        await talk.search(start, "p1time 100 p2time 100 p1inc 0 p2inc 0")
        return (talk.now() - began) * 1000 - 100

    return await _prompt(once, "over the 100 ms", "less than the 100 ms")


async def searches_until_it_is_stopped(talk: Talk) -> str:
    start = await _begun(talk)

    async def once() -> float:
        talk.place(start)
        talk.say("go infinite")
        await _check_no_turn(talk, "`go infinite` ends before `stop`")
        return await _stopped(talk, start)

    return await _prompt(once, "after `stop`")


async def is_ready_while_it_searches(talk: Talk) -> None:
    start = await _begun(talk)
    talk.place(start)
    talk.say("go infinite")
    if any(kind_of(line) == "bestmove" for line in await talk.ready(within_s=ANSWER_S)):
        raise Failed("ends its search at `isready`")
    await _stopped(talk, start)


async def ignores_a_second_go(talk: Talk) -> None:
    start = await _begun(talk)
    talk.place(start)
    talk.say("go infinite", "go nodes 10")
    await _check_no_turn(talk, "ends its search for the second one")
    await _stopped(talk, start)
    await _check_no_turn(talk, "answers twice")


async def ponders_until_ponderhit(talk: Talk) -> None:
    start = await _begun(talk)
    talk.place(start)
    talk.say("go movetime 50 ponder")
    await _check_no_turn(talk, "answers before `ponderhit`")
    talk.say("ponderhit")
    talk.turn_of(start, (await talk.until("bestmove"))[-1])


async def ponders_until_it_is_stopped(talk: Talk) -> None:
    start = await _begun(talk)
    talk.place(start)
    talk.say("go movetime 50 ponder")
    await _check_no_turn(talk, "answers before `stop`")
    await _stopped(talk, start)


async def tells_its_chances(talk: Talk) -> str:
    start = await _begun(talk)
    _, lines = await talk.search(start, "nodes 500")
    infos = [line.split() for line in lines if kind_of(line) == "info"]
    told = [words[words.index("winrate") + 1] for words in infos if "winrate" in words[:-1]]
    if not told:
        raise Warned("reports no winrate, so its games cannot be adjudicated")
    for text in told:
        number = _number(text)
        if number is None or not 0 <= number <= 1:
            raise Failed(f"winrate {text} is not between 0 and 1")
    return f"winrate {told[-1]}"


async def repeats_itself_by_its_seed(talk: Talk) -> str:
    if "seed" not in talk.options:
        raise Skipped("it has no option Seed")
    turns = []
    for _ in range(2):
        await talk.play_on(talk.game, Seed=1)
        turns.append((await talk.search(talk.game.start(), "nodes 200"))[0])
    if turns[0] != turns[1]:
        raise Warned(f"plays {turns[0]} and {turns[1]} with the same seed and nodes")
    return turns[0]


def plays(name: str) -> Callable[[Talk], Awaitable[None]]:
    """Return a step that plays the game of that name."""

    async def play(talk: Talk) -> None:
        option = talk.options.get("game")
        if option is None or (option.choices and name not in option.choices):
            raise Skipped(f"it does not offer {name}")
        game = engine.game(name)
        await talk.play_on(game)
        turn, _ = await talk.search(game.start(), "nodes 50", within_s=4 * ANSWER_S)
        await talk.search(game.start().play(turn), "nodes 50", within_s=4 * ANSWER_S)

    return play


async def plays_a_game_against_itself(talk: Talk) -> str:
    game = talk.game
    if talk.chosen is None and "board" in talk.options and game.name in SMALL_BOARDS:
        game = engine.game(game.name, SMALL_BOARDS[game.name])
    await talk.play_on(game)
    position = game.start()
    while not position.over and len(position.turns) < MOST_TURNS:
        turn, _ = await talk.search(position, "nodes 20")
        position = position.play(turn)
    await talk.play_on(talk.game)
    return f"{len(position.turns)} turns on {game.board.name}"


# ---- inside ------------------------------------------------------------------------------------


async def _begun(talk: Talk) -> engine.Position:
    await talk.play_on(talk.game)
    return talk.game.start()


async def _stopped(talk: Talk, position: engine.Position) -> float:
    """Return the milliseconds from `stop` to a legal turn."""
    began = talk.now()
    talk.say("stop")
    line = (await talk.until("bestmove"))[-1]
    took = (talk.now() - began) * 1000
    talk.turn_of(position, line)
    return took


async def _check_no_turn(talk: Talk, problem: str) -> None:
    if any(kind_of(line) == "bestmove" for line in await talk.for_a_while(PONDER_S)):
        raise Failed(problem)


async def _prompt(once: Callable[[], Awaitable[float]], late: str, early: str = "") -> str:
    """Return the verdict on the best of several attempts, because the machine may be busy."""
    best = await once()
    for _ in range(TRIES - 1):
        if best > PROMPT_MS:
            best = min(best, await once())
    text = f"{abs(best):.0f} ms {early if best < 0 else late}"
    if best > SLOW_MS:
        raise Failed(text)
    if best > PROMPT_MS:
        raise Warned(text)
    return text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


SEARCHES: Final = (
    Step("go nodes", "a legal `bestmove`", answers_after_nodes),
    Step("one answer", "one `bestmove` for one `go`", says_one_turn_a_search),
    Step("go movetime", f"a legal `bestmove` in 200 ms and {PROMPT_MS} more", keeps_to_a_movetime),
    Step("go with clocks", "a legal `bestmove` within the clock", keeps_to_a_clock),
    Step("go with 0.1 s left", f"a legal `bestmove`, at most {PROMPT_MS} ms over the clock",
         does_not_lose_with_little_time),
    Step("go infinite, stop", f"`bestmove` within {PROMPT_MS} ms of `stop`, not before",
         searches_until_it_is_stopped),
    Step("ready while it searches", "`readyok`, and the search continues",
         is_ready_while_it_searches),
    Step("two searches at once", "one `bestmove`", ignores_a_second_go),
    Step("ponder, ponderhit", "`bestmove` after `ponderhit`, not before", ponders_until_ponderhit),
    Step("ponder, stop", "`bestmove` after `stop`, not before", ponders_until_it_is_stopped),
    Step("winrate", "`info` with a winrate between 0 and 1", tells_its_chances),
    Step("same seed", "the same turn", repeats_itself_by_its_seed),
    *(Step(f"game {info.name}", "two legal turns", plays(info.name)) for info in engine.games()),
    Step("a game against itself", "legal turns to the end", plays_a_game_against_itself),
)  # fmt: skip
