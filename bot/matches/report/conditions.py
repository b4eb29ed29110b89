"""The facts and the conditions of a tournament: engines, options, limits, machine, conduct."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pydantic import ValidationError

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import Column, Html, joined, section, table, tag
from bot.matches.report.statistics import format_kind
from bot.matches.report.words import limit_words, percent, setup_words
from bot.matches.settings import EnginePlayer
from bot.runtime.logs import REDACTED, names_secret
from bot.tournaments.conduct import HostConduct


def facts(story: Chronicle) -> Html:
    """The facts at the top of the page."""
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
        yield "Setup", setup_words(setup)
    yield "From", joined((_time(story, 0), " to ", _time(story, -1)))
    yield "Seed", tournament.began.seed


def state_words(story: Chronicle) -> str:
    """The state of a tournament: ended, paused, running or not begun."""
    tournament = story.tournament
    if tournament.ended is not None:
        return f"ended: {tournament.ended}"
    if tournament.paused is not None:
        return f"paused: {tournament.paused}"
    return f"round {tournament.round} is being played" if tournament.round else "not begun"


def games_words(story: Chronicle) -> str:
    """The numbers of played, remaining and void games."""
    tournament = story.tournament
    waiting = len(tournament.left)
    parts = [f"{len(tournament.played)} played"]
    parts += [f"{waiting} to be played"] if waiting else []
    parts += [f"{voids} void"] if (voids := tournament.voids.total()) else []
    return ", ".join(parts)


def _time(story: Chronicle, place: int) -> Html:
    at = story.entries[place].at
    return tag("time", f"{at:%Y-%m-%d %H:%M:%S %Z}".strip(), datetime=at.isoformat())


COLUMNS: Final = (
    Column("Player"),
    Column("Engine", title="what the engine calls itself: `id name`"),
    Column("Command"),
    Column("Options"),
    Column("Limit"),
)


def conditions_section(story: Chronicle) -> Html:
    """Each engine with its command, options and limit; then the machine and the conduct.

    Environment variables are not shown. Values that are named like a secret are redacted.
    """
    players, names = _players(story), _engine_names(story)
    if not players and not names:
        return Html("")
    rows = [
        [*_row(story, each.name, players.get(each.name), names.get(each.name, []))]
        for each in story.tournament.entrants
    ]
    shown = table("Engines", COLUMNS, rows, is_titled=True)
    facts = [tag("p", text) for text in (*_machine(story), *_conduct(story, players))]
    return section("conditions", "Engines and conditions", shown, *facts)


def _players(story: Chronicle) -> Mapping[str, EnginePlayer]:
    """The players in the settings that have a command or a built-in engine."""
    found: dict[str, EnginePlayer] = {}
    for each in story.began.settings.get("players") or ():
        if not isinstance(each, Mapping) or not each.keys() & {"command", "builtin"}:
            continue
        try:
            player = EnginePlayer.model_validate(each)
        except ValidationError:  # written by another version
            continue
        found[player.name] = player
    return found


def _engine_names(story: Chronicle) -> Mapping[str, Sequence[str]]:
    """The names that the engine of each player stated (`id name`), in the order of the games."""
    found: dict[str, dict[str, None]] = {}
    for finish in story.finishes.values():
        for player in () if finish.record is None else finish.record.players:
            if player.engine is not None:
                found.setdefault(player.name, {})[player.engine.name] = None
    return {name: list(names) for name, names in found.items()}


def _row(
    story: Chronicle, name: str, player: EnginePlayer | None, names: Sequence[str]
) -> Iterator[object]:
    yield name
    yield ", ".join(names) or "–"
    if player is None:
        yield from ("–", "–", "–")
        return
    built_in = f"built-in engine {player.builtin}"
    yield built_in if player.is_builtin else tag("code", command_words(player.argv))
    yield joined((_option(*each) for each in player.options.items()), ", ") or "none set"
    own = player.own_limit
    limits = dict.fromkeys(limit_words(each.limit) for each in story.began.setups)
    yield "; ".join(limits) if own is None else f"{limit_words(own)} (its own)"


def command_words(command: Sequence[str]) -> str:
    """The command as a shell would read it, with secrets redacted.

    In a word that is named like a secret, the value is redacted (`--token=abc`, `sh -c '...'`). If
    it has no value, the next word is redacted (`--token abc`).
    """
    shown, hides_next = [], False
    for word in command:
        if hides_next:
            shown.append(REDACTED)
            hides_next = False
            continue
        safe = _redacted(word)
        hides_next = safe == word and _is_secret(word)
        shown.append(safe if REDACTED in safe else shlex.quote(safe))
    return " ".join(shown)


def _redacted(text: str) -> str:
    """The text without the value after the name of a secret."""
    if not _is_secret(text):
        return text
    name, equals, _ = text.partition("=")
    if any(each.isspace() for each in name) or (not equals and ":" in text):
        return REDACTED
    return f"{name}={REDACTED}" if equals else text


def _is_secret(text: str) -> bool:
    return names_secret(text.replace("-", "_"))


def _option(name: str, value: str) -> str:
    return f"{name} = {REDACTED if _is_secret(name) or _is_secret(value) else value}"


def _machine(story: Chronicle) -> Iterator[str]:
    if story.began.machine is not None:
        yield f"Machine of the host: {story.began.machine}."


def _conduct(story: Chronicle, players: Mapping[str, EnginePlayer]) -> Iterator[str]:
    """The conduct in sentences; none for a tournament of an arena, which has its own rules."""
    if not players:
        return
    try:
        conduct = HostConduct.model_validate(story.began.settings.get("conduct") or {})
    except ValidationError:  # written by another version
        return
    yield (
        f"Margin: a turn may come {conduct.margin_ms:,} ms late. "
        f"Patience: an engine without a clock may take {conduct.patience_ms:,} ms for a turn."
    )
    yield f"Adjudication: {'; '.join(_ends(conduct)) or 'none'}."


def _ends(conduct: HostConduct) -> Iterator[str]:
    if (resign := conduct.resign) is not None:
        yield (
            f"an engine resigns after {resign.turns} turns with a chance of at most "
            f"{percent(resign.below, 1)}, from ply {resign.min_ply}"
        )
    if (agree := conduct.agree) is not None:
        yield (
            f"a draw is agreed after {agree.turns} turns of each engine with a chance within "
            f"{percent(agree.margin, 1)} of one half, from ply {agree.min_ply}"
        )
    if (adjudicate := conduct.adjudicate) is not None:
        yield (
            f"a win is adjudicated if both engines, for {adjudicate.turns} turns, and the host "
            f"give it {percent(adjudicate.sure, 1)} or more, from ply {adjudicate.min_ply}"
        )
    if conduct.most_turns is not None:
        yield f"a game is drawn after {conduct.most_turns:,} turns"
