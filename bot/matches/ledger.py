"""A tournament that is written down: every event is on the disk before it counts."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from bot.errors import ConfigurationError
from bot.matches.ledger_file import LEDGER, LedgerContent, append_events, read_ledger, set_aside
from bot.runtime.files import held
from bot.runtime.settings import spell
from bot.time_source import TimeSource
from bot.tournaments.events import Began, Event, Finished, Voided
from bot.tournaments.state import Tournament

FREE_SETTINGS: Final = frozenset({"concurrency"})
"""What may be another time than the first: the games are the same."""
SAID_AGAIN: Final = {"software", "paired_by", "machine", "name", "seed"}
"""Left out of the comparison: settings have them too, or another version or machine may go on."""
SHOWN: Final = 5


class Ledger:
    """Held by one host at a time, by `opened`."""

    def __init__(self, path: Path, content: LedgerContent, time: TimeSource) -> None:
        self.before = content.tournament
        """What was there; None for a new folder."""
        self.notes: list[str] = []
        """What a person should know of how it was found."""
        self._chain = content.chain
        self._path = path
        self._time = time
        self._tournament: Tournament | None = None

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, time: TimeSource) -> Iterator[Self]:
        """Raises HostError if another host has the folder or if it cannot be read and written;
        ConfigurationError if what is in it is damaged.
        """
        path = folder / LEDGER
        with held(folder, "lock", "another `bluestone` plays this tournament already"):
            content = read_ledger(path, keep_entries=False)
            ledger = cls(path, content, time)
            if content.cut:
                set_aside(path, content)
                ledger.notes.append(
                    f"{path}: the last line was cut off after {len(content.cut)} bytes, and is set "
                    "aside; what it said has not counted"
                )
            yield ledger

    @property
    def has_begun(self) -> bool:
        return self._tournament is not None

    @property
    def tournament(self) -> Tournament:
        """Once it has begun."""
        assert self._tournament is not None
        return self._tournament

    def begin(self, began: Began) -> None:
        """Go on with what was there, or begin a new one.

        Raises ConfigurationError if there is another one, HostError if it cannot be written.
        """
        if self.before is None:
            self._append(began)
            self._tournament = Tournament(began)
        else:
            _check_same(self._path, self.before.began, began)
            self._tournament = self.before

    async def add(self, event: Event) -> bool:
        """Write an event down, and apply it; False where a game had its result before.

        Raises HostError if it cannot be written, and it has then not happened.
        """
        if isinstance(event, Finished | Voided) and event.game in self.tournament.played:
            return False
        writing = asyncio.to_thread(self._append, event)
        await _to_its_end(asyncio.ensure_future(writing))
        self.tournament.apply(event)
        return True

    def _append(self, event: Event) -> None:
        self._chain = append_events(self._path, self._time.wall(), [event], self._chain)


async def _to_its_end(writing: asyncio.Future[None]) -> None:
    """Also when cancelled: nothing is written any more once another host can have the folder."""
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait([writing])
        raise


def _check_same(path: Path, before: Began, now: Began) -> None:
    old, new = (_flat(each.model_dump(mode="json", exclude=SAID_AGAIN)) for each in (before, now))
    differing = [
        f"{key}: {old.get(key)!r} there, {new.get(key)!r} now"
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    ]
    if differing:
        more = [f"and {len(differing) - SHOWN} more"] if len(differing) > SHOWN else []
        raise ConfigurationError(
            [
                f"{path}: a tournament with other settings; take another folder, or these settings",
                *(f"{path}: {line}" for line in (*differing[:SHOWN], *more)),
            ]
        )


def _flat(value: object, place: tuple[str | int, ...] = ()) -> dict[str, object]:
    """Down to single values, without what may change."""
    parts: list[tuple[str | int, Any]]
    if isinstance(value, Mapping) and value:
        parts = [(str(key), each) for key, each in value.items()]
    elif isinstance(value, list) and value:
        parts = list(enumerate(value))
    else:
        return {spell(place).removesuffix(": "): value}
    kept = [
        (key, each) for key, each in parts if place != ("settings",) or key not in FREE_SETTINGS
    ]
    return {name: leaf for key, each in kept for name, leaf in _flat(each, (*place, key)).items()}
