"""The container image: its packages are those that the tests ran with, each with its hashes."""

import re
import tomllib

import yaml
from packaging.requirements import Requirement

from tests.docs.pages import ROOT

HASHED = (ROOT / "requirements-hashed.txt").read_text(encoding="utf-8")
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def versions(text: str) -> dict[str, str]:
    """The pinned version of each package, by its normalised name."""
    pinned = re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE)
    return {normalised(name): version for name, version in pinned}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_each_package_has_a_hash() -> None:
    blocks = re.split(r"^(?=\w)", HASHED, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(versions(HASHED))
    assert all("--hash=sha256:" in block for block in blocks)


def test_the_versions_are_those_of_the_tests() -> None:
    tested, installed = versions(CONSTRAINTS), versions(HASHED)
    assert {name: installed[name] for name in installed if name in tested} == {
        name: tested[name] for name in installed if name in tested
    }


def test_the_dependencies_are_all_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    assert {normalised(Requirement(each).name) for each in needed} <= set(versions(HASHED))


def test_the_image_installs_nothing_without_a_hash() -> None:
    installs = re.findall(r"pip install (.*?)(?: &&|$)", DOCKERFILE, re.MULTILINE)
    assert installs
    assert all("--require-hashes" in each or "--no-deps" in each for each in installs)
    assert re.search(r"^ARG BASE=\S+@sha256:[0-9a-f]{64}$", DOCKERFILE, re.MULTILINE)


def test_the_containers_of_arena_and_bot_are_confined() -> None:
    services = yaml.safe_load((ROOT / "config" / "compose.yaml").read_text())["services"]
    assert {"arena", "bot"} <= set(services)
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["pids_limit"] > 0
