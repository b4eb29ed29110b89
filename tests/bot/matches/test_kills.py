"""The whole program, killed again and again: what comes of the tournament is the same."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.matches.ledger import LEDGER, read_ledger
from bot.tournaments.state import Tournament

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

SETTINGS = """
name = "killed"
seed = 5
concurrency = 2

[[players]]
name = "A"
options = { Threads = 1 }

[[players]]
name = "B"
options = { Threads = 1, Level = 2 }

[[players]]
name = "C"
builtin = "random"

[[setups]]
board = "pent-4"
nodes = 40
"""


def started(file: Path, out: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "bot", "tournament", "run", str(file), "--out", str(out)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def killed_after(file: Path, out: Path, games: int) -> None:
    """A run that is killed once it has told of so many games."""
    with started(file, out) as program:
        assert program.stderr is not None
        told = 0
        while told < games:
            line = program.stderr.readline()
            assert line.startswith(("game ", "bluestone: going on after "))
            told += line.startswith("game ")
        program.kill()


def finished(file: Path, out: Path) -> Tournament:
    with started(file, out) as program:
        _, said = program.communicate(timeout=200)
    assert program.returncode == 0, said
    tournament = read_ledger(out / LEDGER).tournament
    assert tournament is not None
    return tournament


def outcome(tournament: Tournament) -> object:
    played = {
        number: (game.scheduled, game.result, game.fingerprint)
        for number, game in sorted(tournament.played.items())
    }
    return played, tournament.pairings, tournament.ended


def test_a_host_that_is_killed_again_and_again_comes_to_the_same(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(SETTINGS)
    undisturbed = finished(file, tmp_path / "undisturbed")

    for games in (1, 2, 1):
        killed_after(file, tmp_path / "killed", games)
    killed = finished(file, tmp_path / "killed")

    assert len(killed.played) == 6
    assert outcome(killed) == outcome(undisturbed)


def test_a_signal_ends_the_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(SETTINGS)
    with started(file, tmp_path / "out") as program:
        assert program.stderr is not None
        program.stderr.readline()
        program.send_signal(signal.SIGTERM)
        said = program.stderr.read()

    assert program.returncode == 130
    assert "To continue: bluestone tournament run" in said
    assert len(finished(file, tmp_path / "out").played) == 6
