"""All steps in order, and the run of an engine through them."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final

import engine
from bot.engines.channel import with_box_hint
from bot.engines.check.manners import ENDINGS, MANNERS
from bot.engines.check.positions import EXCLUDING, POSITIONS
from bot.engines.check.searches import SEARCHES
from bot.engines.check.step import Finding, NotPassed, Step, Talk, Verdict
from bot.engines.check.timed_games import TIMED_GAMES
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure
from bot.time_source import TimeSource

SCRIPT: Final[tuple[Step, ...]] = (
    *MANNERS,
    *POSITIONS,
    *SEARCHES,
    *TIMED_GAMES,
    *EXCLUDING,
    *ENDINGS,
)
EngineCheck = Callable[
    [EngineSpec, TimeSource, Callable[[Finding], None]], Coroutine[Any, Any, list[Finding]]
]
"""Takes an engine through all steps of its protocol, and reports each finding at once."""
MOST_SENT: Final = 40
"""Lines of a step that are kept to be shown, from its end."""


async def check_engine(
    spec: EngineSpec,
    time: TimeSource,
    on_finding: Callable[[Finding], None] = lambda _: None,
    steps: Sequence[Step] = SCRIPT,
    introduce: Callable[[Talk], Awaitable[None]] | None = None,
    game: engine.Game | None = None,
) -> list[Finding]:
    """Return a finding for each step. After a failed step the engine is restarted, and `introduce`
    brings it to the state after the first steps. `game` is what an engine without the option Game
    plays; by default its default game, or Bluestone.

    If an essential step fails, all others are skipped. Raises EngineStartError if even the guardian
    does not start.
    """
    check = _Check(spec, time, introduce or _introduced, game)
    findings: list[Finding] = []
    try:
        for step in steps:
            findings.append(await check.finding(step))
            on_finding(findings[-1])
    finally:
        await check.close()
    return findings


class _Check:
    def __init__(
        self,
        spec: EngineSpec,
        time: TimeSource,
        introduce: Callable[[Talk], Awaitable[None]],
        game: engine.Game | None,
    ) -> None:
        self._spec = spec
        self._game = game
        self._introduce = introduce
        self._time = time
        self._talk: Talk | None = None
        self._has_greeted = False
        self._lacking: str | None = None

    async def finding(self, step: Step) -> Finding:
        if self._lacking is not None:
            return Finding(step.name, (), step.expected, "skipped", f"failed in: {self._lacking}")
        talk = await self._talk_for(step)
        talk.sent.clear()
        verdict, seen = await _outcome(step, talk)
        if verdict == "fail":
            seen = (
                with_box_hint(self._spec, seen) if step.essential else seen + talk.hint_after(seen)
            )
        sent = tuple(talk.sent[-MOST_SENT:])
        self._has_greeted |= step.name == "hello" and verdict == "pass"
        if step.essential and verdict == "fail":
            self._lacking = step.name
        if verdict == "fail" or step.fresh or not talk.alive:
            await self.close()
        return Finding(step.name, sent, step.expected, verdict, seen)

    async def close(self) -> None:
        talk, self._talk = self._talk, None
        if talk is not None:
            await talk.kill()

    async def _talk_for(self, step: Step) -> Talk:
        if step.fresh:
            await self.close()
        if self._talk is None:
            self._talk = await Talk.begun(self._spec, self._time)
            self._talk.chosen = self._game
            if self._has_greeted and not step.fresh:
                with suppress(NotPassed, EngineFailure):  # the step itself reports it
                    await self._introduce(self._talk)
        return self._talk


async def _introduced(talk: Talk) -> None:
    await talk.greet()
    talk.game = default_game(talk)
    await talk.ready()


async def _outcome(step: Step, talk: Talk) -> tuple[Verdict, str]:
    try:
        seen = await step.run(talk)
    except NotPassed as problem:
        return problem.verdict, str(problem)
    except EngineFailure as error:
        return "fail", error.message
    if step.name == "hello":
        talk.game = default_game(talk)
    return "pass", seen or ""


def default_game(talk: Talk) -> engine.Game:
    """Return the chosen game, or the one that the engine plays by default, if the rules know it."""
    if talk.chosen is not None:
        return talk.chosen
    chosen = {
        name: option.default
        for name in ("game", "board", "rules")
        if (option := talk.options.get(name)) is not None
    }
    try:
        return engine.game(
            chosen.get("game") or "bluestone", chosen.get("board"), chosen.get("rules")
        )
    except engine.UnknownGame:
        return engine.game("bluestone")
