"""Commands of `bluestone arena` on people: delete, mute, and decide on reports."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import orjson
from cyclopts import App, Parameter

from bot.cli.moderation import Config, Data, Name, Reason, at_desk, give, required, span
from bot.cli.output import plain, print_json, print_table
from bot.cli.records import Json

if TYPE_CHECKING:
    from bot.arena.store.orders import Order


def add_to(app: App) -> None:
    """Add the commands to `bluestone arena`."""
    for command in (delete, mute, unmute, reports, decide):
        app.command(command)


def delete(name: Name, /, *, reason: Reason, data: Data = None, config: Config = None) -> int:
    """Delete an account, as its owner could: its games get a neutral name, its logins end.

    A running arena refuses it while the account plays a game or a tournament needs it: abort the
    game first.
    """
    return give(data, config, reason, lambda desk: desk.delete(name))


def mute(
    name: Name,
    /,
    *,
    reason: Reason,
    lasts: Annotated[str, Parameter(name="--for", help="how long: 90s, 30m, 24h, 7d")] = "24h",
    data: Data = None,
    config: Config = None,
) -> None:
    """Refuse what an account writes in chats for a time; it plays on, and sees the reason."""
    until = datetime.now(UTC) + span(lasts)
    muted = at_desk(data, config, required(reason), lambda desk: desk.mute(name, until))
    print(f"muted {muted} until {until:%Y-%m-%d %H:%M:%S} UTC")


def unmute(name: Name, /, *, reason: Reason, data: Data = None, config: Config = None) -> None:
    """Let an account write in chats again."""
    muted = at_desk(data, config, required(reason), lambda desk: desk.unmute(name))
    print(f"{muted} may write again")


def reports(
    *,
    data: Data = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List the reports of players that are not decided, the oldest first."""
    found = at_desk(data, config, "", lambda desk: desk.reports())
    if as_json:
        print_json([_report(each) for each in found])
        return
    rows = [
        [
            each.id,
            f"{each.at:%Y-%m-%d %H:%M:%S}",
            each.subject,
            each.by.who,
            plain(each.by.reason),
            plain(each.outcome or ""),
        ]
        for each in found
    ]
    print_table(["id", "time", "player", "by", "why", "where"], rows, are_numbers=False)


def decide(
    report_id: Annotated[str, Parameter(name="ID", help="the id of the report, from the list")],
    /,
    *,
    reason: Annotated[str, Parameter(help="what was decided, for the audit log")],
    data: Data = None,
    config: Config = None,
) -> None:
    """Note what was decided about a report, which then leaves the list."""
    at_desk(data, config, required(reason), lambda desk: desk.decide(report_id))
    print(f"decided: {plain(reason)}")


def _report(order: "Order") -> dict[str, object]:
    return {
        "id": order.id,
        "at": order.at,
        "player": order.subject,
        "by": order.by.who,
        "reason": order.by.reason,
        "outcome": order.outcome,
        "detail": None if order.detail is None else orjson.loads(order.detail),
    }
