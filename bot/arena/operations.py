"""The requests of clients, carried out on the services of this process.

Nothing here knows a connection, so that another process of the arena can ask for the same.
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol

from pydantic import BaseModel

import engine
from bot import wire
from bot.arena.analysis.analysis_service import AnalysisService
from bot.arena.chat.chats import Chats
from bot.arena.games.archive import SOFTWARE
from bot.arena.games.encoded import Answer, Encoded, encoded_legal, encoded_position, with_part
from bot.arena.games.game_service import Games
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.lobby.ignores import Ignores
from bot.arena.lobby.lobby import Lobby
from bot.arena.plans.plans import Plans
from bot.arena.push.push_notices import PushNotices
from bot.arena.puzzles.puzzle_service import Puzzles
from bot.arena.refusals import Refused
from bot.arena.tournaments.tournament_library import TournamentLibrary
from bot.arena.tournaments.tournament_service import Tournaments
from bot.runtime.workers import Workers, working_for
from bot.time_source import TimeSource


class Performer(Protocol):
    """Carries out requests, here or in another process. Each method raises Refused."""

    async def perform(
        self,
        event: str,
        player: wire.Player,
        message: BaseModel,
        arrived: float,
        origin: str = "",
    ) -> Answer:
        """Carry out the request of a player, which arrived at `arrived` on the arena's clock.

        `origin` is the player's address: an address has a share of the threads that work.
        """

    async def setup_of(self, game_id: str) -> wire.GameSetup:
        """The setup of a game, running or finished."""

    async def welcome(self, player: wire.Player, guest_key: str | None) -> wire.Welcome | Encoded:
        """The `welcome` message: everything that concerns a player."""

    async def lobby(self) -> wire.Lobby | Encoded:
        """The lobby as it was last sent, or as it is."""


Handler = Callable[[wire.Player, Any, float], Coroutine[Any, Any, Answer]]
LimitedHandler = Callable[[wire.Player, str, Any], Coroutine[Any, Any, Answer]]


class Operations:
    """The `Performer` of an arena that is one process."""

    def __init__(
        self,
        games: Games,
        challenges: Challenges,
        tournaments: Tournaments,
        library: TournamentLibrary,
        lobby: Lobby,
        chats: Chats,
        plans: Plans,
        ignores: Ignores,
        notices: PushNotices,
        push_key: str | None,
        analysis: AnalysisService,
        puzzles: Puzzles,
        workers: Workers,
        time: TimeSource,
    ) -> None:
        self._workers = workers
        self._chats = chats
        self._plans = plans
        self._ignores = ignores
        self._puzzles = puzzles
        self._games = games
        self._challenges = challenges
        self._tournaments = tournaments
        self._library = library
        self._lobby = lobby
        self._notices = notices
        self._push_key = push_key
        self._time = time
        self._handlers: Mapping[str, Handler] = {
            "challenge.state": self._challenge,
            "challenge.decline": self._decline,
            "challenge.cancel": self._cancel,
            "game.turn": self._turn,
            "game.action": self._action,
            "game.watch": self._whole,
            "game.state": self._whole,
            "game.position": self._position,
            "game.legal": self._legal,
            "game.chat": self._chat,
            "game.chats": self._chat_lines,
            "game.report": self._report,
            "game.plan": self._plan,
            "game.plans": self._own_plan,
            "game.queue": self._queue,
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
            "puzzle.ask": self._ask_puzzle,
            "puzzle.try": self._try_puzzle,
            "player.ignore": self._ignore,
            "player.ignored": self._ignored,
            "push.subscribe": self._subscribe,
            "push.unsubscribe": self._unsubscribe,
        }
        # Requests that are limited by the player's address.
        self._limited: Mapping[str, LimitedHandler] = {
            "challenge.create": self._create,
            "challenge.accept": self._accept,
            **analysis.handlers,
        }
        known = self._handlers.keys() | self._limited.keys()
        assert known == wire.CLIENT_EVENTS.keys()

    async def perform(
        self,
        event: str,
        player: wire.Player,
        message: BaseModel,
        arrived: float,
        origin: str = "",
    ) -> Answer:
        """See `Performer`."""
        with working_for(origin):
            if (limited := self._limited.get(event)) is not None:
                return await limited(player, origin, message)
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
            push_key=self._push_key,
        )

    def may_host(self, player: wire.Player) -> bool:
        """Return whether a player who has logged in to this process may create tournaments."""
        return self._tournaments.is_host(player)

    async def lobby(self) -> wire.Lobby:
        """See `Performer`."""
        return self._lobby.view()

    # ---- challenges ------------------------------------------------------------------------

    async def _create(
        self, player: wire.Player, origin: str, message: wire.CreateChallenge
    ) -> wire.Done:
        challenge = await self._challenges.create(player, message, origin)
        return wire.ChallengeDone(challenge=challenge)

    async def _challenge(self, _: wire.Player, message: wire.AskChallenge, __: float) -> wire.Done:
        return wire.ChallengeDone(challenge=self._challenges.find(message.challenge_id))

    async def _accept(
        self, player: wire.Player, origin: str, message: wire.AcceptChallenge
    ) -> wire.Done:
        challenge = await self._challenges.accept(player, message.challenge_id, origin)
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

    async def _action(self, player: wire.Player, message: wire.GameAction, _: float) -> Answer:
        return with_part("game", (await self._games.act(player.name, message)).as_json())

    async def _whole(
        self, _player: wire.Player, message: wire.AskGame | wire.WatchGame, _: float
    ) -> Answer:
        return with_part("game", (await self._games.state(message.game_id)).as_json())

    async def _position(self, _player: wire.Player, message: wire.AskPosition, _: float) -> Answer:
        game = await self._games.find(message.game_id)
        if message.ply in {None, game.ply}:
            return with_part("position", game.view.as_json)
        if message.ply > game.ply:
            words = f"Ply {message.ply} is not reached yet: the game is at {game.ply}."
            raise Refused("stale_ply", words)
        return await self._workers.run(_earlier_position, game.position, message.ply)

    async def _legal(self, _player: wire.Player, message: wire.AskLegal, _: float) -> Answer:
        position = await self._position_to_move(message)
        chosen = tuple(message.chosen)
        return await self._workers.run(encoded_legal, position, chosen, message.about)

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

    async def _chat(self, player: wire.Player, message: wire.SendChat, _: float) -> wire.Done:
        await self._chats.say(player, message)
        return wire.Done()

    async def _chat_lines(self, player: wire.Player, message: wire.AskChat, _: float) -> wire.Done:
        return await self._chats.lines(player, message.game_id)

    async def _plan(self, player: wire.Player, message: wire.PlanTurns, _: float) -> wire.Done:
        return await self._plans.plan(player, message)

    async def _own_plan(self, player: wire.Player, message: wire.AskPlan, _: float) -> wire.Done:
        return await self._plans.of_player(player, message.game_id)

    async def _queue(self, player: wire.Player, message: wire.ReportQueue, _: float) -> wire.Done:
        await self._games.pass_on_queue(player.name, message)
        return wire.Done()

    async def _report(self, player: wire.Player, message: wire.ReportPlayer, _: float) -> wire.Done:
        await self._chats.report(player, message)
        return wire.Done()

    async def _state(self, player: wire.Player, _message: wire.AskState, _: float) -> Answer:
        return with_part("welcome", (await self.welcome(player, None)).as_json())

    # ---- tournaments -----------------------------------------------------------------------

    async def _create_tournament(
        self, player: wire.Player, message: wire.CreateTournament, _: float
    ) -> Answer:
        return _done(await self._tournaments.create(player, message))

    async def _enter(self, player: wire.Player, message: wire.EnterTournament, _: float) -> Answer:
        return _done(await self._tournaments.enter(player, message.tournament_id))

    async def _leave(self, player: wire.Player, message: wire.LeaveTournament, _: float) -> Answer:
        return _done(await self._tournaments.leave(player, message.tournament_id))

    async def _start(self, player: wire.Player, message: wire.StartTournament, _: float) -> Answer:
        return _done(await self._tournaments.start(player, message.tournament_id))

    async def _pause(self, player: wire.Player, message: wire.PauseTournament, _: float) -> Answer:
        return _done(await self._tournaments.pause(player, message.tournament_id, message.why))

    async def _resume(
        self, player: wire.Player, message: wire.ResumeTournament, _: float
    ) -> Answer:
        return _done(await self._tournaments.resume(player, message.tournament_id))

    async def _withdraw(
        self, player: wire.Player, message: wire.WithdrawPlayer, _: float
    ) -> Answer:
        return _done(await self._tournaments.withdraw(player, message))

    async def _replace(self, player: wire.Player, message: wire.ReplaceResult, _: float) -> Answer:
        return _done(await self._tournaments.replace(player, message))

    async def _end(self, player: wire.Player, message: wire.EndTournament, _: float) -> Answer:
        return _done(await self._tournaments.end(player, message.tournament_id, message.why))

    async def _tournament(
        self, _player: wire.Player, message: wire.WatchTournament, _: float
    ) -> Answer:
        return _done(await self._library.newest(message.tournament_id))

    # ---- puzzles ---------------------------------------------------------------------------

    async def _ask_puzzle(
        self, player: wire.Player, message: wire.AskPuzzle, _: float
    ) -> wire.Done:
        return await self._puzzles.ask(player, message)

    async def _try_puzzle(
        self, player: wire.Player, message: wire.TryPuzzle, _: float
    ) -> wire.Done:
        return await self._puzzles.answer(player, message)

    # ---- ignored players -------------------------------------------------------------------

    async def _ignore(self, player: wire.Player, message: wire.IgnorePlayer, _: float) -> wire.Done:
        other = await self._ignores.change(player, message)
        if message.ignore:
            await self._challenges.decline_all(player.name, other.name)
        return await self._ignores.of_player(player)

    async def _ignored(self, player: wire.Player, _: wire.AskIgnored, __: float) -> wire.Done:
        return await self._ignores.of_player(player)

    # ---- notifications ---------------------------------------------------------------------

    async def _subscribe(self, player: wire.Player, message: wire.Subscribe, _: float) -> wire.Done:
        await self._notices.subscribe(player, message)
        return wire.Done()

    async def _unsubscribe(
        self, player: wire.Player, message: wire.Unsubscribe, _: float
    ) -> wire.Done:
        await self._notices.unsubscribe(player, message)
        return wire.Done()


def _earlier_position(last: engine.Position, ply: int) -> Encoded:
    return encoded_position(last.game.replay(last.turns[:ply]))


def _done(tournament: bytes) -> Answer:
    return with_part("tournament", tournament.decode())
