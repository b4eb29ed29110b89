"""The workers of a Dask scheduler as those who play the games of `bluestone train`."""

import logging
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import structlog

from bot.errors import ConfigurationError, HostError
from bot.matches.distributed.cluster import Versions, own_versions
from bot.matches.distributed.venue import full_address
from engine import warming
from engine.training.processes import Crew

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S: Final = 10.0

log = structlog.get_logger()


@contextmanager
def dask_crew(address: str, game: str, within_s: float = CONNECT_S) -> Iterator[Crew]:
    """As many at once as those workers have threads that are there within so long; all have the
    kernels of the game. A worker that is lost loses nothing: another one plays its games.

    Raises ConfigurationError where `distributed` is not installed or a worker is of another
    version, HostError where nobody answers.
    """
    if find_spec("distributed") is None:
        raise ConfigurationError("--dask: run `pip install 'bluestone[distributed]'` first")
    from distributed import Client, KilledWorker
    from distributed.versions import VersionMismatchWarning

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we say ourselves what is lost
    try:
        with warnings.catch_warnings():
            # Workers are asked by us, and refused with a sentence.
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
            yield Crew(client.get_executor(pure=False), slots)
        except (CancelledError, KilledWorker) as error:
            raise HostError(f"the scheduler at {address}, or its workers, are lost") from error


def _ready(client: "Client", address: str, game: str) -> int:
    """Check and warm all workers; returns how many tasks they do at once."""
    threads: dict[str, int] = client.nthreads()
    own = own_versions()
    compiling = [
        client.submit(ready_worker, game, workers=[worker], pure=False) for worker in threads
    ]
    try:
        answers = client.gather(compiling, direct=False)
    except Exception as error:  # Dask raises what came from there, of any kind
        log.warning("workers_not_ready", address=address, game=game, exc_info=True)
        raise HostError(f"a worker of {address} cannot train: {error!r}") from error
    for worker, answer in zip(threads, answers, strict=True):
        different = own.differences(Versions.model_validate_json(answer))
        if different is not None:
            raise ConfigurationError(f"the worker {worker} is refused: {different}")
    return sum(threads.values())


def ready_worker(game: str) -> str:
    """On a worker: compile what is missing, and tell its versions, as JSON."""
    warming.warm(lambda _: None, warming.parts_of(game))
    return own_versions().model_dump_json()
