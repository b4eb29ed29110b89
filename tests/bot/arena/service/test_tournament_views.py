"""Tournaments as messages show them."""

from collections.abc import Sequence

from bot import wire
from bot.arena.model.tournament import HostedTournament
from bot.arena.service.arena_clock import ArenaClock
from bot.arena.service.presence import Presence
from bot.arena.service.tournament_views import TournamentViews
from bot.tournaments.events import Event, Voided
from tests.bot.arena.hall import games
from tests.bot.arena.hosted import begun
from tests.fakes.time import FakeTime


def shown(hosted: HostedTournament, *events: Event) -> wire.TournamentState:
    """After these events, to everybody."""
    for event in events:
        hosted.apply(event)
    return TournamentViews(Presence(), ArenaClock(FakeTime())).state(hosted)


def voids(state: wire.TournamentState) -> Sequence[tuple[int, str | None]]:
    return [(game.voids, game.void_reason) for game in games(state)]


def test_of_a_void_game_everybody_sees_how_often_it_was_so_and_why_last() -> None:
    hosted = begun("one", "two", games_per_pairing=2)
    first, second = Voided(game=1, why="A power cut."), Voided(game=1, why="A full disk.")
    assert voids(shown(hosted)) == [(0, None), (0, None)]
    assert voids(shown(hosted, first)) == [(1, "A power cut."), (0, None)]
    state = shown(hosted, second)
    assert voids(state) == [(2, "A full disk."), (0, None)]
    assert [game.state for game in games(state)] == ["waiting", "waiting"]
