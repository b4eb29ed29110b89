"""Tournaments that an arena would host, without the arena."""

from datetime import UTC, datetime
from typing import Any

from bot import wire
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_settings import began
from bot.tournaments.events import Finished
from bot.tournaments.model import GameResult

MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)
CLOCK = {"kind": "per_turn", "turn_s": 5}
SETUP = {"game": "bluestone", "board": "pent-4", "rules": "official", "options": {}, "rated": False}


def settings(**changes: Any) -> wire.TournamentSettings:
    plan = {"name": "Autumn cup", "setups": [SETUP | {"clock": CLOCK}]}
    return wire.TournamentSettings.model_validate(plan | changes)


def player(name: str) -> wire.Player:
    return wire.Player(id=f"id-of-{name}", name=name, kind="bot", engine=None, level=None)


def hosted(*names: str, **changes: Any) -> HostedTournament:
    """One that has not begun, in which these are entered."""
    made = HostedTournament("t1", player("Hanna"), settings(**changes), MADE_AT, revision=1)
    made.entrants = {name: player(name) for name in names}
    made.entered = len(names)
    return made


def begun(*names: str, **changes: Any) -> HostedTournament:
    """One whose first round is paired, of these players in this order."""
    made = hosted(*names, **{"players": list(names), **changes})
    made.apply(began(made.settings, list(made.entrants.values()), [], "test"))
    pair(made)
    return made


def pair(made: HostedTournament) -> None:
    """Let what is due happen, without any game being played."""
    assert made.core is not None
    assert made.director is not None
    while events := made.director.due(made.core, made.core.players):
        for event in events:
            made.apply(event)


def win(made: HostedTournament, game: int, name: str) -> None:
    """Somebody wins a game that is to be played."""
    assert made.core is not None
    seats = next(each.seats for each in made.core.games() if each.number == game)
    result = GameResult.model_validate({"winner": seats.index(name) + 1, "reason": "played_out"})
    made.apply(
        Finished(game=game, game_id=f"g{game}", result=result, plies=9, fingerprint=f"f{game}")
    )
