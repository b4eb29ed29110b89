"""The reference of the engine's API is current, whole, and its examples work."""

import doctest
import inspect
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import engine
from engine import contract
from tools.docstrings import Class, Doc, Function, alias, doc_of, function
from tools.engine_api import CHAPTERS, PAGE, written

ENTRIES = [(chapter.module, name) for chapter in CHAPTERS for name in chapter.names]
TYPES = {"InfoListener", "OptionValue"}
"""Names of types in `engine.contract` that are no classes."""


def test_the_page_is_what_the_command_writes() -> None:
    hint = "run: make api"
    assert PAGE.read_text(encoding="utf-8") == written(), hint


def test_it_has_all_that_the_package_exports() -> None:
    exported = {name for module, name in ENTRIES if module is engine}
    of_contract = {name for module, name in ENTRIES if module is contract}
    classes = {
        name
        for name, known in inspect.getmembers(contract, inspect.isclass)
        if known.__module__ == contract.__name__ and known.__name__ == name
    }
    assert exported == set(engine.__all__)
    assert of_contract == classes | TYPES


@dataclass(frozen=True)
class Part:
    """Something public: its name, its docstring, and for a function what it takes and returns."""

    name: str
    doc: Doc
    function: Function | None = None

    @property
    def example(self) -> str:
        return self.doc.sections.get("Example", "")


def parts_of(known: object) -> Iterator[Part]:
    """A function; or a class with its fields and methods."""
    if not inspect.isclass(known):
        each = function(known)
        yield Part(each.name, each.doc, each)
        return
    described = Class(known)
    yield Part(described.name, described.doc)
    for field in described.fields:
        yield Part(f"{described.name}.{field.name}", field.doc)
    for method in described.methods:
        yield Part(method.name, method.doc, method)


PARTS = [
    part
    for module, name in ENTRIES
    if name not in TYPES
    for part in parts_of(getattr(module, name))
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_everything_public_is_described(part: Part) -> None:
    assert part.doc.text
    if part.function is not None:
        assert list(part.doc.entries("Args")) == part.function.parameter_names
        assert ("Returns" in part.doc.sections) == (part.function.returns != "None")


@pytest.mark.parametrize("name", sorted(TYPES))
def test_every_type_is_described(name: str) -> None:
    assert alias(contract, name)[1].text


@pytest.mark.parametrize(
    "known",
    [
        engine.UnknownGame("game", "", []),
        engine.InvalidOption("", "", ""),
        engine.IllegalTurn("", "", ""),
    ],
    ids=lambda known: type(known).__name__,
)
def test_the_attributes_of_an_exception_are_described(known: Exception) -> None:
    docs = [
        doc_of(each.__doc__) for each in type(known).__mro__ if each.__module__ == "engine.errors"
    ]
    described = {name for doc in docs for name in doc.entries("Attributes")}
    assert described == vars(known).keys()


EXAMPLES = {
    "engine": engine.__doc__ or "",
    **{part.name: part.example for part in PARTS if part.example},
}


@pytest.mark.parametrize("source", EXAMPLES.values(), ids=EXAMPLES)
def test_an_example_shows_what_it_prints(source: str) -> None:
    example = doctest.DocTestParser().get_doctest(source, {"engine": engine}, "example", None, None)
    said: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(example, out=said.append).failed
    assert example.examples
    assert failed == 0, "".join(said)
