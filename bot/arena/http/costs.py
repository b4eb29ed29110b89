"""What each request costs: the one table of weights, for events and for HTTP.

An ordinary message weighs 1, about as much as a turn. A weight stands for the work of the
arena: `MS_OF_WEIGHT` of a thread, or `BYTES_OF_WEIGHT` of an answer. The bytes are charged when the
answer is known, in addition to the weight in the table, so a client that has asked for a lot waits
before its next request.

Every event of the protocol and every route has an entry: the arena does not start without one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import engine
from bot import wire

MS_OF_WEIGHT: Final = 5
BYTES_OF_WEIGHT: Final = 16_000
LARGE_BOARD_CELLS: Final = 100

OfGame = Callable[[Any, engine.Board], int]
"""The weight of a message about a game on this board."""
OfMessage = Callable[[Any], int]


@dataclass(frozen=True)
class Cost:
    """What an event costs.

    `weight` may depend on the message, `of_game` also on the board of the message's game. The only
    effect of a question is its answer, so it is dropped when nobody waits for it any more.
    """

    weight: int | OfMessage = 1
    is_question: bool = False
    of_game: OfGame | None = None

    @property
    def is_slow(self) -> bool:
        """Whether it takes one of the places of its address."""
        return self.is_question or self.weight != 1 or self.of_game is not None

    def of(self, message: object) -> int:
        """The weight of a message, unless `of_game` gives it."""
        return self.weight if isinstance(self.weight, int) else self.weight(message)


def weight_of_answer(size: int) -> int:
    """The weight of an answer of that many bytes, apart from that of its event."""
    return size // BYTES_OF_WEIGHT


def _legal(_message: wire.AskLegal, board: engine.Board) -> int:
    """On a board without an edge, a long answer adds the rest."""
    is_large = len(board.cells) > LARGE_BOARD_CELLS or not board.is_bounded
    return 4 if is_large else 1


def _position(message: wire.AskPosition, board: engine.Board) -> int:
    """The last position is known; an earlier one is replayed."""
    if message.ply is None:
        return 1
    return 2 if board.is_bounded else 4


def _action(message: wire.GameAction, board: engine.Board) -> int:
    """A takeback replays the game."""
    if "takeback" not in message.action:
        return 1
    return 2 if board.is_bounded else 4


def _plan(message: wire.PlanTurns, board: engine.Board) -> int:
    lines = len(message.lines)
    return 1 + (lines if board.is_bounded else 6 * lines)


def _replayed(message: wire.AskAnyPosition) -> int:
    return 1 + len(message.turns) // 50


def _analysed(message: wire.StartAnalysis) -> int:
    return 4 + len(message.turns) // 50


def _free_legal(message: wire.AskAnyLegal) -> int:
    return 4 + len(message.turns) // 25


QUESTION: Final = Cost(1, is_question=True)
ORDER: Final = Cost(1)

EVENTS: Final[Mapping[str, Cost]] = {
    "challenge.create": Cost(4),  # the rules for new options are prepared
    "challenge.state": QUESTION,
    "challenge.accept": Cost(2),
    "challenge.decline": ORDER,
    "challenge.cancel": ORDER,
    "game.turn": ORDER,
    "game.action": Cost(1, of_game=_action),
    "game.watch": QUESTION,
    "game.state": QUESTION,
    "game.position": Cost(1, is_question=True, of_game=_position),
    "game.legal": Cost(1, is_question=True, of_game=_legal),
    "game.chat": ORDER,
    "game.chats": QUESTION,
    "game.report": ORDER,
    "game.plan": Cost(1, of_game=_plan),
    "game.plans": QUESTION,
    "game.queue": ORDER,
    "tournament.create": Cost(5),
    "tournament.enter": Cost(5),
    "tournament.leave": Cost(5),
    "tournament.start": Cost(5),
    "tournament.pause": Cost(5),
    "tournament.resume": Cost(5),
    "tournament.withdraw": Cost(5),
    "tournament.replace": Cost(5),
    "tournament.end": Cost(5),
    "tournament.watch": Cost(5, is_question=True),
    "puzzle.ask": Cost(2, is_question=True),
    "puzzle.try": Cost(2),
    "player.ignore": Cost(2),
    "player.ignored": QUESTION,
    "push.subscribe": ORDER,
    "push.unsubscribe": ORDER,
    "analysis.position": Cost(_replayed, is_question=True),
    "analysis.legal": Cost(_free_legal, is_question=True),
    "analysis.start": Cost(_analysed),
    "analysis.cancel": ORDER,
    "analysis.game": Cost(2),
    "analysis.take": ORDER,
    "analysis.report": ORDER,
    "state": Cost(2, is_question=True),
}
"""Each event of the protocol."""
assert EVENTS.keys() == wire.CLIENT_EVENTS.keys()


FILE: Final = 1
"""The weight of a file of the page, of a handshake and of an unknown address."""
REQUEST: Final = 10
"""The weight of an ordinary request for data; HTTP counts in tenths."""

Values = Mapping[str, str]
"""The variable parts of an address."""


def _picture(values: Values) -> int:
    """Making a PNG takes a tenth of a second, a GIF seconds."""
    return {"png": 10, "gif": 200}.get(values["form"], 5) * REQUEST


ROUTES: Final[Mapping[str, int | Callable[[Values], int]]] = {
    "/metrics": REQUEST,
    "/healthz": REQUEST,
    "/socket.io/": FILE,
    "/messages/{language}/{area}.json": FILE,
    "/lessons/{game}.json": FILE,
    "/{path}": FILE,
    "/api/{rest}": REQUEST,
    "/api/caller": REQUEST,
    "/api/games": REQUEST,
    "/api/boards/{game}": REQUEST,
    "/api/boards/{game}/{board}": REQUEST,
    "/api/schema/events.json": REQUEST,
    "/api/schema/record.json": REQUEST,
    "/api/players/{name}": REQUEST,
    "/api/ratings/{game}": REQUEST,
    "/api/openings": 5 * REQUEST,
    "/api/position": 5 * REQUEST,
    "/api/position.{form}": _picture,
    "/api/games/{id}": 2 * REQUEST,
    "/api/games/{id}/position": 5 * REQUEST,
    "/api/games/{id}.{form}": _picture,
    "/api/records": REQUEST,
    "/api/records.{form}": 5 * REQUEST,
    "/api/records/{id}": REQUEST,
    "/api/records/{id}.{form}": _picture,
    "/api/records/{id}/ratings": REQUEST,
    "/api/tournaments": REQUEST,
    "/api/tournaments/{id}": 5 * REQUEST,
    "/api/tournaments/{id}/rounds": 5 * REQUEST,
    "/api/tournaments/{id}/games.jsonl": 5 * REQUEST,
    "/api/account": REQUEST,
    "/api/account/passkeys/options": REQUEST,
    "/api/account/passkeys/add": REQUEST,
    "/api/account/passkeys/rename": REQUEST,
    "/api/account/passkeys/remove": REQUEST,
    "/api/account/recovery/create": REQUEST,
    "/api/account/recovery/use": REQUEST,
    "/api/account/proof": REQUEST,
    "/api/account/proof/options": REQUEST,
    "/api/account/devices/add": REQUEST,
    "/api/account/devices/use": REQUEST,
    "/api/account/devices/sign-out": REQUEST,
    "/api/account/devices/sign-out-others": REQUEST,
    "/api/account/sign-in/options": REQUEST,
    "/api/account/sign-in": REQUEST,
    "/api/account/export": 20 * REQUEST,
    "/api/account/delete": REQUEST,
}
"""Each route of the server, as the router writes it."""

DOWNLOADS: Final = frozenset(
    {"/api/records.{form}", "/api/tournaments/{id}/games.jsonl", "/api/account/export"}
)
"""Routes whose answers are sent while they are made."""


def weight_of_request(route: str | None, values: Values) -> int:
    """The weight of a request for a route; of an address without a route if it is None."""
    if route is None:
        return FILE
    weight = ROUTES[route]
    return weight if isinstance(weight, int) else weight(values)


def check_routes(routes: Iterable[str]) -> None:
    """Raise AssertionError if a route has no weight."""
    missing = {*routes} - ROUTES.keys()
    assert not missing, f"routes without a weight in costs.py: {sorted(missing)}"
