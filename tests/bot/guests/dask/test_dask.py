"""A real scheduler and real workers, as processes of this machine."""

from collections.abc import Generator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.errors import ConfigurationError, HostError
from bot.guests.dask import dask_cluster, venue
from bot.guests.dask.cluster import own_versions
from bot.guests.dask.dask_cluster import DaskCluster
from bot.guests.dask.limits import ClusterLimits
from bot.guests.dask.venue import ManyMachines
from bot.matches.run import run_event
from bot.matches.settings import LocalSettings, settings_of
from bot.time_source import SystemTime
from bot.tournaments.events import Event, Finished
from bot.tournaments.state import Tournament
from lab.tournaments.local_dask import LocalDask

GAMES = 12


def settings() -> LocalSettings:
    raw = {
        "name": "test",
        "players": [{"name": "one", "builtin": "random"}, {"name": "two", "builtin": "random"}],
        "setups": [{"game": "bluestone", "board": "pent-4", "nodes": 10}],
        "games_per_pairing": GAMES,
    }
    return settings_of(raw, "test")


def results(tournament: Tournament | None) -> dict[int, str]:
    assert tournament is not None
    return {number: game.fingerprint for number, game in tournament.played.items()}


@pytest.mark.e2e
async def test_workers_play_the_same_games_as_one_machine_although_one_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time, notes, finished = SystemTime(), list[str](), list[int]()

    async with LocalDask.running(2) as dask:

        def watch(_: Tournament, event: Event) -> None:
            if isinstance(event, Finished):
                finished.append(event.game)
            if len(finished) == 3:
                dask.workers[0].kill()

        machines = ManyMachines(dask.address)
        folder = tmp_path / "many"
        many = await run_event(settings(), folder, time, watch, notes.append, machines)
        await _refuses_another_version(dask, tmp_path / "other", monkeypatch)
    one = await run_event(settings(), tmp_path / "one", time, lambda *_: None, notes.append)
    assert sorted(finished) == list(range(1, GAMES + 1))
    assert results(many) == results(one)
    assert sum(each.games for each in machines.figures()) == GAMES


async def _refuses_another_version(
    dask: LocalDask, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = own_versions().model_copy(update={"bluestone": "0.0.1"})
    monkeypatch.setattr(venue, "own_versions", lambda: own)
    machines = ManyMachines(dask.address)
    with pytest.raises(ConfigurationError, match=r"is refused: Bluestone .* there, 0\.0\.1 here"):
        await run_event(settings(), folder, SystemTime(), lambda *_: None, print, machines)


class Unable:
    """A client of a scheduler that cannot import the function to run."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def __await__(self) -> Generator[None, None, None]:
        yield from ()

    async def run_on_scheduler(self, _: object) -> str:
        raise ModuleNotFoundError("No module named 'bot'")

    async def close(self) -> None: ...


async def test_a_scheduler_without_bluestone_is_refused_and_the_cause_is_logged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dask_cluster, "Client", Unable)
    with capture_logs() as logged, pytest.raises(ConfigurationError, match="has no Bluestone"):
        await DaskCluster.connect("tcp://there:8786", "run", own_versions(), within_s=1)
    assert [(each["event"], each["address"]) for each in logged] == [
        ("scheduler_not_checked", "tcp://there:8786")
    ]


async def test_a_missing_scheduler_is_an_error_after_retries(
    tmp_path: Path, held_port: int
) -> None:
    machines = ManyMachines(f"127.0.0.1:{held_port}", ClusterLimits(connect_s=0.2, scheduler_s=0.1))
    notes: list[str] = []
    with pytest.raises(HostError, match="no scheduler answers"):
        await run_event(settings(), tmp_path, SystemTime(), lambda *_: None, notes.append, machines)
    assert "retrying" in notes[0]


def test_without_dask_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venue, "find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"pip install .*\[distributed\]"):
        ManyMachines("127.0.0.1:8786")


@pytest.mark.parametrize("address", ["", "here", ":8786", "here:port", "tcp://here:0"])
def test_an_invalid_address_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError, match="HOST:PORT"):
        ManyMachines(address)
