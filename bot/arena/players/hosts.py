"""Tournament hosts: people to whom the operator gave a link."""

from pathlib import Path
from typing import Final

from bot.arena.players import sessions
from bot.arena.players.accounts import Accounts, hashed
from bot.arena.settings import Place
from bot.arena.store import orders
from bot.arena.store.connection import Connection, Hold
from bot.arena.store.database import OPEN_S, Database, as_text
from bot.arena.store.ids import new_id, new_secret
from bot.arena.store.opening import open_database
from bot.time_source import SystemTime, TimeSource


class Hosts:
    """The hosts in the database: people who may create tournaments."""

    def __init__(self, database: Database, accounts: Accounts, time: TimeSource) -> None:
        self._database = database
        self._accounts = accounts
        self._time = time
        self._known: frozenset[str] = frozenset()

    def is_known(self, account: str | None) -> bool:
        """Return whether `look_up` has found that the account is a host."""
        return account in self._known

    async def create_key(self, name: str) -> str:
        """A new guest key for the host of that name. Creates the account if it does not exist.

        The host is signed out everywhere else. Raises ConfigurationError if the name is not
        allowed, or belongs to an account that is not a host.
        """
        key, own, session, now = new_secret(), new_id(), new_id(), self._time.wall()

        def work(connection: Connection) -> None:
            def is_host(account: str) -> bool:
                return connection.execute(_HOST, (account,)).fetchone() is not None

            account = self._accounts.account_named(connection, name, "person", is_host, own)
            sessions.add(connection, session, account, hashed(key), now)
            if sessions.end_others(connection, account, session, now):
                orders.note_change(connection, session)
            connection.execute(_NOTE, (account, as_text(now)))

        await self._database.write(work)
        return key

    async def look_up(self, account: str | None) -> bool:
        """Read from the database whether the account is a host; `is_known` remembers a host."""
        row = await self._database.read(
            lambda connection: connection.execute(_HOST, (account,)).fetchone()
        )
        if row is not None and account is not None:
            self._known |= {account}
        return row is not None


async def issue_key(where: Path | Place, name: str) -> str:
    """The key in the link that `bluestone arena host` prints. Raises HostError as `accounts_in`."""
    async with open_database(where, OPEN_S, Hold.NONE) as database:
        time = SystemTime()
        return await Hosts(database, Accounts(database, time), time).create_key(name)


_HOST: Final = "SELECT account FROM hosts WHERE account = ?"
_NOTE: Final = "INSERT INTO hosts (account, since) VALUES (?, ?) ON CONFLICT (account) DO NOTHING"
