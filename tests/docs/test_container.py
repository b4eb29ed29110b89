"""The container image: its packages are those that the tests ran with, each with its hashes."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from bot.arena.settings import load_settings
from tests.docs.pages import ROOT

HASHED = (ROOT / "requirements-hashed.txt").read_text(encoding="utf-8")
COMPILE = (ROOT / "requirements-compile-hashed.txt").read_text(encoding="utf-8")
DIST = (ROOT / "requirements-dist-hashed.txt").read_text(encoding="utf-8")
CLUSTER = (ROOT / "requirements-cluster-hashed.txt").read_text(encoding="utf-8")
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")
CADDYFILE = (ROOT / "config" / "compose-cluster.caddyfile").read_text(encoding="utf-8")
TEXTS = [HASHED, COMPILE, DIST, CLUSTER]
COMPOSED = list((ROOT / "config").glob("compose*.yaml"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def versions(text: str) -> dict[str, str]:
    """The pinned version of each package, by its normalised name."""
    pinned = re.findall(r"^([\w.-]+)(?:\[\w+\])?==([\w.]+)", text, re.MULTILINE)
    return {normalised(name): version for name, version in pinned}


def names(requirements: Iterable[str]) -> set[str]:
    """The packages that requirements name, apart from Bluestone's own extras."""
    return {normalised(Requirement(each).name) for each in requirements} - {"bluestone"}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("text", TEXTS)
def test_each_package_has_a_hash(text: str) -> None:
    blocks = [block for block in re.split(r"^(?=\w)", text, flags=re.MULTILINE) if block]
    assert len(blocks) == len(versions(text))
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("text", TEXTS)
def test_the_versions_are_those_of_the_tests(text: str) -> None:
    tested, installed = versions(CONSTRAINTS), versions(text)
    assert {name: installed[name] for name in installed if name in tested} == {
        name: tested[name] for name in installed if name in tested
    }


def test_the_dependencies_are_all_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    assert names(project["project"]["dependencies"]) <= versions(HASHED).keys()
    compiling = [*extras["compile"], *project["build-system"]["requires"]]
    assert names(compiling) <= versions(COMPILE).keys()
    assert names(extras["dist"]) <= (versions(COMPILE) | versions(DIST)).keys()


def test_an_image_for_linux_has_no_compiler() -> None:
    linux = {"sys_platform": "linux", "platform_machine": "aarch64"}
    lines = re.findall(r"^(\w[^\\\n]*)", HASHED, re.MULTILINE)
    needed = [Requirement(line) for line in lines]
    there = {each.name for each in needed if not each.marker or each.marker.evaluate(linux)}
    assert "numpy" in there
    assert not there & {"numba", "llvmlite"}


def test_the_image_of_several_processes_has_the_drivers_that_they_need() -> None:
    assert {"psycopg", "psycopg-binary", "valkey"} <= set(versions(CLUSTER))
    assert "psycopg" not in versions(HASHED)


def test_the_image_installs_nothing_without_a_hash() -> None:
    installs = re.findall(r"pip install (.*?)(?: &&|;|$)", DOCKERFILE, re.MULTILINE)
    assert installs
    assert all("--require-hashes" in each or "--no-deps" in each for each in installs)
    assert re.search(r"^ARG BASE=\S+@sha256:[0-9a-f]{64}$", DOCKERFILE, re.MULTILINE)


def test_the_image_has_a_python_with_which_all_tests_run() -> None:
    (version,) = re.findall(r"^ARG BASE=python:(\d+\.\d+)\.", DOCKERFILE, re.MULTILINE)
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    assert version in jobs["test"]["strategy"]["matrix"]["python"]


def test_make_installs_uv_by_its_hash_and_no_package_lies_in_the_repository() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = [line for line in makefile.splitlines() if "-m pip" in line and " install " in line]
    [by_hash] = [line for line in installs if "requirements-uv-hashed.txt" in line]
    assert "--require-hashes --only-binary :all: " in by_hash
    text = (ROOT / "requirements-uv-hashed.txt").read_text(encoding="utf-8")
    assert set(versions(text)) == {"uv"}
    assert text.count("--hash=sha256:") > 10
    assert list(ROOT.glob("*.whl")) == []


def test_the_image_has_what_compatibility_promises() -> None:
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    promised = ("USER 10001:10001", "VOLUME /data", "EXPOSE 8765", "STOPSIGNAL SIGTERM")
    assert [line for line in promised if f"\n{line}\n" not in final] == []
    assert '\nCMD ["bluestone", "up", ' in final
    assert "ENTRYPOINT" not in DOCKERFILE
    assert {"CLUSTER", "KERNEL_CPU"} <= set(re.findall(r"^ARG (\w+)", DOCKERFILE, re.MULTILINE))


def test_the_containers_of_arena_and_bot_are_confined() -> None:
    services = yaml.safe_load((ROOT / "config" / "compose.yaml").read_text())["services"]
    assert {"arena", "bot"} <= set(services)
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["pids_limit"] > 0


def test_the_arenas_of_several_processes_differ_in_their_address_and_folder_only() -> None:
    composed = yaml.safe_load((ROOT / "config" / "compose-cluster.yaml").read_text())
    services = composed["services"]
    arenas = {name: each for name, each in services.items() if name.startswith("arena-")}
    assert len(arenas) == 3
    for name, each in arenas.items():
        assert each["read_only"] is True
        assert each["cap_drop"] == ["ALL"]
        assert each["security_opt"] == ["no-new-privileges:true"]
        assert each["build"]["args"] == {"CLUSTER": "1"}
        assert each["volumes"] == [f"{name}:/data"]
        assert "ports" not in each  # only the proxy is reached from outside
        environ = {
            key: text.replace("${SITE:-localhost}", "play.example.org").replace(
                "${VALKEY_PASSWORD:?set VALKEY_PASSWORD}", "a5ec3e7"
            )
            for key, text in each["environment"].items()
        }
        settings = load_settings(environ=environ)
        assert settings.cluster.link == f"{name}:9765"
        assert settings.database == "postgresql://bluestone@postgres/bluestone"
        assert settings.cluster.bus == "valkey://:a5ec3e7@valkey:6379"
        assert settings.hosts == ["play.example.org"]
        assert f" {name}:8765" in CADDYFILE
    valkey = services["valkey"]
    assert "requirepass" in valkey["command"][-1]  # by standard input, not as an option
    assert valkey["environment"]["VALKEY_PASSWORD"] == "${VALKEY_PASSWORD:?set VALKEY_PASSWORD}"
    volumes = {
        volume.partition(":")[0] for each in services.values() for volume in each.get("volumes", ())
    }
    volumes.discard(".")  # the file of the proxy
    assert {each for each in volumes if not each.startswith("./")} == set(composed["volumes"])


def test_the_proxy_of_several_processes_leaves_out_one_that_is_gone() -> None:
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    lines = {line.strip() for line in CADDYFILE.splitlines()}
    balancing = re.findall(r"^ +((?:lb|health)_\w+ .+)$", page, re.MULTILINE)
    assert len(balancing) == 4
    assert set(balancing) <= lines


@pytest.mark.parametrize("file", sorted(COMPOSED), ids=lambda file: file.name)
def test_no_container_fills_the_disk_with_its_log(file: Path) -> None:
    for name, service in yaml.safe_load(file.read_text())["services"].items():
        assert service["logging"]["driver"] == "local", name
        assert {"max-size", "max-file"} <= service["logging"]["options"].keys(), name


@pytest.mark.parametrize("name", ["compose.yaml", "compose-cluster.yaml"])
def test_a_container_that_ends_or_hangs_is_noticed(name: str) -> None:
    """The healthcheck of the image is that of an arena."""
    composed = yaml.safe_load((ROOT / "config" / name).read_text())
    for key, service in composed["services"].items():
        if key == "token":
            continue  # it ends when its work is done
        assert service["restart"] == "unless-stopped", key
        is_arena = key.startswith("arena")
        assert is_arena or "test" in service["healthcheck"], key
