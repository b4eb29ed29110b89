"""The log of a search: it continues, leaves out duplicates, and survives a crash."""

from pathlib import Path

import pytest

from bot.errors import DataError, HostError
from bot.puzzles.making.journal import DUPLICATE, opened_journal
from bot.puzzles.making.mining import KEPT, SwingCandidate
from tests.bot.puzzles.samples import sample_puzzle

KEPT_ONE = SwingCandidate(6, KEPT, {"swing": 0.6}, sample_puzzle())
REFUSED = SwingCandidate(9, "not_unique", {"gap": 0.1})


def test_a_log_read_again_knows_the_games_and_the_puzzles(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "hexo.log.jsonl"
    with opened_journal(path) as journal:
        assert journal.add_game("a/1", 12, 1.5, [KEPT_ONE, REFUSED]) == [sample_puzzle()]
    with opened_journal(path) as again:
        for each in (journal, again):
            assert each.finished == {"a/1"}
            assert list(each.puzzles.values()) == [sample_puzzle()]
            assert each.reasons == {KEPT: 1, "not_unique": 1}
            assert (each.positions, each.seconds) == (12, 1.5)


def test_a_puzzle_that_is_known_is_a_duplicate(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with opened_journal(path) as journal:
        journal.add_game("a/1", 12, 1.0, [KEPT_ONE])
        assert journal.add_game("a/2", 12, 1.0, [KEPT_ONE]) == []
    with opened_journal(path) as again:
        assert again.reasons == {KEPT: 1, DUPLICATE: 1}


def test_a_line_that_a_crash_cut_off_is_searched_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with opened_journal(path) as journal:
        journal.add_game("a/1", 12, 1.0, [])
    with path.open("ab") as file:
        file.write(b'{"game": "a/2", "posi')
    with opened_journal(path) as again:
        assert again.finished == {"a/1"}
        again.add_game("a/2", 12, 1.0, [KEPT_ONE])
    with opened_journal(path) as last:
        assert last.finished == {"a/1", "a/2"}


@pytest.mark.parametrize("line", [b"no json\n", b"[]\n", b'{"game": 1}\n'])
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(line)
    with pytest.raises(DataError, match=r"log\.jsonl: line 1 is damaged"), opened_journal(path):
        pass


def test_two_commands_never_write_one_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with (
        opened_journal(path),
        pytest.raises(HostError, match="another command writes this log"),
        opened_journal(path),
    ):
        pass
