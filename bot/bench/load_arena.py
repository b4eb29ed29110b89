"""An arena to be measured: ours or another one, on an empty folder, with limits of its own."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.bench.processes import Program, allow_many_connections, running
from bot.runtime.python_modules import PYTHON_M

OURS: Final = (*PYTHON_M, "bot", "arena")
OTHER_CHECKOUT: Final = {"PYTHONSAFEPATH": "1"}
"""`python -m` then takes modules from PYTHONPATH, not from the folder in which we happen to be."""
SPARE_CONNECTIONS: Final = 100

Prepare = Callable[[Path], Awaitable[None]]


def limits_for(connections: int) -> dict[str, int]:
    """Limits that so many clients here do not reach, by names that older arenas know, too."""
    return {
        "connections": 2 * connections + SPARE_CONNECTIONS,  # an arena keeps room for newcomers
        "messages_per_s": 1000,
        "messages_burst": 2000,
        "new_guests_per_s": 1000,
        "new_guests_burst": connections + SPARE_CONNECTIONS,
    }


@asynccontextmanager
async def arena_under_load(
    command: Sequence[str] | None, limits: Mapping[str, int], prepare: Prepare | None = None
) -> AsyncIterator[Program]:
    """`command` starts another arena than ours; it has to know the same options and settings.

    `prepare` gets the data folder before the arena starts.

    Raises HostError if it does not start.
    """
    allow_many_connections()
    with TemporaryDirectory() as folder:
        config = Path(folder) / "arena.toml"
        config.write_text(_as_toml(limits))
        data = Path(folder) / "data"
        if prepare is not None:
            await prepare(data)
        options = ("--port", "0", "--data", str(data), "--config", str(config))
        environment = OTHER_CHECKOUT if command else {}
        async with running([*(command or OURS), *options], environment) as program:
            yield program


def _as_toml(limits: Mapping[str, int]) -> str:
    return "\n".join(["[connections]", *(f"{name} = {value}" for name, value in limits.items())])
