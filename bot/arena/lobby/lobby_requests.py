"""The requests about challenges, and about players who ignore others."""

from bot import wire
from bot.arena.answers import Answer
from bot.arena.http.costs import ORDER, QUESTION, Cost
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.lobby.ignores import Ignores
from bot.arena.request_table import Caller, Request


def lobby_requests(challenges: Challenges, ignores: Ignores) -> list[Request]:
    """The requests that the process with the hall carries out."""
    handlers = _LobbyRequests(challenges, ignores)
    return [
        # The rules for new options are prepared.
        Request("challenge.create", handlers.create, Cost(4)),
        Request("challenge.state", handlers.state, QUESTION, may_repeat=True),
        Request("challenge.accept", handlers.accept, Cost(2), writes=True),
        Request("challenge.decline", handlers.decline, ORDER),
        Request("challenge.cancel", handlers.cancel, ORDER),
        Request("player.ignore", handlers.ignore, Cost(2), writes=True, may_repeat=True),
        Request("player.ignored", handlers.ignored, QUESTION, may_repeat=True),
    ]


class _LobbyRequests:
    """What carries out each request."""

    def __init__(self, challenges: Challenges, ignores: Ignores) -> None:
        self._challenges = challenges
        self._ignores = ignores

    async def create(self, caller: Caller, message: wire.CreateChallenge) -> Answer:
        challenge = await self._challenges.create(caller.player, message, caller.address)
        return wire.ChallengeDone(challenge=challenge)

    async def state(self, _caller: Caller, message: wire.AskChallenge) -> Answer:
        return wire.ChallengeDone(challenge=self._challenges.find(message.challenge_id))

    async def accept(self, caller: Caller, message: wire.AcceptChallenge) -> Answer:
        challenge_id = message.challenge_id
        accepted = await self._challenges.accept(caller.player, challenge_id, caller.address)
        return wire.ChallengeDone(challenge=accepted)

    async def decline(self, caller: Caller, message: wire.DeclineChallenge) -> Answer:
        await self._challenges.decline(caller.player, message)
        return wire.Done()

    async def cancel(self, caller: Caller, message: wire.CancelChallenge) -> Answer:
        await self._challenges.cancel(caller.player, message.challenge_id)
        return wire.Done()

    async def ignore(self, caller: Caller, message: wire.IgnorePlayer) -> Answer:
        other = await self._ignores.change(caller.player, message)
        if message.ignore:
            await self._challenges.decline_all(caller.player.name, other.name)
        return await self._ignores.of_player(caller.player)

    async def ignored(self, caller: Caller, _message: wire.AskIgnored) -> Answer:
        return await self._ignores.of_player(caller.player)
