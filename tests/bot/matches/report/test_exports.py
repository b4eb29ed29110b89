"""Games for other programs."""

import csv
import io

import pytest

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.exports import COLUMNS, _cell, exported
from bot.records.model import GameRecord
from tests.bot.records.sgf_reader import read_sgf


def test_a_line_a_game_in_csv(story: Chronicle) -> None:
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


def test_records_a_line_each(story: Chronicle) -> None:
    lines = list(exported(story, "jsonl"))
    assert [GameRecord.model_validate_json(line).id for line in lines] == [
        game.game_id for game in story.played()
    ]


def test_a_collection_of_sgf(story: Chronicle) -> None:
    assert len(read_sgf("".join(exported(story, "sgf")))) == len(story.tournament.played)


@pytest.mark.parametrize(
    ("name", "cell"), [("=1+1", "'=1+1"), ("@x", "'@x"), ("-A", "'-A"), ("A-1", "A-1")]
)
def test_a_spreadsheet_computes_no_name(name: str, cell: str) -> None:
    assert _cell(name) == cell
