"""Faults of programs and settings, made on purpose: `bluestone doctor` finds each."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import orjson
import pytest
from aiohttp import web

from bot import __version__
from bot.arena.server import running_arena
from bot.daemon.data_folder import health_noted, sole_daemon
from bot.daemon.journal import JOURNAL
from bot.doctor import checks
from bot.doctor.checks import checks_named
from bot.doctor.examination import Case, Check, DoctorFinding, ok
from bot.doctor.programs import DOORS, other_python
from bot.engines.protections import ALL, Held, what_holds
from bot.runtime.health import DaemonStatus, PlatformStatus, serve_health
from engine import warming
from tests.bot.arena.edge.test_behind_a_proxy import reserved_port
from tests.bot.arena.table import settings
from tests.bot.doctor.conftest import Doctor
from tools import ROOT

PARTS = sum(part.kind != "playouts" for part in warming.all_parts())

SOMEBODY = 61_234


def for_everybody() -> bool:
    """Whether all users can start this Python, which is not so below root's home folder."""
    program = Path(sys.executable)
    places = [*program.parents, *program.resolve().parents]
    return all(place.stat().st_mode & 0o001 for place in places)


FAKE = Path(__file__).parents[2] / "fakes" / "engine.py"


@pytest.fixture
def bot(tmp_path: Path) -> Callable[..., Path]:
    def write(engine: str = 'builtin = "search"', more: str = "") -> Path:
        token, file = tmp_path / "token", tmp_path / "bot.toml"
        token.write_text("secret")
        table = f'[[platforms]]\nurl = "http://127.0.0.1:9"\ntoken_file = "{token}"\n'
        file.write_text(f'{table}engine = "mine"\n{more}\n[engines.mine]\n{engine}\n')
        return file

    return write


# ---- engines and kernels ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("no-hello", "did not send `ugiok` and `readyok` within 1 s"),
        ("silent", "no answer to `go movetime 200` within"),
        ("no-start", "engine"),
        ("illegal", "plays an"),
    ],
)
def test_an_engine_that_fails(
    doctor: Doctor,
    bot: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    said: str,
) -> None:
    monkeypatch.setattr("bot.doctor.programs.HARD_MS", 1000)
    command = f'command = "{sys.executable} {FAKE} --mode {mode}"\nstart_timeout_s = 1'
    report = doctor.now("--bot", bot(command), "--only", "engines")
    assert report.only.startswith("FAIL  engines      mine: ")
    assert said in report.only
    assert f"run `bluestone engine-check '{sys.executable} {FAKE} --mode {mode}'`" in report.only
    assert report.code == 1


def test_an_engine_that_starts_slowly_needs_more_time(
    doctor: Doctor, bot: Callable[..., Path]
) -> None:
    command = f'command = "{sys.executable} {FAKE} --mode no-hello"\nstart_timeout_s = 500'
    report = doctor.now("--bot", bot(command), "--only", "engines", "--seconds", "3")
    assert report.only.startswith("warn  engines      mine: not started after 1 s; it may take 500")
    assert report.code == 0


def test_an_engine_that_is_not_installed(doctor: Doctor, bot: Callable[..., Path]) -> None:
    report = doctor.now("--bot", bot('command = "no-such-engine --fast"'), "--only", "settings")
    assert report.only.startswith("FAIL  settings")
    assert "there is no program 'no-such-engine' to run -> correct the file" in report.only
    assert report.code == 1


def test_the_built_in_engine_answers(doctor: Doctor, bot: Callable[..., Path]) -> None:
    warming.warm(lambda _: None, warming.parts_of("bluestone"))
    report = doctor.now("--bot", bot(), "--only", "engines")
    assert report.only.startswith("ok    engines      mine: Bluestone started in")
    assert report.code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start programs as other users")
@pytest.mark.skipif(not for_everybody(), reason="other users cannot start this Python")
def test_root_starts_another_authors_engine_as_the_user_of_the_bot(
    doctor: Doctor, bot: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    os.chown(tmp_path / "data", SOMEBODY, SOMEBODY)
    command = [sys.executable, "-c", "import os, sys; sys.exit(f'I am {os.getuid()}')"]
    engine = f"command = {orjson.dumps(command).decode()}"
    file = bot(engine, f'[daemon]\ndata = "{tmp_path / "data"}"\n')
    assert f"I am {SOMEBODY}" in doctor.now("--bot", file, "--only", "engines").only


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")
def test_root_uses_the_compiled_code_of_the_bots_user(
    doctor: Doctor, bot: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warming.warm(lambda _: None)
    compiled = warming.used_cache_folder()
    monkeypatch.setenv("BLUESTONE_CACHE_DIR", str(tmp_path / "cache"))
    shutil.copytree(compiled, tmp_path / "cache" / compiled.name)
    for path in (tmp_path / "cache").rglob("*"):
        os.chown(path, SOMEBODY, SOMEBODY)
        path.chmod(0o700 if path.is_dir() else 0o600)
    report = doctor.now("--bot", bot(), "--only", "engines")
    assert report.only.startswith("ok    engines      mine: Bluestone started in")


def test_kernels_that_are_not_compiled(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLUESTONE_CACHE_DIR", str(tmp_path / "cache"))
    report = doctor.now("--only", "kernels", "--only", "engines")
    assert [line[:12] for line in report.lines[:-1]] == ["warn  kernel", "warn  engine"]
    assert f"not compiled: {PARTS} of {PARTS} parts" in report.lines[0]
    assert "-> run `bluestone warm`" in report.lines[0]
    assert report.code == 0
    assert not (tmp_path / "cache").exists()


def test_kernels_of_another_processor(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLUESTONE_CACHE_DIR", str(tmp_path))
    folder = warming.cache_folder()
    folder.mkdir()
    for part in warming.all_parts():
        (folder / f"warm-{part.game}-{part.kind}").write_text("another processor")
    report = doctor.now("--only", "kernels")
    assert f"not compiled: {PARTS} of {PARTS} parts" in report.only


def test_a_cache_that_cannot_be_written(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("BLUESTONE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    report = doctor.now("--only", "kernels")
    assert "it cannot be written, so compiled code may be lost" in report.lines[0]
    assert "set BLUESTONE_CACHE_DIR" in report.lines[0]


# ---- the box of the engines ------------------------------------------------------------------


def test_a_machine_on_which_the_engines_box_holds_only_in_part(
    doctor: Doctor, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = [replace(each, holds=each.name in {"network", "watch"}) for each in ALL]
    monkeypatch.setattr("bot.doctor.programs.what_holds", lambda: held)
    report = doctor.now("--bot", bot(), "--only", "sandbox")
    assert report.only.startswith(
        "warn  sandbox      the engines' box lacks files, signals, environment, limits, "
        "attributes, kernel, memory: an engine could read and change files that are not its own; "
        "end the bot"
    )
    assert "-> run only engines that you trust, or use Linux 6.12" in report.only
    assert report.code == 0


def test_the_doctor_tries_the_box_itself_and_names_engines_outside_it(
    doctor: Doctor, bot: Callable[..., Path]
) -> None:
    engine = 'builtin = "search"\nsandbox = { enabled = false }'
    report = doctor.now("--bot", bot(engine), "--only", "sandbox")
    held = Held.of(what_holds())
    assert report.lines[0].startswith("warn" if held.missing else "ok  ")
    assert all(name in report.lines[0] for name in (*held.missing, *held.unavailable))
    assert report.lines[1].startswith("warn  sandbox      mine: runs outside the box -> remove")


# ---- versions --------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Pretend that a distribution is installed, as pip would leave it on the disk."""

    def install(name: str, version: str, *lines: str) -> None:
        folder = tmp_path / "site" / f"{name}-{version}.dist-info"
        folder.mkdir(parents=True)
        head = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *lines]
        (folder / "METADATA").write_text("\n".join(head) + "\n\n")

    monkeypatch.syspath_prepend(tmp_path / "site")
    yield install
    shutil.rmtree(tmp_path / "site")


def test_a_dependency_out_of_its_range(doctor: Doctor, installed: Callable[..., None]) -> None:
    installed("structlog", "24.1.0")
    report = doctor.now("--only", "dependencies")
    assert report.only.startswith("FAIL  dependencies structlog is 24.1.0; >=25 is needed -> run")
    assert report.code == 1


def test_a_dependency_that_is_missing(doctor: Doctor, installed: Callable[..., None]) -> None:
    installed("bluestone", "1.0", "Requires-Dist: surely-not-installed>=2")
    report = doctor.now("--only", "settings", "--only", "dependencies")
    assert "there is no built-in engine 'search'" in report.lines[1]
    assert "surely-not-installed is not installed; >=2 is needed" in report.lines[2]
    assert report.code == 1


def test_a_python_that_is_not_supported(doctor: Doctor, installed: Callable[..., None]) -> None:
    installed("bluestone", "1.0", "Requires-Python: >=4.2")
    report = doctor.now("--only", "python")
    assert report.only.startswith("FAIL  python")
    assert "Bluestone needs >=4.2 -> install such a Python" in report.only
    assert report.code == 1


def test_a_python_that_the_user_of_a_service_cannot_reach(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", "/usr")
    monkeypatch.setattr(sys, "executable", "/usr/bin/env")
    public = doctor.now("--only", "python")
    (tmp_path / "root").mkdir(mode=0o700)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "root" / "python"))
    private = doctor.now("--only", "python")
    assert public.bad() == []
    assert private.bad()[0].startswith("warn  python")
    assert f"because {tmp_path / 'root'} is private" in private.bad()[0]
    monkeypatch.setattr(sys, "executable", "/home/anna/python")
    assert "because /home is private" in doctor.now("--only", "python").bad()[0]


async def test_a_running_arena_of_another_version(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arena.toml"
    async with running_arena(settings(tmp_path / "data")) as url:
        file.write_text(f'port = {urlsplit(url).port}\ndata = "{tmp_path / "data"}"\n')
        same = await doctor("--arena", file, "--only", "versions")
        monkeypatch.setattr("bot.doctor.programs.__version__", "9.9")
        other = await doctor("--arena", file, "--only", "versions")
    assert same.only.startswith("ok    versions     arena: runs, version")
    assert other.only.startswith("warn  versions     arena: runs version")
    assert "but 9.9 is installed -> restart it" in other.only


async def test_a_running_bot_of_another_version_that_is_not_ready(
    doctor: Doctor, bot: Callable[..., Path]
) -> None:
    async def status() -> DaemonStatus:
        problems = ["the journal cannot be written"]
        return DaemonStatus(
            version="0.0.1", draining=False, problems=problems, alarms=0, platforms=[], engines=[],
            work=[],
        )  # fmt: skip

    with reserved_port() as port:
        file = bot(more=f"[health]\nport = {port}")
        async with serve_health("127.0.0.1", port, status):
            report = await doctor("--bot", file, "--only", "versions")
    assert report.lines[0].startswith("warn  versions     bot: runs version 0.0.1, but")
    assert report.lines[1].startswith("warn  versions     bot: the journal cannot be written")
    assert report.code == 0


async def test_a_bot_whose_port_only_its_data_folder_knows(doctor: Doctor, tmp_path: Path) -> None:
    async def status() -> DaemonStatus:
        return DaemonStatus(
            version=__version__, draining=False, problems=[], alarms=0, platforms=[], engines=[],
            work=[],
        )  # fmt: skip

    (tmp_path / JOURNAL).touch()
    with sole_daemon(tmp_path):
        async with serve_health("127.0.0.1", 0, status) as address:
            assert address is not None
            with health_noted(tmp_path, address):
                report = await doctor("--data", tmp_path, "--only", "versions")
    assert report.only.startswith("ok    versions     bot: runs, version")


@pytest.mark.parametrize(("is_clone", "words"), [(True, "make clean"), (False, "-m venv")])
def test_advice_fits_how_bluestone_is_installed(is_clone: bool, words: str) -> None:
    advice = other_python(is_clone)
    assert words in advice
    assert ("make" in advice) is is_clone


async def test_a_bot_that_is_refused_for_good(doctor: Doctor, bot: Callable[..., Path]) -> None:
    platform = PlatformStatus(
        name="arena", bot="Flint", connected=False, problem=None, alarm=None,
        refused="bad_token: The token is not known.", last_event_age_s=1.0, games=[], unread=[],
    )  # fmt: skip

    async def status() -> DaemonStatus:
        return DaemonStatus(
            version=__version__, draining=False, problems=[], alarms=0, platforms=[platform],
            engines=[], work=[],
        )  # fmt: skip

    with reserved_port() as port:
        file = bot(more=f"[health]\nport = {port}")
        async with serve_health("127.0.0.1", port, status):
            report = await doctor("--bot", file, "--only", "versions")
    assert report.bad()[0].startswith("FAIL  versions     bot: arena is refused: bad_token")
    assert "put a new token into token_file" in report.bad()[0]
    assert report.code == 1


async def test_an_arena_that_has_ended(doctor: Doctor, tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    with reserved_port() as port:
        file.write_text(f'port = {port}\ndata = "{tmp_path / "data"}"\n')
        before = await doctor("--arena", file, "--only", "versions")
        async with running_arena(settings(tmp_path / "data")):
            pass
        after = await doctor("--arena", file, "--only", "versions")
    assert before.only.startswith("ok    versions     arena: none runs")
    assert after.only.startswith("warn  versions     arena: none runs on this data folder -> start")


async def test_an_arena_that_cannot_write_is_not_to_be_restarted(
    doctor: Doctor, tmp_path: Path
) -> None:
    async def answer(_: web.Request) -> web.Response:
        said = {"status": "the database cannot be written", "server": "bluestone-arena"}
        return web.json_response(said, status=503)

    app = web.Application()
    app.router.add_get("/healthz", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    file = tmp_path / "arena.toml"
    file.write_text(f'port = {runner.addresses[0][1]}\ndata = "{tmp_path / "data"}"\n')
    report = await doctor("--arena", file, "--only", "versions")
    await runner.cleanup()
    assert report.only.startswith("FAIL  versions     arena: the database cannot be written ->")


# ---- the command -----------------------------------------------------------------------------


def well(_: Case) -> Iterator[DoctorFinding]:
    yield ok("all is well")


WELL = Check("well", well)
"""What other checks find depends on the machine that runs the tests."""


def test_errors_of_settings_are_lines_and_all_other_checks_run(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arena.toml"
    file.write_text("prot = 8765\n")
    monkeypatch.setattr(checks, "CHECKS", (*checks_named(["settings"]), WELL))
    report = doctor.now("--arena", file)
    assert "prot: unknown key; did you mean 'port'? -> correct the file" in report.lines[0]
    assert report.lines[1] == "ok    well         all is well"
    assert report.lines[-1] == "1 ok, 0 warn, 1 FAIL"
    assert report.code == 1


def test_a_secret_of_the_service_need_not_be_in_this_shell(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BLUESTONE_TOKEN", raising=False)
    file = tmp_path / "bot.toml"
    file.write_text('[[platforms]]\nurl = "http://127.0.0.1:9"\n')
    report = doctor.now("--bot", file, "--only", "settings")
    assert "BLUESTONE_TOKEN is not set in this shell" in report.lines[0]
    assert report.code == 0


def test_json_has_the_same_findings(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CHECKS", (WELL,))
    outcome = doctor.bluestone("doctor", "--json")
    [line] = orjson.loads(outcome.out)
    assert line["check"] == "well"
    assert line["status"] == "ok"
    assert line["advice"] is None
    assert set(line) == {"check", "status", "found", "advice"}


def test_an_unknown_check_is_refused(doctor: Doctor) -> None:
    outcome = doctor.bluestone("doctor", "--only", "dsik")
    assert outcome.code == 78
    assert "there is no check 'dsik'; did you mean 'disk'?" in outcome.err


def test_a_bug_in_a_check_hides_no_other(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Case) -> Iterator[DoctorFinding]:
        yield ok("so far")
        raise KeyError("no")

    monkeypatch.setattr(checks, "CHECKS", (Check("broken", broken), WELL))
    outcome = doctor.bluestone("doctor")
    lines = outcome.out.splitlines()
    assert lines[0] == "ok    broken       so far"
    assert lines[1].startswith("FAIL  broken       the check itself failed: KeyError: 'no'")
    assert lines[2] == "ok    well         all is well"
    assert "Traceback" in outcome.err
    assert outcome.code == 1


def test_a_check_that_blocks_ends_at_its_deadline(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stuck(_: Case) -> Iterator[DoctorFinding]:
        yield ok("so far")
        Event().wait()

    monkeypatch.setattr(checks, "CHECKS", (Check("stuck", stuck), WELL))
    report = doctor.now("--seconds", "1")
    assert report.lines[0] == "ok    stuck        so far"
    assert report.lines[1].startswith("FAIL  stuck        not finished within 1 s")
    assert report.lines[2] == "ok    well         all is well"


def test_a_folder_that_this_user_may_not_enter(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(_: Case) -> Iterator[DoctorFinding]:
        yield ok("so far")
        raise PermissionError(13, "Permission denied", "/var/lib/private")

    monkeypatch.setattr(checks, "CHECKS", (Check("forbidden", forbidden),))
    report = doctor.now()
    assert "/var/lib/private: may not be read by this user -> run this" in report.lines[1]
    assert report.code == 1


def test_the_packages_of_every_door_are_looked_at() -> None:
    door = re.compile(r"^\w+: Final\[Door\[.*\]\] = Door\(\s*\"([\w.]+)\"", re.MULTILINE)
    sources = (path.read_text() for path in (ROOT / "bot").rglob("*.py"))
    named = [group for source in sources for group in door.findall(source)]
    assert sorted(named) == sorted(each.group for each in DOORS)
