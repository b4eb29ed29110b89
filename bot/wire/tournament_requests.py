"""Requests of hosts and players about the tournaments of the arena."""

from typing import Annotated

from pydantic import AfterValidator, Field

from bot.json_values import IS_NUMBER, TrueOrFalse
from bot.runtime.names import tidy
from bot.wire.base import FromClient, Id, Name, Seat
from bot.wire.tournaments import OfferedTournament

Why = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(tidy)]
GameNumber = Annotated[int, Field(ge=1, le=1_000_000), IS_NUMBER]


class CreateTournament(FromClient):
    """Make a tournament. Only hosts may."""

    settings: OfferedTournament


class EnterTournament(FromClient):
    """Register for a tournament. Its games then start for this player without a challenge."""

    tournament_id: Id


class LeaveTournament(FromClient):
    """Cancel a registration. After the start, withdraw from the tournament."""

    tournament_id: Id


class StartTournament(FromClient):
    tournament_id: Id


class PauseTournament(FromClient):
    """Finish the running games and start no others."""

    tournament_id: Id
    why: Why = "The host has paused the tournament."


class ResumeTournament(FromClient):
    tournament_id: Id


class WithdrawPlayer(FromClient):
    """Withdraw a player, as the host. A running game of theirs is played to its end."""

    tournament_id: Id
    player: Name
    why: Why


class ReplaceResult(FromClient):
    """Replace the result of a game, as the host. `why` is shown with the result from then on."""

    tournament_id: Id
    game: GameNumber
    winner: Annotated[Seat, IS_NUMBER] | None
    why: Why


class EndTournament(FromClient):
    """End a tournament: pair no more rounds and start no games. Before the start, cancel it."""

    tournament_id: Id
    why: Why


class WatchTournament(FromClient):
    """Subscribe to a tournament's `tournament` events."""

    tournament_id: Id
    follow: TrueOrFalse = True
