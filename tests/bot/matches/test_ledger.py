"""Writing and reading a ledger, with all kinds of damage."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.errors import ConfigurationError, HostError
from bot.matches.ledger import CUT_OFF, LEDGER, Chain, Ledger, append_events, read_ledger
from bot.matches.task import GameReport
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn
from bot.time_controls import Untimed
from bot.time_source import SystemTime
from bot.tournaments.events import Began, Event, Finished, Paired, Withdrew
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import Entrant, GameResult, MatchSetup
from bot.tournaments.schedule import Schedule
from bot.tournaments.state import Tournament
from tests.fakes.synced import syncs

SETUP = MatchSetup(game="bluestone", board="pent-4", rules="official")
TIME = SystemTime()


def begun(**settings: object) -> Began:
    return Began(
        name="test",
        entrants=(Entrant(name="A"), Entrant(name="B")),
        setups=(SETUP,),
        seed=1,
        settings=settings,
        software="bluestone 1",
    )


@contextmanager
def opened(folder: Path, **settings: object) -> Iterator[Ledger]:
    """A ledger whose tournament has begun with these settings."""
    with Ledger.opened(folder, TIME) as ledger:
        ledger.begin(begun(**settings))
        yield ledger


def two_games() -> Paired:
    return Schedule().paired(Tournament(begun()), Draw(1, (("A", "B"),)))


def finished(game: int, fingerprint: str = "f") -> Finished:
    result = GameResult(winner=1, reason="played_out")
    return Finished(game=game, game_id="g", result=result, plies=9, fingerprint=fingerprint)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a ledger in which one of two games is over."""
    path = tmp_path / LEDGER
    events: list[Event] = [begun(concurrency=1, seed=7), two_games(), finished(1)]
    append_events(path, TIME.wall(), events, Chain())
    return path


async def test_the_next_host_continues_the_ledger(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        await ledger.add(two_games())
        await ledger.add(finished(1))
    with opened(tmp_path) as ledger:
        assert list(ledger.tournament.played) == [1]
        assert [game.number for game in ledger.tournament.waiting()] == [2]
        assert ledger.notes == []


async def test_events_are_synchronised_to_disk(tmp_path: Path) -> None:
    with syncs() as synced, opened(tmp_path) as ledger:
        ledger.begin(begun())
        for event in (two_games(), finished(1)):
            await ledger.add(event)
            assert synced.has_all_of(tmp_path / LEDGER)
        assert synced.has_name_of(tmp_path / LEDGER)


async def test_the_first_result_of_a_game_counts(path: Path) -> None:
    with opened(path.parent, concurrency=1, seed=7) as ledger:
        assert not await ledger.add(finished(1, "another"))
        assert ledger.tournament.played[1].fingerprint == "f"
    assert len(read_ledger(path).entries) == 3


def test_a_second_host_is_refused(tmp_path: Path) -> None:
    with (
        opened(tmp_path),
        pytest.raises(HostError, match="another `bluestone` is already hosting this"),
        opened(tmp_path),
    ):
        pass


def test_a_last_line_that_was_cut_off_is_moved_and_reported(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    cut = whole[:-20].rpartition(b"\n")[2]

    with opened(path.parent, concurrency=1, seed=7) as ledger:
        (note,) = ledger.notes
        assert "the last line was cut off" in note
        assert list(ledger.tournament.played) == []

    assert path.with_name(CUT_OFF).read_bytes() == cut + b"\n"
    assert len(read_ledger(path).entries) == 2


def test_a_last_line_without_a_line_end_does_not_count(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])

    assert read_ledger(path).cut.startswith(b'{"at"')


def test_damage_in_the_middle_is_refused_with_its_line(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:30] + b"\n" + lines[2])

    with pytest.raises(ConfigurationError, match=r"ledger\.jsonl: line 2: damaged"):
        read_ledger(path)


def test_results_that_contradict_each_other_are_refused_with_their_line(path: Path) -> None:
    append_events(path, TIME.wall(), [finished(1, "another")], read_ledger(path).chain)

    with pytest.raises(ConfigurationError, match=r"line 4: game 1 already has another result"):
        read_ledger(path)


def test_a_ledger_that_does_not_begin_with_began_is_refused(tmp_path: Path) -> None:
    append_events(tmp_path / LEDGER, TIME.wall(), [two_games()], Chain())

    with pytest.raises(
        ConfigurationError, match="line 1: the first event of a tournament must be `began`"
    ):
        read_ledger(tmp_path / LEDGER)


def test_other_settings_are_refused_with_what_differs(path: Path) -> None:
    with (
        pytest.raises(ConfigurationError) as refusal,
        opened(path.parent, concurrency=1, seed=8),
    ):
        pass

    first, second = refusal.value.problems
    assert "a tournament with other settings" in first
    assert second.endswith("settings.seed: 7 there, 8 now")


def test_another_program_of_a_player_is_refused(tmp_path: Path) -> None:
    with Ledger.opened(tmp_path, TIME) as ledger:
        ledger.begin(begun().model_copy(update={"programs": {"A": "one", "B": "two"}}))
    again = begun().model_copy(update={"programs": {"A": "one", "B": "other", "C": "new"}})
    with (
        Ledger.opened(tmp_path, TIME) as ledger,
        pytest.raises(ConfigurationError, match="the program of B is not the one with which"),
    ):
        ledger.begin(again)
    for programs in ({}, {"A": "one"}):  # another machine, where a program may be missing
        with Ledger.opened(tmp_path, TIME) as ledger:
            ledger.begin(begun().model_copy(update={"programs": programs}))


def test_a_ledger_of_an_earlier_version_is_continued(path: Path) -> None:
    added = {"conduct": {"restart": False}, "openings_order": "file", "openings_start": 1}
    with opened(path.parent, concurrency=1, seed=7, **added):
        pass
    with (
        pytest.raises(ConfigurationError, match="openings_start: None there, 2 now"),
        opened(path.parent, concurrency=1, seed=7, **added | {"openings_start": 2}),
    ):
        pass


def test_settings_that_change_no_game_may_differ(path: Path) -> None:
    with opened(path.parent, concurrency=9, seed=7) as ledger:
        assert len(ledger.tournament.played) == 1


def test_a_blank_line_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / LEDGER
    chain = append_events(path, TIME.wall(), [begun()], Chain())
    with path.open("a") as file:
        file.write("\n")
    assert read_ledger(path).tournament is not None
    append_events(path, TIME.wall(), [Withdrew(player="A", why="it left")], chain)
    assert len(read_ledger(path).entries) == 2


def test_reading_without_entries_gives_the_same_tournament(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n" + b'{"at"')
    whole, bare = read_ledger(path), read_ledger(path, keep_entries=False)

    assert bare.entries == ()
    assert (bare.whole, bare.cut) == (whole.whole, whole.cut)
    assert whole.tournament is not None
    assert bare.tournament is not None
    assert bare.tournament.played == whole.tournament.played
    assert bare.tournament.pairings == whole.tournament.pairings


def damaged(path: Path, lines: list[bytes]) -> str:
    """The error with which a ledger of these lines is refused."""
    path.write_bytes(b"".join(lines))
    with pytest.raises(ConfigurationError) as refusal:
        read_ledger(path)
    return str(refusal.value)


@pytest.mark.parametrize("old", [b'"winner":1', b'"plies":9', b'"fingerprint":"f"', b'"game":1'])
def test_a_changed_line_that_is_valid_json_is_refused(path: Path, old: bytes) -> None:
    first, second, third = path.read_bytes().splitlines(keepends=True)
    assert old in third
    name, _, value = old.partition(b":")
    new = name + b":" + (b'"g"' if value == b'"f"' else b"2")
    error = damaged(path, [first, second, third.replace(old, new)])
    assert "line 3: damaged" in error
    assert "this line was changed" in error


def test_doubled_removed_and_swapped_lines_are_refused_with_the_line(path: Path) -> None:
    append_events(path, TIME.wall(), [finished(2)], read_ledger(path).chain)
    first, second, third, fourth = path.read_bytes().splitlines(keepends=True)
    assert "line 4: damaged" in damaged(path, [first, second, third, third, fourth])
    assert "line 3: damaged" in damaged(path, [first, second, fourth])
    assert "line 3: damaged" in damaged(path, [first, second, fourth, third])
    assert "lines before it were" in damaged(path, [second])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"kind":"finished"', b'"kind":"adjourned"'),
        (b'"plies":9', b'"plies":9,"referee":"Ann"'),
        (b'"reason":"played_out"', b'"reason":"played_out","tables":3'),
    ],
)
def test_a_line_of_a_newer_version_is_refused_with_advice(
    path: Path, old: bytes, new: bytes
) -> None:
    first, second, third = path.read_bytes().splitlines(keepends=True)
    chain = Chain()
    for line in (first, second):
        chain.opened(line.rstrip(b"\n"))
    document = chain.copy().opened(third.rstrip(b"\n"))
    assert old in document
    error = damaged(path, [first, second, chain.sealed(document.replace(old, new))])
    assert "line 3: written by a newer version of Bluestone" in error
    assert error.endswith("update Bluestone")


def test_a_line_that_lost_its_checksum_is_refused(path: Path) -> None:
    first, second, third = path.read_bytes().splitlines(keepends=True)
    bare = third.partition(b',"sum"')[0] + b"}\n"
    assert "line 3: damaged" in damaged(path, [first, second, bare])


def test_a_ledger_without_checksums_is_refused_with_advice(path: Path) -> None:
    lines = path.read_bytes().splitlines()
    bare = [each.partition(b',"sum"')[0] + b"}\n" for each in lines]
    assert "line 1: " in (error := damaged(path, bare))
    assert "start the tournament again in a new folder" in error


def test_a_result_is_compared_with_its_record(path: Path) -> None:
    first, second, _ = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second)
    result = GameResult(winner=1, reason="played_out")
    right = GameReport(game=1, result=result, record=a_record()).event()
    wrong = right.model_copy(update={"result": GameResult(winner=2, reason="played_out")})
    append_events(path, TIME.wall(), [wrong], read_ledger(path).chain)
    with pytest.raises(
        ConfigurationError, match="line 3: the result of game 1 differs from its record"
    ):
        read_ledger(path)


def test_a_report_whose_record_has_another_result_is_refused_before_it_is_written() -> None:
    with pytest.raises(ValueError, match="that of its record"):
        GameReport(game=1, result=GameResult(winner=2, reason="played_out"), record=a_record())


def a_record() -> GameRecord:
    """Won by the first player."""
    return GameRecord(
        id="g",
        platform="match",
        game="bluestone",
        board="pent-4",
        rules="official",
        clock=Untimed(),
        players=(RecordedPlayer(name="A", kind="bot"), RecordedPlayer(name="B", kind="bot")),
        turns=[RecordedTurn(turn=turn) for turn in ("1-0", "2-0")],
        result=RecordedResult(winner=1, reason="played_out"),
        started_at=TIME.wall(),
        software="bluestone 1",
    )
