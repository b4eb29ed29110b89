"""The requests about games: turns, actions, and questions about positions."""

from typing import Final

import engine
from bot import wire
from bot.arena.answers import Answer, Encoded, with_part
from bot.arena.games.encoded import encoded_legal, encoded_position
from bot.arena.games.game_service import Games
from bot.arena.http.costs import ORDER, QUESTION, Cost
from bot.arena.refusals import Refused
from bot.arena.request_table import Caller, Handler, Request
from bot.runtime.workers import Workers

LARGE_BOARD_CELLS: Final = 100


def game_requests(games: Games, workers: Workers) -> list[Request]:
    """The requests about the games of this process."""
    handlers = _GameRequests(games, workers)
    action = Cost(1, of_game=_action)
    position, legal = (Cost(1, is_question=True, of_game=each) for each in (_position, _legal))

    def question(event: str, handler: Handler, cost: Cost) -> Request:
        return Request(event, handler, cost, place="owner", may_repeat=True)

    return [
        Request("game.turn", handlers.turn, ORDER, writes=True, place="owner", may_repeat=True),
        Request("game.action", handlers.action, action, writes=True, place="owner"),
        question("game.watch", handlers.whole, QUESTION),
        question("game.state", handlers.whole, QUESTION),
        question("game.position", handlers.position, position),
        question("game.legal", handlers.legal, legal),
        Request("game.queue", handlers.queue, ORDER, place="owner", may_repeat=True),
    ]


class _GameRequests:
    """What carries out each request."""

    def __init__(self, games: Games, workers: Workers) -> None:
        self._games = games
        self._workers = workers

    async def turn(self, caller: Caller, message: wire.PlayTurn) -> Answer:
        return await self._games.play(caller.player.name, message, caller.arrived)

    async def action(self, caller: Caller, message: wire.GameAction) -> Answer:
        return with_part("game", (await self._games.act(caller.player.name, message)).as_json())

    async def whole(self, _caller: Caller, message: wire.AskGame | wire.WatchGame) -> Answer:
        return with_part("game", (await self._games.state(message.game_id)).as_json())

    async def position(self, _caller: Caller, message: wire.AskPosition) -> Answer:
        game = await self._games.find(message.game_id)
        if message.ply in {None, game.ply}:
            return with_part("position", game.view.as_json)
        if message.ply > game.ply:
            words = f"Ply {message.ply} is not reached yet: the game is at {game.ply}."
            raise Refused("stale_ply", words)
        return await self._workers.run(_earlier_position, game.position, message.ply)

    async def legal(self, _caller: Caller, message: wire.AskLegal) -> Answer:
        position = await self._position_to_move(message)
        chosen = tuple(message.chosen)
        return await self._workers.run(encoded_legal, position, chosen, message.about)

    async def queue(self, caller: Caller, message: wire.ReportQueue) -> Answer:
        await self._games.pass_on_queue(caller.player.name, message)
        return wire.Done()

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


def _earlier_position(last: engine.Position, ply: int) -> Encoded:
    return encoded_position(last.game.replay(last.turns[:ply]))


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
