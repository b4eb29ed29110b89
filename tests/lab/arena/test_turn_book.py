"""The memory of entrants about a tournament."""

import asyncio

import pytest

from bot.bench.clients.frames import Json
from bot.errors import HostError
from lab.arena import turn_book
from lab.arena.turn_book import TurnBook


def state(*turns: str, game: int = 1, over: bool = False) -> Json:
    return {
        "game_id": f"id-{game}",
        "tournament": {"game": game, "round": 2},
        "turns": [{"turn": turn} for turn in turns],
        "result": {"winner": 1} if over else None,
    }


def test_the_longest_list_of_turns_is_kept() -> None:
    book = TurnBook(lambda _: None)
    book.saw(state("a", "b"))
    book.saw(state("a"))

    (game,) = book.told().games
    assert (game.game_id, game.game, game.round, game.shown) == ("id-1", 1, 2, ["a", "b"])


def test_the_same_turn_is_sent_for_a_ply_however_often() -> None:
    book = TurnBook(lambda _: None)
    book.saw(state())
    choices = iter(["a", "b"])
    sent = [book.turn("id-1", 0, lambda: next(choices)) for _ in range(2)]
    book.acknowledged("id-1", 0)

    (game,) = book.told().games
    assert sent == ["a", "a"]
    assert (game.sent, game.acknowledged) == ({0: "a"}, {0})


def test_the_end_of_a_game_is_reported_once() -> None:
    rounds: list[int] = []
    book = TurnBook(rounds.append)
    book.saw(state("a", over=True))
    book.saw(state("a", over=True))
    book.ended("id-1")

    assert rounds == [2]


async def test_waiting_ends_with_the_number_of_games_or_with_the_tournament() -> None:
    book = TurnBook(lambda _: None)
    some = asyncio.create_task(book.until_games_ended(2))
    more, over = (
        asyncio.create_task(each) for each in (book.until_games_ended(3), book.until_over())
    )
    for number in (1, 2):
        book.saw(state(game=number, over=True))
    await asyncio.wait_for(some, 10)
    assert not more.done()
    assert not over.done()

    book.over()
    await asyncio.wait_for(asyncio.gather(more, over), 10)


async def test_waiting_for_zero_games_waits_for_the_start() -> None:
    book = TurnBook(lambda _: None)
    none = asyncio.create_task(book.until_games_ended(0))
    await asyncio.sleep(0)
    assert not none.done()

    book.saw(state())
    await asyncio.wait_for(none, 10)


async def test_a_tournament_in_which_nothing_happens_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turn_book, "STALL_S", 0.0)
    with pytest.raises(HostError, match="no turn was played"):
        await TurnBook(lambda _: None).until_over()
