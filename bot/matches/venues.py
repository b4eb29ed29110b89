"""Where the games of a tournament are played."""

import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from bot.matches.host import Play
from bot.matches.local_games import LocalGames
from bot.matches.settings import LocalSettings
from bot.time_source import TimeSource

Note = Callable[[str], None]
OpenedVenue = AbstractAsyncContextManager[tuple[Play, int]]
Venue = Callable[[LocalSettings, TimeSource, Note], OpenedVenue]
"""Gives what plays games, and how many are to be begun at once; says what a person should know.
May raise ConfigurationError when it is entered.
"""


@asynccontextmanager
async def this_machine(
    settings: LocalSettings,
    time: TimeSource,
    note: Note,  # noqa: ARG001 (it is other venues that have something to say)
    log: Path | None = None,
) -> AsyncIterator[tuple[Play, int]]:
    """The protocol of each game is logged in the folder `log`, if there is one."""
    async with LocalGames.open(time, log) as games:
        await games.check([player.spec for player in settings.players], settings.concurrency)
        _load_kernels(settings)
        yield games.play, settings.concurrency


def _load_kernels(settings: LocalSettings) -> None:
    """Those by which the host plays turns: while it loads them, it hears nothing."""
    for setup in settings.setups:
        position = setup.chosen().start()
        position.play(position.random_turn(random.Random(0)))
