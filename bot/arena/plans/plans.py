"""Conditional turns: the server answers a turn of the opponent at once, as its player has planned.

Problem. A crash may come between the opponent's turn and the answer, or after the answer. The
answer must be played once, also after a restart or by another process.

Idea. A plan is never changed while it is carried out. It has the ply at which it begins, and its
lines. Which line is followed, and what comes next, follows from the game's own list of turns: a
line is followed while it begins with the turns since that ply, whatever the order of the two stones
of each. So the same question, asked again after each turn and at each start of a process, has the
same answer, and a repeated turn is recognised by its ply as usual
(`bot.arena.games.game.Game.is_repeated`).

A plan ends when no line is followed, when all its turns are played, or after a takeback.
"""

from collections.abc import Sequence
from typing import Final

import structlog

import engine
from bot import wire
from bot.arena.games import referee
from bot.arena.games.game import SEATS, Game
from bot.arena.games.game_service import Games
from bot.arena.games.takebacks import check_known
from bot.arena.plans.plan_store import PlanStore, StoredPlan
from bot.arena.refusals import Refused
from bot.errors import HostError
from bot.runtime.tasks import OwnedTasks
from bot.runtime.workers import Workers
from bot.time_source import TimeSource

SOURCE: Final = "conditional"
"""The source of a turn that was played by a plan."""

log = structlog.get_logger()


class Plans:
    """Keeps plans, and plays their turns. Plans are private to their players."""

    def __init__(self, store: PlanStore, games: Games, workers: Workers, time: TimeSource) -> None:
        self._store = store
        self._workers = workers
        self._games = games
        self._time = time
        self._tasks = OwnedTasks("plan_failed", expected=HostError)
        games.playing.on_turn.append(self.consider)
        games.playing.on_start.append(self.consider)
        games.playing.on_end.append(self._ended)

    async def close(self) -> None:
        await self._tasks.cancel()

    async def plan(self, player: wire.Player, message: wire.PlanTurns) -> wire.PlanDone:
        """Replace a player's plan of a game. Raises Refused."""
        game = await self._games.find(message.game_id)
        seat = game.seat_of(player.name)
        if game.result is not None:
            raise Refused("game_over", f"The game has ended: {game.result.message}")
        check_known(game, message.ply, message.takebacks)
        if game.is_live:
            raise Refused("not_planned", "Only games by correspondence have conditional turns.")
        if game.to_play == seat:
            raise Refused("not_planned", "It is your turn: play it.")
        lines = await self._workers.run(_all_checked, game, message.lines)
        plan = StoredPlan(game.ply, game.takebacks, lines)
        await self._store.put(game.game_id, seat, plan)
        self.consider(await self._games.find(message.game_id))  # the opponent may have played
        return _done(plan)

    async def of_player(self, player: wire.Player, game_id: str) -> wire.PlanDone:
        """A player's own plan of a game. Raises Refused."""
        game = await self._games.find(game_id)
        plan = await self._store.get(game_id, game.seat_of(player.name))
        if plan is None or plan.takebacks != game.takebacks:
            return _done(StoredPlan(game.ply, game.takebacks, []))
        return _done(plan)

    def consider(self, game: Game) -> None:
        """Play the planned turn of the player to move. Without a plan, do nothing."""
        if not game.is_live and game.result is None:
            self._tasks.start(self._answer(game))

    def _ended(self, game: Game) -> None:
        if not game.is_live:
            self._tasks.start(self._forget(game.game_id))

    async def _forget(self, game_id: str) -> None:
        for seat in SEATS:
            await self._store.remove(game_id, seat)

    async def _answer(self, game: Game) -> None:
        seat = game.to_play
        plan = await self._store.get(game.game_id, seat)
        if plan is None:
            return
        answer = next_turn(game, plan)
        if answer is None:
            await self._store.remove(game.game_id, seat)
            return
        name = game.name_of(seat)
        played = wire.PlayTurn(
            v=wire.VERSION,
            game_id=game.game_id,
            ply=game.ply,
            turn=answer,
            takebacks=game.takebacks,
            info=wire.TurnInfo(source=SOURCE),
        )
        try:
            await self._games.play(name, played, self._time.monotonic())
        except Refused as refused:
            await self._store.remove(game.game_id, seat)
            log.info("plan_dropped", game=game.game_id, player=name, code=refused.code)


def next_turn(game: Game, plan: StoredPlan) -> str | None:
    """The turn that the plan has for the player to move; None if the plan is over."""
    since = _without_order([turn.turn for turn in game.turns[plan.ply :]])
    if plan.takebacks != game.takebacks or not since:
        return None
    for line in plan.lines:
        if len(line) > len(since) and _without_order(line[: len(since)]) == since:
            return line[len(since)]
    return None


def _without_order(turns: Sequence[str]) -> tuple[frozenset[str], ...]:
    """The turns to compare: the order of the two stones of a turn is no difference."""
    return tuple(engine.stones_of(turn) for turn in turns)


def _all_checked(game: Game, given: Sequence[list[str]]) -> list[list[str]]:
    """The lines as the game spells their turns. Raises Refused."""
    lines = [_checked(game, line) for line in given]
    _check_clear(lines)
    return lines


def _checked(game: Game, line: list[str]) -> list[str]:
    """The line as the game spells its turns. Raises Refused if a turn is illegal."""
    if len(line) % 2:
        raise Refused("invalid", "A line ends with a turn of yours.")
    position = game.position
    for turn in line:
        if position.over:
            raise Refused("invalid", "A line goes on after the end of the game.")
        position = referee.play(position, turn)
    return list(position.turns[game.ply :])


def _check_clear(lines: list[list[str]]) -> None:
    """Raises Refused if two lines have different answers to the same turns."""
    answers: dict[tuple[frozenset[str], ...], frozenset[str]] = {}
    for line in map(_without_order, lines):
        for length in range(1, len(line), 2):
            if answers.setdefault(line[:length], line[length]) != line[length]:
                raise Refused("invalid", "Two lines have different answers to the same turn.")


def _done(plan: StoredPlan) -> wire.PlanDone:
    return wire.PlanDone(ply=plan.ply, lines=[list(line) for line in plan.lines])
