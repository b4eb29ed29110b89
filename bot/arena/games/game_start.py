"""How a game begins: from a setup, after the turns of an opening, or from the turns in a store."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import engine
from bot import wire
from bot.arena.games import referee
from bot.arena.games.game import SEATS, Game, at_seat
from bot.arena.settings import Allowances
from bot.time_controls import PlayerClock, full_clock


def new_game(
    game_id: str,
    setup: wire.GameSetup,
    players: tuple[wire.Player, wire.Player],
    allowances: Allowances,
    created_at: datetime,
    now: float,
    tournament: wire.TournamentPlace | None = None,
    opening: Sequence[str] = (),
) -> Game:
    """Make a game that starts now; a tournament game may start after the turns of an opening.

    Raises Refused if the game or the board does not exist, or if the opening is illegal.
    """
    assert tournament is not None or not opening
    clock = full_clock(setup.clock)
    position, turns = _opened(referee.game_of(setup).start(), opening, clock)
    return Game(
        game_id=game_id,
        setup=setup,
        players=players,
        created_at=created_at,
        allowances=allowances,
        position=position,
        view=referee.view(position),
        clocks=(clock, clock),
        thinking_since=now,
        turns=turns,
        digest=wire.digest_after("", turns),
        tournament=tournament and tournament.model_copy(update={"opening": len(turns)}),
    )


def revived(game: Game, turns: tuple[wire.PlayedTurn, ...]) -> Game:
    """A new game after these turns, with its clock stopped. Raises Refused if one is illegal."""
    position = referee.replay(game.setup, [turn.turn for turn in turns])
    clocks = game.clocks
    for ply, turn in enumerate(turns):
        clocks = at_seat(clocks, SEATS[ply % 2], turn.clock)
    return replace(
        game,
        position=position,
        view=referee.view(position),
        turns=turns,
        digest=wire.digest_after("", turns),
        clocks=clocks,
        thinking_since=None,
    )


def _opened(
    start: engine.Position, opening: Sequence[str], clock: PlayerClock
) -> tuple[engine.Position, tuple[wire.PlayedTurn, ...]]:
    """The position after an opening, and its turns, which take no time from `clock`.

    Raises Refused if one of them is illegal.
    """
    position, turns = start, list[wire.PlayedTurn]()
    for turn in opening:
        position = referee.play(position, turn)
        given = wire.PlayedTurn(
            turn=position.turns[-1],
            captured=list(position.captured),
            time_ms=0,
            clock=clock,
            info=wire.TurnInfo(source="opening"),
        )
        turns.append(given)
    return position, tuple(turns)
