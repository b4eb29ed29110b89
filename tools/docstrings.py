"""Docstrings of public objects, read from the sources: text, sections, fields and signatures."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from textwrap import dedent
from types import ModuleType

SECTIONS = ("Args", "Attributes", "Returns", "Raises", "Example")
PROPERTIES = ("property", "cached_property")

_HEAD = re.compile(rf"^({'|'.join(SECTIONS)}):$", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+): ", re.MULTILINE)


@dataclass(frozen=True)
class Doc:
    """A docstring, divided at its sections."""

    text: str
    sections: dict[str, str]

    def entries(self, section: str) -> dict[str, str]:
        """The entries of a section such as `Args`: name and text."""
        parts = _ENTRY.split(self.sections.get(section, ""))[1:]
        return dict(zip(parts[::2], map(_joined, parts[1::2]), strict=True))


def doc_of(docstring: str | None) -> Doc:
    parts = _HEAD.split(inspect.cleandoc(docstring or ""))
    contents = (dedent(part.strip("\n")).strip() for part in parts[2::2])
    return Doc(parts[0].strip(), dict(zip(parts[1::2], contents, strict=True)))


def _joined(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Field:
    """A field or a property of a class."""

    name: str
    annotation: str
    default: str | None
    doc: Doc


@dataclass(frozen=True)
class Function:
    """A function or a method."""

    name: str
    node: ast.FunctionDef

    @property
    def doc(self) -> Doc:
        return doc_of(ast.get_docstring(self.node))

    @property
    def returns(self) -> str:
        return _type(self.node.returns)

    @property
    def parameters(self) -> list[str]:
        """Each as it is declared; `self` is left out."""
        args = self.node.args
        lacking = len(args.args) - len(args.defaults)
        defaults = [*[None] * lacking, *args.defaults]
        declared = [_parameter(*each) for each in zip(args.args, defaults, strict=True)]
        if args.kwarg is not None:
            declared.append("**" + _parameter(args.kwarg, None))
        return [each for each in declared if each != "self"]

    @property
    def parameter_names(self) -> list[str]:
        return [each.split(":")[0].lstrip("*") for each in self.parameters]


class Class:
    """A class with its public fields, properties and methods, in the order of the source."""

    def __init__(self, known: type) -> None:
        self.name = known.__name__
        self.is_exception = issubclass(known, Exception)
        [node] = ast.parse(dedent(inspect.getsource(known))).body
        assert isinstance(node, ast.ClassDef)
        self._node = node

    @property
    def doc(self) -> Doc:
        return doc_of(ast.get_docstring(self._node))

    @cached_property
    def fields(self) -> list[Field]:
        return [*self._declared(), *self._properties()]

    @cached_property
    def methods(self) -> list[Function]:
        return [
            Function(f"{self.name}.{each.name}", each)
            for each in self._functions()
            if not _is_property(each)
        ]

    def _declared(self) -> Iterator[Field]:
        documented = _documented(self._node.body)
        for statement in self._node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                if not name.startswith("_"):
                    annotation = _type(statement.annotation)
                    doc = doc_of(documented.get(name))
                    yield Field(name, annotation, _default(statement.value), doc)

    def _properties(self) -> Iterator[Field]:
        for each in self._functions():
            if _is_property(each):
                doc = doc_of(ast.get_docstring(each))
                yield Field(each.name, _type(each.returns), None, doc)

    def _functions(self) -> Iterator[ast.FunctionDef]:
        for each in self._node.body:
            if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
                yield each


def function(known: object) -> Function:
    assert inspect.isfunction(known)
    [node] = ast.parse(dedent(inspect.getsource(known))).body
    assert isinstance(node, ast.FunctionDef)
    return Function(node.name, node)


def alias(module: ModuleType, name: str) -> tuple[str, Doc]:
    """A type that a module gives a name: what it stands for, and its docstring."""
    body = ast.parse(inspect.getsource(module)).body
    for statement in body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name:
            return ast.unparse(statement.value), doc_of(_documented(body).get(name))
    raise LookupError(name)


def _documented(body: list[ast.stmt]) -> dict[str, str]:
    """The texts that stand directly below assignments."""
    found = {}
    for statement, below in pairwise(body):
        match statement, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = text
            case _:
                pass
    return found


def _is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(each) in PROPERTIES for each in node.decorator_list)


def _type(node: ast.expr | None) -> str:
    """An annotation without quotes."""
    return "None" if node is None else re.sub(r"'([\w |.\[\]]+)'", _unquoted, ast.unparse(node))


def _unquoted(quoted: re.Match[str]) -> str:
    """Names of types are quoted where they are not known yet; words of a Literal are in small
    letters.
    """
    return quoted[1] if quoted[1][0].isupper() else quoted[0]


def _parameter(node: ast.arg, default: ast.expr | None) -> str:
    declared = node.arg if node.annotation is None else f"{node.arg}: {_type(node.annotation)}"
    return declared if default is None else f"{declared} = {ast.unparse(default)}"


def _default(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Call):  # dataclasses.field
        found = [each.value for each in node.keywords if each.arg == "default"]
        node = found[0] if found else None
    return None if node is None else ast.unparse(node)
