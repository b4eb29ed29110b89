"""Where the games of a tournament are played."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from bot.matches.event import LocalEvent
from bot.matches.host import Play
from bot.matches.local_games import LocalGames
from bot.time_source import TimeSource

Note = Callable[[str], None]
Venue = Callable[[LocalEvent, TimeSource, Note], AbstractAsyncContextManager[tuple[Play, int]]]
"""Gives what plays games, and how many are to be begun at once; says what a person should know.
May raise ConfigurationError when it is entered.
"""


@asynccontextmanager
async def this_machine(
    event: LocalEvent,
    time: TimeSource,
    note: Note,  # noqa: ARG001 (it is other venues that have something to say)
) -> AsyncIterator[tuple[Play, int]]:
    async with LocalGames.open(time) as games:
        await games.check(event.specs())
        yield games.play, event.settings.concurrency
