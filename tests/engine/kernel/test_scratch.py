"""Working memory on a kernel's stack."""

import pytest

import engine
from engine.kernel import calls
from engine.kernel import generic as kernel
from engine.kernel.generic import Record, compiled
from engine.kernel.scratch import scratch_record


@compiled
def turn_after(board: Record, state: Record, step: int) -> int:
    then = scratch_record(state)
    kernel.copy_state(then, state)
    kernel.play_step(board, then, step)
    return int(then.turn)


@pytest.mark.uncompiled
def test_a_kernel_may_play_on_without_changing_the_state() -> None:
    mechanics = engine.game("stargazers").mechanics
    state = mechanics.start()
    assert turn_after(mechanics.record, state, 3) == 2
    assert state["turn"] == 1
    assert calls.try_step(mechanics.record, state, 3)
    assert state["turn"] == 2
