"""What hosts and players ask of the tournaments that the arena hosts."""

from typing import Annotated

from pydantic import AfterValidator, Field

from bot.json_values import IS_NUMBER, TrueOrFalse
from bot.runtime.names import tidy
from bot.wire.base import FromClient, Id, Name, Seat
from bot.wire.tournaments import OfferedTournament

Why = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(tidy)]
GameNumber = Annotated[int, Field(ge=1, le=1_000_000), IS_NUMBER]


class CreateTournament(FromClient):
    """Make a tournament; only hosts may."""

    settings: OfferedTournament


class EnterTournament(FromClient):
    """Register: from then on the server starts games for this player without asking again."""

    tournament_id: Id


class LeaveTournament(FromClient):
    """Take one's registration back; after the beginning, withdraw."""

    tournament_id: Id


class StartTournament(FromClient):
    tournament_id: Id


class PauseTournament(FromClient):
    """Let running games end and begin no others."""

    tournament_id: Id
    why: Why = "The host has paused the tournament."


class ResumeTournament(FromClient):
    tournament_id: Id


class WithdrawPlayer(FromClient):
    """The host takes a player out; a game of theirs that runs is played to its end."""

    tournament_id: Id
    player: Name
    why: Why


class ReplaceResult(FromClient):
    """Put a result in place of what a game came to; `why` is shown beside it for ever."""

    tournament_id: Id
    game: GameNumber
    winner: Annotated[Seat, IS_NUMBER] | None
    why: Why


class EndTournament(FromClient):
    """Pair nothing more and begin no game; before the beginning, cancel."""

    tournament_id: Id
    why: Why


class WatchTournament(FromClient):
    """Follow a tournament's `tournament` events."""

    tournament_id: Id
    follow: TrueOrFalse = True
