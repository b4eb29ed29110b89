"""Which program that pairs is installed where."""

import tomllib
from pathlib import Path
from typing import Final

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

PYPROJECT: Final = Path(__file__).parents[4] / "pyproject.toml"
HAVE_WHEELS: Final = [("linux", "x86_64"), ("win32", "AMD64"), ("darwin", "arm64")]
HAVE_NONE: Final = [
    ("linux", "aarch64"),
    ("linux", "armv7l"),
    ("win32", "ARM64"),
    ("darwin", "x86_64"),
    ("freebsd14", "amd64"),
]


@pytest.mark.parametrize(("system", "machine"), HAVE_WHEELS)
def test_the_compiled_one_where_it_has_wheels(system: str, machine: str) -> None:
    for version in ("3.11", "3.12", "3.13", "3.14"):
        assert _installed(system, machine, version) == ["py4swiss"]


@pytest.mark.parametrize(("system", "machine"), HAVE_NONE)
def test_the_other_where_it_has_none(system: str, machine: str) -> None:
    for version in ("3.11", "3.14"):
        assert _installed(system, machine, version) == ["caissify-pairings"]


@pytest.mark.parametrize(("system", "machine"), [*HAVE_WHEELS, *HAVE_NONE])
def test_the_other_on_pythons_without_wheels(system: str, machine: str) -> None:
    assert _installed(system, machine, "3.15") == ["caissify-pairings"]
    assert _installed(system, machine, "3.11", "PyPy") == ["caissify-pairings"]


def _installed(system: str, machine: str, version: str, python: str = "CPython") -> list[str]:
    environment = {key: str(value) for key, value in default_environment().items()} | {
        "sys_platform": system,
        "platform_machine": machine,
        "python_version": version,
        "platform_python_implementation": python,
    }
    requirements = map(Requirement, tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"])
    return [
        each.name
        for each in requirements
        if each.name in {"py4swiss", "caissify-pairings"}
        and each.marker is not None
        and each.marker.evaluate(environment)
    ]
