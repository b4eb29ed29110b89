"""Events of a tournament with random results, as a host would write them."""

import math
import random
from collections.abc import Iterator
from typing import Final

from bot.tournaments.events import Began, Entered, Finished, Paired
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import Entrant, GameResult, MatchSetup, Pairing, Reason, ScheduledGame
from bot.tournaments.state import Tournament

DRAWN: Final = 0.2
NO_SHOW: Final = 0.02
NOBODY_CAME: Final = 0.1
"""The share of pairings in which a player does not come."""
BY_PLACE: Final = 3.0
"""The difference in strength between the first and the last entrant, in units of the logistic."""


def began(players: int, seed: int) -> Began:
    """Start a tournament of `players` players, named by their places."""
    return Began(
        name="by lot",
        entrants=tuple(_entrant(place) for place in range(players)),
        setups=(MatchSetup(game="bluestone", board="hex", rules="standard"),),
        seed=seed,
        settings={},
        software="bench",
    )


def entered(place: int) -> Entered:
    """Return the entry of another player, who is late."""
    return Entered(entrant=_entrant(place))


def scheduled(tournament: Tournament, draw: Draw) -> Paired:
    """Pair a round with one game per pairing."""
    pairing, pair, game = tournament.next_numbers
    return Paired(
        pairings=tuple(
            Pairing(
                number=pairing + place,
                round=draw.round,
                players=players,
                games=(ScheduledGame(number=game + place, pair=pair + place, seats=players),),
            )
            for place, players in enumerate(draw.pairs)
        ),
        byes=draw.byes,
    )


def results(tournament: Tournament, draw: Draw, rng: random.Random) -> Iterator[Finished]:
    """Yield a result for each game of a round."""
    places = {each.name: place for place, each in enumerate(tournament.entrants)}
    for pairing in tournament.pairings_of_round(draw.round):
        one, two = (places[name] / len(places) for name in pairing.players)
        for game in pairing.games:
            yield finished(game.number, _result(rng, BY_PLACE * (two - one)))


def finished(game: int, result: GameResult) -> Finished:
    """Return the end of a game; a game that was not played has no turns."""
    played = result.reason != "no_show"
    return Finished(
        game=game,
        game_id=f"game-{game}" if played else "",
        result=result,
        plies=20 if played else 0,
        fingerprint=str(game),
    )


def _result(rng: random.Random, stronger: float) -> GameResult:
    reason: Reason = "no_show" if rng.random() < NO_SHOW else "played_out"
    if rng.random() < (NOBODY_CAME if reason == "no_show" else DRAWN):
        return GameResult(winner=None, reason=reason)
    expected = 1 / (1 + math.exp(-stronger))
    return GameResult(winner=1 if rng.random() < expected else 2, reason=reason)


def _entrant(place: int) -> Entrant:
    return Entrant(name=f"player {place + 1}")
