"""Commands of `bluestone arena` on the data folder of an arena: tokens, moderation, audit log."""

import ipaddress
import re
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

from cyclopts import App, Parameter
from cyclopts.validators import Number

from bot.arena.operator.command_line import (
    Config,
    Data,
    Name,
    Note,
    Reason,
    at_desk,
    place_of,
    required,
)
from bot.errors import ConfigurationError
from bot.runtime.output import Json, note, plain, print_json, print_table

if TYPE_CHECKING:
    from bot.arena.operator.desk import Desk
    from bot.arena.store.orders import Action, Order

T = TypeVar("T")
WAIT_S: Final = 10.0
"""How long a command waits until a running arena has carried out an order."""
LATER: Final = 75
"""The exit code if the arena has not carried out an order yet: EX_TEMPFAIL of sysexits.h."""
UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}

Address = Annotated[
    str | None, Parameter(help="an address or a network, such as 203.0.113.7 or 203.0.113.0/24")
]

Withdraw = Annotated[
    bool, Parameter(negative="", help="take the order back, if the arena has not carried it out")
]

tokens = App(name="tokens", help="List, rotate and revoke the tokens of bots.")


def add_to(app: App) -> None:
    """Add the commands to `bluestone arena`."""
    app.command(tokens)
    for command in (block, unblock, blocks, rename, abort_game, end_tournament, audit):
        app.command(command)


# ---- tokens -----------------------------------------------------------------------------------


@tokens.command(name="list")
def list_tokens(*, data: Data = None, config: Config = None, as_json: Json = False) -> None:
    """List the tokens that work: bot, id, and when it was made, was last used, and ends."""
    found = at_desk(data, config, "", lambda desk: desk.tokens())
    if as_json:
        print_json([asdict(token) for token in found])
        return
    rows = [
        [each.bot, each.id, _time(each.created_at), _time(each.used_at), _time(each.ends_at)]
        for each in found
    ]
    print_table(["bot", "id", "made", "last used", "ends"], rows, are_numbers=False)


@tokens.command
def rotate(
    name: Annotated[str, Parameter(name="NAME", help="the bot's name")],
    /,
    *,
    overlap: Annotated[
        str, Parameter(help="how long the former tokens still work: 90s, 30m, 24h, 7d")
    ] = "24h",
    reason: Note = "",
    data: Data = None,
    config: Config = None,
) -> None:
    """Print a new token for a bot; its former tokens still work for a while.

    Then they end: the arena refuses them, and closes connections that were opened with them.
    """
    lasts = span(overlap)
    made = at_desk(data, config, reason, lambda desk: desk.rotate(name, lasts))
    print(made.secret)
    if made.others:
        note(f"former tokens of {name}: {made.others}, until {_time(made.ends_at)} UTC")


@tokens.command
def revoke(
    token_id: Annotated[str, Parameter(name="ID", help="the id of the token, from the list")],
    /,
    *,
    reason: Note = "",
    data: Data = None,
    config: Config = None,
) -> None:
    """End a token at once.

    A running arena closes the connections that were opened with it within a few seconds.
    """
    token = at_desk(data, config, reason, lambda desk: desk.revoke(token_id))
    print(f"revoked token {token.id} of {token.bot}")


# ---- moderation -------------------------------------------------------------------------------


def block(
    name: Annotated[str | None, Parameter(name="NAME", help="the name of the account")] = None,
    /,
    *,
    reason: Reason,
    address: Address = None,
    lasts: Annotated[
        str | None, Parameter(name="--for", help="until when: 90s, 30m, 24h, 7d; default: no end")
    ] = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """Block an account or an address: logins are refused, open connections are closed.

    Games that the account is playing continue, and its clock runs; `abort-game` ends one. The
    reason is shown to the player.
    """
    until = None if lasts is None else datetime.now(UTC) + span(lasts)
    _one_of(name, address)

    async def work(desk: "Desk") -> str:
        if address is not None:
            return (await desk.block_network(address, until)).subject
        return (await desk.block_account(name or "", until)).subject

    subject = at_desk(data, config, required(reason), work)
    if address is not None and (proxy := _proxy_at(address, data, config)) is not None:
        text = f"warning: {proxy} is in trusted_proxies; an address that a proxy forwards counts"
        print(f"{text} instead of its own, so this block reaches nobody behind it", file=sys.stderr)
    print(
        f"blocked {subject} " + ("without an end" if until is None else f"until {_time(until)} UTC")
    )


def unblock(
    name: Annotated[str | None, Parameter(name="NAME", help="the name of the account")] = None,
    /,
    *,
    reason: Reason,
    address: Address = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """Remove the block of an account or an address."""
    _one_of(name, address)
    work = at_desk(data, config, required(reason), lambda desk: desk.unblock(name, address))
    print(f"unblocked {work}")


def blocks(*, data: Data = None, config: Config = None, as_json: Json = False) -> None:
    """List the blocks that hold: account or network, since when, until when, why."""
    found = at_desk(data, config, "", lambda desk: desk.blocks())
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [
        [each.subject, _time(each.created_at), _time(each.until), plain(each.reason)]
        for each in found
    ]
    print_table(["blocked", "since", "until", "why"], rows, are_numbers=False)


def rename(
    name: Name,
    /,
    *,
    reason: Reason,
    to: Annotated[str | None, Parameter(help="the new name; default: a neutral one")] = None,
    withdraw: Withdraw = False,
    data: Data = None,
    config: Config = None,
) -> int:
    """Give an account another name; no player can have the former name again.

    While the account plays a game or is in a tournament, the order waits. Records of finished
    games keep the former name.
    """
    if withdraw:
        return _withdraw(data, config, reason, "rename", name)
    return give(data, config, reason, lambda desk: desk.rename(name, to))


def abort_game(
    game_id: Annotated[str, Parameter(name="GAME", help="the id of the game, from its address")],
    /,
    *,
    reason: Reason,
    withdraw: Withdraw = False,
    data: Data = None,
    config: Config = None,
) -> int:
    """End a running game without a result, also a game of a tournament.

    A tournament plays such a game again, as after other games without a result.
    """
    if withdraw:
        return _withdraw(data, config, reason, "abort-game", game_id)
    return give(data, config, reason, lambda desk: desk.abort_game(game_id))


def end_tournament(
    tournament_id: Annotated[str, Parameter(name="TOURNAMENT", help="its id, from its address")],
    /,
    *,
    reason: Reason,
    withdraw: Withdraw = False,
    data: Data = None,
    config: Config = None,
) -> int:
    """End a tournament as its host could: games that run are played to their end, and count."""
    if withdraw:
        return _withdraw(data, config, reason, "end-tournament", tournament_id)
    return give(data, config, reason, lambda desk: desk.end_tournament(tournament_id))


def audit(
    *,
    limit: Annotated[
        int, Parameter(help="how many of the latest orders", validator=Number(gte=1))
    ] = 100,
    data: Data = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List what operators did: when, what, to whom, why, who, and with what outcome."""
    found = at_desk(data, config, "", lambda desk: desk.audit(limit))
    if as_json:
        print_json([_entry(each) for each in found])
        return
    rows = [
        [
            _time(each.at),
            each.action,
            each.subject,
            plain(each.by.reason),
            each.by.who,
            _outcome(each),
        ]
        for each in found
    ]
    print_table(["time", "action", "subject", "why", "who", "outcome"], rows, are_numbers=False)


# ---- parts ------------------------------------------------------------------------------------


def give(
    data: Path | None,
    config: Path | None,
    reason: str,
    give: "Callable[[Desk], Awaitable[Order]]",
) -> int:
    """Give an order, wait until the arena has carried it out, and print the outcome.

    Returns the exit code. Raises ConfigurationError if the order failed.
    """
    from bot.arena.store.opening import arena_runs

    is_running = arena_runs(place_of(data, config))

    async def work(desk: "Desk") -> "Order":
        return await desk.outcome(await give(desk), WAIT_S if is_running else 0.0)

    order = at_desk(data, config, required(reason), work)
    if order.done_at is not None and not order.ok:
        raise ConfigurationError(order.outcome or "the order failed")
    if order.done_at is not None:
        print(order.outcome)
        return 0
    if is_running:
        print(
            f"not yet: {order.outcome or 'the arena has not answered'}; see: bluestone arena audit"
        )
    else:
        print("no arena runs on this folder: it will be done when the arena starts")
    return LATER


def _withdraw(
    data: Path | None, config: Path | None, reason: str, action: "Action", subject: str
) -> int:
    print(at_desk(data, config, required(reason), lambda desk: desk.withdraw(action, subject)))
    return 0


def _proxy_at(address: str, data: Path | None, config: Path | None) -> str | None:
    """Return the trusted proxy that a block of this address or network meets; None if there is
    none.
    """
    from bot.arena.settings import UNIX_PEER, load_settings

    blocked = ipaddress.ip_network(address, strict=False)
    return next(
        (
            each
            for each in load_settings(config, data=data).trusted_proxies
            if each != UNIX_PEER
            and blocked.version == (network := ipaddress.ip_network(each)).version
            and blocked.overlaps(network)
        ),
        None,
    )


def _one_of(name: str | None, address: str | None) -> None:
    if (name is None) == (address is None):
        raise ConfigurationError("give either NAME or --address")


def span(text: str) -> timedelta:
    """A length of time, such as 24h. Raises ConfigurationError."""
    found = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if found is None:
        raise ConfigurationError(f"{text!r}: a number with s, m, h or d, such as 24h")
    return timedelta(seconds=int(found[1]) * UNITS[found[2]])


def _time(moment: datetime | None) -> str:
    return "-" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _outcome(order: "Order") -> str:
    if order.done_at is None:
        return f"pending; {order.outcome}" if order.outcome else "pending"
    return order.outcome or ""


def _entry(order: "Order") -> dict[str, object]:
    return {
        "id": order.id,
        "at": order.at,
        "action": order.action,
        "subject": order.subject,
        "detail": order.detail,
        "reason": order.by.reason,
        "who": order.by.who,
        "done_at": order.done_at,
        "ok": order.ok,
        "outcome": order.outcome,
    }
