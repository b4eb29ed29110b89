"""The command as a whole: what it offers, what it costs to ask, and how it fails."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import bot
from bot.cli import app
from bot.errors import ConfigurationError, EngineStartError, HostError
from tests.bot.cli.commands import Bluestone, Outcome

COMMANDS = [
    "up",
    "arena",
    "bot",
    "status",
    "engine",
    "engine-check",
    "play",
    "match",
    "tournament",
    "analyze",
    "records",
    "draw",
    "backup",
    "restore",
    "bench",
    "warm",
    "check",
    "rehearse",
]


def test_help_lists_every_command(bluestone: Bluestone) -> None:
    outcome = bluestone("--help")
    assert outcome.code == 0
    shown = [line.split()[1] for line in outcome.out.splitlines() if line.startswith("│ ")]
    assert set(COMMANDS) <= set(shown)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(bluestone: Bluestone, command: str) -> None:
    outcome = bluestone(command, "--help")
    assert outcome.code == 0
    assert f"Usage: bluestone {command}" in outcome.out


def test_help_shows_defaults_that_say_something(bluestone: Bluestone) -> None:
    out = bluestone("match", "--help").out
    assert "[default: 100]" in out
    assert "[default: 0]" in out
    assert "()" not in out
    assert "False" not in out


def test_a_misspelt_command_or_option_is_a_usage_error(bluestone: Bluestone) -> None:
    for words in (["recrods"], ["warm", "--fast"], ["records", "show"], ["up", "--port", "x"]):
        outcome = bluestone(*words)
        assert outcome.code == 2
        assert outcome.out == ""
        assert outcome.err


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (
            ConfigurationError(["a: wrong", "b: wrong, too"]),
            78,
            "a: wrong\nbluestone: b: wrong, too",
        ),
        (HostError("port 1 is in use"), 71, "port 1 is in use"),
        (EngineStartError("x", "does not start"), 70, "engine 'x': does not start"),
    ],
)
def test_an_error_is_one_message_and_its_exit_code(
    bluestone: Bluestone, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, message: str
) -> None:
    monkeypatch.setattr(app, "_build", lambda _: failing(error))
    outcome = bluestone("anything")
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err == f"bluestone: {message}\n"


def test_ctrl_c_prints_no_traceback(bluestone: Bluestone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_build", lambda _: failing(KeyboardInterrupt()))
    assert bluestone("anything") == Outcome(130, "", "")


def failing(error: BaseException) -> Any:
    def command(_: Sequence[str] | None) -> int:
        raise error

    return command


def run(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


@pytest.mark.e2e
def test_the_program_runs_and_help_loads_nothing_heavy() -> None:
    done = run("--version")
    assert done.returncode == 0
    heavy = ("numba", "numpy", "aiohttp", "socketio", "pydantic")
    script = f"""
import sys
from bot.cli import main
main(["--help"])
print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""
    listed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert listed.stderr.strip() == "[]"


@pytest.mark.e2e
def test_the_engine_speaks_its_protocol_on_stdin_and_stdout() -> None:
    done = run("engine", input="ugi\nposition startpos moves 0-0\nquery p1turn\nquit\n")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("id name ")
    assert done.stdout.splitlines()[-1] == "response false"


@pytest.fixture
def heeded_sigint() -> Iterator[None]:
    """Programs that a test starts heed SIGINT, even if a shell runs the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.e2e
@pytest.mark.usefixtures("heeded_sigint")
def test_ctrl_c_ends_a_game_in_the_terminal_with_130() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "play", "--board", "pent-3", "--engine", "random"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    with process:
        assert process.stdout is not None
        said = b""
        while b"your move> " not in said:
            said += os.read(process.stdout.fileno(), 4096)
        process.send_signal(signal.SIGINT)
        # The signal may come just before the read for which the prompt was written, and is heard
        # when that returns: the end of stdin makes it.
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.e2e
def test_a_closed_pipe_prints_no_error_message() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "records", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
    assert err == b""
    assert process.returncode != 0


def test_ctrl_c_while_modules_load_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "cyclopts.py").write_text("raise KeyboardInterrupt\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(bot.__file__).parents[1]}"}
    words = [sys.executable, "-P", "-m", "bot", "draw"]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 130
    assert ended.stderr == "bluestone: interrupted before anything was done\n"
