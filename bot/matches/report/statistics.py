"""The statistics of a tournament, computed once for the page, the terminal and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

from bot.errors import ConfigurationError
from bot.matches.report.chronicle import Chronicle
from bot.runtime.settings import did_you_mean
from bot.tournaments.formats.choice import format_of
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from bot.tournaments.head_to_head import HeadToHead, head_to_head
from bot.tournaments.outcomes import Outcome, outcomes
from bot.tournaments.pentanomial import Pentanomial, pentanomials
from bot.tournaments.ratings import RatingTable, ratings
from bot.tournaments.repeats import Repeat, repeats
from bot.tournaments.sprt import Bounds, Sprt
from bot.tournaments.sprt_run import sprt
from bot.tournaments.standings import ROUND_ROBIN_ORDER, SWISS_ORDER, Standing, by_place, standings
from bot.tournaments.tie_breaks import TieBreak

MEASURES: Final = frozenset({"gauntlet", "sprt", "free-for-all"})
"""Formats that measure strength and are sorted by rating. The others are events with standings."""
BRACKETS: Final = frozenset({"knockout", "double-knockout"})


@dataclass(frozen=True)
class SequentialTest:
    """The sequential test of a player against an opponent."""

    player: str
    opponent: str
    test: Sprt


@dataclass(frozen=True)
class Statistics:
    """The statistics of a tournament.

    `standings` are sorted by points, by how far players came in a knockout, or by `ratings`.
    `match` has the figures of a match of two players; it is None with more players.
    """

    standings: tuple[Standing, ...]
    tie_breaks: tuple[TieBreak, ...]
    is_event: bool
    is_bracket: bool
    ratings: RatingTable
    sequential: SequentialTest | None
    match: HeadToHead | None
    pairs: Mapping[tuple[str, str], Pentanomial]
    repeats: tuple[Repeat, ...]

    @property
    def order(self) -> list[str]:
        """The players, the leader first."""
        return [row.name for row in self.standings]


def statistics(story: Chronicle, anchor: str | None = None) -> Statistics:
    """Compute all statistics.

    Ratings are relative to the `anchor`. Without an anchor, and before its first game, they are
    relative to the mean of the players. Raises ConfigurationError if no player has that name.
    """
    check_anchor(anchor, [each.name for each in story.tournament.entrants])
    tournament, kind = story.tournament, format_kind(story)
    games = outcomes(tournament)
    is_swiss = kind == "swiss"
    is_event = kind not in MEASURES
    breaks = _tie_breaks(story, is_swiss=is_swiss)
    rows, rated = standings(tournament, breaks, is_swiss=is_swiss), _ratings(games, anchor)
    places = _places(story)
    if places is not None:
        rows = by_place(rows, places)
    elif not is_event:
        rows = _by_rating(rows, rated)
    sequential, again = _sequential(story), tuple(repeats(tournament.played.values()))
    return Statistics(
        standings=tuple(rows),
        tie_breaks=breaks if is_event and places is None else (),
        is_event=is_event,
        is_bracket=places is not None,
        ratings=rated,
        sequential=sequential,
        match=_match(story, games, sequential, again),
        pairs=pentanomials(games),
        repeats=again,
    )


def check_anchor(anchor: str | None, names: Sequence[str]) -> None:
    """Raises ConfigurationError if no player has that name."""
    if anchor is not None and anchor not in names:
        hint = did_you_mean(anchor, names)
        raise ConfigurationError(f"--anchor {anchor!r}: no player has that name{hint}")


def _ratings(games: Sequence[Outcome], anchor: str | None) -> RatingTable:
    has_played = any(anchor in game.seats for game in games)
    return ratings(games, anchor=anchor if has_played else None)


def _match(
    story: Chronicle,
    games: Sequence[Outcome],
    sequential: SequentialTest | None,
    again: Sequence[Repeat],
) -> HeadToHead | None:
    names = [each.name for each in story.tournament.entrants]
    if len(names) != 2 or not games:
        return None
    found = head_to_head(games, (names[0], names[1]), sequential.test if sequential else None)
    left_out = len(story.tournament.played) - len(games)
    return replace(found, repeated=len(again), not_played=left_out - len(again))


def format_kind(story: Chronicle) -> str:
    """The kind of the format in the settings; empty if they name none."""
    return str(_table(story, "format").get("kind", "")).replace("_", "-")


def _by_rating(rows: list[Standing], rated: RatingTable) -> list[Standing]:
    elo = {row.name: row.elo for row in rated.rows}
    return sorted(rows, key=lambda row: (row.name not in elo, -elo.get(row.name, 0)))


def _places(story: Chronicle) -> list[list[str]] | None:
    """The groups of players who came equally far, best first; None if it is not a knockout."""
    options = {**_table(story, "format"), "kind": format_kind(story)}
    if options["kind"] not in BRACKETS:
        return None
    try:
        form = format_of(**options)
    except ConfigurationError:  # another version wrote options that this one does not know
        return None
    assert isinstance(form, Knockout | DoubleKnockout)
    return form.places(story.tournament)


def _tie_breaks(story: Chronicle, *, is_swiss: bool) -> tuple[TieBreak, ...]:
    """The tie-breaks of the settings that this version knows, otherwise the default ones.

    Buchholz is left out unless the format is a Swiss (FIDE C.07, article 8).
    """
    known: tuple[TieBreak, ...] = get_args(TieBreak)
    asked = story.began.settings.get("tie_breaks") or ()
    chosen = tuple(each for name in asked for each in known if each == name)
    if not is_swiss:
        chosen = tuple(each for each in chosen if not each.startswith("buchholz"))
    return chosen or (SWISS_ORDER if is_swiss else ROUND_ROBIN_ORDER)


def _sequential(story: Chronicle) -> SequentialTest | None:
    """The test of the first player against the second; None if the settings have no bounds."""
    asked = _table(story, "sprt")
    if not asked or len(story.began.entrants) < 2:
        return None
    try:
        numbers = ("elo0", "elo1", "alpha", "beta")
        bounds = Bounds(
            **{name: float(asked[name]) for name in numbers if name in asked},
            model="normalised" if asked.get("model") == "normalised" else "logistic",
        )
    except (TypeError, ValueError):
        return None
    one, other = (each.name for each in story.began.entrants[:2])
    return SequentialTest(one, other, sprt(story.tournament, one, other, bounds))


def _table(story: Chronicle, name: str) -> Mapping[str, Any]:
    found = story.began.settings.get(name)
    return found if isinstance(found, dict) else {}
