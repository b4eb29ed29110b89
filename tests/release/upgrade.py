"""Replace a running version by another one while games run.

`python -m tests.release.upgrade COMMIT` (or `make upgrade COMMIT=...`) builds that commit beside
this one and lets arena and bot change versions in every combination (`CHANGES`).

`python -m tests.release.upgrade --store NAME` writes the data folders that today's version leaves
in the middle of a game to stored/NAME.tar.gz. Do that once for every released version, and for
every version of the database's tables. `test_stored.py` reads each of these archives.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import engine
from bot import __version__, wire
from bot.arena.store import schema
from tests.chaos.programs import OURS, Program
from tests.fakes.arena_client import ArenaClient, connected
from tools import ROOT

STORED: Final = Path(__file__).parent / "stored"
GAME: Final = engine.game("bluestone", "pent-4", "official")
CLOCK: Final = {"kind": "fischer", "initial_s": 300, "increment_s": 5}
ROUNDS: Final = 2
BOT: Final = """
[daemon]
data = "{data}"
drain_s = 0.1
[time]
max_turn_s = 0.05
[engines.random]
builtin = "random"
[[platforms]]
url = "{url}"
token_file = "{token}"
engine = "random"
longest_wait_s = 0.2
"""
TOURNAMENT: Final = """
name = "stored"
seed = 1
games_per_pairing = 2
concurrency = 1
[format]
kind = "round-robin"
[[setups]]
board = "pent-3"
nodes = 1
[[players]]
name = "One"
builtin = "random"
[[players]]
name = "Two"
builtin = "random"
[[players]]
name = "Three"
builtin = "random"
"""

Command = Sequence[str]
"""How `bluestone` of some version is started."""


@dataclass(frozen=True)
class Left:
    """What was acknowledged when the programs stopped, and how the person comes back."""

    version: str
    schema: int
    key: str
    finished_game: str
    game: str
    turns: Sequence[str]

    @staticmethod
    def read(folder: Path) -> "Left":
        return Left(**json.loads((folder / "left.json").read_text(encoding="utf-8")))

    def write(self, folder: Path) -> None:
        (folder / "left.json").write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")


@asynccontextmanager
async def programs(folder: Path, arena: Command, bot: Command) -> AsyncIterator[str]:
    """Run an arena and a bot on the data folders in `folder`; both are stopped by SIGTERM."""
    token = token_in(folder, arena)
    server = Program([*arena, "arena", "--data", str(folder / "arena"), "--port", "0"])
    await server.spawn()
    url = (await server.says("http://")).rstrip("/")
    assert urlsplit(url).port
    settings = folder / "bot.toml"
    settings.write_text(BOT.format(data=folder / "bot", url=url, token=token), encoding="utf-8")
    player = Program([*bot, "bot", "--config", str(settings)])
    await player.spawn()
    try:
        yield url
    finally:
        await server.stop()
        await player.stop()
        problems = [
            line
            for line in [*server.log, *player.log]
            if "Traceback" in line or "exception" in line.lower()
        ]
        assert not problems, problems


def token_in(folder: Path, arena: Command) -> Path:
    """Return the file with the bot's token; create the bot's account if there is none."""
    token = folder / "token"
    if not token.exists():
        command = [*arena, "arena", "token", "Granite", "--data", str(folder / "arena")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        token.write_text(done.stdout.split()[-1], encoding="utf-8")
        token.chmod(0o600)
    return token


async def begin(folder: Path, arena: Command, bot: Command) -> Left:
    """Play against the bot, and stop both programs in the middle of the second game."""
    async with (
        programs(folder, arena, bot) as url,
        connected(url, name="Ann") as ann,
    ):
        key = ann.all_of(wire.Welcome)[0].guest_key
        assert key is not None
        finished = await game_with_the_bot(ann)
        await play(ann, finished, ROUNDS)
        await ann.do("game.action", game_id=finished, action="resign")
        await ann.game(finished, lambda state: state.state == "finished")
        game = await game_with_the_bot(ann)
        await play(ann, game, ROUNDS)
        turns = await acknowledged(ann, game)
    left = Left(__version__, schema.VERSION, key, finished, game, turns)
    left.write(folder)
    return left


async def go_on(folder: Path, left: Left, arena: Command, bot: Command) -> Left:
    """Start programs on what others left: no turn is missing, and the game continues."""
    async with (
        programs(folder, arena, bot) as url,
        connected(url, guest_key=left.key) as ann,
    ):
        kept = await acknowledged(ann, left.game)
        assert kept[: len(left.turns)] == list(left.turns), (kept, left.turns)
        ended = await ann.do("game.state", game_id=left.finished_game)
        assert ended.game.result is not None
        await play(ann, left.game, ROUNDS)
        turns = await acknowledged(ann, left.game)
        assert len(turns) >= len(kept) + 2 * ROUNDS - 1
    return Left(left.version, left.schema, left.key, left.finished_game, left.game, turns)


async def game_with_the_bot(ann: ArenaClient) -> str:
    await ann.wait_for(wire.Lobby, lambda s: any(each.name == "Granite" for each in s.players))
    setup = {"board": "pent-4", "clock": CLOCK}
    created = await ann.do("challenge.create", setup=setup, seats=["Ann", "Granite"])
    challenge = created.challenge.challenge_id
    accepted = await ann.wait_for(
        wire.Challenge, lambda s: s.challenge_id == challenge and s.game_id is not None
    )
    assert accepted.game_id is not None
    return accepted.game_id


async def play(ann: ArenaClient, game: str, rounds: int) -> None:
    """Play this many turns as Ann, who sits on seat 1, each when the bot has answered."""
    for _ in range(rounds):
        turns = await acknowledged(ann, game)
        if len(turns) % 2 == 1:
            state = await ann.game(game, partial(_is_after, len(turns)))
            turns = [each.turn for each in state.turns]
        turn = next(GAME.replay(turns).legal_turns())
        await ann.do("game.turn", game_id=game, ply=len(turns), turn=turn)


def _is_after(ply: int, state: wire.GameState) -> bool:
    return len(state.turns) > ply


async def acknowledged(ann: ArenaClient, game: str) -> list[str]:
    """The turns that the arena has now."""
    done = await ann.do("game.state", game_id=game)
    return [each.turn for each in done.game.turns]


def tournament(folder: Path, program: Command) -> None:
    """Play a tournament in `folder`, and keep the ledger as it was after two games."""
    folder.mkdir()
    (folder / "tournament.toml").write_text(TOURNAMENT, encoding="utf-8")
    resume(folder, program)
    ledger = folder / "out" / "ledger.jsonl"
    kept: list[bytes] = []
    for line in ledger.read_bytes().splitlines(keepends=True):
        kept.append(line)
        if sum(b'"finished"' in each for each in kept) == 2:
            break
    shutil.rmtree(folder / "out")
    (folder / "out").mkdir()
    ledger.write_bytes(b"".join(kept))


def resume(folder: Path, program: Command) -> None:
    file, out = folder / "tournament.toml", folder / "out"
    command = [*program, "tournament", "run", str(file), "--out", str(out)]
    subprocess.run(command, capture_output=True, check=True)


def older(commit: str) -> Command:
    """Build a commit of this repository; return the command of its `bluestone`."""
    script = ["sh", "tools/older_engine.sh", commit]
    done = subprocess.run(script, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    folder = (ROOT / done.stdout.strip()).parent
    kernels = f"BLUESTONE_CACHE_DIR={folder / 'kernels'}"
    command = ["env", kernels, str(folder / "source/.venv/bin/python"), "-I", "-m", "bot"]
    subprocess.run([*command, "warm"], capture_output=True, check=True)
    return command


CHANGES: Final = {
    "the arena is updated, then the bot": ("new old", "new new"),
    "the bot is updated, then the arena": ("old new", "new new"),
    "both are updated": ("new new",),
}
"""Which arena and which bot run after each stop. Both are old at first."""


async def change(before: Command, after: Command, steps: Sequence[str]) -> None:
    versions = {"old": before, "new": after}
    with tempfile.TemporaryDirectory(prefix="bluestone-upgrade-") as name:
        left = await begin(Path(name), before, before)
        for step in steps:
            arena, bot = (versions[each] for each in step.split())
            left = await go_on(Path(name), left, arena, bot)


async def store(name: str) -> Path:
    """Write stored/NAME.tar.gz."""
    target = STORED / f"{name}.tar.gz"
    with tempfile.TemporaryDirectory(prefix="bluestone-upgrade-") as temporary:
        folder = Path(temporary)
        await begin(folder, OURS, OURS)
        tournament(folder / "tournament", OURS)
        pack(folder, target)
    return target


def pack(folder: Path, target: Path) -> None:
    """Put the files of a folder into an archive; locks are left out."""
    target.parent.mkdir(exist_ok=True)
    with tarfile.open(target, "w:gz", compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".lock":
                archive.add(path, path.relative_to(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", help="the older version")
    parser.add_argument("--store", metavar="NAME", help="store what today's version leaves")
    options = parser.parse_args()
    if options.store:
        print(asyncio.run(store(options.store)).relative_to(ROOT))
        return 0
    if not options.commit:
        parser.error("say which commit: make upgrade COMMIT=92b99fc1")
    before = older(options.commit)
    for what, steps in CHANGES.items():
        asyncio.run(change(before, OURS, steps))
        print(f"ok    {what}", flush=True)
    return 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
