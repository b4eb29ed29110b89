"""`bluestone tournament show|report|export` on a folder."""

import csv
import io
import json
import sys
import unicodedata
from pathlib import Path

import pytest

from bot.cli import tournament_views
from bot.matches.ledger import LEDGER
from bot.runtime.output import plain
from tests.bot.cli.commands import Bluestone
from tests.bot.matches.made_up import tournament, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, tournament())
    return tmp_path


def test_show_has_a_line_a_player_and_the_last_games(bluestone: Bluestone, folder: Path) -> None:
    outcome = bluestone("tournament", "show", folder)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "Stones & <Bones>"
    assert "24 played, 3 void; ended: All rounds are played." in lines[1]
    assert lines[3].split()[:3] == ["player", "pts", "buch."]
    ranks = [int(line.split()[0]) for line in lines[4:10]]
    assert ranks[0] == 1
    assert ranks == sorted(ranks)
    assert "not decided, log-likelihood ratio" in outcome.out
    assert lines[-5].startswith("game 26: ")


def test_show_fits_a_terminal_of_80_columns(
    bluestone: Bluestone, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = bluestone("tournament", "show", folder).out.splitlines()
    heads = next(line for line in lines if " pts " in line)
    assert heads.split()[-1] == "faults"
    rows = lines[lines.index(heads) + 1 :][:6]
    assert rows[0].split()[0] == "1"
    assert len([row for row in rows if " to " in row]) == 6


def test_show_gives_figures_as_json(bluestone: Bluestone, folder: Path) -> None:
    figures = json.loads(bluestone("tournament", "show", folder, "--json").out)
    assert (figures["played"], figures["waiting"], figures["voids"]) == (24, 0, 3)
    assert len(figures["standings"]) == 6


def test_show_and_report_name_the_zero_of_elo(bluestone: Bluestone, folder: Path) -> None:
    assert "Elo 0 is the mean of the players." in bluestone("tournament", "show", folder).out
    anchored = ("tournament", "show", folder, "--anchor", "Slate")
    assert "Elo 0 is Slate." in bluestone(*anchored).out
    told = json.loads(bluestone(*anchored, "--json").out)
    assert told["anchor"] == "Slate"
    assert next(row["elo"] for row in told["ratings"] if row["name"] == "Slate") == 0
    bluestone("tournament", "report", folder, "--anchor", "Slate")
    assert "Elo 0 is Slate" in (folder / "report.html").read_text()
    assert bluestone("tournament", "show", folder, "--anchor", "Nobody").code == 78


def test_show_and_report_of_a_match_of_two_have_the_difference(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    words = ("--games", "4", "--board", "pent-3", "--nodes", "5", "--out", tmp_path)
    bluestone("match", "random", "search:Threads=1", *words)
    shown = bluestone("tournament", "show", tmp_path).out
    assert "\nElo difference: " in shown
    assert "elo" not in shown.partition("\nplayer")[2].partition("\n")[0]
    told = json.loads(bluestone("tournament", "show", tmp_path, "--json").out)
    assert sum(told["match"]["pentanomial"]) == 2
    assert told["ratings"] == []
    bluestone("tournament", "report", tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "Elo difference: " in page
    assert 'id="ratings"' not in page


def test_show_follows_the_ledger_of_another_process(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dated = tournament()
    write(tmp_path, dated[:10])
    ends = iter((12, 12, 30, len(dated)))
    monkeypatch.setattr(tournament_views, "wait", lambda _s: write(tmp_path, dated[: next(ends)]))
    outcome = bluestone("tournament", "show", tmp_path, "--follow")
    assert outcome.code == 0
    assert "ended: All rounds are played." in outcome.out
    assert next(ends, None) is None


def test_show_waits_for_a_tournament_that_has_not_started(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its host may still start engines."""
    written = iter(("", None))

    def wait(_: float) -> None:
        text = next(written)
        if text is None:
            write(tmp_path, tournament())
        else:
            (tmp_path / LEDGER).write_text(text)

    monkeypatch.setattr(tournament_views, "wait", wait)
    outcome = bluestone("tournament", "show", tmp_path, "--follow")
    assert outcome.code == 0
    assert "waiting for a tournament to start" in outcome.err
    assert "Stones & <Bones>" in outcome.out


def test_show_cannot_follow_in_json(bluestone: Bluestone, folder: Path) -> None:
    outcome = bluestone("tournament", "show", folder, "--follow", "--json")
    assert outcome.code == 78
    assert "--json" in outcome.err


def test_report_is_in_the_folder_if_no_file_is_named(bluestone: Bluestone, folder: Path) -> None:
    assert bluestone("tournament", "report", folder).out.startswith(f"{folder}/report.html: ")
    page = (folder / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    other = folder / "other.html"
    assert bluestone("tournament", "report", folder, "--output", other).code == 0
    assert other.read_text() == page


def test_export_writes_the_requested_format(bluestone: Bluestone, folder: Path) -> None:
    lines = bluestone("tournament", "export", folder, "--format", "csv").out
    reasons = [row["reason"] for row in csv.DictReader(io.StringIO(lines))]
    assert (len(reasons), reasons.count("bye")) == (26, 2)
    output = folder / "games.sgf"
    assert (
        bluestone(*("tournament", "export", folder, "--format", "sgf", "--output", output)).out
        == ""
    )
    assert output.read_text().count("(;FF[4]") == 24
    assert len(bluestone("tournament", "export", folder).out.splitlines()) == 24


def test_export_lists_games_without_a_record(bluestone: Bluestone, tmp_path: Path) -> None:
    dated = tournament()
    at, end = dated[2]
    dated[2] = (at, end.model_copy(update={"record": None}))
    write(tmp_path, dated)
    outcome = bluestone("tournament", "export", tmp_path)
    assert len(outcome.out.splitlines()) == 23
    assert "games 1" in outcome.err


def test_a_folder_without_a_tournament_is_refused(bluestone: Bluestone, tmp_path: Path) -> None:
    for command in ("show", "report", "export"):
        outcome = bluestone("tournament", command, tmp_path)
        assert outcome.code == 78
        assert "no tournament here" in outcome.err


def test_names_cannot_move_the_cursor() -> None:
    assert plain("a\x1b[2Jb\u202e\n") == "a�[2Jb��"


def test_every_kind_of_space_is_shown_as_a_space() -> None:
    spaces = [
        chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code)) == "Zs"
    ]
    assert {plain(space) for space in spaces} == {" "}
    assert plain("Stufe\N{NO-BREAK SPACE}3") == "Stufe 3"


SWISS_OF_THREE = """
[format]
kind = "swiss"
rounds = 2

[[players]]
name = "=one"
builtin = "random"
[[players]]
name = "two"
builtin = "random"
[[players]]
name = "three"
builtin = "random"
nodes = 1

[[setups]]
board = "pent-3"
nodes = 10
"""


def test_exports_tell_rounds_byes_and_limits_of_players(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    file, folder = tmp_path / "event.toml", tmp_path / "event"
    file.write_text(SWISS_OF_THREE)
    assert bluestone("tournament", "run", file, "--out", folder).code == 0

    def exported(to: str) -> str:
        return bluestone("tournament", "export", folder, "--format", to).out

    games = list(csv.DictReader(io.StringIO(exported("csv"))))
    byes = [row for row in games if row["reason"] == "bye"]
    assert [(row["round"], row["result"]) for row in byes] == [("1", "1.0"), ("2", "1.0")]
    assert [row["round"] for row in games] == ["1", "1", "1", "2", "2", "2"]
    sgf = exported("sgf")
    assert (sgf.count("EV[tournament]RO[1]"), sgf.count("EV[tournament]RO[2]")) == (2, 2)
    records = [json.loads(line) for line in exported("jsonl").splitlines()]
    assert [(each["event"], each["round"]) for each in records] == [
        *[("tournament", 1)] * 2,
        *[("tournament", 2)] * 2,
    ]
    own = {player["name"]: player["clock"] for each in records for player in each["players"]}
    assert own == {"=one": None, "two": None, "three": {"kind": "none"}}

    rows = list(csv.DictReader(io.StringIO(exported("standings"))))
    assert sorted(row["player"] for row in rows) == ["'=one", "three", "two"]
    assert sum(float(row["points"]) for row in rows) == 4
    assert rows[0]["rank"] == "1"
    last_bye = byes[-1]["first"].removeprefix("'")
    assert f"Round 2, bye: {last_bye}." in bluestone("tournament", "show", folder).out
