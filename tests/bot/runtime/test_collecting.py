import gc

import pytest

from bot.runtime.collecting import no_collecting


def test_garbage_is_looked_for_again_afterwards() -> None:
    with no_collecting():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_also_when_what_was_done_failed() -> None:
    with pytest.raises(ValueError, match="no"), no_collecting():
        raise ValueError("no")
    assert gc.isenabled()


def test_who_had_it_off_has_it_off() -> None:
    gc.disable()
    try:
        with no_collecting():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
