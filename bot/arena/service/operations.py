"""The requests of clients, carried out on the services of this process.

Nothing here knows a connection, so that another process of the arena can ask for the same.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

import engine
from bot import wire
from bot.arena.model import referee
from bot.arena.model.referee import legal_view
from bot.arena.model.refusals import Refused
from bot.arena.service.challenge_service import Challenges
from bot.arena.service.game_service import Games
from bot.arena.service.lobby import Lobby
from bot.arena.service.tournament_service import Tournaments
from bot.arena.store.archive import SOFTWARE
from bot.time_source import TimeSource


@dataclass(frozen=True)
class Encoded:
    """A message that is JSON already, because another process has made it."""

    text: str

    def model_dump_json(self) -> str:
        """The message as JSON."""
        return self.text


class Performer(Protocol):
    """Carries out requests, here or in another process. Each method raises Refused."""

    async def perform(
        self, event: str, player: wire.Player, message: BaseModel, arrived: float
    ) -> wire.Done | Encoded:
        """Carry out the request of a player, which arrived at `arrived` on the arena's clock."""

    async def setup_of(self, game_id: str) -> wire.GameSetup:
        """The setup of a game, running or finished."""

    async def welcome(self, player: wire.Player, guest_key: str | None) -> wire.Welcome | Encoded:
        """The `welcome` message: everything that concerns a player."""

    async def lobby(self) -> wire.Lobby | Encoded:
        """The lobby as it was last sent, or as it is."""


Handler = Callable[[wire.Player, Any, float], Coroutine[Any, Any, wire.Done]]


class Operations:
    """The `Performer` of an arena that is one process."""

    def __init__(
        self,
        games: Games,
        challenges: Challenges,
        tournaments: Tournaments,
        lobby: Lobby,
        time: TimeSource,
    ) -> None:
        self._games = games
        self._challenges = challenges
        self._tournaments = tournaments
        self._lobby = lobby
        self._time = time
        self._handlers: Mapping[str, Handler] = {
            "challenge.create": self._create,
            "challenge.accept": self._accept,
            "challenge.decline": self._decline,
            "challenge.cancel": self._cancel,
            "game.turn": self._turn,
            "game.action": self._action,
            "game.watch": self._whole,
            "game.state": self._whole,
            "game.position": self._position,
            "game.legal": self._legal,
            "state": self._state,
            "tournament.create": self._create_tournament,
            "tournament.enter": self._enter,
            "tournament.leave": self._leave,
            "tournament.start": self._start,
            "tournament.pause": self._pause,
            "tournament.resume": self._resume,
            "tournament.withdraw": self._withdraw,
            "tournament.replace": self._replace,
            "tournament.end": self._end,
            "tournament.watch": self._tournament,
        }
        assert self._handlers.keys() == wire.CLIENT_EVENTS.keys()

    async def perform(
        self, event: str, player: wire.Player, message: BaseModel, arrived: float
    ) -> wire.Done:
        """See `Performer`."""
        return await self._handlers[event](player, message, arrived)

    async def setup_of(self, game_id: str) -> wire.GameSetup:
        """See `Performer`."""
        return (await self._games.find(game_id)).setup

    async def welcome(self, player: wire.Player, guest_key: str | None) -> wire.Welcome:
        """See `Performer`."""
        return wire.Welcome(
            you=player,
            guest_key=guest_key,
            server=SOFTWARE,
            server_time=self._time.wall(),
            games=self._games.of_player(player.name),
            challenges=self._challenges.of_player(player.name),
            tournaments=self._tournaments.of_player(player),
            may_host=self.may_host(player),
        )

    def may_host(self, player: wire.Player) -> bool:
        """Return whether a player who has logged in to this process may create tournaments."""
        return self._tournaments.is_host(player)

    async def lobby(self) -> wire.Lobby:
        """See `Performer`."""
        return self._lobby.view()

    # ---- challenges ------------------------------------------------------------------------

    async def _create(
        self, player: wire.Player, message: wire.CreateChallenge, _: float
    ) -> wire.Done:
        return wire.ChallengeDone(challenge=await self._challenges.create(player, message))

    async def _accept(
        self, player: wire.Player, message: wire.AcceptChallenge, _: float
    ) -> wire.Done:
        challenge = await self._challenges.accept(player, message.challenge_id)
        return wire.ChallengeDone(challenge=challenge)

    async def _decline(
        self, player: wire.Player, message: wire.DeclineChallenge, _: float
    ) -> wire.Done:
        await self._challenges.decline(player, message)
        return wire.Done()

    async def _cancel(
        self, player: wire.Player, message: wire.CancelChallenge, _: float
    ) -> wire.Done:
        await self._challenges.cancel(player, message.challenge_id)
        return wire.Done()

    # ---- games -----------------------------------------------------------------------------

    async def _turn(self, player: wire.Player, message: wire.PlayTurn, arrived: float) -> wire.Done:
        return await self._games.play(player.name, message, arrived)

    async def _action(self, player: wire.Player, message: wire.GameAction, _: float) -> wire.Done:
        return wire.GameDone(game=await self._games.act(player.name, message))

    async def _whole(
        self, _player: wire.Player, message: wire.AskGame | wire.WatchGame, _: float
    ) -> wire.Done:
        return wire.GameDone(game=await self._games.state(message.game_id))

    async def _position(
        self, _player: wire.Player, message: wire.AskPosition, _: float
    ) -> wire.Done:
        position = await self._games.position(message.game_id, message.ply)
        return wire.PositionDone(position=referee.view(position))

    async def _legal(self, _player: wire.Player, message: wire.AskLegal, _: float) -> wire.Done:
        position = await self._position_to_move(message)
        # In a thread: it takes milliseconds on a large board, and turns must not wait for it.
        chosen = tuple(message.chosen)
        view = await asyncio.to_thread(legal_view, position, chosen, message.about)
        return wire.LegalDone(legal=view)

    async def _position_to_move(self, message: wire.AskLegal) -> engine.Position:
        """Return the position. Raises Refused if the game has ended, or is at another ply."""
        game = await self._games.find(message.game_id)
        if game.result is not None:
            raise Refused("game_over", f"The game has ended: {game.result.message}")
        if message.ply not in {None, game.ply}:
            raise Refused(
                "stale_ply", f"Ply {message.ply} is not the next ply: that is {game.ply}."
            )
        return game.position

    async def _state(self, player: wire.Player, _message: wire.AskState, _: float) -> wire.Done:
        return wire.WelcomeDone(welcome=await self.welcome(player, None))

    # ---- tournaments -----------------------------------------------------------------------

    async def _create_tournament(
        self, player: wire.Player, message: wire.CreateTournament, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.create(player, message))

    async def _enter(
        self, player: wire.Player, message: wire.EnterTournament, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.enter(player, message.tournament_id))

    async def _leave(
        self, player: wire.Player, message: wire.LeaveTournament, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.leave(player, message.tournament_id))

    async def _start(
        self, player: wire.Player, message: wire.StartTournament, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.start(player, message.tournament_id))

    async def _pause(
        self, player: wire.Player, message: wire.PauseTournament, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.pause(player, message.tournament_id, message.why))

    async def _resume(
        self, player: wire.Player, message: wire.ResumeTournament, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.resume(player, message.tournament_id))

    async def _withdraw(
        self, player: wire.Player, message: wire.WithdrawPlayer, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.withdraw(player, message))

    async def _replace(
        self, player: wire.Player, message: wire.ReplaceResult, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.replace(player, message))

    async def _end(self, player: wire.Player, message: wire.EndTournament, _: float) -> wire.Done:
        return _done(await self._tournaments.end(player, message.tournament_id, message.why))

    async def _tournament(
        self, _player: wire.Player, message: wire.WatchTournament, _: float
    ) -> wire.Done:
        return _done(await self._tournaments.state(message.tournament_id))


def _done(tournament: wire.TournamentState) -> wire.Done:
    return wire.TournamentDone.model_construct(v=wire.VERSION, ok=True, tournament=tournament)
