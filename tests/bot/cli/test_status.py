"""`bluestone status`, called as a shell would, and what its tables say."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.cli.status import duration, overview
from bot.daemon.inspection import Inspection
from bot.daemon.journal import JOURNAL, WorkKey, open_journal
from bot.runtime.health import (
    BoxStatus,
    DaemonStatus,
    EngineStatus,
    GameStatus,
    PlatformStatus,
    UnreadGame,
    WorkStatus,
)
from bot.runtime.output import text_console
from bot.up.bundled_bots import write_daemon_configuration
from tests.bot.cli.commands import Bluestone


async def give_up(data: Path) -> None:
    async with open_journal(data / JOURNAL) as journal:
        await journal.accept(WorkKey("ap", "c0ffee", 4))
        await journal.give_up(WorkKey("ap", "c0ffee", 4), "the server refuses 4-1,2-7: not there")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "bot.toml"
    file.write_text(f'[daemon]\ndata = "{tmp_path}"\n')
    asyncio.run(give_up(tmp_path))
    return file


def test_a_daemon_that_does_not_run_leaves_its_journal(bluestone: Bluestone, config: Path) -> None:
    outcome = bluestone("status", "--config", config)
    assert outcome.code == 1
    assert "the daemon does not answer" in outcome.out
    assert "alarms: 1" in outcome.out
    row = next(line for line in outcome.out.splitlines() if "c0ffee" in line)
    assert row.split()[:4] == ["ap", "c0ffee", "4", "given_up"]
    assert "the server refuses 4-1,2-7: not there" in row


def test_without_a_file_it_shows_the_bots_of_up(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "var" / "bot").mkdir(parents=True)
    write_daemon_configuration(tmp_path / "var", "http://127.0.0.1:9")
    asyncio.run(give_up(tmp_path / "var" / "bot"))
    assert "c0ffee" in bluestone("status").out


def test_without_a_file_and_without_up_it_says_what_it_needs(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = bluestone("status")
    assert outcome.code == 78
    assert "status needs --config FILE, the settings of a bot" in outcome.err


def test_json_has_the_same(bluestone: Bluestone, config: Path) -> None:
    outcome = bluestone("status", "--config", config, "--json")
    found = json.loads(outcome.out)
    assert (outcome.code, found["daemon"]) == (1, None)
    assert "health.port" in found["silence"]
    assert [(work["game_id"], work["state"]) for work in found["work"]] == [("c0ffee", "given_up")]


def daemon(platform: PlatformStatus) -> DaemonStatus:
    return DaemonStatus(
        draining=False, problems=[], alarms=0, platforms=[platform], engines=[], work=[]
    )


def platform(*, problem: str | None) -> PlatformStatus:
    return PlatformStatus(
        name="ap",
        bot="",
        connected=problem is None,
        problem=problem,
        refused=None,
        last_event_age_s=None,
        games=[],
    )


@pytest.mark.parametrize(
    ("problem", "code", "first", "why"),
    [
        (None, 0, "the daemon answers, and is ready", []),
        (
            "cannot connect to example.org",
            1,
            "the daemon answers, and is not ready",
            ["ap is not connected: cannot connect to example.org"],
        ),
    ],
)
def test_only_a_daemon_that_is_ready_ends_it_with_0(
    bluestone: Bluestone,
    config: Path,
    monkeypatch: pytest.MonkeyPatch,
    problem: str | None,
    code: int,
    first: str,
    why: list[str],
) -> None:
    async def answers(*_: object) -> Inspection:
        return Inspection(daemon(platform(problem=problem)), None, [])

    monkeypatch.setattr("bot.cli.status.inspect", answers)
    shown = bluestone("status", "--config", config)
    assert (shown.code, shown.out.splitlines()[0]) == (code, first)
    assert all(f"- {each}" in shown.out for each in why)
    told = bluestone("status", "--config", config, "--json")
    assert (told.code, json.loads(told.out)["daemon"]["why_not_ready"]) == (code, why)


def test_it_says_how_the_built_in_engine_runs(
    bluestone: Bluestone, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = "compiled ahead of time for x86-64-v3"

    async def answers(*_: object) -> Inspection:
        found = daemon(platform(problem=None)).model_copy(update={"kernels": kernels})
        return Inspection(found, None, [])

    monkeypatch.setattr("bot.cli.status.inspect", answers)
    assert f"the built-in engine: {kernels}" in bluestone("status", "--config", config).out
    told = bluestone("status", "--config", config, "--json")
    assert json.loads(told.out)["daemon"]["kernels"] == kernels


def game(game_id: str, left: float | None, ours: float | None) -> GameStatus:
    return GameStatus(
        game_id=game_id,
        opponent="An\x1bn",
        game="bluestone",
        board="pent-6",
        ply=12,
        seat=1,
        to_play=1 if ours is not None else 2,
        deadline_s=left,
        our_turn_for_s=ours,
    )


def test_a_game_that_the_server_shows_older_than_before_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    older = game("older", 60.0, None).model_copy(update={"plies_seen": 16})
    platform = PlatformStatus(
        name="arena",
        bot="Granite",
        connected=True,
        refused=None,
        last_event_age_s=1.0,
        games=[older],
    )
    text_console().print(overview(Inspection(daemon(platform), None, [])))
    assert "12 (was 16)" in capsys.readouterr().out


def test_a_rating_has_a_column_where_a_platform_tells_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plain = platform(problem=None)
    text_console().print(overview(Inspection(daemon(plain), None, [])))
    assert "rating" not in capsys.readouterr().out
    rated = plain.model_copy(update={"standing": "1523 (provisional)"})
    text_console().print(overview(Inspection(daemon(rated), None, [])))
    shown = capsys.readouterr().out
    assert "rating" in shown
    assert "1523 (provisional)" in shown


def test_a_bot_that_seeks_in_vain_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    seeking = platform(problem=None).model_copy(update={"seeking": "no bot is there"})
    text_console().print(overview(Inspection(daemon(seeking), None, [])))
    assert "connected, seeks a game: no bot is there" in " ".join(capsys.readouterr().out.split())


def test_urgent_games_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    games = [
        game("theirs", 60.0, None),
        game("untimed", None, 5.0),
        game("roomy", 100_000.0, 30.0),
        game("urgent", 900.0, 7200.0),
    ]
    platform = PlatformStatus(
        name="ap",
        bot="Granite",
        connected=True,
        refused=None,
        last_event_age_s=12.0,
        games=games,
        unread=[UnreadGame(game_id="odd", why="unknown_game: size-99")],
    )
    engine = EngineStatus(
        name="search", healthy=False, alive=0, size=2, failures={"died": 3}, last_failure="died"
    )
    work = WorkStatus(
        platform="ap", game_id="urgent", ply=12, state="thinking", for_s=3, turn=None, reason=None
    )
    daemon = DaemonStatus(
        draining=False,
        problems=["journal: cannot be written: full"],
        alarms=1,
        platforms=[platform],
        engines=[engine],
        work=[work],
        box=BoxStatus(holds=["files", "watch"], missing=["limits"], unavailable=["user"]),
    )
    left = work.model_copy(update={"game_id": "left", "state": "given_up"})
    text_console().print(overview(Inspection(daemon, None, [work, left])))
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "not ready" in shown
    assert "alarms: 1; see `given_up` below" in shown
    assert "- journal: cannot be written: full" in shown
    assert "- engine search fails: died" in shown
    odd = next(line for line in shown.splitlines() if "size-99" in line)
    assert odd.split(maxsplit=2) == ["ap", "odd", "unknown_game: size-99"]
    assert "their box holds: files, watch; it lacks: limits; not here: user" in shown
    assert "12 s ago" in shown
    rows = [line for line in shown.splitlines() if "bluestone pent-6" in line]
    assert [row.split()[1] for row in rows] == ["urgent", "roomy", "untimed", "theirs"]
    assert rows[0].endswith("ours for 2 h 0 min   15 min")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3600 * 5 + 61, "5 h 1 min"),
        (86_400 * 2 + 3600, "2 d 1 h"),
        (-90, "-1 min"),
    ],
)
def test_durations_have_their_two_greatest_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words
