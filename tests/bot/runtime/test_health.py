"""The daemon's health page."""

from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from bot.errors import HostError
from bot.runtime.health import DaemonStatus, EngineStatus, PlatformStatus, serve_health

ENGINE = EngineStatus(name="search", healthy=True, alive=1, size=2, failures={}, last_failure=None)
PLATFORM = PlatformStatus(
    name="arena", bot="Granite", connected=True, refused=None, last_event_age_s=0.5, games=[]
)
READY = DaemonStatus(
    draining=False, problems=[], alarms=0, platforms=[PLATFORM], engines=[ENGINE], work=[]
)


def telling(status: DaemonStatus) -> Callable[[], Awaitable[DaemonStatus]]:
    async def tell() -> DaemonStatus:
        return status

    return tell


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (READY, 200),
        (READY.model_copy(update={"draining": True}), 503),
        (READY.model_copy(update={"problems": ["journal: cannot be written: full"]}), 503),
        (
            READY.model_copy(
                update={"platforms": [PLATFORM.model_copy(update={"connected": False})]}
            ),
            503,
        ),
        (
            READY.model_copy(update={"engines": [ENGINE.model_copy(update={"healthy": False})]}),
            503,
        ),
    ],
)
async def test_readyz_reports_whether_games_can_be_played(
    held_port: int, status: DaemonStatus, code: int
) -> None:
    url = f"http://127.0.0.1:{held_port}"
    async with (
        serve_health("127.0.0.1", held_port, telling(status)),
        aiohttp.ClientSession() as client,
    ):
        async with client.get(f"{url}/healthz") as answer:
            assert answer.status == 200
        async with client.get(f"{url}/readyz") as answer:
            assert answer.status == code
            body = await answer.json()
    assert body["ready"] is (code == 200)
    assert bool(body["why_not_ready"]) is (code != 200)
    assert body["platforms"][0]["last_event_age_s"] == 0.5


async def test_a_port_in_use_is_named(held_port: int) -> None:
    taken = ("127.0.0.1", held_port)
    in_use = f"health.port: port {held_port} on 127.0.0.1 is in use"
    async with serve_health(*taken, telling(READY)):
        with pytest.raises(HostError, match=in_use):
            async with serve_health(*taken, telling(READY)):
                pass
