"""Exports of games for other programs."""

import csv
import io

import pytest

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.exports import COLUMNS, _cell, _points, exported
from bot.matches.report.statistics import statistics
from bot.records.model import GameRecord
from bot.tournaments.model import GameResult
from tests.bot.matches.made_up import chronicle, tournament
from tests.bot.records.sgf_reader import read_sgf


def test_csv_has_one_row_per_game_and_bye(story: Chronicle) -> None:
    written = list(csv.DictReader(io.StringIO("".join(exported(story, "csv")))))
    assert tuple(written[0]) == COLUMNS
    rows = [row for row in written if row["reason"] != "bye"]
    assert len(written) == len(rows) + len(story.tournament.byes)
    assert [int(row["number"]) for row in rows] == sorted(story.tournament.played)
    third = rows[2]
    assert (third["first"], third["second"]) == ('Gneiss <b>&"', "Chalk")
    assert (third["result"], third["winner"], third["reason"]) == ("0-1", "Chalk", "time_forfeit")
    assert third["opening"].split(" ") == list(story.tournament.played[3].scheduled.opening)
    assert int(third["first_ms"]) > 0


def test_each_tie_break_has_a_column_of_its_own() -> None:
    (at, began), *rest = tournament()
    asked = {"format": {"kind": "round_robin"}, "tie_breaks": ["wins", "sonneborn_berger"]}
    story = chronicle([(at, began.model_copy(update={"settings": asked})), *rest])
    text = "".join(exported(story, "standings"))
    head = text.partition("\n")[0].split(",")
    assert len(head) == len(set(head))
    assert head[3:5] == ["tie_break_wins", "sonneborn_berger"]
    for row, standing in zip(
        csv.DictReader(io.StringIO(text)), statistics(story).standings, strict=True
    ):
        assert float(row["tie_break_wins"]) == standing.tie_breaks["wins"]


def test_only_a_drawn_game_has_half_points() -> None:
    result = {None: "0-0", 1: "1-0", 2: "0-1"}
    for winner, text in result.items():
        assert _points(GameResult(winner=winner, reason="no_show")) == text
    assert _points(GameResult(winner=None, reason="adjudication")) == "1/2-1/2"


def test_json_lines_have_one_record_per_line(story: Chronicle) -> None:
    lines = list(exported(story, "jsonl"))
    assert [GameRecord.model_validate_json(line).id for line in lines] == [
        game.game_id for game in story.played()
    ]


def test_sgf_is_a_collection_of_all_games(story: Chronicle) -> None:
    assert len(read_sgf("".join(exported(story, "sgf")))) == len(story.tournament.played)


@pytest.mark.parametrize(
    ("name", "cell"), [("=1+1", "'=1+1"), ("@x", "'@x"), ("-A", "'-A"), ("A-1", "A-1")]
)
def test_names_that_look_like_formulas_get_an_apostrophe(name: str, cell: str) -> None:
    assert _cell(name) == cell
