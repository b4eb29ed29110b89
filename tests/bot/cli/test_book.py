"""`bluestone book`: games in real processes, and a file that the engine can read."""

import json
from pathlib import Path

import engine
from engine.opening_books import OpeningBook, read_trials
from tests.bot.cli.commands import Bluestone


def test_a_book_is_grown_and_written(bluestone: Bluestone, tmp_path: Path) -> None:
    out = tmp_path / "book.json"
    outcome = bluestone(
        *("book", out, "--game", "stargazers", "--games", "30", "--nodes", "20"),
        *("--workers", "2", "--seed", "3"),
    )
    assert outcome.code == 0
    assert "30 of 30 games; most tried first turn:" in outcome.err
    data = json.loads(out.read_text(encoding="utf-8"))
    assert (data["game"], data["board"], data["rules"]) == ("stargazers", "stars-39", "official")
    trials = list(read_trials(data["trials"]))
    assert trials
    assert sum(trial.games for trial in trials if not trial.line) <= 30
    OpeningBook(engine.game("stargazers"), trials)


def test_a_book_that_cannot_be_written_is_a_message(bluestone: Bluestone, tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "book.json"
    outcome = bluestone(
        "book", out, "--board", "pent-3", "--games", "2", "--nodes", "5", "--workers", "1"
    )
    assert outcome.code == 71
    assert "cannot be written" in outcome.err
