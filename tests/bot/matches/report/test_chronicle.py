"""A report reads a ledger while a host writes it."""

from pathlib import Path

import pytest

from bot.errors import ConfigurationError
from bot.matches.ledger import Chain
from bot.matches.report.chronicle import Chronicle, read_chronicle
from tests.bot.matches.made_up import line, tournament, write


def test_a_last_line_that_is_cut_off_is_ignored(tmp_path: Path) -> None:
    dated = tournament()
    path = write(tmp_path, dated[:-1])
    with path.open("ab") as file:
        file.write(line(*dated[-1], Chain())[:-9])
    story = read_chronicle(tmp_path)
    assert story.tournament.ended is None
    assert len(story.entries) == len(dated) - 1
    write(tmp_path, dated)
    assert read_chronicle(tmp_path).tournament.ended is not None


def test_a_folder_without_a_ledger_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no tournament"):
        read_chronicle(tmp_path)


def test_an_empty_ledger_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, [])
    with pytest.raises(ConfigurationError, match="no tournament"):
        read_chronicle(tmp_path)


def test_damage_is_reported_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, tournament()[:3])
    path.write_bytes(path.read_bytes().replace(b'"kind":"paired"', b'"kind":"pears"'))
    with pytest.raises(ConfigurationError, match="line 2"):
        read_chronicle(tmp_path)


def test_events_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    dated = tournament()
    write(tmp_path, [dated[0], dated[1], dated[1]])
    with pytest.raises(ConfigurationError, match="pairing 1 or one of its games already exists"):
        read_chronicle(tmp_path)


def test_the_original_of_a_replaced_result_is_kept(story: Chronicle) -> None:
    counts, before = story.tournament.played[2], story.result_before(2)
    assert counts.result.reason == "replaced"
    assert before is not None
    assert before.reason == "played_out"
