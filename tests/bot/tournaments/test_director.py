"""The director decides which events are due."""

from bot.tournaments.director import Director
from bot.tournaments.events import Ended, Finished, Paired, Paused, Resumed, Stopped, Voided
from bot.tournaments.model import GameResult
from bot.tournaments.schedule import Schedule
from bot.tournaments.state import Tournament
from tests.bot.tournaments.event_making import Rounds
from tests.bot.tournaments.test_schedule import a_tournament


def directed(tournament: Tournament, director: Director) -> list[str]:
    """Apply all due events. Returns their kinds."""
    kinds: list[str] = []
    while events := director.due(tournament):
        for event in events:
            tournament.apply(event)
            kinds.append(event.kind)
    return kinds


def finished(game: int) -> Finished:
    result = GameResult(winner=1, reason="played_out")
    return Finished(game=game, game_id=f"g{game}", result=result, plies=9, fingerprint=f"f{game}")


def test_rounds_are_paired_in_order_and_then_the_tournament_ends() -> None:
    tournament, director = a_tournament("A", "B"), Director(Rounds(2), Schedule(1))

    assert directed(tournament, director) == ["paired"]
    assert directed(tournament, director) == []
    tournament.apply(finished(1))
    assert directed(tournament, director) == ["paired"]
    tournament.apply(finished(2))
    assert directed(tournament, director) == ["ended"]
    assert directed(tournament, director) == []


def test_a_restarted_host_gets_the_same_events() -> None:
    tournament = a_tournament("A", "B")

    (first,) = Director(Rounds(2), Schedule()).due(tournament)
    (again,) = Director(Rounds(2), Schedule()).due(tournament)

    assert isinstance(first, Paired)
    assert first == again


def test_two_void_games_in_a_row_stop_a_pairing() -> None:
    tournament, director = a_tournament("A", "B"), Director(Rounds(1), Schedule())
    directed(tournament, director)
    tournament.apply(Voided(game=1, why="the machine was asleep"))
    assert director.due(tournament) == []
    tournament.apply(Voided(game=2, why="the machine was asleep"))

    (event,) = director.due(tournament)

    assert isinstance(event, Stopped)
    assert event.pairing == 1
    assert directed(tournament, director) == ["stopped", "ended"]


def test_a_stop_rule_ends_a_tournament_early() -> None:
    director = Director(
        Rounds(9), Schedule(), stop_rule=lambda t: "it is known" if t.played else None
    )
    tournament = a_tournament("A", "B")
    directed(tournament, director)
    assert tournament.ended is None
    tournament.apply(finished(1))

    assert director.due(tournament) == [Ended(why="it is known")]


def test_nothing_is_due_during_a_pause() -> None:
    tournament, director = a_tournament("A", "B"), Director(Rounds(1), Schedule())
    tournament.apply(Paused(why="lunch"))
    assert director.due(tournament) == []
    tournament.apply(Resumed())

    assert directed(tournament, director) == ["paired"]
