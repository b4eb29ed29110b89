import gc

import pytest

from bot.runtime.collecting import no_collecting


def test_garbage_is_looked_for_again_afterwards() -> None:
    with no_collecting():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_is_restored_after_an_error() -> None:
    with pytest.raises(ValueError, match="no"), no_collecting():
        raise ValueError("no")
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    try:
        with no_collecting():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
