"""A client that applies changes has exactly the state that the server has."""

import gc
import random
import shutil
import weakref
from itertools import pairwise
from pathlib import Path

import pytest

from bot import wire
from bot.platforms.arena.states import ENDED_BYTES, GameStates, MissedChange
from bot.runtime.sizes import size_of
from tests.fakes.announced import SETUPS, company, random_game

Number = tuple[int, int]


def number_of(state: wire.GameState) -> Number:
    return state.revision, state.sub_revision


def as_told(state: wire.GameState) -> wire.GameState:
    """A state whose parts were all checked, so that it compares by its values."""
    return wire.GameState.model_validate_json(state.model_dump_json())


@pytest.mark.parametrize("seed", range(6))
async def test_changes_give_exactly_the_whole_states_in_spite_of_losses_and_repeats(
    tmp_path: Path, seed: int
) -> None:
    announced = await random_game(tmp_path, seed)
    assert sum(change is not None for _, change in announced) > 20
    chance, states = random.Random(seed), GameStates()
    truth: dict[Number, wire.GameState] = {}
    number, missed = (0, 0), 0
    for index, (state, _) in enumerate(announced):
        truth[number_of(state)] = state
        again = [chance.randrange(index + 1)] if chance.random() < 0.3 else []
        for each in [*([index] if chance.random() < 0.8 else []), *again]:
            whole, change = announced[each]
            try:
                shown = states.sent(whole) if change is None else states.changed(change)
            except MissedChange:
                missed += 1
                shown = states.answered(state)
            if shown is not None:
                assert as_told(shown) == truth[number_of(shown)]
                assert number_of(shown) >= number
                number = number_of(shown)
            else:
                assert number >= number_of(whole), "only what is outdated is dropped"
    assert missed
    last, change = announced[-1]
    final = states.sent(last) if change is None else states.answered(last)
    assert final is None or as_told(final) == last


async def test_stored_changes_are_numbered_one_by_one_and_the_others_among_them(
    tmp_path: Path,
) -> None:
    numbers = [number_of(state) for state, _ in await random_game(tmp_path, 1)]
    for (revision, sub), (next_revision, next_sub) in pairwise(numbers):
        assert (next_revision, next_sub) in {(revision + 1, 0), (revision, sub + 1)}
    assert any(sub for _, sub in numbers)


async def test_a_change_after_a_restored_backup_is_not_taken_for_the_next_one(
    tmp_path: Path,
) -> None:
    states, backup = GameStates(), tmp_path / "backup"
    async with company(tmp_path / "first", 1) as two:
        game_id = await two.begin(SETUPS[0])
        for ply in range(8):
            if ply == 4:
                shutil.copytree(tmp_path / "first", backup)
            await two.play(game_id)
    for state, change in two.announced.games:
        if change is None:
            states.sent(state)
        else:
            states.changed(change)
    async with company(backup, 2) as later:
        for _ in range(8):
            await later.play(game_id)
    changes = [change for _, change in later.announced.games if change and change.turn]
    assert len(changes) == 8
    for change in changes:
        with pytest.raises(MissedChange):
            states.changed(change)
    newest = later.announced.games[-1][0]
    assert states.answered(newest) == newest


async def test_an_older_whole_state_does_not_replace_a_newer_one(tmp_path: Path) -> None:
    async with company(tmp_path, 3) as two:
        game_id = await two.begin(SETUPS[0])
        for _ in range(3):
            await two.play(game_id)
    states = GameStates()
    wholes = [state for state, _ in two.announced.games]
    assert states.sent(wholes[2]) == wholes[2]
    assert states.sent(wholes[1]) is None
    assert states.sent(wholes[3]) == wholes[3]


async def test_a_running_game_is_not_forgotten_while_many_others_end(tmp_path: Path) -> None:
    announced = await random_game(tmp_path, 1)
    first, change = announced[1]
    assert change is not None
    states, ended = GameStates(), as_told(announced[-1][0])
    assert ended.result is not None
    states.sent(announced[0][0])
    for number in range(1000):
        states.sent(ended.model_copy(update={"game_id": f"other-{number}"}))
    shown = states.changed(change)
    assert shown is not None
    assert as_told(shown) == first


async def test_few_of_the_games_that_have_ended_stay_in_memory(tmp_path: Path) -> None:
    states, (last, _) = GameStates(), (await random_game(tmp_path, 1))[-1]
    kept = []
    for number in range(2 * ENDED_BYTES // size_of(last)):
        state = last.model_copy(update={"game_id": f"game-{number}"})
        states.sent(state)
        kept.append(weakref.ref(state))
        del state
    gc.collect()
    alive = sum(each() is not None for each in kept)
    assert 0 < alive < len(kept)
    assert alive * size_of(last) <= 1.1 * ENDED_BYTES
