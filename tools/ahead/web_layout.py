"""What a host in JavaScript needs to know of a game's WebAssembly module, written from the types.

`GAME.json` has the entries, the records, the constants and what options change. `GAME-BOARD.json`
has a board. `bot/arena/web/js/engine/layout.d.ts` describes both. Numbers are text in JSON, which
compresses better than base64 of bytes: most arrays of a board record are small and end in zeros.
"""

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numba import types
from numba.np.numpy_support import as_dtype

import bot.arena.web
import engine
from bot.puzzles.library import shipped
from engine.catalogue import OptionInfo, game_info
from engine.kernel import generic
from engine.kernel.sources import sources_key
from engine.kernel.splitmix import random_words
from engine.players import search as players
from engine.search import descent, readout, step_worths, thinking, tree
from tools.ahead.entries import EntryType, Typing
from tools.ahead.web_levels import board_levels, tunings
from tools.ahead.web_network import board_network, network_layout, write_weights

CONSTANTS: Final = {
    generic: ("NO_PROOF", "PASS", "STOP", "UNPROVED", "WIN"),
    tree: (
        *("DRAWN", "EDGES", "NODES", "NOTHING", "ROOT", "TABLES", "UNSOLVED"),
        *("BYTES_PER_EDGE", "BYTES_PER_NODE", "TABLES_FOR_NETWORK", "TABLES_FOR_PLAYOUTS"),
    ),
    descent: ("LONGEST_PATH",),
    readout: ("LONGEST_LINE", "WORTH_A_LINE"),
    step_worths: ("LOST", "WON"),
    thinking: ("FIRST_CHUNK", "NODES_PER_PLAYOUT", "PLAYOUTS_PER_PROOF"),
    players: ("CANDIDATES", "OPTIMISM", "SLOPE"),
}
"""The constants that hosts need, by their modules."""
LESSONS: Final = Path(bot.arena.web.__file__).parent / "lessons"
BOARD: Final = re.compile('"board": "([^"]+)"')
"""A board that a lesson names."""
EXACT: Final = 2**53
"""The whole number above which JavaScript's numbers are not exact."""
RANDOM: Final = "splitmix64"
"""The word for a field that has the numbers of `random_words`."""
GIVES: Final = {int: "int", bool: "bool", None: "none"}


def write_layouts(name: str, entries: Sequence[EntryType], folder: Path) -> None:
    """Write the layout of a game and of its boards in the page, and its networks' weights."""
    _write(folder / f"{name}.json", game_layout(name, entries))
    for board in page_boards(name):
        _write(folder / f"{name}-{board}.json", board_layout(name, board))
    write_weights(name, folder)


def page_boards(name: str) -> list[str]:
    """Return the boards that menus offer, and the other ones of puzzles and of the lesson."""
    puzzles = (puzzle.board for puzzle in shipped(name))
    lesson = LESSONS / f"{name}.json"
    taught = BOARD.findall(lesson.read_text(encoding="utf-8")) if lesson.is_file() else ()
    return [*dict.fromkeys((*game_info(name).boards, *puzzles, *taught))]


def _write(file: Path, content: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


def game_layout(name: str, entries: Sequence[EntryType]) -> dict[str, Any]:
    """Return the content of `GAME.json`."""
    kinds = _Kinds(name)
    described = {
        entry.function: {"takes": kinds.taken_by(entry), "gives": gives(entry)} for entry in entries
    }
    info = game_info(name)
    board = info.boards[0]
    options = {each.name: option_layout(name, board, each) for each in info.options}
    return {
        "game": name,
        "sources": sources_key(),
        "constants": {
            constant: getattr(module, constant)
            for module, constants in CONSTANTS.items()
            for constant in constants
        },
        "records": {each: record_layout(dtype) for each, dtype in kinds.records.items()},
        "tuples": kinds.tuples,
        "entries": described,
        "tunings": tunings(name),
        "network": network_layout(name),
        "rules": {
            each: changed(_record(name, board, rules=each), than=_record(name, board))
            for each in info.rule_sets
        },
        "options": options,
        "below": {options[each.name]: options[each.below] for each in info.options if each.below},
    }


def board_layout(name: str, board: str) -> dict[str, Any]:
    """Return the content of `GAME-BOARD.json`: the first rule set with the default options."""
    game = engine.game(name, board=board)
    return {
        "steps": " ".join(game.mechanics.step_names),
        "record": _fields(game.record),
        "levels": board_levels(name, board),
        "network": board_network(name, board),
    }


def gives(entry: EntryType) -> str:
    """Return what an entry returns, from the annotation of its kernel."""
    kernel = getattr(import_module(entry.module), entry.function)
    return GIVES[inspect.signature(kernel, eval_str=True).return_annotation]


class _Kinds:
    """The kinds of the arguments of a game's entries; collects the records and tuples in them."""

    def __init__(self, name: str) -> None:
        game = engine.game(name)
        self.records: dict[str, np.dtype[Any]] = {
            "board": game.record.dtype,
            "state": game.mechanics.state_dtype,
        }
        if isinstance(memory := game.mechanics.prover_memory(), np.void):
            self.records["memory"] = memory.dtype
        self.tuples: dict[str, list[tuple[str, Any]]] = {}

    def taken_by(self, entry: EntryType) -> list[tuple[str, Any]]:
        kernel = getattr(import_module(entry.module), entry.function)
        names = inspect.signature(kernel).parameters
        kinds = map(self.kind_of, entry.arguments)
        return list(zip(names, kinds, strict=True))

    def kind_of(self, kind: Typing) -> Any:  # noqa: ANN401
        match kind:
            case types.Array():
                return {"array": as_dtype(kind.dtype).name, "dimensions": kind.ndim}
            case types.Record():
                return {"record": self._record_name(kind)}
            case types.NamedTuple() | types.NamedUniTuple():
                name = kind.instance_class.__name__
                parts = map(self.kind_of, kind.types)
                self.tuples[name] = list(zip(kind.fields, parts, strict=True))
                return {"tuple": name}
            case types.Float():
                return "float"
            case types.Boolean():
                return "bool"
            case types.Integer():
                return "int"
            case _:
                raise TypeError(f"entries take no {kind}")

    def _record_name(self, kind: Typing) -> str:
        fields = tuple(kind.fields)
        [name] = (each for each, dtype in self.records.items() if dtype.names == fields)
        return name


def record_layout(dtype: np.dtype[Any]) -> dict[str, Any]:
    """Return the size of a type of records, and the type, offset and shape of each field."""
    return {
        "size": dtype.itemsize,
        "fields": {
            name: {"type": kind.base.name, "offset": offset, "shape": list(kind.shape)}
            for name, (kind, offset, *_) in (dtype.fields or {}).items()
        },
    }


@cache
def _record(name: str, board: str, *, rules: str | None = None, **options: int | str) -> Any:  # noqa: ANN401
    return engine.game(name, board=board, rules=rules, **options).record


def option_layout(name: str, board: str, option: OptionInfo) -> str | Mapping[str, Any]:
    """Return the field that takes an option's number, or what each of its words changes."""
    usual = _record(name, board)
    if option.choices:
        records = {word: _record(name, board, **{option.name: word}) for word in option.choices}
        names = {each for record in records.values() for each in changed(record, than=usual)}
        return {word: _fields(record, names) for word, record in records.items()}
    other = int(option.usual) + 1  # the highest one may be too much beside other options
    [(field, value)] = changed(_record(name, board, **{option.name: other}), usual).items()
    assert value == other, f"{option.name} is not the number of a field"
    return field


def changed(record: Any, than: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the fields of a board record that differ from those of another one."""
    names = {each for each in record.dtype.names if (record[each] != than[each]).any()}
    return _fields(record, names)


def _fields(record: Any, names: set[str] | None = None) -> dict[str, Any]:  # noqa: ANN401
    """Return the values of fields of a record, by default of all that are not zero."""
    return {
        each: _value(record[each])
        for each in record.dtype.names
        if (each in names if names is not None else record[each].any())
    }


def _value(field: Any) -> int | str | list[int | str]:  # noqa: ANN401
    if field.ndim == 0:
        return _number(field)
    if field.dtype == np.uint64 and (field.ravel() == random_words(field.size)).all():
        return RANDOM  # text of random numbers would be longer than all the rest, module included
    return [*_numbers(field)]


def _numbers(array: Any) -> Iterator[int | str]:  # noqa: ANN401
    """Yield the numbers of an array without the zeros at its end."""
    yield from map(_number, np.trim_zeros(array.ravel(), "b"))


def _number(value: Any) -> int | str:  # noqa: ANN401
    return int(value) if abs(int(value)) < EXACT else str(int(value))
