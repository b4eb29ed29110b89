"""The arena: keeps a connection open, passes its events on as facts, and makes the calls.

Protocol: docs/arena-protocol.md.
"""

import random
from dataclasses import replace
from typing import NoReturn

import structlog
from pydantic import BaseModel, SecretStr

from bot import wire
from bot.errors import PeerError
from bot.platforms.arena import facts as arena_facts
from bot.platforms.arena.entries import Entries
from bot.platforms.arena.link import ArenaLink, ArenaOptions, Received, open_link
from bot.platforms.arena.states import GameStates, MissedChange
from bot.platforms.base import (
    ChallengeGone,
    ChallengeOffered,
    ChallengingPlatform,
    Connected,
    EventSink,
    GameChanged,
    GameGone,
    NoAnswer,
    Seat,
    Setup,
    TournamentsChanged,
    TurnInfo,
    unacknowledged,
)
from bot.platforms.connections import ConnectionLost, Reconnection, Silence
from bot.time_source import TimeSource

log = structlog.get_logger()


class ArenaPlatform(ChallengingPlatform):
    """The platform of one account on an arena."""

    def __init__(self, options: ArenaOptions, time_source: TimeSource, rng: random.Random) -> None:
        self._options = options
        self._time = time_source
        self._reconnection = Reconnection(
            options.url, options.first_wait_s, options.longest_wait_s, time_source, rng
        )
        # The arena answers pings of its own, and the request that follows a silence.
        self._silence = Silence(time_source, options.silence_s + options.answer_s)
        self._link: ArenaLink | None = None
        self._our_name: str | None = None
        self._states = GameStates()
        self._known: dict[str, wire.Player] = {}
        self._offered: set[str] = set()
        self._entries = Entries(options.tournaments)
        self._going_on = 0
        self._has_queues = True
        """False after an arena of an older version has refused `game.queue`."""

    def use_token(self, token: SecretStr) -> None:
        self._options = replace(self._options, token=token)

    @property
    def last_heard(self) -> float | None:
        return self._silence.last_heard

    @property
    def overdue_s(self) -> float:
        return self._silence.overdue_s

    def reconnect(self) -> None:
        self._reconnection.interrupt()

    @property
    def attempts(self) -> int:
        """The number of failed connections in a row."""
        return self._reconnection.attempts

    # ---- the connection --------------------------------------------------------------------

    async def run(self, sink: EventSink) -> None:
        self._silence.begin()
        sink = unacknowledged(sink)
        await self._reconnection.keep(lambda: self._connect_and_serve(sink), sink)

    async def _connect_and_serve(self, sink: EventSink) -> NoReturn:
        async with open_link(self._options, self._time, self._silence) as self._link:
            try:
                while True:
                    await self._handle(await self._link.receive(), sink)
            finally:
                self._our_name = self._link = None

    # ---- events ----------------------------------------------------------------------------

    async def _handle(self, received: Received, sink: EventSink) -> None:
        match received.message:
            case wire.Welcome() as welcome:
                await self._on_welcome(welcome, received.arrived, sink)
            case wire.GameState() as state:
                await self._on_game(self._states.sent(state), received, sink)
            case wire.GameChange() as change:
                await self._on_change(change, received, sink)
            case wire.Challenge() as challenge:
                await self._on_challenge(challenge, sink)
            case wire.Lobby() as lobby:
                await self._on_lobby(lobby, sink)
            case wire.Problem() as problem:
                log.warning("problem", code=problem.code, why=problem.message)
            case other:
                log.debug("ignored", message=type(other).__name__)

    async def _on_welcome(self, welcome: wire.Welcome, arrived: float, sink: EventSink) -> None:
        """Take the server's whole state. Games that are not in it are gone."""
        self._our_name = welcome.you.name
        self._has_queues = True
        self._states.forget()
        self._offered.clear()
        self._entries.welcomed(welcome.tournaments)
        await sink(_connected(welcome))
        await self._report_tournaments(sink)
        for state in welcome.games:
            received = Received(state, arrived, resync=True)
            await self._on_game(self._states.sent(state), received, sink)
        for challenge in welcome.challenges:
            await self._on_challenge(challenge, sink)

    async def _on_game(
        self, state: wire.GameState | None, received: Received, sink: EventSink
    ) -> None:
        """Pass a game on; `state` is None if the message was outdated."""
        if state is None:
            return
        facts = arena_facts.game_facts(state, self._our_name or "", received.arrived)
        if facts is not None:
            await sink(GameChanged(facts, received.resync))

    async def _on_change(
        self, change: wire.GameChange, received: Received, sink: EventSink
    ) -> None:
        try:
            state = self._states.changed(change)
        except MissedChange:
            log.info("change_missed", game=change.game_id, revision=change.revision)
            state = await self._whole(change.game_id)
            received = Received(change, self._time.monotonic(), resync=True)
        await self._on_game(state, received, sink)

    async def _whole(self, game_id: str) -> wire.GameState | None:
        """Request a game after a missed change; None if the server does not have it.

        Raises ConnectionLost if the server does not answer; the next `welcome` has all games.
        """
        try:
            answer = await self._ask("game.state", wire.AskGame(v=wire.VERSION, game_id=game_id))
        except GameGone:
            return None
        except PeerError as error:
            raise ConnectionLost(f"game.state: {error}") from error
        assert isinstance(answer, wire.GameDone)
        return self._states.answered(answer.game)

    async def _on_challenge(self, challenge: wire.Challenge, sink: EventSink) -> None:
        challenge_id = challenge.challenge_id
        if challenge.state != "open":
            self._offered.discard(challenge_id)
            code, message = challenge.code, challenge.message
            await sink(
                ChallengeGone(challenge_id, challenge.state, challenge.game_id, code, message)
            )
        elif challenge_id not in self._offered and self._our_name is not None:
            offered = arena_facts.challenge_facts(challenge, self._our_name, self._known)
            if offered is not None:
                self._offered.add(challenge_id)
                await sink(ChallengeOffered(offered))

    async def _on_lobby(self, lobby: wire.Lobby, sink: EventSink) -> None:
        self._known = {player.name: player for player in lobby.players}
        for challenge in lobby.challenges:
            if challenge.state == "open":
                await self._on_challenge(challenge, sink)
        self._entries.seen(lobby.tournaments)
        for tournament_id in self._entries.wanted(lobby.tournaments):
            await self._enter(tournament_id)
        await self._report_tournaments(sink)

    async def _report_tournaments(self, sink: EventSink) -> None:
        if (going_on := self._entries.going_on) != self._going_on:
            self._going_on = going_on
            await sink(TournamentsChanged(going_on))

    async def _enter(self, tournament_id: str) -> None:
        """Enter a tournament. After a refusal or no answer, the next connection tries again."""
        request = wire.EnterTournament(v=wire.VERSION, tournament_id=tournament_id)
        try:
            answer = await self._ask("tournament.enter", request)
        except PeerError as error:
            # No warning, because the host admits only other players.
            report = log.info if error.code == "not_admitted" else log.warning
            report("tournament_not_entered", tournament=tournament_id, why=error.message)
        else:
            assert isinstance(answer, wire.TournamentDone)
            self._entries.entered(answer.tournament)
            name = answer.tournament.settings.name
            log.info("tournament_entered", tournament=tournament_id, name=name)

    # ---- calls -----------------------------------------------------------------------------

    async def accept(self, challenge_id: str) -> None:
        await self._ask(
            "challenge.accept", wire.AcceptChallenge(v=wire.VERSION, challenge_id=challenge_id)
        )

    async def decline(self, challenge_id: str, code: str, sentence: str) -> None:
        request = wire.DeclineChallenge(
            v=wire.VERSION, challenge_id=challenge_id, code=code, message=sentence[:300]
        )
        await self._ask("challenge.decline", request)

    async def offer(self, setup: Setup, opponent: str | None, seat: Seat) -> str:
        ours = self._our_name
        if ours is None:
            raise NoAnswer("challenge.create: not connected")
        request = wire.CreateChallenge(
            v=wire.VERSION,
            setup=arena_facts.wire_setup(setup),
            seats=(ours, opponent) if seat == 1 else (opponent, ours),
        )
        answer = await self._ask("challenge.create", request)
        assert isinstance(answer, wire.ChallengeDone)
        return answer.challenge.challenge_id

    async def withdraw(self, challenge_id: str) -> None:
        await self._ask(
            "challenge.cancel", wire.CancelChallenge(v=wire.VERSION, challenge_id=challenge_id)
        )

    async def submit(
        self, game_id: str, ply: int, turn: str, info: TurnInfo, takebacks: int | None = None
    ) -> None:
        request = wire.PlayTurn(
            v=wire.VERSION,
            game_id=game_id,
            ply=ply,
            turn=turn,
            info=arena_facts.wire_info(info),
            takebacks=takebacks,
        )
        await self._ask("game.turn", request)

    async def resign(self, game_id: str) -> None:
        await self._act(game_id, "resign")

    async def abort(self, game_id: str) -> None:
        await self._act(game_id, "abort")

    async def answer_draw(self, game_id: str, *, accept: bool) -> None:
        await self._act(game_id, "accept_draw" if accept else "decline_draw")

    async def decline_abort(self, game_id: str) -> None:
        await self._act(game_id, "decline_abort")

    async def watch(self, game_id: str) -> None:
        answer = await self._ask("game.watch", wire.WatchGame(v=wire.VERSION, game_id=game_id))
        assert isinstance(answer, wire.GameDone)
        if self._link is not None:
            self._link.put(answer.game, resync=True)

    async def report_queue(self, game_id: str, ply: int, before: int) -> None:
        if not self._has_queues:
            return
        request = wire.ReportQueue(
            v=wire.VERSION, game_id=game_id, ply=ply, before=min(before, 999)
        )
        try:
            await self._ask("game.queue", request)
        except PeerError as error:
            self._has_queues = error.code != "unknown_event"
            raise

    async def retire(self) -> None:
        for tournament_id in self._entries.stop():
            request = wire.LeaveTournament(v=wire.VERSION, tournament_id=tournament_id)
            try:
                await self._ask("tournament.leave", request)
            except PeerError as error:
                log.warning("tournament_not_left", tournament=tournament_id, why=error.message)
            else:
                self._entries.left(tournament_id)

    async def _act(self, game_id: str, action: wire.Action) -> None:
        request = wire.GameAction(v=wire.VERSION, game_id=game_id, action=action)
        await self._ask("game.action", request)

    async def _ask(self, event: str, request: BaseModel) -> wire.Done:
        if self._link is None:
            raise NoAnswer(f"{event}: not connected")
        return await self._link.ask(event, request)


def _connected(welcome: wire.Welcome) -> Connected:
    ours = welcome.you.name
    games, challenges = welcome.games, welcome.challenges
    return Connected(
        name=ours,
        server=welcome.server,
        running=frozenset(each.game_id for each in games if arena_facts.seat_of(ours, each)),
        open_challenges=frozenset(each.challenge_id for each in challenges),
        own_challenges=frozenset(
            each.challenge_id for each in challenges if each.creator.name == ours
        ),
    )
