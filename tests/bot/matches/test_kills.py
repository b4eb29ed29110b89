"""The whole program is killed several times; the result of the tournament is the same."""

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
games_per_pairing = 6

[[players]]
name = "A"
options = { Threads = 1, Level = 2 }

[[players]]
name = "B"
builtin = "random"

[[setups]]
board = "pent-4"
nodes = 40
"""


def started(file: Path, out: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "bot", "tournament", "run", str(file), "--out", str(out)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def killed_after(file: Path, out: Path, games: int) -> None:
    """Run the program and kill it when it has reported this number of games."""
    with started(file, out) as program:
        assert program.stderr is not None
        seen = 0
        while seen < games:
            line = program.stderr.readline()
            assert line.startswith(("game ", "bluestone: continuing after "))
            seen += line.startswith("game ")
        program.kill()


def finished(file: Path, out: Path) -> Tournament:
    with started(file, out) as program:
        _, said = program.communicate(timeout=200)
    assert program.returncode == 0, said
    tournament = read_ledger(out / LEDGER).tournament
    assert tournament is not None
    return tournament


def state_of(tournament: Tournament) -> object:
    played = {
        number: (game.scheduled, game.result, game.fingerprint)
        for number, game in sorted(tournament.played.items())
    }
    return played, tournament.pairings, tournament.ended


def test_a_host_that_is_killed_several_times_comes_to_the_same_result(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(SETTINGS)
    undisturbed = finished(file, tmp_path / "undisturbed")

    for games in (1, 2):
        killed_after(file, tmp_path / "killed", games)
    killed = finished(file, tmp_path / "killed")

    assert len(killed.played) == 6
    assert state_of(killed) == state_of(undisturbed)


def test_a_signal_ends_the_run_and_the_output_says_how_to_continue(tmp_path: Path) -> None:
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
