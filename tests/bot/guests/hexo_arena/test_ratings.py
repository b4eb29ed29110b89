"""The log of ratings."""

import json
from pathlib import Path

from bot.guests.hexo_arena.ratings import RatedGame, RatingLog

GAME = RatedGame("2026-01-01T00:00:00+00:00", "g1", "Ann", 1510, "won", "timeout", 1523, True)


async def test_each_game_is_one_line_with_the_rating_after_it(tmp_path: Path) -> None:
    ratings = RatingLog(tmp_path / "hexo" / "ratings.jsonl")
    await ratings.add(GAME)
    await ratings.add(GAME)
    lines = (tmp_path / "hexo" / "ratings.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "at": "2026-01-01T00:00:00+00:00",
            "game": "g1",
            "opponent": "Ann",
            "opponent_rating": 1510,
            "result": "won",
            "reason": "timeout",
            "rating": 1523,
            "provisional": True,
        }
    ]


async def test_a_file_that_cannot_be_written_disturbs_nothing(tmp_path: Path) -> None:
    (tmp_path / "hexo").write_text("a file where the folder should be")
    await RatingLog(tmp_path / "hexo" / "ratings.jsonl").add(GAME)


async def test_the_games_in_the_log_are_known_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "ratings.jsonl"
    first = RatingLog(file)
    assert not await first.has("g1")
    await first.add(GAME)
    with file.open("a") as open_file:
        open_file.write('{"game": \n[]\n')
    second = RatingLog(file)
    assert await second.has("g1")
    assert not await second.has("g2")
