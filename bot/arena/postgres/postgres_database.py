"""The arena's PostgreSQL database: how it is connected, prepared, read and written.

Problem. The stores and the writer expect what SQLite gives them: one transaction sees one state,
writers come one after the other, a commit survives a power cut, and only one arena writes. A server
adds faults that a file does not have: it restarts, it forgets a connection, and it may lose the
answer to a COMMIT that it has carried out.

Idea.

- Transactions that write are SERIALIZABLE, so that an operator's command and the arena cannot both
  find that a name is free. PostgreSQL then fails one of two transactions that do not go together,
  and the writer repeats its group at once (`Verdict.AGAIN`).
- A group is sent as one pipeline, so that it costs one round trip and not one for each statement.
  If a statement of it fails, the writer repeats the group step by step.
- A commit is acknowledged after the answer of the server. If the answer is lost, nobody knows
  whether the transaction was committed. The writer repeats the group over a new connection, which
  changes nothing if it was (`bot.arena.store.connection.Work`).
- The connection that writes holds an advisory lock of its session: the right of the one arena. A
  new connection takes it again before it writes. So an arena that was cut off, and another one
  that took its place, never write by turns. The processes of an arena with several share the lock;
  fences keep them apart (`bot.arena.store.fences`).

Rejected:

- READ COMMITTED with locks in the statements: each statement of the stores would need its own
  proof.
- Asking `pg_xact_status` after a lost answer: costs a round trip in each transaction.
- A lock in a connection of its own: it may live on when the connection that writes is dead.
"""

import logging
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import Any, Final, TypeVar, cast

import psycopg
from psycopg import conninfo

from bot.arena.postgres.postgres_connection import PostgresConnection, Raw, named_rows
from bot.arena.postgres.postgres_tables import check_server, columns_in, make_tables, version_of
from bot.arena.store import fences, schema
from bot.arena.store.connection import Connection, ErrorVerdict, Hold, Query
from bot.arena.store.writer import HURRIED_S
from bot.errors import ConfigurationError, DataError, HostError
from bot.runtime.logs import learn_secret

LOCK_S: Final = 1.0
"""How long opening waits for another arena's lock, which a killed arena may leave for a moment."""
RETRY_S: Final = 0.1
ARENA_LOCK: Final = zlib.crc32(b"bluestone arena") & 0x7FFF_FFFF
"""The advisory lock of the one arena. Its second key is the schema, so that several arenas may use
several schemas of one database."""
IN_USE: Final = (
    "another arena uses it; stop that one, or choose another database "
    "(processes of one arena all need the setting cluster.link)"
)
REPAIR: Final = "restore the database from a backup"
UNESCAPED: Final = "the URL cannot be read; in a password, write / as %2F and @ as %40"

# A connection whose other end is gone must be noticed: by the arena within seconds, because its
# clocks run meanwhile, and by the server, because the session has the arena's lock.
_DEFAULTS: Final = {
    "application_name": "bluestone-arena",
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "client_encoding": "UTF8",
}
_SESSION: Final = """
SET default_transaction_isolation TO '{isolation}';
SET default_transaction_read_only TO {read_only};
SET extra_float_digits TO 1;
SET client_min_messages TO warning;
SET tcp_keepalives_idle TO 10;
SET tcp_keepalives_interval TO 5;
SET tcp_keepalives_count TO 3;
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = 'off'"""
# A process that is stopped in a transaction must not keep rows locked that others need.
_NOT_IDLE: Final = "SET idle_in_transaction_session_timeout TO '5s'"
_LOCKS: Final = {
    Hold.SOLE: "SELECT pg_try_advisory_lock(?, hashtext(current_schema()))",
    Hold.SHARED: "SELECT pg_try_advisory_lock_shared(?, hashtext(current_schema()))",
}
# Not by an attempt to take the lock: two programs that ask at once would see each other.
_PEEK: Final = """
SELECT EXISTS (
    SELECT 1 FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND classid::bigint = ? AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND objid::bigint = (hashtext(current_schema())::bigint & 4294967295)
)"""

# https://www.postgresql.org/docs/current/errcodes-appendix.html, by whole codes or classes. Errors
# of libpq itself, such as a lost or refused connection, have no code.
_VERDICTS: Final[Mapping[str, ErrorVerdict]] = {
    "40001": ErrorVerdict.AGAIN,  # serialization failure
    "40P01": ErrorVerdict.AGAIN,  # deadlock
    "08": ErrorVerdict.RECONNECT,  # connection
    "25006": ErrorVerdict.RECONNECT,  # read-only: the server has become a standby
    "25P03": ErrorVerdict.RECONNECT,  # idle in a transaction for too long
    "25P04": ErrorVerdict.RECONNECT,  # a transaction took too long
    "26": ErrorVerdict.RECONNECT,  # psycopg believes that a failed pipeline prepared a statement
    "28": ErrorVerdict.RECONNECT,  # authorisation
    "53300": ErrorVerdict.RECONNECT,  # too many connections
    "57P": ErrorVerdict.RECONNECT,  # shutdown, crash, start
    "53": ErrorVerdict.LATER,  # disk full, out of memory
    "55P03": ErrorVerdict.LATER,  # a lock is not available
    "57014": ErrorVerdict.LATER,  # cancelled, maybe by a timeout of the server
    "58": ErrorVerdict.LATER,  # an error of the server's system
    "XX001": ErrorVerdict.DAMAGED,
    "XX002": ErrorVerdict.DAMAGED,
}

# It warns of errors that end a pipeline; the writer reports them.
logging.getLogger("psycopg").setLevel(logging.ERROR)

T = TypeVar("T")


class PostgresDriver:
    """The database of a URL (`bot.arena.store.servers.ServerDriver`).

    The connection that writes holds the arena's lock as `hold` says.

    Raises ConfigurationError if the URL cannot be understood.
    """

    errors: tuple[type[Exception], ...] = (psycopg.Error,)

    def __init__(self, url: str, hold: Hold) -> None:
        try:
            self._parameters = _DEFAULTS | conninfo.conninfo_to_dict(url)
        except psycopg.ProgrammingError as error:
            # libpq quotes the part that it cannot read, which may be of the password.
            why = re.sub('"[^"]*"', "...", one_line(error)) if "@" in url else one_line(error)
            raise ConfigurationError(f"database: {why}") from None
        if any("@" in str(self._parameters.get(part, "")) for part in ("host", "port", "dbname")):
            raise ConfigurationError(f"database: {UNESCAPED}")
        learn_secret(str(self._parameters.get("password", "")))
        self.name = _shown(self._parameters)
        self._hold = hold

    def connect(self) -> PostgresConnection:
        """See `Driver`. Also raises psycopg.Error if another arena holds the lock."""
        connection = self.session("serializable")
        if self._hold is not Hold.NONE:
            try:
                connection.execute(_NOT_IDLE)
                hold(connection, self._hold)
            except BaseException:
                connection.close()
                raise
        return connection

    def session(self, isolation: str, *, read_only: bool = False) -> PostgresConnection:
        """Open a connection whose transactions are isolated like that. Raises psycopg.Error."""
        raw = Raw.connect(**cast("dict[str, Any]", self._parameters), autocommit=True)
        raw.execute(
            _SESSION.format(isolation=isolation, read_only="on" if read_only else "off").encode()
        )
        raw.row_factory = cast("Any", named_rows)
        return PostgresConnection(raw)

    def parameters(self, application: str) -> dict[str, Any]:
        """See `ServerDriver`. They are those of libpq."""
        return {**self._parameters, "application_name": application}

    def reader(self, patience_s: float | None) -> "PostgresReader":
        return PostgresReader(lambda: self.session("repeatable read", read_only=True), patience_s)

    def transaction(
        self, connection: Connection, run: Callable[[], T], *, is_repeatable: bool
    ) -> T:
        """See `Driver`."""
        assert isinstance(connection, PostgresConnection)
        try:
            if not is_repeatable:
                return _committed(connection, run)
            with connection.pipelined():
                return _committed(connection, run)
        except BaseException:
            connection.roll_back()
            raise

    def prepare(self) -> None:
        """See `ServerDriver`."""
        # READ COMMITTED, so that what another program did while this one waited for the lock is
        # seen.
        with closing(self.session("read committed")) as connection:
            check_server(self.name, connection)
            version = version_of(connection)
            schema.check_version(version, self.name, "database")
            if version < schema.VERSION:
                if version > 0:
                    hold(connection)  # a running arena would not understand the new tables
                self.transaction(connection, lambda: make_tables(connection), is_repeatable=False)
            if missing := schema.missing(columns_in(connection)):
                raise DataError(f"{self.name}: {', '.join(missing)} is missing; {REPAIR}")

    def has_tables(self) -> bool:
        """See `ServerDriver`."""
        return self._asked(lambda connection: version_of(connection) > 0)

    def is_held(self) -> bool:
        """See `ServerDriver`."""
        return self._asked(lambda c: bool(c.execute(_PEEK, (ARENA_LOCK,)).fetchone()[0]))

    def examined(self) -> tuple[int, list[str]]:
        """See `ServerDriver`. Also raises HostError if the server cannot be used for an arena."""

        def question(connection: PostgresConnection) -> tuple[int, list[str]]:
            check_server(self.name, connection)
            return version_of(connection), schema.missing(columns_in(connection))

        return self._asked(question)

    @contextmanager
    def one_moment(self, within_s: float) -> Iterator[PostgresConnection]:
        """See `ServerDriver`."""
        try:
            with closing(self.session("repeatable read", read_only=True)) as connection:
                limit_ms = str(max(1, round(within_s * 1000)))
                connection.execute("SELECT set_config('statement_timeout', ?, false)", (limit_ms,))
                connection.execute("BEGIN")
                yield connection
        except psycopg.Error as error:
            raise self.failure("cannot be read", error) from error

    def fill(self, work: Callable[[PostgresConnection], T]) -> T:
        """See `ServerDriver`."""

        def run() -> T:
            make_tables(target)
            return work(target)

        try:
            with closing(self.session("read committed")) as target:
                check_server(self.name, target)
                hold(target)
                outcome = self.transaction(target, run, is_repeatable=False)
                target.execute("ANALYZE")
        except psycopg.Error as error:
            raise self.failure("cannot take the copy", error) from error
        return outcome

    def _asked(self, question: Callable[[PostgresConnection], T]) -> T:
        try:
            with closing(self.session("read committed", read_only=True)) as connection:
                return question(connection)
        except psycopg.Error as error:
            raise self.failure("cannot be read", error) from error

    def judge(self, error: Exception) -> ErrorVerdict:
        return judge(error)

    def is_fenced(self, error: Exception) -> bool:
        """See `Driver`."""
        if isinstance(error, psycopg.errors.NotNullViolation):
            return (error.diag.table_name, error.diag.column_name) in fences.COLUMNS
        return isinstance(error, psycopg.errors.DivisionByZero)

    def failure(self, what: str, error: Exception) -> HostError:
        """See `Driver`."""
        message = f"{self.name}: {what}: {one_line(error)}"
        if judge(error) is ErrorVerdict.DAMAGED:
            return DataError(f"{message}; {REPAIR}")
        return HostError(message)


class PostgresReader:
    """The connection that reads; a new one replaces it when it is lost."""

    def __init__(self, connect: Callable[[], PostgresConnection], patience_s: float | None) -> None:
        self._connect = connect
        self._patience_s = patience_s
        self._connection: PostgresConnection | None = connect()
        self._lost_at: float | None = None

    def read(self, query: Query[T]) -> T:
        """See `bot.arena.store.connection.Reader`.

        While the server cannot be reached, this waits, as writing does. With a limited patience,
        which counts from the begin of the outage, it raises then.
        """
        while True:
            try:
                return self._attempt(query)
            except psycopg.Error as error:
                if judge(error) in {ErrorVerdict.WORK_FAILED, ErrorVerdict.DAMAGED}:
                    raise
                now = time.monotonic()
                self._lost_at = now if self._lost_at is None else self._lost_at
                if self._patience_s is not None and now - self._lost_at > self._patience_s:
                    raise
                time.sleep(RETRY_S)

    def hurry(self) -> None:
        self._patience_s = HURRIED_S

    def _attempt(self, query: Query[T]) -> T:
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        try:
            connection.execute("BEGIN")
            outcome = query(connection)
            connection.execute("COMMIT")
        except psycopg.Error as error:
            if judge(error) is ErrorVerdict.RECONNECT:
                self.close()
                self._connection = None
            else:
                connection.roll_back()
            raise
        except BaseException:
            connection.roll_back()
            raise
        self._lost_at = None
        return outcome

    def close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()


def judge(error: Exception) -> ErrorVerdict:
    """See `Driver.judge`."""
    # After an error in a pipeline, the statements behind it say only that they were skipped.
    if not isinstance(error, psycopg.Error) or isinstance(error, psycopg.errors.PipelineAborted):
        return ErrorVerdict.WORK_FAILED
    if (code := error.sqlstate) is None:
        is_lost = isinstance(error, psycopg.OperationalError)
        return ErrorVerdict.RECONNECT if is_lost else ErrorVerdict.WORK_FAILED
    known = (_VERDICTS.get(code[:length]) for length in (5, 3, 2))
    return next((each for each in known if each is not None), ErrorVerdict.WORK_FAILED)


def one_line(error: Exception) -> str:
    """The error's text, which the server may have written in several lines."""
    return " ".join(str(error).split())


def _committed(connection: PostgresConnection, run: Callable[[], T]) -> T:
    connection.execute("BEGIN")
    outcome = run()
    done = connection.execute("COMMIT").status
    if done != "COMMIT":  # a failed statement whose error was ignored
        raise psycopg.InternalError(f"the transaction ended with {done}")
    return outcome


def hold(connection: PostgresConnection, how: Hold = Hold.SOLE, wait_s: float = LOCK_S) -> None:
    """Take the arena's lock for this session. Raises psycopg.Error if others prevent it."""
    deadline = time.monotonic() + wait_s
    while not connection.execute(_LOCKS[how], (ARENA_LOCK,)).fetchone()[0]:
        if time.monotonic() > deadline:
            raise psycopg.errors.LockNotAvailable(IN_USE)
        time.sleep(RETRY_S)


def _shown(parameters: Mapping[str, object]) -> str:
    """The database's name in messages: its URL without the password."""
    user, host = parameters.get("user"), str(parameters.get("host") or "")
    port, name = parameters.get("port"), parameters.get("dbname") or user or ""
    at = f"{user}@" if user else ""
    return f"postgresql://{at}{host}{f':{port}' if port else ''}/{name}"
