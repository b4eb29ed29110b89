"""`bluestone status`: the state of a bot daemon, its games, and problems that need attention."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bot.cli.records import DEFAULT_DATA
from bot.daemon.inspection import Inspection, inspect
from bot.errors import ConfigurationError
from bot.runtime.health import (
    BoxStatus,
    DaemonStatus,
    EngineStatus,
    GameStatus,
    PlatformStatus,
    WorkStatus,
)
from bot.runtime.output import Json, plain, print_json, text_console


def overview(found: Inspection) -> RenderableType:
    """Render the problems first, then a table for each kind of information."""
    return Group(*_parts(found))


def duration(seconds: float) -> str:
    """Format a duration in its two greatest units: 1 d 4 h, 3 h 20 min, 5 min, 12 s."""
    whole = int(abs(seconds))
    days, hours, minutes = whole // 86_400, whole // 3600 % 24, whole // 60 % 60
    sign = "-" if seconds < 0 else ""
    if days:
        return f"{sign}{days} d {hours} h"
    if hours:
        return f"{sign}{hours} h {minutes} min"
    return f"{sign}{minutes} min" if minutes else f"{sign}{whole} s"


def _parts(found: Inspection) -> Iterator[RenderableType]:
    daemon = found.daemon
    if daemon is None:
        yield _text(f"the daemon does not answer: {found.silence}", style="bold")
    else:
        yield from _heads(daemon)
    if alarms := sum(each.is_alarm for each in found.work):
        yield _text(f"alarms: {alarms}; see `given_up` below, and the log")
    if daemon is not None:
        yield from _titled("platforms", _platforms(daemon.platforms))
        yield from _titled("engines", _engines(daemon.engines))
        if daemon.kernels:
            yield _text(f"the built-in engine: {daemon.kernels}")
        if daemon.box is not None:
            yield _text(_box(daemon.box))
        if any(platform.games for platform in daemon.platforms):
            yield from _titled("games", _games(daemon.platforms))
        if any(platform.unread for platform in daemon.platforms):
            yield from _titled("games that cannot be read", _unread(daemon.platforms))
    if found.work:
        yield from _titled("open work", _work(found.work))
    elif found.unread is not None:
        yield _text(f"its journal cannot be read: {found.unread}")
    elif daemon is None:
        yield _text("its journal has no open work")


def _heads(daemon: DaemonStatus) -> Iterator[RenderableType]:
    state = "ready" if daemon.ready else "draining" if daemon.draining else "not ready"
    yield _text(f"the daemon answers, and is {state}", style="bold")
    yield from (_text(f"- {why}") for why in daemon.why_not_ready)
    for each in daemon.platforms:
        if each.alarm is not None:
            yield _text(f"alarm: {each.name}: {each.alarm}")


def _titled(title: str, table: Table) -> Iterator[RenderableType]:
    yield Text()
    yield _text(title, style="bold")
    yield table


def _table(*heads: str, numbers: Sequence[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for head in heads:
        table.add_column(head, justify="right" if head in numbers else "left")
    return table


def _platforms(platforms: Sequence[PlatformStatus]) -> Table:
    is_rated = any(each.standing is not None for each in platforms)
    heads = ["name", "bot", *(["rating"] if is_rated else []), "state", "last contact", "games"]
    table = _table(*heads, numbers=["games"])
    for each in platforms:
        state = "connected" if each.connected else "not connected"
        if each.connected and each.seeking is not None:
            state += f", seeks a game: {each.seeking}"
        if each.refused is not None:
            state = f"refused: {each.refused}"
        age = each.last_event_age_s
        heard = "never" if age is None else f"{duration(age)} ago"
        rating = [each.standing or ""] if is_rated else []
        cells = (each.name, each.bot, *rating, state, heard, str(len(each.games)))
        table.add_row(*map(_text, cells))
    return table


def _engines(engines: Sequence[EngineStatus]) -> Table:
    table = _table("name", "state", "processes", "failures", numbers=["processes"])
    for each in engines:
        failures = ", ".join(f"{kind} {number}" for kind, number in each.failures.items())
        last = f": {each.last_failure}" if failures and each.last_failure else ""
        state = "works" if each.healthy else "fails"
        cells = (each.name, state, f"{each.alive} of {each.size}", failures + last)
        table.add_row(*map(_text, cells))
    return table


def _box(box: BoxStatus) -> str:
    parts = {
        "their box holds": box.holds,
        "it lacks": box.missing,
        "not here": box.unavailable,
        "outside": box.off,
    }
    return "; ".join(f"{head}: {', '.join(names)}" for head, names in parts.items() if names)


def _games(platforms: Sequence[PlatformStatus]) -> Table:
    """List games with our turn first, and among those the games with the least time first."""
    heads = ("platform", "game", "against", "board", "ply", "turn", "clock")
    table = _table(*heads, numbers=["ply", "clock"])
    rows = [(platform.name, game) for platform in platforms for game in platform.games]
    for name, game in sorted(rows, key=lambda row: _urgency(row[1])):
        left = game.deadline_s
        cells = (
            name,
            game.game_id,
            game.opponent,
            f"{game.game} {game.board}",
            str(game.ply) if game.plies_seen is None else f"{game.ply} (was {game.plies_seen})",
            _whose_turn(game),
            "none" if left is None else duration(left),
        )
        table.add_row(*map(_text, cells))
    return table


def _unread(platforms: Sequence[PlatformStatus]) -> Table:
    table = _table("platform", "game", "why")
    for platform in platforms:
        for game in platform.unread:
            table.add_row(*map(_text, (platform.name, game.game_id, game.why)))
    return table


def _urgency(game: GameStatus) -> tuple[bool, float]:
    left = game.deadline_s
    return game.our_turn_for_s is None, float("inf") if left is None else left


def _whose_turn(game: GameStatus) -> str:
    since = game.our_turn_for_s
    return "theirs" if since is None else f"ours for {duration(since)}"


def _work(work: Sequence[WorkStatus]) -> Table:
    heads = ("platform", "game", "ply", "state", "for", "turn", "reason")
    table = _table(*heads, numbers=["ply", "for"])
    for each in work:
        cells = (
            each.platform,
            each.game_id,
            str(each.ply),
            each.state,
            duration(each.for_s),
            each.turn or "",
            each.reason or "",
        )
        table.add_row(*map(_text, cells))
    return table


def _text(words: str, style: str = "") -> Text:
    return Text(plain(words), style=style)


def status(
    *,
    config: Annotated[
        Path | None,
        Parameter(help="the TOML file of the daemon; default: that of `bluestone up` in var"),
    ] = None,
    as_json: Json = False,
) -> int:
    """Show the status of a bot daemon: its games, whose turn, deadlines, open work, alarms.

    The command asks the daemon's health port, and reads its journal if the daemon does not answer.
    The exit code is 0 if the daemon is ready, and 1 if it is not ready or does not answer.
    """
    from bot.daemon.settings_file import read_whereabouts

    found = asyncio.run(inspect(read_whereabouts(config or _of_up()), datetime.now(UTC)))
    if as_json:
        print_json(_document(found))
    else:
        text_console().print(overview(found))
    return 0 if found.daemon is not None and found.daemon.ready else 1


def _of_up() -> Path:
    """Return the settings of the bots of `bluestone up`. Raises ConfigurationError."""
    from bot.up.bundled_bots import daemon_file

    file = daemon_file(DEFAULT_DATA)
    if not file.exists():
        none = f"no `bluestone up` has run here: there is no {file}"
        raise ConfigurationError(f"status needs --config FILE, the settings of a bot; {none}")
    return file


def _document(found: Inspection) -> dict[str, object]:
    daemon = found.daemon
    return {
        **asdict(found),
        "daemon": daemon and _daemon(daemon),
        "work": [each.model_dump() for each in found.work],
    }


def _daemon(daemon: DaemonStatus) -> dict[str, object]:
    fields = daemon.model_dump(exclude={"work"})
    return {"ready": daemon.ready, "why_not_ready": daemon.why_not_ready, **fields}
