"""What a tournament is, in a few lines."""

from collections.abc import Iterator

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import Html, joined, tag
from bot.matches.report.statistics import format_kind
from bot.matches.report.words import setup_words


def facts(story: Chronicle) -> Html:
    """A list of facts with their names."""
    return tag(
        "dl",
        joined(joined((tag("dt", name), tag("dd", value))) for name, value in _facts(story)),
        css="facts",
    )


def _facts(story: Chronicle) -> Iterator[tuple[str, object]]:
    tournament = story.tournament
    yield "State", state_words(story)
    if known := format_kind(story):
        yield "Format", known
    if tournament.began.paired_by is not None:
        yield "Pairing", tournament.began.paired_by
    yield "Players", len(tournament.entrants)
    yield "Games", games_words(story)
    for setup in tournament.began.setups:
        yield "Played", setup_words(setup)
    yield "From", joined((_time(story, 0), " to ", _time(story, -1)))
    yield "Seed", tournament.began.seed


def state_words(story: Chronicle) -> str:
    """Whether it goes on."""
    tournament = story.tournament
    if tournament.ended is not None:
        return f"ended: {tournament.ended}"
    if tournament.paused is not None:
        return f"paused: {tournament.paused}"
    return f"round {tournament.round} is being played" if tournament.round else "not begun"


def games_words(story: Chronicle) -> str:
    tournament = story.tournament
    waiting = len(tournament.left)
    parts = [f"{len(tournament.played)} played"]
    parts += [f"{waiting} to be played"] if waiting else []
    parts += [f"{voids} void"] if (voids := tournament.voids.total()) else []
    return ", ".join(parts)


def _time(story: Chronicle, place: int) -> Html:
    at = story.entries[place].at
    return tag("time", f"{at:%Y-%m-%d %H:%M:%S %Z}".strip(), datetime=at.isoformat())
