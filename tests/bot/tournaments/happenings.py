"""Tournaments with random events of all kinds."""

from collections.abc import Iterator
from random import Random
from typing import Final

from bot.tournaments.events import Event, Finished, Paired, Replaced, Stopped, Voided, Withdrew
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import Bye, ScheduledGame
from bot.tournaments.schedule import Schedule
from bot.tournaments.state import ImpossibleEvent, Tournament
from tests.bot.tournaments.event_making import began, result

PLAYERS: Final = ("a", "b", "c", "d")
USUAL: Final = (Finished,) * 12
OTHERS: Final = (Paired, Paired, Voided, Voided, Stopped, Replaced, Withdrew)


def happening(seed: int, events: int = 60) -> Iterator[Tournament]:
    """Yields the same tournament after each of `events` random events, most of them ends of games.

    Games end in any order, repeat each other, and are void or replaced before and after their end.
    Some games of stopped pairings end too.
    """
    chance, tournament = Random(seed), Tournament(began(PLAYERS))
    schedule = Schedule(games_per_pairing=chance.randint(1, 5))
    for _ in range(events):
        try:
            tournament.apply(_event(chance, tournament, schedule))
        except ImpossibleEvent:
            continue
        yield tournament


def _event(chance: Random, tournament: Tournament, schedule: Schedule) -> Event:
    kind, games = chance.choice(USUAL + OTHERS), list(tournament.games())
    if kind is Withdrew and chance.random() < 0.2:
        return Withdrew(player=chance.choice(PLAYERS), why="went home")
    if kind is Paired or not games:
        return schedule.paired(tournament, _draw(chance, tournament))
    game = chance.choice(games)
    if kind is Stopped:
        return Stopped(pairing=tournament.pairing_of(game.number).number, why="it had to be")
    if kind is Replaced:
        return Replaced(game=game.number, winner=chance.choice((1, 2, None)), why="the host says")
    if kind is Voided:
        return Voided(game=game.number, why="the machine was asleep")
    return _finished(chance, game)


def _finished(chance: Random, game: ScheduledGame) -> Finished:
    is_played = chance.random() < 0.9
    return Finished(
        game=game.number,
        game_id=f"game-{game.number}" if is_played else "",
        result=result(chance.choice("110="), "played_out" if is_played else "no_show"),
        plies=30 if is_played else 0,
        fingerprint=f"way-{chance.randint(1, 40)}",
    )


def _draw(chance: Random, tournament: Tournament) -> Draw:
    """Half of the draws pair only the first two players, so that these meet often."""
    number = tournament.round + chance.randint(0, 1) or 1
    if chance.random() < 0.5:
        return Draw(number, (chance.choice((("a", "b"), ("b", "a"))),))
    one, two, three, four = chance.sample(PLAYERS, 4)
    if chance.random() < 0.5:
        return Draw(number + 1, ((one, two),), (Bye(round=number + 1, player=three),))
    return Draw(number, ((one, two), (three, four)))
