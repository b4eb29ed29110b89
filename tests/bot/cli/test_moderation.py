"""`bluestone arena tokens`, `block`, `rename`, `abort-game`, `end-tournament` and `audit`."""

import asyncio
import json
import sys
import tarfile
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest

from bot import wire
from tests.bot.arena.table import begin, refusal, table
from tests.bot.cli.commands import Bluestone
from tests.e2e.browser.arena_process import running
from tests.fakes.arena_client import connected
from tests.fakes.postgres import Postgres

LATER = 75
STORED: Final = Path(__file__).parents[2] / "release" / "stored" / "0.9.0.tar.gz"


async def command(*words: object, data: Path, code: int = 0) -> str:
    """Run a command of `bluestone arena` in its own process; returns what it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "arena", *map(str, words), "--data", str(data)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == code, out.decode()
    return out.decode()


async def audit(data: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(await command("audit", "--json", data=data))
    return entries


async def test_an_operator_reads_a_report_and_decides_on_it(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        for client in (t.one, t.two):
            await client.do("game.chat", game_id=t.game_id, open=True)
        await t.two.do("game.chat", game_id=t.game_id, text="you fool")
        await t.one.do("game.chat", game_id=t.game_id, preset="bye")
        await t.one.do("game.report", game_id=t.game_id, reason="is rude")
        [listed] = json.loads(await command("reports", "--json", data=tmp_path))
        assert (listed["player"], listed["by"], listed["decision"]) == ("Ben", "Anna", None)
        start = listed["id"][:6]
        shown = await command("reports", start, data=tmp_path)
        for words in ("is rude", "not yet", "Ben: you fool", "Ben: (open)", "Anna: (preset bye)"):
            assert words in shown
        assert f"{t.url.replace('127.0.0.1', 'localhost')}/game/{t.game_id}" in shown
    said = await command("decide", start, "--reason", "a warning", data=tmp_path)
    assert said == f"decided {listed['id']} about Ben: a warning\n"
    assert json.loads(await command("reports", "--json", data=tmp_path)) == []
    [decided] = json.loads(await command("reports", "--all", "--json", data=tmp_path))
    assert decided["decision"]["reason"] == "a warning"
    assert decided["decision"]["by"] in await command("reports", start, data=tmp_path)
    unknown = await command("decide", "nothing", "--reason", "x", data=tmp_path, code=78)
    assert "there is no report nothing" in unknown
    entry = (await audit(tmp_path))[0]
    assert (entry["action"], entry["subject"]) == ("decide", listed["id"])


@pytest.mark.e2e
async def test_an_operator_moderates_a_running_arena(tmp_path: Path) -> None:
    async with running(tmp_path) as arena:
        url, data = arena.address, tmp_path
        old = (await command("token", "robot", data=data)).strip()
        async with (
            connected(url, token=old) as bot,
            connected(url, name="Rude") as rude,
            connected(url, name="Ben") as ben,
        ):
            game_id = await begin(rude, ben)
            # A token is rotated, and then the old one is revoked.
            new = (await command("tokens", "rotate", "robot", data=data)).split()[0]
            listed = json.loads(await command("tokens", "list", "--json", data=data))
            assert [each["bot"] for each in listed] == ["robot", "robot"]
            await command("tokens", "revoke", listed[0]["id"], data=data)
            await bot.wait_until_disconnected()
            assert (await refusal(url, {"v": 1, "token": old})).code == "bad_token"
            async with connected(url, token=new):
                pass
            # A game is aborted, its player renamed and blocked.
            reason = ("--reason", "offensive name")
            out = await command("abort-game", game_id, *reason, data=data)
            assert "The operator aborted the game: offensive name" in out
            await ben.game(game_id, lambda game: game.state == "finished")
            assert "Rude is called Guest-" in await command("rename", "Rude", *reason, data=data)
            renamed = await rude.wait_for(wire.Welcome, lambda each: each.you.name != "Rude")
            await command("block", renamed.you.name, *reason, "--for", "1h", data=data)
            await rude.wait_until_disconnected()
            key = rude.all_of(wire.Welcome)[0].guest_key
            assert (await refusal(url, {"v": 1, "guest_key": key})).code == "blocked"
        # A person who has lost every way to sign in gets a new link.
        link = (await command("recover", "ben", "--reason", "lost phone", data=data)).split()[0]
        assert link.startswith("http://localhost:")
        secret = link.partition("#recover=")[2]
        async with aiohttp.ClientSession(headers={"Origin": url}) as http:
            body = {"secret": secret}
            async with http.post(f"{url}/api/account/recovery/use", json=body) as response:
                signed_in = await response.json()
        assert (signed_in["you"]["name"], signed_in["you"]["registered"]) == ("Ben", True)
        out = await command("recover", "robot", *reason, data=data, code=78)
        assert "robot is not a person with a name" in out
        out = await command("end-tournament", "unknown", *reason, data=data, code=78)
        assert "There is no tournament with that id." in out
        entries = await audit(data)
    assert [each["action"] for each in entries] == [
        *("end-tournament", "recover", "block", "rename"),
        *("abort-game", "revoke", "rotate", "token"),
    ]
    assert all(each["done_at"] and each["who"] for each in entries)


@pytest.mark.nightly
@pytest.mark.e2e
async def test_an_order_survives_the_kill_of_the_arena(tmp_path: Path) -> None:
    async with running(tmp_path) as arena:
        async with (
            connected(arena.address, name="Anna") as one,
            connected(arena.address, name="Ben") as two,
        ):
            game_id = await begin(one, two)
        await arena.kill()
        reason = ("--reason", "cheating")
        out = await command("abort-game", game_id, *reason, data=tmp_path, code=LATER)
        assert "it will be done when the arena starts" in out
        await arena.start()
        async with connected(arena.address, name="Cleo") as watcher:
            done = await watcher.do("game.state", game_id=game_id)
        [entry] = await audit(tmp_path)
    assert done.game.result.message == "The operator aborted the game: cheating"
    assert entry["ok"]


def test_a_reason_is_required(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("arena", "block", "Anna", "--reason", " ", "--data", tmp_path)
    assert outcome.code == 78
    assert "--reason" in outcome.err


def test_what_is_blocked_must_be_named_once(bluestone: Bluestone, tmp_path: Path) -> None:
    words = ("arena", "block", "--reason", "spam", "--data", tmp_path)
    assert "either NAME or --address" in bluestone(*words).err
    assert "either NAME or --address" in bluestone(*words, "Anna", "--address", "10.0.0.1").err


def test_lists_are_readable_and_never_show_a_secret(bluestone: Bluestone, tmp_path: Path) -> None:
    secret = bluestone("arena", "token", "robot", "--data", tmp_path).out.strip()
    blocked = bluestone(
        *("arena", "block", "--address", "203.0.113.7", "--reason", "spam", "--data", tmp_path)
    )
    assert blocked.out == "blocked 203.0.113.7/32 without an end\n"
    tokens = bluestone("arena", "tokens", "list", "--data", tmp_path).out
    log = bluestone("arena", "audit", "--data", tmp_path).out
    blocks = bluestone("arena", "blocks", "--data", tmp_path).out
    assert tokens.split()[:6] == ["bot", "id", "made", "last", "used", "ends"]
    assert tokens.split()[6] == "robot"
    assert "203.0.113.7/32" in blocks
    assert "spam" in log
    assert secret not in tokens + log


def test_a_wrong_overlap_is_explained(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone(
        *("arena", "tokens", "rotate", "robot", "--overlap", "soon", "--data", tmp_path)
    )
    assert (outcome.code, "such as 24h" in outcome.err) == (78, True)


def test_a_folder_without_an_arena_is_named(bluestone: Bluestone, tmp_path: Path) -> None:
    for words in (["tokens", "list"], ["audit"], ["blocks"]):
        outcome = bluestone("arena", *words, "--data", tmp_path)
        assert (outcome.code, outcome.out) == (78, "")
        assert f"{tmp_path}: there is no arena.db here; name the arena's folder" in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_token_of_a_new_database_is_told_apart(bluestone: Bluestone, tmp_path: Path) -> None:
    first, second = (bluestone("arena", "token", "robot", "--data", tmp_path) for _ in range(2))
    assert f"{tmp_path}: there is no arena.db here, so this makes one" in first.err
    assert second.err == ""


async def test_a_token_is_all_of_stdout_also_after_an_update(tmp_path: Path) -> None:
    with tarfile.open(STORED) as archive:
        archive.extractall(tmp_path, filter="data")
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-m",
            "bot",
            "arena",
            "token",
            "robot",
            "--data",
            str(tmp_path / "arena"),
        ),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert len(out.split()) == 1
    assert b"database_copied" in err


def test_a_block_of_a_trusted_proxy_is_pointed_out(bluestone: Bluestone, tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text(f'data = "{tmp_path}"\ntrusted_proxies = ["unix", "127.0.0.1", "10.0.0.0/8"]\n')
    words = ("arena", "block", "--reason", "spam", "--config", file, "--address")
    bluestone("arena", "token", "robot", "--config", file)
    for address, proxy in (("127.0.0.1", "127.0.0.1"), ("10.1.0.0/16", "10.0.0.0/8")):
        assert f"{proxy} is in trusted_proxies" in bluestone(*words, address).err
    for address in ("203.0.113.7", "::1"):
        assert "trusted_proxies" not in bluestone(*words, address).err


@pytest.mark.xdist_group("postgres")
def test_a_command_on_a_servers_database_needs_no_folder(
    bluestone: Bluestone, tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLUESTONE_ARENA_DATABASE", postgres.create())
    monkeypatch.chdir(tmp_path)
    assert bluestone("arena", "token", "robot").code == 0
    assert "robot" in bluestone("arena", "tokens", "list").out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
@pytest.mark.e2e
async def test_maintenance_is_planned_waited_for_and_ended(tmp_path: Path) -> None:
    reason = ("--reason", "a newer version")
    async with running(tmp_path) as arena:
        async with (
            connected(arena.address, name="Anna") as one,
            connected(arena.address, name="Ben") as two,
        ):
            game_id = await begin(one, two)
            out = await command("maintenance", *reason, "--wait", "0s", data=tmp_path, code=LATER)
            assert "no games start from" in out
            assert "1 live, 0 by correspondence" in out
            await one.do("game.action", game_id=game_id, action="resign")
            assert "0 live" in await command("maintenance", "--wait", "1m", data=tmp_path)
            out = await command("maintenance", *reason, "--end", data=tmp_path)
            assert "games start again" in out
            assert "no maintenance is planned" in await command("maintenance", data=tmp_path)
        out = await command("maintenance", "--at", "soon", *reason, data=tmp_path, code=78)
        assert "a number with s, m, h or d" in out
        assert [each["action"] for each in await audit(tmp_path)] == ["maintenance"] * 2
