"""What remembers: the caches and the growing containers of the sources, found in their syntax."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from tools import ROOT
from tools.import_graph import PACKAGES

CACHES: Final = frozenset({"cache", "lru_cache", "cached_property"})
CONTAINERS: Final = frozenset(
    {"dict", "set", "list", "deque", "OrderedDict", "Counter", "defaultdict", "bytearray"}
)
GROWING: Final = frozenset(
    {"add", "append", "appendleft", "extend", "insert", "setdefault", "update"}
)
SHRINKING: Final = frozenset(
    {"clear", "discard", "difference_update", "pop", "popitem", "popleft", "remove"}
)


@dataclass(frozen=True)
class Made:
    """Where a memory is made, and the name of its first argument."""

    module: str
    budget: str | None


def caches(package: str) -> Iterator[str]:
    """The functions whose results are kept, as `module:name`."""
    for module, tree in _sources(package):
        for owner, node in _with_owners(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if any(_last_name(each) in CACHES for each in node.decorator_list):
                    yield f"{module}:{owner}{node.name}"
            elif isinstance(node, ast.Assign) and _is_cached(node.value):
                yield f"{module}:{owner}{ast.unparse(node.targets[0])}"


def only_growing(package: str) -> Iterator[str]:
    """The containers of objects that their class only adds to, as `module:Class.attribute`."""
    for module, tree in _sources(package):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found = _Containers()
                found.visit(node)
                names = found.grown & found.made - found.shrunk
                yield from (f"{module}:{node.name}.{name}" for name in sorted(names))


def made(package: str, of_class: str) -> Iterator[Made]:
    """The calls that make objects of a class."""
    for module, tree in _sources(package):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _last_name(node.func) == of_class:
                first = node.args[0] if node.args else None
                yield Made(module, first.id if isinstance(first, ast.Name) else None)


@cache
def _sources(package: str) -> Sequence[tuple[str, ast.Module]]:
    assert package in PACKAGES
    files = sorted((ROOT / package).rglob("*.py"))
    return [(_module(file), ast.parse(file.read_text(encoding="utf-8"))) for file in files]


def _module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _with_owners(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        yield owner, node
        inner = owner
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{owner}{node.name}."
        yield from _with_owners(node, inner)


def _last_name(node: ast.expr) -> str:
    """The name that a decorator or a call ends with: `lru_cache` of `functools.lru_cache(9)`."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_cached(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) in CACHES


@dataclass
class _Containers(ast.NodeVisitor):
    """What a class does with the containers `self.name`."""

    made: set[str] = field(default_factory=set)
    grown: set[str] = field(default_factory=set)
    shrunk: set[str] = field(default_factory=set)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and _makes_field(each.value):
                self.made.add(ast.unparse(each.target))
        for each in node.body:
            if not isinstance(each, ast.ClassDef):
                self.visit(each)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assigned(target, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._assigned(node.target, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):
            self.grown |= _own(target.value)
        elif isinstance(node.op, ast.Sub | ast.BitAnd):
            self.shrunk |= _own(target)
        else:
            self.grown |= _own(target)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.shrunk |= _own(target.value) if isinstance(target, ast.Subscript) else set()

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in GROWING:
                self.grown |= _own(node.func.value)
            elif node.func.attr in SHRINKING:
                self.shrunk |= _own(node.func.value)
        self.generic_visit(node)

    def _assigned(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Tuple):
            for each in target.elts:
                self._assigned(each, None)
        elif isinstance(target, ast.Subscript):
            self.grown |= _own(target.value)
        elif names := _own(target):
            is_new = not names & self.made
            if is_new and _makes_container(value):
                self.made |= names
            else:
                self.shrunk |= names  # replaced as a whole


def _own(node: ast.expr) -> set[str]:
    is_own = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"
    return {node.attr} if is_own and isinstance(node, ast.Attribute) else set()


def _makes_container(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Dict | ast.List | ast.Set):
        return True
    if not isinstance(node, ast.Call) or _last_name(node.func) not in CONTAINERS:
        return False
    return not any(word.arg == "maxlen" for word in node.keywords) and not (
        _last_name(node.func) == "deque" and len(node.args) > 1
    )


def _makes_field(node: ast.expr | None) -> bool:
    """Whether it is the field of a dataclass with an own container."""
    return isinstance(node, ast.Call) and any(
        word.arg == "default_factory" and _last_name(word.value) in CONTAINERS
        for word in node.keywords
    )
