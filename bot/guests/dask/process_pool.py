"""The workers of a Dask scheduler as a process pool for `bluestone train`."""

import logging
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import structlog

from bot.errors import ConfigurationError, HostError
from bot.guests.dask.cluster import Versions, own_versions
from bot.guests.dask.venue import full_address, require_distributed
from bot.matches.venues import Pool
from bot.runtime.extras import how_to_install
from engine import warming

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S: Final = 10.0

log = structlog.get_logger()


@contextmanager
def dask_pool(address: str, game: str, within_s: float = CONNECT_S) -> Iterator[Pool]:
    """A pool with the threads of all workers that are connected within `within_s` seconds.

    The workers have compiled the kernels of the game. If a worker is lost, another one plays its
    games. Raises ConfigurationError if `distributed` is not installed or a worker has another
    version, and HostError if no scheduler answers, it has no workers, or a worker fails.
    """
    require_distributed()
    from distributed import Client, KilledWorker
    from distributed.versions import VersionMismatchWarning

    # This program reports lost connections itself.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            # `_ready` compares the versions of workers and refuses with a message.
            warnings.simplefilter("ignore", VersionMismatchWarning)
            client = Client(full_address(address), set_as_default=False, timeout=CONNECT_S)
    except (OSError, TimeoutError, ValueError) as error:
        raise HostError(f"no scheduler answers at {address}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=within_s)
        except TimeoutError as error:
            raise HostError(f"the scheduler at {address} has no workers") from error
        slots = _ready(client, address, game)
        try:
            yield Pool(client.get_executor(pure=False), slots)
        except (CancelledError, KilledWorker) as error:
            raise HostError(f"lost the scheduler at {address} or its workers") from error


def _ready(client: "Client", address: str, game: str) -> int:
    """Check and warm all workers. Returns the number of tasks that they run at once."""
    threads: dict[str, int] = client.nthreads()
    own = own_versions()
    compiling = [
        client.submit(ready_worker, game, workers=[worker], pure=False) for worker in threads
    ]
    try:
        answers = client.gather(compiling, direct=False)
    except Exception as error:  # Dask raises any error that a worker raised
        log.warning("workers_not_ready", address=address, game=game, exc_info=True)
        raise HostError(f"a worker of {address} cannot train: {error!r}") from error
    for worker, answer in zip(threads, answers, strict=True):
        different = own.differences(Versions.model_validate_json(answer))
        if different is not None:
            raise ConfigurationError(f"the worker {worker} is refused: {different}")
    return sum(threads.values())


def ready_worker(game: str) -> str:
    """Runs on a worker: compile missing kernels. Returns the worker's versions as JSON.

    Raises HostError if the worker compiles nothing: training has kernels of its own.
    """
    if not warming.compiles_here():
        raise HostError(f"no Numba in use there; {how_to_install('training')}")
    warming.warm(lambda _: None, warming.parts_of(game))
    return own_versions().model_dump_json()
