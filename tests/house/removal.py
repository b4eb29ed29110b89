"""Copies of the tree without a guest or capability: what still works, and what is then unknown.

A guest, or a capability of the arena, is a folder that the core does not name, with its tests and
its entry points. The copy has no installation of its own: it is first on PYTHONPATH, with a folder
of metadata that has the remaining entry points.
"""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeVar

import pytest

from bot import __version__
from tests.fakes.arena_client import connected
from tests.fakes.up import running, watch_a_game
from tests.page_removal import remove_from_page
from tools import ROOT

T = TypeVar("T")

SETTINGS: Final = "bot.toml"
"""A settings file in the copy, which the commands below may name."""


class Removable(Protocol):
    """What a copy is without: a folder, and what belongs to it."""

    @property
    def folder(self) -> str:
        """The folder, as in `bot/arena/puzzles`."""

    @property
    def settings(self) -> str:
        """The content of SETTINGS."""


def module_of(thing: Removable) -> str:
    return thing.folder.replace("/", ".")


@dataclass(frozen=True)
class Guest:
    """`command` uses the guest. Without the guest it ends with `status`, and prints `answer`.

    `settings` is the content of SETTINGS.
    """

    folder: str
    command: tuple[str, ...]
    status: int
    answer: str
    settings: str = ""


@dataclass(frozen=True)
class ArenaCapability:
    """A capability of the arena, with requests that an arena without it does not know.

    `event` is one of its events, with a message that is valid. `address` is one of its routes.
    """

    name: str
    event: tuple[str, Mapping[str, object]] | None = None
    address: str | None = None
    settings: str = ""

    @property
    def folder(self) -> str:
        return f"bot/arena/{self.name}"


def _on_platform(kind: str, keys: str) -> str:
    return f'[[platforms]]\nkind = "{kind}"\n{keys}\n'


GUESTS: Final = (
    Guest(
        "bot/guests/abstract_play",
        ("check", SETTINGS),
        78,
        "there is no platform of that kind; known: arena, hexo_arena",
        _on_platform("abstract_play", 'client_id = "abc"'),
    ),
    Guest(
        "bot/guests/hexo_arena",
        ("check", SETTINGS),
        78,
        "there is no platform of that kind; known: arena, abstract_play",
        _on_platform("hexo_arena", 'url = "https://hexo.example"'),
    ),
    Guest("bot/guests/hexo", ("serve-htttx",), 2, 'Unknown command "serve-htttx"'),
    Guest(
        "bot/guests/dask",
        ("match", "random", "random", "--dask", "a:1"),
        2,
        "Unknown option: --dask",
    ),
    Guest("bot/guests/static_site", ("static", "site"), 2, 'Unknown command "static"'),
    Guest("bot/guests/training", ("train",), 2, 'Unknown command "train"'),
    Guest(
        "bot/arena/postgres",
        ("arena", "migrate", "--from", "arena.db", "--to", "postgresql:///bluestone"),
        78,
        "database: no installed package opens postgresql://...",
    ),
    Guest(
        "bot/arena/cluster",
        ("arena", "--config", SETTINGS),
        78,
        "this installation runs an arena as one process only",
        'database = "postgresql:///none"\n[cluster]\nlink = "127.0.0.1:0"\n',
    ),
)


_GAME: Final = {"game_id": "none"}
_AT: Final = "2026-01-02T03:04:05Z"
_ADDED: Final = {
    "local_id": "local-1",
    "setup": {},
    "seat": 1,
    "level": 1,
    "turns": ["0-0"],
    "times_ms": [0],
    "resigned": True,
    "started_at": _AT,
    "ended_at": _AT,
}
CAPABILITIES: Final = (
    ArenaCapability("puzzles", ("puzzle.ask", {"game": "bluestone"})),
    ArenaCapability("plans", ("game.plans", _GAME)),
    ArenaCapability("chat", ("game.chats", _GAME)),
    ArenaCapability("local", ("game.add", _ADDED)),
    ArenaCapability(
        "tournaments", ("tournament.watch", {"tournament_id": "none"}), "/api/tournaments"
    ),
    ArenaCapability("pictures", address="/api/position.svg?game=bluestone"),
    ArenaCapability("accounts", address="/account"),
    ArenaCapability("analysis", ("analysis.game", _GAME)),
    ArenaCapability("openings", address="/api/openings?game=bluestone"),
    ArenaCapability("ratings", address="/api/ratings/bluestone"),
    ArenaCapability("push", ("push.unsubscribe", {"endpoint": "https://push.example/1"})),
)
"""Those that the core does not name."""


class CopyWithout:
    """The product without a folder, in another one. Compiled code is that of the real engine."""

    def __init__(self, guest: Removable, folder: Path) -> None:
        self.folder = folder
        self._guest = guest
        for path in _product_files():
            if not path.startswith(f"{guest.folder}/"):
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, target)
        (folder / SETTINGS).write_text(guest.settings, encoding="utf-8")
        _write_metadata(folder, guest)

    @property
    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.folder), "BLUESTONE_TOKEN": "none"}

    def run(self, program: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a program with the copy as its package."""
        return subprocess.run(
            program,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def names_of_the_guest(self) -> list[str]:
        """The files that name the guest, also in strings: the core must not."""
        named = re.compile(rf"{re.escape(module_of(self._guest))}(?!\w)")
        return [
            str(path.relative_to(self.folder))
            for path in (self.folder / "bot").rglob("*.py")
            if named.search(path.read_text(encoding="utf-8"))
        ]

    def broken_contracts(self) -> str:
        """The rules of pyproject.toml about imports that the copy breaks; empty if none."""
        lint = Path(sys.executable).with_name("lint-imports")
        done = self.run([str(lint), "--no-cache"])
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def play(self, look: Callable[[str], None] = lambda _address: None) -> str:
        """Start the arena and its bots, and let two of them play. Returns the id of the game.

        `look` gets the address of the arena after the game.
        """
        data = self.folder / "data"
        with running(data, "--port", "0", env=self.environment) as up:
            game_id = asyncio.run(watch_a_game(up.address))
            look(up.address)
            up.end()
        return game_id

    def answer(self, command: Sequence[str]) -> tuple[int, str]:
        """What a command says, in one line, with its exit code."""
        done = self.run([sys.executable, "-m", "bot", *command])
        said = (done.stdout + done.stderr).replace("│", " ")
        return done.returncode, " ".join(said.split())


def _product_files() -> Iterator[str]:
    """The files of a commit that would be made now, as far as the product has them."""
    listed = ("git", "ls-files", "--cached", "--others", "--exclude-standard")
    done = subprocess.run(
        [*listed, "bot", "config", "pyproject.toml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return (path for path in done.stdout.splitlines() if (ROOT / path).is_file())


def _write_metadata(folder: Path, guest: Removable) -> None:
    """Write what an installation without the guest says of itself."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    groups: dict[str, dict[str, str]] = tomllib.loads(text)["project"]["entry-points"]
    lines: list[str] = []
    for group, entries in groups.items():
        left = {
            name: at for name, at in entries.items() if not at.startswith(f"{module_of(guest)}.")
        }
        lines += [f"[{group}]", *(f"{name} = {at}" for name, at in left.items())]
    metadata = folder / f"bluestone-{__version__}.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: bluestone\nVersion: {__version__}\n", encoding="utf-8"
    )


def by_turns(things: Sequence[T], day: int, number: int) -> list[T]:
    """The things of one day: after a few days each has had its turn."""
    first = day * number
    return [things[(first + place) % len(things)] for place in range(number)]


def check_without(guest: Guest, folder: Path) -> None:
    """Fail if the copy without the guest is more or less than without its feature."""
    copy = CopyWithout(guest, folder)
    assert copy.names_of_the_guest() == []
    assert copy.broken_contracts() == ""
    status, said = copy.answer(guest.command)
    assert (status, guest.answer in said) == (guest.status, True), said
    assert copy.play()


def check_without_capability(capability: ArenaCapability, folder: Path) -> None:
    """Fail if the arena without the capability is more or less than without its feature."""
    copy = CopyWithout(capability, folder)
    web = copy.folder / "bot" / "arena" / "web"
    if (web / "js" / capability.name).is_dir():
        remove_from_page(web, capability.name)
    assert copy.names_of_the_guest() == []
    assert copy.broken_contracts() == ""

    def look(address: str) -> None:
        with urllib.request.urlopen(f"{address}/js/areas.js", timeout=20) as areas:
            assert f'"./{capability.name}/' not in areas.read().decode()
        if capability.event is not None:
            assert asyncio.run(_refusal(address, *capability.event)) == "unknown_event"
        if capability.address is not None:
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"{address}{capability.address}", timeout=20)

    assert copy.play(look)


async def _refusal(address: str, event: str, message: Mapping[str, object]) -> str:
    async with connected(address) as client:
        return await client.refused(event, **message)
