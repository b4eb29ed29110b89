"""Errors, named by the party at fault.

BluestoneError
 ├── ConfigurationError     the operator: a file, an option, a missing secret
 ├── PeerError              the other end of a connection: refused with a code and a sentence
 │    └── RefusedByServer   a permanent refusal (a wrong token, a wrong version)
 ├── EngineFailure          a search engine
 │    ├── EngineStartError      its command does not start or does not greet
 │    ├── EngineDied            its process ended, or its pipe broke
 │    ├── EngineTimeout         it did not answer by its deadline
 │    └── EngineProtocolError   an invalid answer, or an illegal turn
 └── HostError              this machine: a port in use, a folder that cannot be written
      ├── DataError         a stored file that is damaged, or of another version
      └── ProcessReplaced   others have taken over; a new start joins them again

A bug is not one of these: its exception stays as it is, and is logged with its traceback.
"""

from collections.abc import Sequence
from typing import TypeVar

E = TypeVar("E", bound=Exception)


class BluestoneError(Exception):
    """The base class. `exit_code` is the exit code of a command (from sysexits.h if one fits)."""

    exit_code = 1


class ConfigurationError(BluestoneError):
    """All problems that were found, each as `place: what is wrong`."""

    exit_code = 78

    def __init__(self, problems: Sequence[str] | str) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class PeerError(BluestoneError):
    """The other end's message cannot be accepted; `code` and `message` are sent back to it."""

    exit_code = 76

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")


class RefusedByServer(PeerError):
    """A server refuses the login, and retrying is useless."""

    exit_code = 77


class EngineFailure(BluestoneError):
    """A search engine failed; `engine` is its configured name."""

    exit_code = 70

    def __init__(self, engine: str, message: str) -> None:
        self.engine = engine
        self.message = message
        super().__init__(f"engine {engine!r}: {message}")


class EngineStartError(EngineFailure):
    """The command does not start, or does not answer `ugi` in time."""


class EngineDied(EngineFailure):
    """The process ended, or its pipe broke, while it was needed.

    `status` is its exit status, negative for the signal that ended it; None if it did not end by
    itself.
    """

    def __init__(self, engine: str, message: str, status: int | None = None) -> None:
        super().__init__(engine, message)
        self.status = status


class EngineTimeout(EngineFailure):
    """There was no answer by the hard deadline."""


class EngineProtocolError(EngineFailure):
    """An invalid answer, or a turn that is not legal."""


class HostError(BluestoneError):
    """This machine lacks something: a free port, a writable folder, a file descriptor."""

    exit_code = 71


class ProcessReplaced(HostError):
    """Other processes of the arena have replaced this one, because it did not answer for long.

    It should be started again.
    """

    exit_code = 75


class DataError(HostError):
    """A stored file is damaged, or of a version that this program cannot use.

    A restart does not help, so the units of systemd do not try one after this exit code.
    """

    exit_code = 65


def first_error(errors: BaseExceptionGroup[E]) -> E:
    """Return the first error in a group, or in the groups inside it."""
    error: E | BaseExceptionGroup[E] = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
