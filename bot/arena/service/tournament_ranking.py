"""Who leads a hosted tournament, by what its format goes by."""

from collections import Counter, defaultdict

from bot import wire
from bot.arena.model.tournament import HostedTournament
from bot.arena.model.tournament_settings import kind_of, order_of
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from bot.tournaments.standings import Standing, by_place, standings
from bot.tournaments.state import Tournament


def ranking(hosted: HostedTournament) -> list[wire.TournamentStanding]:
    """The leader first; who has the same rank shares it. Empty before the beginning."""
    if hosted.core is None:
        return []
    counts = _counts(hosted.core)
    return [_message(row, counts[row.name]) for row in _rows(hosted, hosted.core)]


def _rows(hosted: HostedTournament, core: Tournament) -> list[Standing]:
    """In a knockout by how far they came, which no tie-break changes; else by points."""
    if isinstance(hosted.form, Knockout | DoubleKnockout):
        return by_place(standings(core, (), is_swiss=False), hosted.form.places(core))
    is_swiss = kind_of(hosted.settings) == "swiss"
    return standings(core, order_of(hosted.settings), is_swiss=is_swiss)


def _message(row: Standing, counts: Counter[float]) -> wire.TournamentStanding:
    return wire.TournamentStanding(
        rank=row.rank,
        player=row.name,
        points=row.points,
        game_points=row.game_points,
        played=counts.total(),
        wins=counts[1.0],
        draws=counts[0.5],
        losses=counts[0.0],
        tie_breaks={**row.tie_breaks},
    )


def _counts(core: Tournament) -> defaultdict[str, Counter[float]]:
    """How often each player got which points for a game."""
    counts: defaultdict[str, Counter[float]] = defaultdict(Counter)
    for game in core.played.values():
        for seat, name in enumerate(game.scheduled.seats, start=1):
            counts[name][game.result.points(seat)] += 1
    return counts
