"""Accounts that last as a capability of the arena: passkeys, recovery links, devices, deletion."""

from typing import Final

from bot.arena.accounts.account_api import AccountApi
from bot.arena.capability import Capability, Core, Http, Part


def open_accounts(core: Core) -> Part:
    """Let people sign in on every device, export everything about them, and delete it."""

    def add_routes(http: Http) -> None:
        AccountApi(core, http).add_to(http.routes)

    return Part(add_routes=add_routes)


ACCOUNTS: Final = Capability("accounts", open_accounts)
