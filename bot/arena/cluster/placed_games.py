"""The games of all processes, and where new games are placed.

A turn of a player who is connected to another process than the game's owner costs both processes
work: the request is forwarded, and the event comes back. So a game is placed at a process to which
its players are connected, as long as that process has hardly more games than the others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from bot import wire
from bot.arena.cluster.directory import Directory, entry_of
from bot.arena.cluster.events import Events
from bot.arena.cluster.link import PeerGone
from bot.arena.cluster.peers import NOT_HERE, HallSeat, Peers
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game import Game
from bot.arena.games.game_service import Games, RemoteBeginning
from bot.arena.games.running_games import RunningGame, RunningGames
from bot.arena.players.presence import Presence
from bot.arena.refusals import unavailable
from bot.arena.store.ids import new_id

START_S: Final = 5.0
MORE_GAMES: Final = 1
MORE_SHARE: Final = 0.05
"""A process gets another game only if it has at most this many more than the process with the
fewest."""


class PlacedGames:
    """The `AllGames` of an arena of several processes, as its hall needs them."""

    def __init__(
        self,
        games: Games,
        finished: FinishedGames,
        directory: Directory,
        running: RunningGames,
        peers: Peers,
        hall: HallSeat,
        events: Events,
        presence: Presence,
    ) -> None:
        self._presence = presence
        self._games = games
        self._finished = finished
        self._directory = directory
        self._running = running
        self._peers = peers
        self._hall = hall
        self._events = events
        self._starting: Counter[str] = Counter()

    # ---- what the hall asks ----------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """See `AllGames`."""
        return self._games.is_paused

    async def start(
        self,
        setup: wire.GameSetup,
        players: tuple[wire.Player, wire.Player],
        place: wire.TournamentPlace | None = None,
        opening: Sequence[str] = (),
    ) -> wire.GameState:
        """See `AllGames`."""
        body: dict[str, object] = {
            "game": new_id(),
            "hall": [self._peers.process_id, self._hall.epoch],
            "setup": setup.model_dump(mode="json"),
            "players": [player.model_dump(mode="json") for player in players],
            "place": place and place.model_dump(mode="json"),
            "opening": list(opening),
        }
        process = self._place_for([player.name for player in players])
        owner = process
        self._starting[process] += 1
        try:
            answer = await self._start_at(process, body)
        except PeerGone:
            # The same id: if the game was begun there, it is not begun a second time.
            owner = self._peers.process_id
            answer = await self._start_at(owner, body)
        finally:
            self._starting[process] -= 1
        state = wire.GameState.model_validate_json(answer)
        if owner != self._peers.process_id:
            # Limits count the game from now on, also if its `owned` event comes later.
            self._directory.add(_started(state, owner))
        return state

    async def ended(self, game_id: str) -> Game | None:
        """See `AllGames`."""
        if self._directory.find(game_id) is not None:
            return None
        if await self._running.find([game_id]):
            return None
        return await self._finished.find(game_id)

    async def abort_by_operator(self, game_id: str, why: str) -> wire.Result:
        """See `AllGames`."""
        for entry in await self._running.find([game_id]):
            if entry.owner is None or entry.owner == self._peers.process_id:
                break
            try:
                body = {"game": game_id, "why": why}
                answer = await self._peers.ask(entry.owner, "abort", body)
            except PeerGone:
                raise unavailable() from None
            if answer == NOT_HERE:
                raise unavailable()
            return wire.Result.model_validate_json(answer)
        return await self._games.abort_by_operator(game_id, why)

    def count_of(self, name: str) -> int:
        """See `AllGames`."""
        return self._directory.count_of(name)

    def setups_of(self, name: str) -> Mapping[str, wire.GameSetup]:
        """See `AllGames`."""
        return {entry.game_id: entry.setup for entry in self._directory.of_player(name)}

    def players_of(self, name: str) -> Mapping[str, tuple[wire.Player, wire.Player]]:
        """See `AllGames`."""
        return {entry.game_id: entry.players for entry in self._directory.of_player(name)}

    async def note_hint(
        self, game_id: str, name: str, setup: wire.AnalysisSetup, turns: Sequence[str]
    ) -> None:
        """See `AllGames`."""
        entry = self._directory.find(game_id)
        if entry is None or entry.owner in {None, self._peers.process_id}:
            await self._games.note_hint(game_id, name, setup, turns)
            return
        try:
            body = {
                "game": game_id,
                "name": name,
                "setup": setup.model_dump(mode="json"),
                "turns": list(turns),
            }
            answer = await self._peers.ask(str(entry.owner), "hint", body)
        except PeerGone:
            raise unavailable() from None
        if answer == NOT_HERE:
            raise unavailable()

    def summaries(self, limit: int) -> list[wire.GameSummary]:
        """See `AllGames`."""
        return [entry.summary() for entry in self._directory.newest(limit)]

    async def finished_summaries(self, limit: int) -> list[wire.GameSummary]:
        """See `AllGames`."""
        return await self._finished.summaries(limit)

    async def look_at(self, limit: int) -> None:
        """Read how many turns the newest games have, for `summaries`."""
        newest = [entry.game_id for entry in self._directory.newest(limit)]
        for game_id, progress in (await self._running.progress(newest)).items():
            self._directory.played(game_id, progress.plies)

    def _place_for(self, names: Sequence[str]) -> str:
        known = self._directory.loads([self._peers.process_id, *self._peers.ids])
        loads = {each: games + self._starting[each] for each, games in known.items()}
        least = min(loads.values())
        enough = least + MORE_GAMES + MORE_SHARE * least

        def rank(process: str) -> tuple[bool, int, int, str]:
            away = sum(not self._is_at(process, name) for name in names)
            return loads[process] > enough, away, loads[process], process

        return min(loads, key=rank)

    def _is_at(self, process: str, name: str) -> bool:
        if process == self._peers.process_id:
            return self._presence.count_of(name) > 0
        return self._presence.is_at(process, name)

    async def _start_at(self, process: str, body: dict[str, object]) -> bytes:
        if process == self._peers.process_id:
            return await self.answer_start(orjson.dumps(body))
        return await self._peers.ask(process, "start", body, START_S)

    # ---- what the hall asks of this process ------------------------------------------------

    async def answer_start(self, body: bytes) -> bytes:
        """Start a game here, for the hall."""
        asked: dict[str, Any] = orjson.loads(body)
        one, two = map(wire.Player.model_validate, asked["players"])
        holder, epoch = asked["hall"]
        place = asked["place"] and wire.TournamentPlace.model_validate(asked["place"])
        state = await self._games.start(
            wire.GameSetup.model_validate(asked["setup"]),
            (one, two),
            place,
            asked["opening"],
            RemoteBeginning(asked["game"], (holder, epoch)),
        )
        return state.as_json().encode()

    async def answer_abort(self, body: bytes) -> bytes:
        """Abort a game of this process, for the hall."""
        asked: dict[str, Any] = orjson.loads(body)
        if not self._games.owns(asked["game"]):
            return NOT_HERE
        result = await self._games.abort_by_operator(asked["game"], asked["why"])
        return result.model_dump_json().encode()

    async def answer_hint(self, body: bytes) -> bytes:
        """Count a hint in a game of this process, for the hall."""
        asked: dict[str, Any] = orjson.loads(body)
        if not self._games.owns(asked["game"]):
            return NOT_HERE
        setup = wire.AnalysisSetup.model_validate(asked["setup"])
        await self._games.note_hint(asked["game"], asked["name"], setup, asked["turns"])
        return b"{}"

    # ---- what all processes know -------------------------------------------------------------

    def here(self, game: Game) -> None:
        """Announce to all processes that this one owns a game."""
        entry = entry_of(game, self._peers.process_id)
        self._directory.add(entry)
        self._events.tell_all("owned", game=entry.model_dump(mode="json"))

    def ended_here(self, game: Game) -> None:
        """Note that a game of this process has ended. `ClusterAnnouncer` announces it."""
        self._directory.end(game.game_id)

    def owned_elsewhere(self, told: dict[str, Any], _text: str) -> None:
        """Note the game of another process, which `here` has announced."""
        self._directory.add(RunningGame.model_validate(told["game"]))

    def ended_elsewhere(self, told: dict[str, Any], _text: str) -> None:
        """Note the end of a game of another process."""
        self._directory.end(told["game"])


def _started(state: wire.GameState, owner: str) -> RunningGame:
    """The entry of a game that has just begun at a process."""
    return RunningGame(
        game_id=state.game_id,
        setup=state.setup,
        players=state.players,
        created_at=state.created_at,
        tournament=state.tournament,
        owner=owner,
        epoch=1,
        plies=len(state.turns),
    )
