"""The arena's tables in a PostgreSQL database: which version they have, and how they are made."""

import zlib
from typing import Final

from bot.arena.store import schema
from bot.arena.store.connection import Connection
from bot.arena.store.tables import Dialect
from bot.errors import HostError

# The order of texts must not depend on the locale of the server: moments are compared as texts.
POSTGRES: Final = Dialect({"TEXT": 'TEXT COLLATE "C"', "WITHOUT ROWID": ""})
OLDEST: Final = 15
"""The oldest version of the server with which the arena is tested."""
TABLES_LOCK: Final = zlib.crc32(b"bluestone tables") & 0x7FFF_FFFF
"""The advisory lock of the program that creates or changes tables; its second key is the schema."""
_LOCK_TABLES: Final = "SELECT pg_advisory_xact_lock(?, hashtext(current_schema()))"
_COLUMNS: Final = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema()"""
_VERSION: Final = "SELECT version FROM schema_version"


def check_server(name: str, connection: Connection) -> None:
    """Raises HostError if this server or this database, called `name`, cannot be used."""
    found = connection.execute(
        "SELECT current_setting('server_version_num')::int / 10000 AS version,"
        " current_setting('server_encoding') AS encoding, current_schema() AS schema"
    ).fetchone()
    if found["version"] < OLDEST:
        why = f"PostgreSQL {OLDEST} or newer is required, this server is {found['version']}"
    elif found["encoding"] != "UTF8":
        why = f"its encoding is {found['encoding']}; create a database with the encoding UTF8"
    elif found["schema"] is None:
        why = "there is no schema in its search_path"
    else:
        return
    raise HostError(f"{name}: cannot be used as the arena's database: {why}")


def version_of(connection: Connection) -> int:
    """The version of the tables; 0 if there are none."""
    if "schema_version" not in columns_in(connection):
        return 0
    row = connection.execute(_VERSION).fetchone()
    return 0 if row is None else int(row["version"])


def columns_in(connection: Connection) -> dict[str, set[str]]:
    """The columns that the schema of the database has, by their tables."""
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(_COLUMNS).fetchall():
        found.setdefault(table, set()).add(column)
    return found


def make_tables(connection: Connection) -> None:
    """Create the tables or bring them up to date, within the transaction that is open."""
    connection.execute(_LOCK_TABLES, (TABLES_LOCK,))
    version = version_of(connection)  # another program may have been faster
    if version == 0:
        schema.create(connection, POSTGRES)
        connection.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
        connection.execute("INSERT INTO schema_version (version) VALUES (?)", (schema.VERSION,))
    elif version < schema.VERSION:
        schema.migrate(connection, version, POSTGRES)
        connection.execute("UPDATE schema_version SET version = ?", (schema.VERSION,))
    schema.add_absent(connection, POSTGRES, columns_in(connection))
