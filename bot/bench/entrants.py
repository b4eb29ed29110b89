"""Entrants of one tournament: a request `play` to their client process, from first to last."""

import asyncio
import random
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel

from bot.bench.clients.frames import Json
from bot.bench.clients.guests import Guest
from bot.bench.clients.roles import Notify, Plan
from bot.bench.clients.sources import Sources
from bot.bench.entrant import Entrant
from bot.bench.turn_book import TurnBook


class Absence(BaseModel):
    """When so many games have ended, the player of that place goes away."""

    games: int
    player: int


class EntrantsPlan(BaseModel):
    """The request `play`. Absences are in their order; all times are seconds."""

    tournament_id: str
    tokens: list[str]
    pause_s: float
    absences: list[Absence]
    away_s: float


NOBODY: Final[Sequence[Guest]] = ()


class Entrants:
    """They come in with `play`, which is answered with what they were `Told` when it is over.

    Notices: `entered`, `left` and `back` name players, `ended` the round of a game.
    """

    guests = NOBODY

    def __init__(self, plan: Plan, sources: Sources, notify: Notify) -> None:
        self._plan = plan
        self._sources = sources
        self._notify = notify
        self._book = TurnBook(lambda of_round: notify({"ended": of_round}))

    async def answer(self, request: Json) -> object:
        plan = EntrantsPlan.model_validate(request["plan"])
        entrants = self._entrants(plan)
        try:
            async with asyncio.TaskGroup() as group:
                away = group.create_task(self._send_away(plan, entrants))
                playing = [
                    group.create_task(each.run(self._plan.address, plan.away_s))
                    for each in entrants
                ]
                await self._book.until_over()
                for task in (away, *playing):
                    task.cancel()
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return self._book.told().model_dump(mode="json")

    def _entrants(self, plan: EntrantsPlan) -> list[Entrant]:
        sessions = self._sources.sessions(self._plan.sources, len(plan.tokens))
        return [
            Entrant(
                token,
                plan.tournament_id,
                session,
                self._book,
                random.Random(f"{self._plan.seed} {place}"),
                plan.pause_s,
                self._notify,
            )
            for place, (token, session) in enumerate(zip(plan.tokens, sessions, strict=True))
        ]

    async def _send_away(self, plan: EntrantsPlan, entrants: Sequence[Entrant]) -> None:
        for absence in plan.absences:
            await self._book.until_games_ended(absence.games)
            if self._book.is_over:
                return
            entrants[absence.player].go_away()
