"""Games of other processes that clients of this one see: delivered, and checked for lost events."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import structlog

from bot.arena.announcer import game_room, player_room
from bot.arena.cluster.directory import Directory
from bot.arena.cluster.events import Delivery
from bot.arena.games.running_games import RunningGame
from bot.arena.refusals import Refused
from bot.runtime.tasks import OwnedTasks
from bot.time_source import TimeSource

END_S: Final = 1.0
"""How long the event of the end of a game is awaited after its end is known."""
MISSED_S: Final = 1.5
"""All other processes read the presence within this time after this process has read it."""

log = structlog.get_logger()

Whole = Callable[[str], Awaitable[str]]
"""Asks for a whole game, as JSON. Raises Refused."""


class GameWatch:
    """Delivers events of games that other processes own.

    It remembers the last revision that it delivered of each game. `compare` compares these with the
    database, and delivers the whole game where an event was lost.
    """

    def __init__(
        self,
        delivery: Delivery,
        directory: Directory,
        whole: Whole,
        process_id: str,
        time: TimeSource,
    ) -> None:
        self._delivery = delivery
        self._directory = directory
        self._whole = whole
        self._process_id = process_id
        self._time = time
        self._seen: dict[str, int] = {}
        self._asked: set[str] = set()
        self._not_had: set[str] = set()
        """Games that must be delivered and could not be fetched."""
        self._tasks = OwnedTasks("game_not_fetched", expected=Refused)
        directory.on_end.append(self._ended)

    async def close(self) -> None:
        await self._tasks.cancel()

    def received(self, told: Mapping[str, Any], text: str) -> None:
        """Deliver an event of a game, as `ClusterAnnouncer` makes it."""
        game_id, names, revision = told["game"], told["names"], told["revision"]
        self._directory.played(game_id, told["plies"])
        self._seen[game_id] = max(revision, self._seen.get(game_id, 0))
        if told["form"] == "whole":
            self._delivery.pass_on_game(game_id, names, text)
        elif self._delivery.pass_on_change(game_id, names, text):
            self._fetch(game_id, names, to_all=False)
        if told["over"]:
            self._seen.pop(game_id, None)
            self._directory.end(game_id)

    @property
    def shown(self) -> list[str]:
        """The games of other processes that a client of this one sees."""
        return [
            game_id
            for game_id in self._directory.ids
            if (entry := self._directory.find(game_id)) is not None
            and entry.owner != self._process_id
            and self._is_shown(entry)
        ]

    def compare(self, revisions: Mapping[str, int]) -> None:
        """Deliver whole games of which the database has a later revision than was delivered."""
        for game_id, revision in revisions.items():
            entry = self._directory.find(game_id)
            # A game of which no event has come may have lost one since its client read it.
            seen = self._seen.get(game_id, 0)
            if entry is not None and (revision > seen or game_id in self._not_had):
                self._seen[game_id] = revision
                log.debug("game_event_missed", game=game_id, revision=revision, seen=seen)
                self._fetch(game_id, entry.names, to_all=True)

    def missed(self, name: str) -> None:
        """Deliver the games of a player who came or went without a message of the bus.

        Their owner announces that too, but without a new revision.
        """
        for entry in self._directory.of_player(name):
            if entry.owner != self._process_id and self._is_shown(entry):
                self._tasks.start(self._deliver_late(entry))

    async def _deliver_late(self, entry: RunningGame) -> None:
        await self._time.sleep(MISSED_S)  # the owner may hear of it later than this process
        await self._deliver(entry.game_id, entry.names, to_all=True)

    def _ended(self, entry: RunningGame) -> None:
        """Deliver the end of a game, unless its event comes."""
        self._not_had.discard(entry.game_id)
        if entry.owner == self._process_id or not self._is_shown(entry):
            self._seen.pop(entry.game_id, None)
        elif entry.game_id in self._seen:
            self._tasks.start(self._deliver_end(entry))

    async def _deliver_end(self, entry: RunningGame) -> None:
        # The directory shows the end first; the event of the game usually follows within END_S.
        await self._time.sleep(END_S)
        if self._seen.pop(entry.game_id, None) is not None:
            await self._deliver(entry.game_id, entry.names, to_all=True)

    def _is_shown(self, entry: RunningGame) -> bool:
        return self._delivery.has_members(
            [game_room(entry.game_id), *map(player_room, entry.names)]
        )

    def _fetch(self, game_id: str, names: Sequence[str], *, to_all: bool) -> None:
        if game_id not in self._asked or to_all:
            self._asked.add(game_id)
            self._tasks.start(self._deliver(game_id, names, to_all))

    async def _deliver(self, game_id: str, names: Iterable[str], to_all: bool) -> None:
        # A later event needs another answer.
        self._asked.discard(game_id)
        try:
            game = await self._whole(game_id)
        except Refused:
            if to_all:
                self._not_had.add(game_id)
            raise
        if to_all:
            self._not_had.discard(game_id)
        self._delivery.pass_on_game(game_id, list(names), game, to_all=to_all)
