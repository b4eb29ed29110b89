"""Tournaments that the arena hosts, one after another, and checks of their events."""

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

import aiohttp

from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.errors import HostError
from bot.tournaments.events import ANY_EVENT, Began, Ended, Event, Finished
from bot.tournaments.state import ImpossibleEvent, Tournament
from lab.arena.exported_event import ExportedEvent, fetched, has_rows_of
from tests.chaos.ledger import Json, Ledger, Notes
from tests.chaos.players import Address, Player, address_finder

LOOK_S: Final = 0.5
STEADY_S: Final = 20.0
"""Seconds within which the events on disk and the page must once be read without a change."""
HTTP_S: Final = 5.0
ROUNDS: Final = 3


@dataclass(frozen=True)
class TournamentTerms:
    """The clock of the games, and after how many seconds a missing player forfeits one."""

    clock: str = "120+10"
    no_show_s: int = 120


@dataclass
class _Known:
    """The events of a tournament that were on the disk at the last look, as they are there."""

    events: list[str] = field(default_factory=list)
    is_checked: bool = False


class Tournaments:
    """`run` begins a tournament whenever the last one is over. `over` counts those that ended.

    `entrants` enter each of them; those that are not `bots` enter by themselves.
    """

    def __init__(
        self,
        data: Path | None,
        address: Address,
        ledger: Ledger,
        host: Player,
        bots: Sequence[Player],
        entrants: Sequence[str],
        terms: TournamentTerms,
    ) -> None:
        self.host = host
        self.bots = bots
        self.over = 0
        self._data = data
        self._address = address_finder(address)
        self._ledger = ledger
        self._entrants = entrants
        self._terms = terms
        self._number = 0
        self._known: dict[str, _Known] = {}

    async def run(self) -> NoReturn:
        timeout = aiohttp.ClientTimeout(total=HTTP_S)
        while True:
            await asyncio.sleep(LOOK_S)
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                async with aiohttp.ClientSession(self._address(), timeout=timeout) as http:
                    await self._go_on(http)

    async def _go_on(self, http: aiohttp.ClientSession) -> None:
        """Do the next step of the present tournament. Steps that were lost are repeated."""
        async with http.get("/api/tournaments", raise_for_status=True) as answer:
            shown = {each["name"]: each for each in (await answer.json())["tournaments"]}
        present = shown.get(self._name())
        if present is None:
            if self.host.is_here:
                await self.host.try_to("tournament.create", settings=self._settings())
        elif present["state"] == "open" and present["entrants"] < len(self._entrants):
            for bot in self.bots:
                if bot.is_here:
                    await bot.try_to("tournament.enter", tournament_id=present["tournament_id"])
        elif present["state"] == "open":
            if self.host.is_here:
                await self.host.try_to("tournament.start", tournament_id=present["tournament_id"])
        elif present["state"] in {"over", "cancelled"}:
            self.over += 1
            self._number += 1

    def _name(self) -> str:
        return f"Number {self._number}"

    def _settings(self) -> Json:
        return {
            "name": self._name(),
            "format": {"kind": "swiss", "rounds": ROUNDS},
            "setups": [{"game": "bluestone", "board": "pent-3", "clock": self._terms.clock}],
            "most_players": len(self._entrants),
            "no_show_s": self._terms.no_show_s,
            "no_shows": 100,
            "seed": self._number,
        }

    # ---- checks ------------------------------------------------------------------------------

    async def check(self) -> None:
        """Compare the events on disk with those of the last look, with the games that players
        saw, and with the standings that the arena shows.
        """
        async with aiohttp.ClientSession() as http:
            for tournament_id in self._ids():
                known = self._known.setdefault(tournament_id, _Known())
                if not known.is_checked:
                    await self._check_one(http, tournament_id, known)

    async def _check_one(
        self, http: aiohttp.ClientSession, tournament_id: str, known: _Known
    ) -> None:
        before = self._events(tournament_id)
        self._ledger.problems += went_back(tournament_id, known.events, before)
        try:
            async with asyncio.timeout(STEADY_S):
                while True:
                    shown = await fetched(http, self._address(), tournament_id)
                    known.events = self._events(tournament_id)
                    if known.events == before:
                        break
                    before = known.events
        except (HostError, TimeoutError) as error:
            self._ledger.problems.append(f"tournament {tournament_id}: not readable: {error}")
            return
        events = [ANY_EVENT.validate_json(event) for event in known.events]
        if not events:
            return
        found, tournament = impossible_events(events)
        found += self._differences(tournament_id, events)
        if tournament is not None and not has_rows_of(tournament, shown.state):
            found.append("the standings differ from those of the events on disk")
        if isinstance(events[-1], Ended):
            found += self._at_the_end(tournament_id, events, shown)
            known.is_checked = True
        self._ledger.problems += [f"tournament {tournament_id}: {problem}" for problem in found]

    def _differences(self, tournament_id: str, events: Sequence[Event]) -> list[str]:
        """Return results of games that differ from what their players saw."""
        found = []
        games = self._games_of(tournament_id)
        for event in events:
            if not isinstance(event, Finished) or event.game_id not in games:
                continue
            result = games[event.game_id].result
            if result is not None and result["winner"] != event.result.winner:
                found.append(f"game {event.game}: {event.result}, but players saw {result}")
        return found

    def _at_the_end(
        self, tournament_id: str, events: Sequence[Event], shown: ExportedEvent
    ) -> list[str]:
        """Return results that a tournament lacks or has twice when it is over."""
        counted = {event.game_id for event in events if isinstance(event, Finished)}
        found = [
            f"game {game_id} ended and has no result"
            for game_id, notes in self._games_of(tournament_id).items()
            if game_id not in counted and notes.result and notes.result["reason"] != "aborted"
        ]
        games = len(shown.games())
        expected = ROUNDS * (len(self._entrants) // 2)
        if (games, shown.once()) != (expected, expected):
            found.append(f"{games} games, {shown.once()} exported once, not {expected}")
        if contradictions := shown.contradictions():
            found.append(f"{contradictions} records do not replay")
        if not shown.has_same_standings():
            found.append("the standings differ from those of the exported records")
        return found

    def _games_of(self, tournament_id: str) -> dict[str, Notes]:
        return {
            game_id: notes
            for game_id, notes in self._ledger.games.items()
            if notes.tournament and notes.tournament["tournament_id"] == tournament_id
        }

    def _ids(self) -> list[str]:
        return [row[0] for row in self._rows("SELECT id FROM tournaments ORDER BY created_at")]

    def _events(self, tournament_id: str) -> list[str]:
        statement = "SELECT event FROM tournament_events WHERE tournament = ? ORDER BY number"
        return [row[0] for row in self._rows(statement, tournament_id)]

    def _rows(self, statement: str, *values: str) -> list[tuple[str]]:
        assert self._data is not None
        path = self._data / DATABASE
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)) as database:
            return database.execute(statement, values).fetchall()


def went_back(tournament_id: str, before: Sequence[str], now: Sequence[str]) -> list[str]:
    """Return a sentence if events that were on the disk are gone or changed."""
    for number, event in enumerate(before):
        if number >= len(now):
            return [f"tournament {tournament_id}: event {number} ({event}) is lost"]
        if json.loads(now[number]) != json.loads(event):
            return [f"tournament {tournament_id}: event {number} was {event}, is {now[number]}"]
    return []


def impossible_events(events: Sequence[Event]) -> tuple[list[str], Tournament | None]:
    """Return events that contradict each other, and the tournament unless there are any."""
    first, *others = events
    if not isinstance(first, Began):
        return [f"its first event is {first.kind}"], None
    finished = Counter(event.game for event in others if isinstance(event, Finished))
    found = [f"game {game} has {times} results" for game, times in finished.items() if times > 1]
    tournament = Tournament(first)
    try:
        for event in others:
            tournament.apply(event)
    except ImpossibleEvent as error:
        return [*found, str(error)], None
    return found, tournament
