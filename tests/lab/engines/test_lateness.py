"""`make lab ARGS=lateness`: a short run."""

import pytest

from lab.engines.lateness import lateness


def test_it_reports_answers_stops_and_pauses_of_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    lateness(games=["bluestone"], turns=4, ms=20)
    title, *rows = capsys.readouterr().out.splitlines()
    assert title.startswith("bluestone: 20 ms a turn, 0 busy")
    assert [row.split()[:2] for row in rows] == [["answers", "4"], ["stops", "1"], ["pauses", "4"]]
