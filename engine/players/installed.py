"""The players that installed packages offer, built-in ones too, by an entry-point group."""

from importlib.metadata import entry_points

from engine.contract import Engine

ENTRY_POINTS = "bluestone.engines"


def known_engines() -> tuple[str, ...]:
    """The names of the players that installed packages offer."""
    return tuple(sorted({point.name for point in entry_points(group=ENTRY_POINTS)}))


def load_engine(name: str) -> Engine:
    """A new player of that name; KeyError if no package offers one."""
    found = entry_points(group=ENTRY_POINTS, name=name)
    if not found:
        raise KeyError(name)
    player: Engine = next(iter(found)).load()()
    return player
