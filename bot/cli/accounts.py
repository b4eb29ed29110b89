"""Commands of `bluestone arena` on people: delete, mute, and decide on reports."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from cyclopts import App, Parameter

from bot.arena.operator.command_line import Config, Data, Name, Reason, at_desk, required
from bot.cli.moderation import give, span
from bot.runtime.output import Json, plain, print_json, print_table

if TYPE_CHECKING:
    from bot.arena.store.orders import PlayerReport


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
    report_id: Annotated[
        str | None, Parameter(name="ID", help="show this report with its chat; its start is enough")
    ] = None,
    /,
    *,
    every: Annotated[
        bool, Parameter(name="--all", negative="", help="list those that are decided too")
    ] = False,
    data: Data = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List the reports of players that are not decided, the oldest first, or show one of them."""
    if report_id is not None:
        found = at_desk(data, config, "", lambda desk: desk.report(report_id))
        if as_json:
            print_json(_fields(found))
        else:
            _show(found, _address(data, config))
        return
    listed = at_desk(data, config, "", lambda desk: desk.reports())
    listed = [each for each in listed if every or each.decision is None]
    if as_json:
        print_json([_fields(each) for each in listed])
        return
    rows = [
        [
            each.order.id,
            _time(each.order.at),
            each.order.subject,
            each.order.by.who,
            plain(each.order.by.reason),
            plain(each.order.outcome or ""),
            *([_decision(each)] if every else []),
        ]
        for each in listed
    ]
    head = ["id", "time", "player", "by", "why", "where", *(["decided"] if every else [])]
    print_table(head, rows, are_numbers=False)


def decide(
    report_id: Annotated[
        str, Parameter(name="ID", help="the id of the report, from the list, or its start")
    ],
    /,
    *,
    reason: Annotated[str, Parameter(help="what was decided, for the audit log")],
    data: Data = None,
    config: Config = None,
) -> None:
    """Note what was decided about a report, which then leaves the list."""
    report = at_desk(data, config, required(reason), lambda desk: desk.decide(report_id))
    print(f"decided {report.order.id} about {report.order.subject}: {plain(reason)}")


def _show(report: "PlayerReport", address: str) -> None:
    """Print a report with the link of its game and its lines of chat."""
    order, detail = report.order, _detail(report)
    facts = {
        "report": f"{order.id}, {_time(order.at)} UTC",
        "player": order.subject,
        "by": order.by.who,
        "why": order.by.reason,
        "game": f"{address}/game/{detail['game']}",
        "decided": _decision(report) or "not yet",
    }
    for name, value in facts.items():
        print(f"{name:8} {plain(value)}")
    print("chat" if detail["chat"] else "chat     no line")
    for line in detail["chat"]:
        kind, body = line["kind"], line["body"]
        words = body if kind == "text" else f"({kind} {body})" if body else f"({kind})"
        print(f"  {plain(line['by'])}: {plain(words)}")


def _address(data: Path | None, config: Path | None) -> str:
    """The address of the page, as far as the settings and the running arena have it."""
    from bot.arena.settings import load_settings
    from bot.arena.store.data_folder import address_of_arena
    from bot.runtime.listening import with_name

    settings = load_settings(config, data=data)
    running = None if settings.hosts else address_of_arena(settings.data)
    return with_name(running or settings.usual_address).rstrip("/")


def _decision(report: "PlayerReport") -> str:
    decision = report.decision
    if decision is None:
        return ""
    return plain(f"{_time(decision.at)} by {decision.by.who}: {decision.by.reason}")


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}"


def _detail(report: "PlayerReport") -> dict[str, Any]:
    """The game and its last lines of chat."""
    found: dict[str, Any] = orjson.loads(report.order.detail or '{"game": "", "chat": []}')
    return found


def _fields(report: "PlayerReport") -> dict[str, object]:
    order, decision = report.order, report.decision
    return {
        "id": order.id,
        "at": order.at,
        "player": order.subject,
        "by": order.by.who,
        "reason": order.by.reason,
        "outcome": order.outcome,
        "detail": None if order.detail is None else orjson.loads(order.detail),
        "decision": decision
        and {"at": decision.at, "by": decision.by.who, "reason": decision.by.reason},
    }
