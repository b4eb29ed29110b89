"""Finds the players of installed packages, and the built-in ones, by their entry-point group."""

from importlib.metadata import entry_points

from engine.contract import Engine

ENTRY_POINTS = "bluestone.engines"


def known_engines() -> tuple[str, ...]:
    """Return the names of all players that installed packages offer, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=ENTRY_POINTS)}))


def load_engine(name: str) -> Engine:
    """Return a new player of that name. Raises KeyError if no package offers one."""
    found = entry_points(group=ENTRY_POINTS, name=name)
    if not found:
        raise KeyError(name)
    player: Engine = next(iter(found)).load()()
    return player
