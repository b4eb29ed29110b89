"""What comes in: the events of clients who are here, each answered once."""

from bot import wire
from bot.arena.net.clients import Clients
from bot.arena.net.outbox import Outbox
from bot.arena.net.requests import Requests
from bot.arena.net.socket_io import Acknowledge, Incoming


class Inbox:
    """Has requests answered; a refusal that nobody awaits goes out as a `problem`."""

    def __init__(self, clients: Clients, requests: Requests, outbox: Outbox) -> None:
        self._clients = clients
        self._requests = requests
        self._outbox = outbox

    async def take(
        self, connection: str, incoming: Incoming, acknowledge: Acknowledge | None
    ) -> None:
        """As `SocketServer.on_event`."""
        client = self._clients.find(connection)
        if client is None:
            return
        is_answered = False

        def reply(answer: wire.Done | wire.Refusal) -> None:
            nonlocal is_answered
            if is_answered:
                return
            is_answered = True
            if acknowledge is not None:
                acknowledge(answer.model_dump_json())
            elif isinstance(answer, wire.Refusal):
                problem = wire.Problem(code=answer.code, message=answer.message)
                self._outbox.tell(connection, "problem", problem)

        await self._requests.answer(client, incoming, reply)
