"""`bluestone match`: play engines against each other, without a settings file."""

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter, validators

from bot.cli.games import OUTSIDE, Board, GameName, NoSandbox, Rules
from bot.cli.match_options import Adjudicating, Test
from bot.cli.tournament_views import Anchor, Log
from bot.cli.venues import NO_VENUE, Venues, elsewhere
from bot.engines.dialogues import usages
from bot.errors import ConfigurationError
from bot.runtime.output import Json
from bot.runtime.settings import did_you_mean

Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=1_000_000))]
Nodes = Annotated[int | None, Parameter(validator=validators.Number(gte=1))]

TURN_TIME: Final = re.compile(r"(?P<number>\d{1,9}(\.\d{1,3})?)(?P<unit>ms|s|)")
FILE_OR_RANDOM = "a file of openings, or random:PLIES"


def match(
    first: Annotated[
        str,
        Parameter(name="A", help="an engine: search:Level=3, a name, a command" + usages()),
    ],
    second: Annotated[str, Parameter(name="B")],
    /,
    *more: Annotated[str, Parameter(name="C", help="more engines; each pair plays --games games")],
    games: Annotated[Count, Parameter(help="games of each pair; with --sprt the maximum")] = 100,
    time: Annotated[
        str | None, Parameter(help="time per turn, such as 1.5s; 100ms by default")
    ] = None,
    nodes: Annotated[Nodes, Parameter(help="playouts per turn, instead of a time")] = None,
    clock: Annotated[str | None, Parameter(help="clock of each player, such as 10+0.1")] = None,
    limit: Annotated[
        tuple[str, ...],
        Parameter(
            negative="", help="limit of one engine, as NAME=LIMIT: 50ms, 2s, 10+0.1 or 500nodes"
        ),
    ] = (),
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    option: Annotated[
        tuple[str, ...],
        Parameter(
            name=("--option", "--set"), negative="", help="set an option of the game, as NAME=VALUE"
        ),
    ] = (),
    concurrency: Annotated[Count, Parameter(help="games at once")] = 1,
    openings: Annotated[str | None, Parameter(help=FILE_OR_RANDOM)] = None,
    openings_order: Annotated[
        Literal["file", "random"], Parameter(help="order of the openings of a file")
    ] = "file",
    openings_start: Annotated[Count, Parameter(help="number of the first opening of a file")] = 1,
    seed: Annotated[
        int,
        Parameter(help="seed of all random numbers", validator=validators.Number(gte=0, lte=2**53)),
    ] = 0,
    sprt: Annotated[
        str | None,
        Parameter(help="ELO0,ELO1: stop as soon as a sequential test decides A against B"),
    ] = None,
    test: Annotated[Test, Parameter(name="*")] = Test(),  # noqa: B008  (frozen)
    conduct: Annotated[Adjudicating, Parameter(name="*")] = Adjudicating(),  # noqa: B008  (frozen)
    names: Annotated[
        str | None, Parameter(help="names of the engines in tables, as A,B; in their order")
    ] = None,
    gauntlet: Annotated[
        bool, Parameter(negative="", help="play A against each other engine only")
    ] = False,
    engines: Annotated[
        Path | None, Parameter(help="a TOML file with [engines.NAME] tables")
    ] = None,
    no_sandbox: NoSandbox = False,
    out: Annotated[
        Path | None, Parameter(help="folder for the games; the same command continues from it")
    ] = None,
    venues: Venues = NO_VENUE,
    anchor: Anchor = None,
    log: Log = None,
    as_json: Json = False,
) -> int:
    """Play engines against each other, two games from each opening with seats swapped.

    An engine is a built-in one with its options, one of the --engines file, or a quoted command.
    With --out, the same command continues an interrupted match.
    """
    from bot.cli.hosting import host
    from bot.matches.engine_names import engines_in, player_tables
    from bot.matches.settings import settings_of

    words = (first, second, *more)
    players = _named(player_tables(words, engines_in(engines)), names)
    if no_sandbox:
        players = [{**player, "sandbox": OUTSIDE} for player in players]
    raw: dict[str, Any] = {
        "name": "match",
        "seed": seed,
        "players": _with_own_limits(players, limit),
        "setups": [
            {
                "game": game,
                "board": board,
                "rules": rules,
                "options": dict(_option(text) for text in option),
                **_limit(time, nodes, clock),
            }
        ],
        "openings": openings,
        "openings_order": openings_order,
        "openings_start": openings_start,
        "concurrency": concurrency,
        "conduct": conduct.table(),
        **_format(games, test.table(sprt), len(words), gauntlet),
    }
    where = elsewhere(venues)
    settings = settings_of(raw, "match", programs_here=where is None)
    with _folder(out) as folder:
        return host(
            settings,
            folder,
            as_json=as_json,
            go_on=_go_on(out),
            elsewhere=where,
            anchor=anchor,
            log=log,
        )


def _limit(time: str | None, nodes: int | None, clock: str | None) -> dict[str, object]:
    given = [name for name, value in (("time", time), ("nodes", nodes), ("clock", clock)) if value]
    if len(given) > 1:
        raise ConfigurationError(f"--{given[0]} and --{given[1]}: give only one of them")
    if nodes is not None:
        return {"nodes": nodes}
    return {"clock": clock or _turn_time(time or "100ms")}


def _with_own_limits(players: list[dict[str, Any]], limits: Sequence[str]) -> list[dict[str, Any]]:
    """Return the players, with individual limits for a handicap. Raises ConfigurationError."""
    own: dict[str, dict[str, object]] = {}
    names = [player["name"] for player in players]
    for text in limits:
        name, equals, limit = text.rpartition("=")  # the name of an engine may contain options
        if not equals:
            raise ConfigurationError(f"--limit {text!r}: write it as NAME=LIMIT")
        if name not in names:
            known = f"; known: {', '.join(names)}"
            near = did_you_mean(name, names) or known
            raise ConfigurationError(f"--limit {text!r}: there is no engine {name!r}{near}")
        own[name] = _own_limit(text, limit)
    return [{**player, **own.get(player["name"], {})} for player in players]


def _own_limit(text: str, limit: str) -> dict[str, object]:
    """Return the limit as keys of a player's table. Raises ConfigurationError."""
    from bot.tournaments.settings import limit_of

    nodes = limit.removesuffix("nodes")
    if nodes.isdecimal() and nodes != limit:
        return {"nodes": int(nodes)}
    try:
        limit_of(limit)
    except ValueError as error:
        raise ConfigurationError(f"--limit {text!r}: {error}, or 500nodes") from error
    return {"clock": limit}


def _turn_time(text: str) -> str:
    """Return the time per turn as a clock in short form. Raises ConfigurationError."""
    found = TURN_TIME.fullmatch(text)
    if found is None:
        raise ConfigurationError(f"--time {text!r}: write it as 100ms or 1.5s")
    return text if found["unit"] == "ms" else f"{found['number']}/turn"


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ConfigurationError(f"--option {text!r}: write it as NAME=VALUE")
    return name, value


def _named(players: list[dict[str, Any]], names: str | None) -> list[dict[str, Any]]:
    """The players with the names of --names. Raises ConfigurationError."""
    if names is None:
        return players
    given = [each.strip() for each in names.split(",")]
    if len(given) != len(players):
        raise ConfigurationError(
            f"--names {names!r}: there are {len(players)} engines, and {len(given)} names"
        )
    return [{**player, "name": name} for player, name in zip(players, given, strict=True)]


def _format(
    games: int, test: dict[str, object] | None, players: int, gauntlet: bool
) -> dict[str, object]:
    if test is None:
        kind = "gauntlet" if gauntlet else "round-robin"
        return {"format": {"kind": kind}, "games_per_pairing": games}
    if players > 2:
        raise ConfigurationError("--sprt: works only with two engines")
    most = max(1, games // 2)
    return {"format": {"kind": "sprt", "most": most}, "sprt": test, "games_per_pairing": 2}


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with TemporaryDirectory(prefix="bluestone-match-") as folder:
        yield Path(folder)


def _go_on(out: Path | None) -> str:
    if out is None:
        return "Results are discarded unless you pass --out."
    return f"To continue: {shlex.join(['bluestone', *sys.argv[1:]])}"
