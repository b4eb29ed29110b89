"""What survives a crash of a bot on HeXO-Arena."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.guests.hexo_arena.facts import KnownGame
from bot.guests.hexo_arena.store import KEPT, SentChallenge, Store
from bot.platforms.base import GameOutcome
from bot.time_controls import Fischer, PerTurn
from tests.fakes.time import EPOCH

GAME = KnownGame("g1", "o", PerTurn(turn_s=15), True, "Ann", "bot", 1512.0, EPOCH)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with Store.opened(tmp_path / "store.db") as opened:
        yield opened


async def test_a_game_comes_back_as_it_was_told(tmp_path: Path) -> None:
    clock = Fischer(initial_s=180, increment_s=2)
    guest = replace(GAME, game_id="g2", control=clock, opponent_kind="guest", opponent_rating=None)
    async with Store.opened(tmp_path / "store.db") as first:
        await first.note_game(GAME)
        await first.note_game(guest)
        await first.note_game(GAME.with_turns(["0:0", "1:0,2:0"]))
    async with Store.opened(tmp_path / "store.db") as second:
        assert await second.games() == {"g1": GAME.with_turns(["0:0", "1:0,2:0"]), "g2": guest}
        assert await second.game("g3") is None


async def test_a_finished_game_keeps_its_result_and_its_turns(store: Store) -> None:
    await store.note_game(GAME)
    over = replace(GAME, outcome=GameOutcome(2, "six_in_a_row"), turns=("0:0", "1:0,2:0"))
    await store.note_over(over, EPOCH)
    await store.note_game(GAME)
    assert await store.game("g1") == over
    undecided = replace(over, outcome=GameOutcome(None, "aborted"))
    await store.note_over(undecided, EPOCH)
    assert await store.game("g1") == undecided


async def test_finished_games_are_forgotten_after_a_month(store: Store) -> None:
    await store.note_game(GAME)
    await store.note_over(replace(GAME, outcome=GameOutcome(None, "aborted")), EPOCH)
    other = replace(GAME, game_id="g2", outcome=GameOutcome(None, "aborted"))
    await store.note_game(other)
    await store.note_over(other, EPOCH + KEPT + timedelta(seconds=1))
    assert list(await store.games()) == ["g2"]


async def test_challenges_of_the_day_are_counted(store: Store) -> None:
    sent = SentChallenge("r1", "Ann", EPOCH, "sent")
    later = SentChallenge("r2", "Bea", EPOCH + timedelta(hours=1), "open")
    await store.note_challenge(sent)
    await store.note_challenge(later)
    await store.settle_challenge("r1", "declined")
    assert await store.challenges_since(EPOCH) == [replace(sent, fate="declined"), later]
    assert await store.challenges_since(later.at) == [later]
    await store.note_game(GAME)
    guest = replace(GAME, game_id="g2", rated=False, opponent="Guest 1", opponent_kind="guest")
    await store.note_game(guest)
    assert await store.games_since(EPOCH) == ["Ann"]
    assert await store.games_since(EPOCH + timedelta(seconds=1)) == []


async def test_pauses_last_until_their_end(store: Store) -> None:
    end = EPOCH + timedelta(hours=1)
    await store.hold_back("bot Ann", end)
    assert await store.held_back(EPOCH) == {"bot Ann": end}
    assert await store.held_back(end) == {}
