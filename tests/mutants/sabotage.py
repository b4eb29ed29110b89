"""Replaces a function in a copy of the sources. The function is found by its qualified name."""

import ast
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PACKAGES: Final = ("bot", "engine")
WRAPPER: Final = """

def _sabotaged(original):
{code}
    return mutant


{target} = _sabotaged({target})

"""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Check:
    """The check that must fail: arguments of `python -m`."""

    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name for people: the fault, or the test."""
        return next(word for word in self.arguments[1:] if not word.startswith("-"))


@dataclass(frozen=True)
class Mutant:
    """A mutant. `code` defines `mutant` in place of the function `target`, and may call `original`.

    The output of the failing check must contain `sign`, so that a mutant that breaks in another way
    does not count as caught.
    """

    name: str
    target: str
    code: str
    check: Check
    sign: str


class CannotApply(Exception):
    """The sources no longer have the function that a mutant replaces."""


def apply(mutant: Mutant, root: Path) -> Path:
    """Change the sources under `root`, and return the changed file. Raises CannotApply."""
    path, anchor, function = _found(mutant.target, root)
    _check_parameters(mutant, function)
    code = inspect.cleandoc(mutant.code)
    indented = "\n".join(f"    {line}" if line else "" for line in code.splitlines())
    lines = path.read_text().splitlines(keepends=True)
    lines.insert(anchor, WRAPPER.format(code=indented, target=mutant.target))
    text = "".join(lines)
    compile(text, path, "exec")
    path.write_text(text)
    return path


def package_of(mutant: Mutant, root: Path) -> str:
    """Return the package of the function. Raises CannotApply."""
    return _found(mutant.target, root)[0].relative_to(root).parts[0]


def _found(target: str, root: Path) -> tuple[Path, int, Function]:
    """Return the function's file, the last line of its top-level statement, and the function
    itself.
    """
    places = [
        (path, node.end_lineno or 0, function)
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
        for node, function in _functions(path.read_text(), target)
    ]
    if len(places) != 1:
        raise CannotApply(f"{target} is found {len(places)} times")
    return places[0]


def _functions(source: str, target: str) -> Iterator[tuple[ast.stmt, Function]]:
    owner, _, name = target.rpartition(".")
    if f"def {name}(" not in source:  # parsing all files would take seconds
        return
    for node in ast.parse(source).body:
        if owner and isinstance(node, ast.ClassDef) and node.name == owner:
            yield from ((node, each) for each in _named(node.body, name))
        elif not owner:
            yield from ((node, each) for each in _named([node], name))


def _named(nodes: Sequence[ast.stmt], name: str) -> Iterator[Function]:
    for node in nodes:
        if isinstance(node, Function) and node.name == name:
            yield node


def _check_parameters(mutant: Mutant, function: Function) -> None:
    """Check the parameters, because a mutant that cannot take the arguments would prove nothing.

    A mutant with `*more` must have only the first parameters.
    """
    [replacement] = _named(ast.parse(inspect.cleandoc(mutant.code)).body, "mutant")
    here, there = (
        [type(each).__name__, *(parameter.arg for parameter in _parameters(each.args))]
        for each in (replacement, function)
    )
    known = there[: len(here)] if replacement.args.vararg is not None else there
    if here != known:
        raise CannotApply(f"{mutant.target} takes {there[1:]}, and the mutant {here[1:]}")


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
