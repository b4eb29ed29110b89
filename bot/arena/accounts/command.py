"""`bluestone arena recover`: a new recovery link for a person."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from bot.arena.operator.command_line import (
    Address,
    Config,
    Data,
    Reason,
    at_desk,
    print_link,
    required,
)
from bot.errors import ConfigurationError
from bot.runtime.doors import Command

if TYPE_CHECKING:
    from bot import wire
    from bot.arena.operator.desk import Desk
    from bot.arena.store.connection import Connection


def recover(
    name: Annotated[str, Parameter(name="NAME", help="the name of the person's account")],
    /,
    *,
    reason: Reason,
    data: Data = None,
    config: Config = None,
    address: Address = None,
) -> None:
    """Print a new recovery link for a person who cannot sign in any more.

    Everyone who has the link can sign in as that person, once. It replaces the person's own
    recovery link. Passkeys and devices stay: the person can remove them after signing in.
    """
    secret = at_desk(data, config, required(reason), lambda desk: new_link(desk, name))
    print_link(data, config, address, f"recover={secret}")


async def new_link(desk: "Desk", name: str) -> str:
    """The secret of a new recovery link. Raises ConfigurationError if the name is no person's."""
    from bot.arena.accounts.sign_in import put_recovery
    from bot.arena.players.accounts import hashed
    from bot.arena.store.ids import new_secret

    secret = new_secret()

    def put(connection: "Connection", player: "wire.Player", now: datetime) -> str:
        if player.kind != "person":
            raise ConfigurationError(f"{player.name} is not a person with a name")
        put_recovery(connection, str(player.id), hashed(secret), now)
        return "a new recovery link"

    await desk.change_account("recover", name, put)
    return secret


RECOVER: Final = Command(f"{__name__}:recover")
