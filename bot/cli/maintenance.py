"""`bluestone arena maintenance`: let no game start, and wait until those that run have ended."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from bot.arena.operator.command_line import Config, Data, at_desk, required
from bot.cli.moderation import LATER, span
from bot.errors import ConfigurationError
from bot.runtime.output import plain

if TYPE_CHECKING:
    from bot import wire
    from bot.arena.operator.desk import Desk
    from bot.arena.operator.maintenance_store import GamesLeft


def add_to(app: App) -> None:
    """Add the command to `bluestone arena`."""
    app.command(maintenance)


def maintenance(
    *,
    reason: Annotated[str, Parameter(help="why, for the players and the audit log")] = "",
    at: Annotated[
        str | None, Parameter(help="from when: 10m, 2h, or 2026-11-28T18:30 (UTC); default: now")
    ] = None,
    end: Annotated[bool, Parameter(negative="", help="let games start again")] = False,
    wait: Annotated[
        str | None,
        Parameter(help="wait that long after its start until no live game runs: 90s, 30m"),
    ] = None,
    data: Data = None,
    config: Config = None,
) -> int:
    """Plan maintenance: from then on no game or tournament starts, and running games go on.

    The page shows the reason and the time. The plan survives a restart; --end removes it. Without
    --reason and --end, the command shows the plan and the number of running games. With --wait,
    the exit code is 75 if live games still run at the end. Games without a clock and games by
    correspondence continue after a restart, so no command waits for them.
    """
    if end:
        if at is not None or wait is not None:
            raise ConfigurationError("--end goes with --reason alone")
        at_desk(data, config, required(reason), lambda desk: desk.end_maintenance())
        print("games start again")
        return 0
    if at is not None and not reason:
        raise ConfigurationError("--at needs --reason")
    wait_s = None if wait is None else span(wait).total_seconds()
    if reason:
        why, starts_at = required(reason), None if at is None else _moment(at)
        at_desk(data, config, why, lambda desk: desk.plan_maintenance(starts_at))

    async def look(desk: "Desk") -> "tuple[wire.Maintenance | None, GamesLeft]":
        return await desk.maintenance()

    planned, left = at_desk(data, config, "", look)
    print(_plan(planned))
    print(_left(left))
    if wait_s is None:
        return 0
    left = at_desk(data, config, "", lambda desk: desk.drained(wait_s))
    print(_left(left))
    return LATER if left.live else 0


def _moment(text: str) -> datetime:
    """The moment of `--at`: a time in UTC, or a span from now."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return datetime.now(UTC) + span(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _plan(planned: "wire.Maintenance | None") -> str:
    if planned is None:
        return "no maintenance is planned"
    when = f"{planned.starts_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"no games start from {when}: {plain(planned.reason)}"


def _left(left: "GamesLeft") -> str:
    return f"games that run: {left.live} live, {left.slow} by correspondence or without a clock"
