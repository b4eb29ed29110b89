"""The openings of finished games: counted in the background, and looked up.

The end of a game notes in its own transaction that the game is due (`opening_tables.note_end`). A
game is counted later, because that takes milliseconds, in the transaction that also removes it from
the games that are due: so it is counted once, whichever process does it and whatever fails.

Rejected: counting in the transaction of the end, which would delay the turns of all other games.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

import engine
from bot.arena.games.referee import Menu
from bot.arena.openings.opening_store import CountedGame, DueGame, OpeningStore, OpeningTurn
from bot.arena.refusals import Refused
from bot.arena.store.database import Database
from bot.records.symmetry import canonical, opening_steps, playable
from bot.runtime.alarms import Alarms
from bot.time_source import TimeSource

MOST_TURNS: Final = 12
"""The turns of both players that are counted."""
AT_ONCE: Final = 20
SHARE: Final = 0.2
"""How much of the time may be spent on counting: players must not wait for it."""

log = structlog.get_logger()


@dataclass(frozen=True)
class OpeningChoice:
    """A turn that was played in a position, written for that position."""

    turn: str
    counted: OpeningTurn


class OpeningBook:
    """Counts games while `wake` says that there are new ones.

    `check` raises Refused while the rules of a game are compiled. Games that are not on the menu
    are left out, because their rules may have to be compiled.
    """

    def __init__(
        self,
        database: Database,
        time: TimeSource,
        menu: Menu,
        check: Callable[[str], None],
    ) -> None:
        self._store = OpeningStore(database)
        self._time = time
        self._offered = {info.name for info in menu.games}
        self._check = check
        self._alarms = Alarms(time)

    def wake(self, _ended: object = None) -> None:
        """Count the games that are due."""
        self._alarms.set("count", self._time.monotonic(), self._count_from_start)

    async def close(self) -> None:
        await self._alarms.close()

    async def choices(
        self, position: engine.Position, *, rated: bool | None = None
    ) -> list[OpeningChoice]:
        """The turns that were played in a position or an image of it, most played first."""
        here = await asyncio.to_thread(canonical, position)
        found = await self._store.turns(here.key, rated=rated)
        written = ((playable(position, here.actual(each.turn)), each) for each in found)
        return [OpeningChoice(turn, each) for turn, each in written if turn is not None]

    async def _count_from_start(self) -> None:
        await self._count("")

    async def _count(self, after: str) -> None:
        began = self._time.monotonic()
        games = await self._store.due(MOST_TURNS, AT_ONCE, after)
        ready = [game for game in games if self._is_ready(game)]
        if ready:
            counted = await asyncio.to_thread(lambda: [self._counted(game) for game in ready])
            await self._store.count(counted)
        if len(games) == AT_ONCE:
            last, now = games[-1].game_id, self._time.monotonic()
            self._alarms.set(
                "more", now + (now - began) * (1 / SHARE - 1), lambda: self._count(last)
            )

    def _counted(self, game: DueGame) -> CountedGame:
        if game.setup is None or game.setup.game not in self._offered:
            return CountedGame(game, ())
        return counted_game(game)

    def _is_ready(self, game: DueGame) -> bool:
        """Whether the game can be counted, or is left out for good."""
        if game.setup is None or game.setup.game not in self._offered:
            return True
        try:
            self._check(game.setup.game)
        except Refused:
            return False
        return True


def counted_game(game: DueGame) -> CountedGame:
    """The positions and turns of a game; none if its turns cannot be replayed."""
    setup = game.setup
    if setup is None:
        return CountedGame(game, ())
    try:
        rules = engine.game_of(setup.game, setup.board, setup.rules, setup.options)
        steps = opening_steps(rules, game.turns, MOST_TURNS)
        return CountedGame(game, tuple((here.key, turn) for here, turn in steps))
    except engine.EngineError as error:
        log.warning("opening_left_out", game=game.game_id, why=str(error))
        return CountedGame(game, ())
