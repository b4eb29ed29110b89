"""Games that end without a result because both players agree to that.

Until both players have played, either of them may abort a game alone (`Game.act`). After that it
has a result, unless both give it up: one offers to abort the game, the other accepts. It then ends
like every aborted game: it counts in no rating, and the quotas have counted it when it began.
Games of tournaments need a result, so they have no such offers.

An offer ends with the next turn of either player, like a request for a takeback: it is about the
position in which it was made. After an offer that was not accepted, as many turns must be played
before the next one as after a draw offer, so a player cannot press the opponent with offers.
"""

from dataclasses import replace

from bot import wire
from bot.arena.games.game import DRAW_PAUSE_TURNS, Game, at_seat, other
from bot.arena.refusals import Refused

AGREED = "Both players agreed to abort the game."
"""The message of the result. The page shows it in its own words."""


def offered_by(game: Game, seat: wire.Seat, now: float) -> Game:
    """The game after an offer to abort it; aborted if both have offered. Raises Refused."""
    if game.tournament is not None:
        raise Refused("tournament_game")
    if game.abort_offer == seat:
        return game
    if game.abort_offer == other(seat):
        return accepted_by(game, seat, now)
    offered_at = game.abort_offered_at_ply[seat - 1]
    if offered_at >= 0 and (left := offered_at + DRAW_PAUSE_TURNS - game.ply) > 0:
        turns = f"{left} more turn{'s' if left > 1 else ''}"
        raise Refused("too_soon", f"You may offer to abort the game again after {turns}.")
    offered = at_seat(game.abort_offered_at_ply, seat, game.ply)
    return replace(game, abort_offer=seat, abort_offered_at_ply=offered)


def accepted_by(game: Game, seat: wire.Seat, now: float) -> Game:
    """The game, aborted because the opponent has offered that. Raises Refused."""
    _check_offer_to(game, seat)
    return game.aborted(AGREED, now)


def declined_by(game: Game, seat: wire.Seat) -> Game:
    """The game without the opponent's offer. Raises Refused."""
    _check_offer_to(game, seat)
    return replace(game, abort_offer=None)


def _check_offer_to(game: Game, seat: wire.Seat) -> None:
    if game.abort_offer != other(seat):
        raise Refused("no_abort_offer")
