"""How entries of a library get their arguments, with functions of Python in the place of code."""

import ctypes
import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from engine.errors import KernelsMissing
from engine.kernel import library
from engine.kernel.library import ENVIRONMENT, LAYOUT, MachineCode
from engine.kernel.sources import sources_key

RECORD = np.dtype([("moves", np.int16, (3,)), ("value", np.int64)])
OTHER = np.dtype([("value", np.int64), ("moves", np.int16, (3,))])


class Pair(NamedTuple):
    numbers: np.ndarray[Any, Any]
    weight: float


def address(value: Any) -> int:
    return int(value.__array_interface__["data"][0])


def record(dtype: np.dtype[Any] = RECORD, place: int = 1) -> np.void:
    found: np.void = np.zeros(2, dtype)[place]
    return found


def code(*sample: object, words: int = 0, result: int = 0) -> tuple[MachineCode, list[int]]:
    """Return code for such arguments, and the words that its last call got."""
    got: list[int] = []

    def function(block: int) -> None:
        found = (ctypes.c_int64 * (words + 1)).from_address(block)
        got[:] = found[:words]
        found[words] = result

    return MachineCode(function, sample), got


def test_an_array_is_its_address_and_its_shape() -> None:
    numbers = np.zeros((2, 3), np.int32)
    run, got = code(numbers, words=3, result=-7)
    assert run.run((numbers,)) == -7
    assert got == [address(numbers), 2, 3]


def test_a_record_is_its_address_within_its_array() -> None:
    records = np.zeros(3, RECORD)
    run, got = code(records[0], words=1)
    for place in range(3):
        run.run((records[place],))
        assert got == [address(records) + place * RECORD.itemsize]


def test_a_tuple_is_its_elements_and_a_float_its_bits() -> None:
    pair = Pair(np.zeros(4, np.int8), 0.5)
    run, got = code(pair, 3, words=4)
    run.run((pair, np.int16(-2)))
    assert got == [address(pair.numbers), 4, 0x3FE0_0000_0000_0000, -2]


@pytest.mark.parametrize(
    ("sample", "other"),
    [
        (np.zeros(4, np.int16), np.zeros(4, np.int32)),
        (np.zeros(4, np.int16), np.zeros(4, np.uint16)),
        (np.zeros(4, np.int16), np.zeros(4, ">i2")),
        (np.zeros(4, np.int16), np.zeros((2, 2), np.int16)),
        (np.zeros(4, np.int16), np.zeros(8, np.int16)[::2]),
        (np.zeros((2, 2), np.int16), np.zeros((2, 2), np.int16).T),
        (np.zeros(4, np.int16), [0, 0, 0, 0]),
        (np.zeros(4, np.int16), None),
        (record(), record(OTHER)),
        (record(), np.zeros(1, RECORD)),
        (record(), 1),
        (Pair(np.zeros(1), 0.5), Pair(np.zeros(1, np.float32), 0.5)),
        (Pair(np.zeros(1), 0.5), (np.zeros(1),)),
        (Pair(np.zeros(1), 0.5), np.zeros(1)),
        (1, 1.0),
        (1, None),
        (1, 2**63),
        (0.5, 1),
    ],
)
def test_arguments_of_another_type_are_refused_in_every_call(sample: object, other: object) -> None:
    calls = 0

    def function(_: int) -> None:
        nonlocal calls
        calls += 1

    run = MachineCode(function, (sample,))
    run.run((sample,))
    for arguments in ((other,), (), (sample, sample)):
        with pytest.raises(TypeError):
            run.run(arguments)
    run.run((sample,))
    assert calls == 2


def test_an_equal_type_that_is_another_object_is_accepted() -> None:
    same = np.dtype([("moves", np.int16, (3,)), ("value", np.int64)])
    assert same is not RECORD
    run, got = code(record(), words=1)
    other = record(same)
    run.run((other,))
    assert got == [address(other)]


def test_a_call_within_a_call_has_a_block_of_its_own() -> None:
    blocks: list[int] = []

    def function(block: int) -> None:
        blocks.append(block)
        if len(blocks) == 1:
            run.run((2,))

    run = MachineCode(function, (1,))
    run.run((1,))
    run.run((3,))
    assert blocks[0] != blocks[1]
    assert blocks[2] in blocks[:2]


def test_what_was_passed_is_not_kept() -> None:
    numbers = np.zeros(3)
    run, _ = code((numbers, 1), words=3)
    run.run(((numbers, 1),))
    gone = weakref.ref(numbers)
    del numbers
    gc.collect()
    assert gone() is None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a library for this machine that no system loads, and its layout."""
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    monkeypatch.setattr(library, "levels_here", lambda: ("this",))
    (tmp_path / "this.so").write_bytes(b"not a library")
    (tmp_path / LAYOUT).write_text(f'{{"sources": "{sources_key()}", "entries": {{}}}}')
    caches = (library.folder, library.layout, library.library_file, library._library)
    for each in caches:
        each.cache_clear()
    yield tmp_path
    for each in caches:
        each.cache_clear()


def test_a_library_of_these_sources_is_found(folder: Path) -> None:
    assert library.library_file() == folder / "this.so"


@pytest.mark.parametrize("text", ['{"sources": "other"}', "{", "[]", ""])
def test_a_library_of_other_sources_is_none(folder: Path, text: str) -> None:
    (folder / LAYOUT).write_text(text)
    assert library.library_file() is None


def test_without_a_layout_or_a_library_there_is_none(folder: Path) -> None:
    (folder / "this.so").unlink()
    assert library.library_file() is None
    library.library_file.cache_clear()
    library.layout.cache_clear()
    (folder / LAYOUT).unlink()
    assert library.library_file() is None


@pytest.mark.usefixtures("folder")
def test_a_library_that_the_system_refuses_is_an_error_with_the_remedy() -> None:
    with pytest.raises(KernelsMissing, match=r"cannot be loaded \(.*this\.so.*extra `compile`"):
        library._library()
