"""Doors: what installed packages add to Bluestone, by groups of entry points.

Problem: a platform, a notation or a command that only some users need must come and go with its
folder or its package, while the rest of the program neither names it nor imports it.
Idea: each kind of addition is a *door*, a group of entry points as `bluestone.engines` is. Our own
guests come by the same doors as a stranger's package. An entry that cannot be imported is reported
by its name when somebody asks for it, and by `bluestone doctor`; it breaks nothing else.
Rejected: a table of guests in the core, which every new guest would change; a search for modules
in a folder, which a stranger's package cannot use.

Reading a door takes some milliseconds, because each installed package may have entries. So a door
is read when it is first used. This module imports nothing that is slow to import.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Generic, NamedTuple, TypeVar

from bot.errors import ConfigurationError

T = TypeVar("T")


class UnusableEntry(ConfigurationError):
    """An entry of a door whose object cannot be imported, or is of another kind."""


def installed(group: str) -> Iterable[EntryPoint]:
    """Return the entries of a group in all installed packages."""
    return entry_points(group=group)


def _why(error: Exception) -> str:
    """The kind and the text of an error of another package, as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


class Door(Generic[T]):
    """The entries of one group, by their names.

    `what` says in messages what an entry is. The objects are instances or subclasses of `kind`.
    """

    def __init__(
        self,
        group: str,
        what: str,
        kind: type[Any],
        entries: Callable[[str], Iterable[EntryPoint]] = installed,
    ) -> None:
        self.group: Final = group
        self._what = what
        self._kind = kind
        self._read = entries

    @property
    def names(self) -> list[str]:
        """The names of all entries, sorted, also of those that cannot be imported."""
        return sorted(self._entries)

    def load(self, name: str) -> T:
        """Return the object of an entry.

        Raises ConfigurationError if no package offers the name, and UnusableEntry if its object
        cannot be imported.
        """
        entry = self._entries.get(name)
        if entry is None:
            known = ", ".join(self.names) or "none"
            raise ConfigurationError(f"there is no {self._what} {name!r}; known: {known}")
        return self._loaded(entry)

    def every(self) -> dict[str, T]:
        """Return the objects of all entries, by their names. Raises UnusableEntry."""
        return {name: self.load(name) for name in self.names}

    def usable(self) -> dict[str, T]:
        """Return the objects of all entries that can be imported, by their names."""
        return {name: found for name, found in self._all() if not isinstance(found, UnusableEntry)}

    def problems(self) -> dict[str, str]:
        """Return why the other entries cannot be used, by their names."""
        return {name: str(found) for name, found in self._all() if isinstance(found, UnusableEntry)}

    def _all(self) -> Iterator[tuple[str, T | UnusableEntry]]:
        for name in self.names:
            try:
                yield name, self.load(name)
            except UnusableEntry as problem:
                yield name, problem

    @cached_property
    def _entries(self) -> Mapping[str, EntryPoint]:
        return {entry.name: entry for entry in self._read(self.group)}

    def _loaded(self, entry: EntryPoint) -> T:
        package = "" if entry.dist is None else f" of the package {entry.dist.name}"
        where = f"the {self._what} {entry.name!r}{package}"
        try:
            found: Any = entry.load()
        except Exception as error:  # a module of another package may raise anything
            raise UnusableEntry(f"{where} cannot be imported: {_why(error)}") from error
        fits = issubclass if isinstance(found, type) else isinstance
        if not fits(found, self._kind):
            raise UnusableEntry(f"{where} is no {self._kind.__name__}: {entry.value}")
        loaded: T = found
        return loaded


class Command(NamedTuple):
    """A command that comes by the door `bluestone.commands`.

    `path` is its function or its `cyclopts.App`, as `package.module:name`. It is imported only when
    the command runs, or another one of `bluestone arena`. `summary` is its line in
    `bluestone --help`; the help of `bluestone arena` has the first line of the docstring instead.
    """

    path: str
    summary: str = ""

    def load(self) -> Callable[..., Any]:
        """Import the function. Raises UnusableEntry."""
        try:
            found: Callable[..., Any] = EntryPoint("", self.path, "").load()
        except Exception as error:  # a module of another package may raise anything
            raise UnusableEntry(
                f"the command {self.path} cannot be imported: {_why(error)}"
            ) from error
        return found


COMMANDS: Final[Door[Command]] = Door("bluestone.commands", "command", Command)
