"""The short form of `make chaos`: kills in each run of the tests, each fault in the nightly run."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.chaos import damage
from tests.chaos.campaign import KINDS
from tests.chaos.scene import ARENA, playing
from tests.chaos.trial import CAN_FILL_DISKS, NEED_FULL_DISKS, STEPPED_ARENA, strike
from tests.matrix import nightly_after

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("chaos"), pytest.mark.timeout(400)]

TOGETHER = (
    "arena-killed",
    "bot-killed",
    "engine-killed",
    "site-killed",
    "arena-stopped",
    "arena-disk-full",
    "bot-disk-full",
    "cut",
)
"""Faults in one scene. To the arena a locked database is like a full disk, and takes as long."""
AT_ONCE = 2
WAIT_S = 0.5


async def struck(
    folder: Path, *names: str, arena: Sequence[str] = ARENA, is_whole: bool = False
) -> dict[str, list[str]]:
    """Return the losses by fault, in one scene."""
    async with playing(folder, random.Random(1), arena=arena, is_whole=is_whole) as scene:
        lost = {}
        for name in names:
            if CAN_FILL_DISKS or name not in NEED_FULL_DISKS:
                await strike(scene, KINDS[name].fault, WAIT_S)
                lost[name] = scene.new_problems()
        await scene.end()
        lost["at the end"] = scene.new_problems()
    return {name: problems for name, problems in lost.items() if problems}


async def test_nothing_is_lost_by_a_kill(tmp_path: Path) -> None:
    assert await struck(tmp_path, "arena-killed", "bot-killed") == {}


@pytest.mark.nightly
async def test_nothing_is_lost_by_faults(tmp_path: Path) -> None:
    assert await struck(tmp_path, *TOGETHER, is_whole=True) == {}


@pytest.mark.nightly
async def test_nothing_is_lost_by_a_step_of_the_wall_clock(tmp_path: Path) -> None:
    assert await struck(tmp_path, "clock-stepped", arena=STEPPED_ARENA) == {}


@pytest.mark.parametrize(
    "damages",
    nightly_after(1, [(damage.truncated_file, damage.garbage_in_journal), damage.DAMAGES]),
    ids=["some", "all"],
)
async def test_damaged_files_are_reported_in_one_sentence(
    tmp_path: Path, damages: Sequence[damage.Damage]
) -> None:
    sound, few = await damage.sound_folder(tmp_path / "sound"), asyncio.Semaphore(AT_ONCE)

    async def tried(each: damage.Damage) -> list[str]:
        async with few:
            return await damage.try_damage(each, sound, tmp_path, random.Random(1))

    lost = await asyncio.gather(
        *(tried(each) for each in damages if each is not damage.overwritten_page)
    )
    assert [problem for problems in lost for problem in problems] == []
