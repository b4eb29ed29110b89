"""The running games of the arena, as one process knows them."""

import pytest

from bot.arena.cluster.directory import Directory
from bot.arena.games.running_games import RunningGame
from tests.bot.arena.cluster.fakes import entry


@pytest.fixture
def heard() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def directory(heard: list[tuple[str, str]]) -> Directory:
    made = Directory()
    made.on_start.append(lambda each: heard.append(("start", each.game_id)))
    made.on_end.append(lambda each: heard.append(("end", each.game_id)))
    return made


def owner_in(directory: Directory, game_id: str = "g") -> tuple[str | None, int]:
    found = directory.find(game_id)
    assert isinstance(found, RunningGame)
    return found.owner, found.epoch


def test_a_game_starts_and_ends_once(directory: Directory, heard: list[tuple[str, str]]) -> None:
    directory.add(entry())
    directory.add(entry())
    directory.add(entry(owner="c", epoch=2))
    directory.end("g")
    directory.end("g")
    assert heard == [("start", "g"), ("end", "g")]
    assert directory.find("g") is None
    assert not directory.of_player("Anna")


def test_news_of_a_former_owner_changes_nothing(directory: Directory) -> None:
    directory.add(entry(owner="c", epoch=2))
    directory.add(entry(owner="b", epoch=1))
    directory.owned_by("g", "b", 1)
    assert owner_in(directory) == ("c", 2)
    directory.owned_by("g", "d", 3)
    assert owner_in(directory) == ("d", 3)
    directory.owned_by("unknown", "d", 3)
    assert directory.find("unknown") is None


def test_loads_follow_the_owners(directory: Directory) -> None:
    directory.add(entry("g", "b"))
    directory.add(entry("h", "b"))
    directory.owned_by("h", "c", 2)
    assert directory.loads(["a", "b", "c"]) == {"a": 0, "b": 1, "c": 1}
    directory.end("h")
    assert directory.loads(["b", "c"]) == {"b": 1, "c": 0}


def test_games_of_a_player_are_counted(directory: Directory) -> None:
    directory.add(entry("g", names=("Anna", "Ben")))
    directory.add(entry("h", names=("Carl", "Anna")))
    assert directory.count_of("Anna") == 2
    assert {each.game_id for each in directory.of_player("Anna")} == {"g", "h"}
    directory.end("g")
    assert (directory.count_of("Anna"), directory.count_of("Ben")) == (1, 0)


def test_the_last_count_holds_because_turns_may_be_taken_back(
    directory: Directory,
) -> None:
    directory.add(entry())
    directory.played("g", 5)
    directory.played("g", 3)
    directory.played("unknown", 3)
    assert [each.summary().plies for each in directory.newest(9)] == [3]


def test_the_newest_game_comes_first(directory: Directory) -> None:
    for game_id in "ghi":
        directory.add(entry(game_id))
    assert [each.game_id for each in directory.newest(2)] == ["i", "h"]


def test_the_database_is_right_about_games_that_were_known_before(
    directory: Directory, heard: list[tuple[str, str]]
) -> None:
    directory.add(entry("old"))
    directory.add(entry("moved"))
    known = directory.ids
    directory.add(entry("new"))  # while the database is asked
    unknown = directory.compare({"moved": ("c", 2), "missed": ("b", 1)}, known)
    assert unknown == ["missed"]
    assert directory.ids == {"moved", "new"}
    assert owner_in(directory, "moved") == ("c", 2)
    assert heard[-1] == ("end", "old")
