"""The running games of the whole arena, and the process that owns each: what every process knows.

Each process hears of games that start, end or get another owner by the bus. The bus may lose
messages, so every process also compares its directory with the database every few seconds.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from bot.arena.games.game import Game
from bot.arena.games.running_games import RunningGame


def entry_of(game: Game, owner: str) -> RunningGame:
    """The entry of a running game of this process."""
    return RunningGame(
        game_id=game.game_id,
        setup=game.setup,
        players=game.players,
        created_at=game.created_at,
        tournament=game.tournament,
        owner=owner,
        epoch=game.epoch,
        plies=game.ply,
    )


class Directory:
    """The running games by id.

    `on_start` is called with each new entry, `on_end` with the entry of each game that has ended.
    """

    def __init__(self) -> None:
        self._entries: dict[str, RunningGame] = {}
        self._of_player: dict[str, set[str]] = {}
        self._owned: Counter[str | None] = Counter()
        self.on_start: list[Callable[[RunningGame], None]] = []
        self.on_end: list[Callable[[RunningGame], None]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, game_id: str) -> RunningGame | None:
        """The entry of a running game; None if it is not known, or has ended."""
        return self._entries.get(game_id)

    def add(self, entry: RunningGame) -> None:
        """Add a game, or its new owner. An entry with a lower epoch is ignored."""
        known = self._entries.get(entry.game_id)
        if known is not None:
            if entry.epoch > known.epoch:
                self._put(entry)
            return
        self._put(entry)
        for name in entry.names:
            self._of_player.setdefault(name, set()).add(entry.game_id)
        for listener in self.on_start:
            listener(entry)

    def owned_by(self, game_id: str, owner: str, epoch: int) -> None:
        """Note the owner of a known game, unless a later one is known."""
        known = self._entries.get(game_id)
        if known is not None and epoch > known.epoch:
            self._put(known.model_copy(update={"owner": owner, "epoch": epoch}))

    def played(self, game_id: str, plies: int) -> None:
        """Note how many turns a game has."""
        known = self._entries.get(game_id)
        if known is not None and plies != known.plies:
            self._put(known.model_copy(update={"plies": plies}))

    def end(self, game_id: str) -> None:
        """Remove a game that has ended."""
        entry = self._entries.pop(game_id, None)
        if entry is None:
            return
        self._owned[entry.owner] -= 1
        for name in entry.names:
            held = self._of_player[name]
            held.discard(game_id)
            if not held:
                del self._of_player[name]
        for listener in self.on_end:
            listener(entry)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the games that are known to run."""
        return frozenset(self._entries)

    def compare(
        self, owners: Mapping[str, tuple[str | None, int]], before: Iterable[str]
    ) -> list[str]:
        """Take over what the database says about running games.

        `before` are the ids that were known before the database was asked: a game that has started
        since then may be missing in the answer. Returns the ids that are not known, for `add`.
        """
        for game_id in before:
            if game_id not in owners:
                self.end(game_id)
        for game_id, (owner, epoch) in owners.items():
            if owner is not None:
                self.owned_by(game_id, owner, epoch)
        return [game_id for game_id in owners if game_id not in self._entries]

    def of_player(self, name: str) -> list[RunningGame]:
        """The running games of a player, oldest first."""
        found = (self._entries[game_id] for game_id in self._of_player.get(name, ()))
        return sorted(found, key=lambda entry: entry.created_at)

    def count_of(self, name: str) -> int:
        """How many running games a player has."""
        return len(self._of_player.get(name, ()))

    def newest(self, limit: int) -> list[RunningGame]:
        """At most `limit` games, the one that was added last first."""
        return list(islice(reversed(self._entries.values()), limit))

    def loads(self, processes: Iterable[str]) -> dict[str, int]:
        """How many games each of these processes owns."""
        return {process: self._owned[process] for process in processes}

    def _put(self, entry: RunningGame) -> None:
        known = self._entries.get(entry.game_id)
        if known is not None:
            self._owned[known.owner] -= 1
        self._owned[entry.owner] += 1
        self._entries[entry.game_id] = entry
