"""Messages to systemd, over a socket of the test's own."""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.runtime import service_manager as module
from bot.runtime.service_manager import Pulse, ServiceManager
from tests.fakes.service_manager import FakeServiceManager, service_manager
from tests.fakes.waiting import eventually

abstract = pytest.param(
    "abstract", marks=pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
)


async def fine() -> str:
    return "fine"


@pytest.fixture(params=["path", abstract])
async def systemd(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[FakeServiceManager]:
    is_path = request.param == "path"
    address = tmp_path / "notify" if is_path else f"@bluestone-{secrets.token_hex(8)}"
    with service_manager(address) as found:
        yield found


@pytest.fixture
def manager(systemd: FakeServiceManager) -> ServiceManager:
    """Whose watchdog is fed every half a minute."""
    return ServiceManager.of(systemd.environ(watchdog_s=60))


def hurried(systemd: FakeServiceManager) -> ServiceManager:
    """Whose watchdog is fed every 10 ms."""
    return ServiceManager.of(systemd.environ(watchdog_s=0.02))


async def test_ready_then_the_status_then_stopping(
    systemd: FakeServiceManager, manager: ServiceManager
) -> None:
    async with manager.serving(fine):
        await systemd.until("WATCHDOG=1")
        await systemd.until("STATUS=fine")
    await systemd.until("STOPPING=1")
    assert systemd.lines[0] == "READY=1"
    assert systemd.lines.count("STATUS=fine") == 1


async def test_a_reload_is_told_with_the_time_only_while_ready(
    systemd: FakeServiceManager, manager: ServiceManager
) -> None:
    calls = list[str]()
    reload = manager.reloading(lambda: calls.append("reload"))
    reload()
    async with manager.serving(fine):
        reload()
        await eventually(lambda: systemd.lines.count("READY=1") == 2)
        manager.stopping()
        reload()
    await systemd.until("STOPPING=1")
    assert systemd.lines.count("RELOADING=1") == 1
    assert systemd.lines[systemd.lines.index("RELOADING=1") + 1].startswith("MONOTONIC_USEC=")
    assert systemd.lines.count("READY=1") == 2
    assert calls == ["reload"] * 3


async def test_a_long_end_extends_the_patience_again_and_again(
    systemd: FakeServiceManager, manager: ServiceManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STATUS_EVERY_S", 0.001)
    async with manager.serving(fine):
        manager.stopping()
        await eventually(lambda: systemd.lines.count(module.EXTEND) >= 3)
    assert systemd.lines.count("STOPPING=1") == 1


async def test_a_thread_that_stays_in_one_step_stops_the_signs_of_life(
    systemd: FakeServiceManager,
) -> None:
    pulse = Pulse("writer")
    async with hurried(systemd).serving(fine, [pulse]):
        await systemd.beat()
        pulse.step()
        await eventually(lambda: pulse.in_step_s > 0.04)
        systemd.lines.clear()
        await eventually(lambda: pulse.in_step_s > 0.2)
        assert systemd.beats() == 0
        repeating = asyncio.create_task(_repeat(pulse))  # as on a full disk
        await systemd.beat()
        repeating.cancel()
        pulse.rest()
        await systemd.beat()


async def _repeat(pulse: Pulse) -> None:
    while True:
        pulse.step()
        await asyncio.sleep(0.001)


async def test_a_status_that_fails_is_no_reason_to_end(systemd: FakeServiceManager) -> None:
    async def broken() -> str:
        raise RuntimeError

    async with hurried(systemd).serving(broken):
        await systemd.beat()
        await systemd.beat()


def test_the_variables_are_taken_so_that_no_child_inherits_them() -> None:
    pid = str(os.getpid())
    environ = {"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": pid, "HOME": "/"}
    ServiceManager.of(environ)
    assert environ == {"HOME": "/"}


@pytest.mark.parametrize("pid", ["1", "x"])
async def test_a_watchdog_of_another_process_is_not_fed(
    systemd: FakeServiceManager, pid: str
) -> None:
    environ = {**systemd.environ(watchdog_s=0.01), "WATCHDOG_PID": pid}
    async with ServiceManager.of(environ).serving(fine):
        await systemd.until("STATUS=fine")
    await systemd.until("STOPPING=1")
    assert systemd.beats() == 0


@pytest.mark.parametrize("address", ["", "/nowhere/notify", "vsock:2:9999", "@gone"])
async def test_without_a_manager_nothing_happens(address: str) -> None:
    async with ServiceManager.of({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000"}).serving(fine):
        pass
