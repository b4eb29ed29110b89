"""Turns a host's request into complete settings, a format and a schedule."""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any, Final, cast, get_args

from bot import wire
from bot.arena.games.referee import Menu
from bot.arena.refusals import Refused, sentence
from bot.errors import ConfigurationError
from bot.time_controls import Untimed
from bot.tournaments.events import Began
from bot.tournaments.formats.choice import (
    AnyFormat,
    format_of,
    most_pairings,
    paired_by,
    problems_with,
)
from bot.tournaments.model import Entrant, MatchSetup
from bot.tournaments.openings import OPENING_LINES, Lines
from bot.tournaments.schedule import Openings, Schedule
from bot.tournaments.standings import ROUND_ROBIN_ORDER, SWISS_ORDER
from bot.tournaments.state import Tournament
from bot.tournaments.tie_breaks import TieBreak

FEWEST: Final = 2
TAKES_LATE: Final = frozenset({"swiss", "free-for-all"})
"""Formats that players can enter after the start."""
MOST_GAMES: Final = 50_000
"""The most games of one tournament: with a few kilobytes per game, 150 MB of memory."""
KNOCKOUTS: Final = frozenset({"knockout", "double-knockout"})
"""Formats in which the initial order is a seeding: the first players get the byes."""


def settled(menu: Menu, asked: wire.OfferedTournament) -> wire.TournamentSettings:
    """The complete settings, with defaults filled in. Raises Refused with all problems at once."""
    setups = [menu.settled(setup) for setup in asked.setups]
    plain = asked.model_dump(exclude={"setups"})
    settings = wire.TournamentSettings(**plain, setups=setups)
    problems = [
        *_problems(lambda: _check_clocks(settings)),
        *_problems(lambda: _check_players(settings)),
        *_problems(lambda: _check_times(settings)),
        *_problems(lambda: order_of(settings)),
        *_problems(lambda: check_size(settings, max(FEWEST, len(settings.players)))),
    ]
    if problems:
        raise Refused("invalid", " ".join(problems))
    return settings


def _problems(check: Callable[[], object]) -> list[str]:
    try:
        check()
    except Refused as refused:
        return [refused.message]
    return []


def _check_clocks(settings: wire.TournamentSettings) -> None:
    if any(isinstance(setup.clock, Untimed) for setup in settings.setups):
        raise Refused("invalid", "setups: a tournament needs a clock, so that every game ends.")


def _check_players(settings: wire.TournamentSettings) -> None:
    names = [name.lower() for name in settings.players]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise Refused("invalid", f"players: {settings.players[place]} is listed twice.")
    if len(names) == 1:
        raise Refused("invalid", "players: only one is listed; list at least two, or none.")
    if settings.late_rounds and kind_of(settings) not in TAKES_LATE:
        known = ", ".join(sorted(TAKES_LATE))
        raise Refused("invalid", f"late_rounds: only these formats take late players: {known}.")


def _check_times(settings: wire.TournamentSettings) -> None:
    moments = [settings.opens_at, settings.closes_at, settings.starts_at]
    known = [moment for moment in moments if moment is not None]
    if known != sorted(known):
        raise Refused("invalid", "opens_at, closes_at and starts_at must be in this order.")


def kind_of(settings: wire.TournamentSettings) -> str:
    return settings.format.get("kind", "swiss")


def form_of(settings: wire.TournamentSettings, players: int) -> AnyFormat:
    """The format for that many players. Raises Refused if it, or one of its options, is unknown."""
    options: dict[str, Any] = {**settings.format}
    kind = options.pop("kind", "swiss")
    if kind == "swiss":
        options.setdefault("rounds", usual_rounds(players))
    if settings.forbidden:
        options["forbidden"] = [list(pair) for pair in settings.forbidden]
    try:
        return format_of(kind, **options)
    except ConfigurationError as error:
        raise Refused("invalid", sentence(f"format: {'; '.join(error.problems)}")) from error


def spelled(settings: wire.TournamentSettings, names: Sequence[str]) -> wire.TournamentSettings:
    """The settings with `forbidden` pairs written as the entrants write their names."""
    known = {name.lower(): name for name in names}
    pairs = [
        (known.get(one.lower(), one), known.get(two.lower(), two))
        for one, two in settings.forbidden
    ]
    return settings.model_copy(update={"forbidden": pairs})


def usual_rounds(players: int) -> int:
    """The default number of rounds of a Swiss tournament: at most one player can win all games."""
    return max(1, math.ceil(math.log2(max(players, FEWEST))))


def rounds_in_all(settings: wire.TournamentSettings, players: int) -> int | None:
    """The number of rounds; None if the format does not know it in advance."""
    form = form_of(settings, players)
    if kind_of(settings) == "swiss":
        return int(getattr(form, "rounds", 0)) or None
    if kind_of(settings) == "knockout" and players >= FEWEST:
        return usual_rounds(players)  # a tied match is paired again in the same round
    if kind_of(settings) == "round-robin" and players >= FEWEST:
        return int(getattr(form, "cycles", 1)) * (players - 1 + players % 2)
    return None


def games_at_most(settings: wire.TournamentSettings, players: int) -> int | None:
    """An upper bound of the games; None if only the host ends it. Raises as `form_of` does."""
    pairings = most_pairings(form_of(settings, players), players)
    setups = len(settings.setups) if settings.mix == "all" else 1
    return None if pairings is None else pairings * settings.games_per_pairing * setups


def check_size(settings: wire.TournamentSettings, players: int) -> None:
    """Raises Refused if that many players could have too many games, or as `form_of` does."""
    games = games_at_most(settings, players)
    if games is not None and games > MOST_GAMES:
        text = f"{players} players would have up to {games:,} games; {MOST_GAMES:,} are allowed."
        raise Refused("invalid", f"format: {text}")


def too_long(tournament: Tournament) -> str | None:
    """Return why a tournament without an end of its own must stop; a `StopRule`."""
    *_, next_game = tournament.next_numbers
    if next_game - 1 <= MOST_GAMES:
        return None
    return f"it has {next_game - 1:,} games, and {MOST_GAMES:,} are allowed"


def schedule_of(settings: wire.TournamentSettings, openings: Openings) -> Schedule:
    return Schedule(
        games_per_pairing=settings.games_per_pairing,
        setups=len(settings.setups),
        mix=settings.mix,
        openings=openings,
    )


def order_of(settings: wire.TournamentSettings) -> Sequence[TieBreak]:
    """The tie-breaks in their order. Raises Refused if one of them is unknown."""
    known = get_args(TieBreak)
    if unknown := [each for each in settings.tie_breaks if each not in known]:
        text = f"tie_breaks: {', '.join(unknown)} unknown; known: {', '.join(known)}."
        raise Refused("invalid", text)
    usual = SWISS_ORDER if kind_of(settings) == "swiss" else ROUND_ROBIN_ORDER
    return cast("list[TieBreak]", settings.tie_breaks) or usual


def check_can_begin(settings: wire.TournamentSettings, names: Sequence[str]) -> None:
    """Raises Refused if these players cannot play in that format."""
    form = form_of(settings, len(names))
    # A player in a forbidden pair may not have entered.
    found = [each for each in problems_with(form, names) if not each.startswith("forbidden")]
    if found:
        raise Refused("not_now", sentence("; ".join(found)))


def began(
    settings: wire.TournamentSettings,
    entrants: Sequence[wire.Player],
    openings: Lines,
    software: str,
) -> Began:
    """The first event, with the entrants in the initial order.

    Players on the host's list come first, in the order of the list. The others follow in random
    order; in a knockout they are seeded: bots by level, the highest first, then all others in the
    order of entry.
    """
    listed = {name.lower(): place for place, name in enumerate(settings.players)}
    others = [player for player in entrants if player.name.lower() not in listed]
    if kind_of(settings) in KNOCKOUTS:
        others.sort(key=lambda player: -(player.level or 0))
    else:
        random.Random(settings.seed).shuffle(others)
    drawn = [player.name for player in others]
    known = [player.name for player in entrants if player.name.lower() in listed]
    known.sort(key=lambda name: listed[name.lower()])
    return Began(
        name=settings.name,
        entrants=tuple(Entrant(name=name) for name in [*known, *drawn]),
        setups=tuple(_setup(setup) for setup in settings.setups),
        seed=settings.seed,
        settings={**settings.model_dump(mode="json"), OPENING_LINES: openings},
        software=software,
        paired_by=paired_by(kind_of(settings)),
    )


def _setup(setup: wire.GameSetup) -> MatchSetup:
    return MatchSetup(
        game=setup.game,
        board=setup.board,
        rules=setup.rules,
        options=setup.options,
        clock=setup.clock,
    )
