"""Copies of the tree without a guest: what must still work, and what is then unknown.

A guest is a folder that the core does not name, with its tests and its entry points. The copy has
no installation of its own: it is first on PYTHONPATH, with a folder of metadata that has the
remaining entry points.
"""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot import __version__
from tests.fakes.up import running, watch_a_game
from tools import ROOT

SETTINGS: Final = "bot.toml"
"""A settings file in the copy, which the commands below may name."""


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

    @property
    def module(self) -> str:
        return self.folder.replace("/", ".")

    @property
    def folders(self) -> tuple[str, ...]:
        return (self.folder, f"tests/{self.folder}")


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
        'Unknown option: "--dask"',
    ),
    Guest("bot/guests/training", ("train",), 2, 'Unknown command "train"'),
)


class CopyWithout:
    """The product without a guest, in a folder. Compiled code is that of the real engine."""

    def __init__(self, guest: Guest, folder: Path) -> None:
        self.folder = folder
        self._guest = guest
        for path in _product_files():
            if not path.startswith(tuple(f"{each}/" for each in guest.folders)):
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
        named = re.compile(rf"{re.escape(self._guest.module)}(?!\w)")
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

    def play(self) -> str:
        """Start the arena and its bots, and let two of them play. Returns the id of the game."""
        data = self.folder / "data"
        with running(data, "--port", "0", env=self.environment) as up:
            game_id = asyncio.run(watch_a_game(up.address))
            up.end()
        return game_id

    def answer(self) -> tuple[int, str]:
        """What the command of the guest says, in one line, with its exit code."""
        done = self.run([sys.executable, "-m", "bot", *self._guest.command])
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


def _write_metadata(folder: Path, guest: Guest) -> None:
    """Write what an installation without the guest says of itself."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    groups: dict[str, dict[str, str]] = tomllib.loads(text)["project"]["entry-points"]
    lines: list[str] = []
    for group, entries in groups.items():
        left = {name: at for name, at in entries.items() if not at.startswith(f"{guest.module}.")}
        lines += [f"[{group}]", *(f"{name} = {at}" for name, at in left.items())]
    metadata = folder / f"bluestone-{__version__}.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: bluestone\nVersion: {__version__}\n", encoding="utf-8"
    )


def by_turns(guests: Sequence[Guest], day: int, number: int) -> list[Guest]:
    """The guests of one day: after a few days each has had its turn."""
    first = day * number
    return [guests[(first + place) % len(guests)] for place in range(number)]


def check_without(guest: Guest, folder: Path) -> None:
    """Fail if the copy without the guest is more or less than without its feature."""
    copy = CopyWithout(guest, folder)
    assert copy.names_of_the_guest() == []
    assert copy.broken_contracts() == ""
    status, said = copy.answer()
    assert (status, guest.answer in said) == (guest.status, True), said
    assert copy.play()
