"""A real Prometheus on a port and in a folder of its own, and rules with shortened times."""

import asyncio
import json
import re
import shutil
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp

from bot.errors import HostError
from bot.runtime.files import make_folder
from bot.runtime.listening import bound
from tests.chaos.programs import Program

SAMPLES_PER_HOUR: Final = 60
"""Prometheus scrapes once per minute of the rules."""
SHORTEST_FOR: Final = 2
SHORTEST_WINDOW: Final = 10
"""In samples."""
UNITS: Final = {"s": 1, "m": 60, "h": 3600}
POLL_S: Final = 0.2
READY_S: Final = 60.0

WAIT: Final = re.compile(r"(\bfor: |\boffset )(\d+)([smh])\b")
WINDOW: Final = re.compile(r"\[(\d+)([smh])\]")

Change = tuple[str, str]
"""A text of a rule, and the text in its place."""


def shortened(rules: str, every_s: int, changes: Iterable[Change] = ()) -> str:
    """Return the rules with the changes, and with all other times so that an hour has 60 samples.

    No time gets shorter than Prometheus needs. Raises HostError if the rules lack a text to change.
    """
    for old, new in changes:
        if old not in rules:
            raise HostError(f"config/alerts.yml has no {old!r}")
        rules = rules.replace(old, new)

    def less(number: str, unit: str, least: int) -> str:
        samples = int(number) * UNITS[unit] * SAMPLES_PER_HOUR // 3600
        return f"{max(least, samples) * every_s}s"

    rules = WAIT.sub(lambda it: it[1] + less(it[2], it[3], SHORTEST_FOR), rules)
    return WINDOW.sub(lambda it: f"[{less(it[1], it[2], SHORTEST_WINDOW)}]", rules)


class Prometheus:
    """Made by `scraping`."""

    def __init__(self, address: str, http: aiohttp.ClientSession) -> None:
        self._address = address
        self._http = http

    async def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """Return the labels and the value of each series now."""
        answer = await self._get("query", query=expression)
        return [(each["metric"], float(each["value"][1])) for each in answer["data"]["result"]]

    async def states(self, alert: str) -> set[str]:
        """Return `pending` and `firing`, as the alert is; nothing if it is neither."""
        active = (await self._get("alerts"))["data"]["alerts"]
        return {each["state"] for each in active if each["labels"]["alertname"] == alert}

    async def until_quiet(self, alert: str, calm_s: float, limit_s: float) -> bool:
        """Return whether the alert is not even pending for `calm_s` within the limit."""
        began = quiet_since = time.monotonic()
        while time.monotonic() - quiet_since < calm_s:
            if await self.states(alert):
                quiet_since = time.monotonic()
            if time.monotonic() - began > limit_s:
                return False
            await asyncio.sleep(POLL_S)
        return True

    async def until(self, alert: str, *, firing: bool, limit_s: float) -> bool:
        """Return whether the alert fires, or does not, within the limit."""
        deadline = time.monotonic() + limit_s
        while ("firing" in await self.states(alert)) != firing:
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(POLL_S)
        return True

    async def until_all_up(self, targets: int) -> None:
        """Raises HostError if one of the targets does not answer."""
        deadline = time.monotonic() + READY_S
        while sum(value for _, value in await self.query("up")) != targets:
            if time.monotonic() > deadline:
                raise HostError(f"Prometheus does not reach its targets: {await self.query('up')}")
            await asyncio.sleep(POLL_S)

    async def _get(self, what: str, **fields: str) -> Any:
        url = f"{self._address}/api/v1/{what}"
        async with self._http.get(url, params=fields) as answer:
            found = await answer.json()
            if found.get("status") != "success":
                raise HostError(f"Prometheus: {found}")
            return found


@asynccontextmanager
async def scraping(
    folder: Path, rules: str, targets: Mapping[str, str], every_s: int
) -> AsyncIterator[Prometheus]:
    """Run a Prometheus that scrapes every so many seconds. `targets` has an address by job."""
    program = shutil.which("prometheus")
    if program is None:
        raise HostError("prometheus is not on PATH (Debian's package prometheus)")
    make_folder(folder)
    (folder / "alerts.yml").write_text(rules)
    jobs = [
        {"job_name": job, "static_configs": [{"targets": [address.removeprefix("http://")]}]}
        for job, address in targets.items()
    ]
    times = ("scrape_interval", "scrape_timeout", "evaluation_interval")
    settings = {
        "global": dict.fromkeys(times, f"{every_s}s"),
        "rule_files": ["alerts.yml"],
        "scrape_configs": jobs,
    }
    (folder / "prometheus.yml").write_text(json.dumps(settings))  # JSON is YAML too
    with bound("127.0.0.1", 0) as listening:
        place = f"127.0.0.1:{listening.getsockname()[1]}"
    command = [
        program,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={place}",
    ]
    server = Program(command)
    await server.spawn()
    try:
        async with aiohttp.ClientSession() as http:
            await _until_ready(http, f"http://{place}", server)
            yield Prometheus(f"http://{place}", http)
    finally:
        await server.stop()


async def _until_ready(http: aiohttp.ClientSession, address: str, server: Program) -> None:
    deadline = time.monotonic() + READY_S
    while True:
        try:
            async with http.get(f"{address}/-/ready") as answer:
                if answer.ok:
                    return
        except aiohttp.ClientError:
            pass
        if time.monotonic() > deadline or not server.is_running:
            raise HostError("Prometheus does not start: " + "\n".join(server.log[-3:]))
        await asyncio.sleep(POLL_S)
