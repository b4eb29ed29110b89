"""Every command of README, handbook and Dockerfile works in a fresh Debian with its own Python."""

import json
import platform
import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from bot import __version__
from tests.docs.command_lines import (
    HANDBOOK,
    NOT_RUN,
    README,
    Step,
    commands,
    steps,
    ways_to_install,
)
from tests.docs.pages import ROOT
from tests.nightly.debian import Debian, copied, fresh
from tools.wheels import build_platform_wheel

pytestmark = [pytest.mark.timeout(2400), pytest.mark.xdist_group("debian")]

LIMIT_S: Final = 1800
BEGIN: Final = ["umask 022", "export PATH=/opt/bluestone/.venv/bin:$PATH"]
ARENA_PORT, BOT_PORT, OTHER_PORT = 24_665, 24_666, 24_699
"""In the place of 8765, 8766 and 8799: the root shares the network with this machine."""
ARENA_TOML: Final = f"""\
data = "/var/lib/bluestone-arena"
port = {ARENA_PORT}
hosts = ["play.example.org"]
trusted_proxies = ["127.0.0.1"]
"""
BOT_TOML: Final = f"""\
[daemon]
data = "/var/lib/bluestone"

[health]
port = {BOT_PORT}

[engines.quick]
builtin = "search"
processes = 1

[[platforms]]
url = "http://127.0.0.1:{ARENA_PORT}"
token_file = "/run/credentials/bluestone-bot.service/arena-token"
"""


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Debian:
    return fresh(tmp_path_factory.mktemp("debian") / "root")


@pytest.fixture
def system(debian: Debian, tmp_path: Path) -> Iterator[Debian]:
    with ExitStack() as stack:
        yield stack.enter_context(copied(debian, tmp_path / "root"))


def adapted(line: str) -> str:
    """The command as a person in front of this root would type it."""
    line = line.replace("apt-get install", "apt-get update -qq && apt-get install -qq -y")
    line = re.sub(r"\bREPOSITORY\b", "/srv/bluestone", line)
    for usual, ours in (("8765", ARENA_PORT), ("8766", BOT_PORT), ("8799", OTHER_PORT)):
        line = line.replace(usual, str(ours))
    return line.replace(" --public-url https://play.example.org", "")  # which has no proxy here


def until_healthy(port: int) -> str:
    return f"until curl -sf http://127.0.0.1:{port}/healthz; do sleep 1; done"


def background(line: str, *then: str) -> list[str]:
    """Run a command that does not end, then others beside it, and end it."""
    return [f"{line} & echo $! > /run/background", *then, "kill $(cat /run/background); wait"]


@pytest.mark.parametrize("way", ["hashes", "wheel"])
def test_the_handbook_installs(system: Debian, way: str, request: pytest.FixtureRequest) -> None:
    if way == "wheel":
        libraries = request.getfixturevalue("libraries")
        build_platform_wheel(ROOT, libraries, platform.machine(), system.folder / "srv")
    printed = system.run([*BEGIN, *map(adapted, ways_to_install()[way])], LIMIT_S)
    assert printed.splitlines()[-1] == __version__
    assert "DEPRECATION" not in printed


def test_the_handbook_works_from_the_installation_to_the_update(system: Debian) -> None:
    other_ways = {line for way in ("hashes", "wheel") for line in ways_to_install()[way]}
    left_out = (other_ways - set(ways_to_install()["git"])) | NOT_RUN.keys()
    lines = [adapted(line) for line in commands(HANDBOOK) if line not in left_out]
    system.write("/etc/bluestone/arena.toml", ARENA_TOML)
    system.write("/etc/bluestone/bot.toml", BOT_TOML)
    (system.folder / "etc/systemd/system").mkdir(parents=True, exist_ok=True)
    rehearsal = f"bluestone arena --data /root/rehearsal --port {OTHER_PORT}"
    at = lines.index(rehearsal)
    look = lines.index(f"curl -s http://127.0.0.1:{OTHER_PORT}/healthz")
    assert look == at + 1
    lines[at : look + 1] = background(rehearsal, until_healthy(OTHER_PORT), lines[look])
    printed = system.run([*BEGIN, *lines], LIMIT_S)
    assert "DEPRECATION" not in printed
    assert '"level":"warning"' not in (system.folder / "run/units/bluestone-arena.log").read_text()


def test_the_readme_plays_writes_a_site_and_hosts_a_tournament(system: Debian) -> None:
    clone, run, *rest = [line for line in commands(README) if line not in NOT_RUN]
    assert run == "make run"
    site, token, bot, match = rest
    built = "until test -f bot/arena/web/engine/KEY; do sleep 1; done"  # as the README says
    connected = "until grep -q connected /tmp/bot.log; do sleep 1; done"
    play = [
        f"sed -i s/8765/{ARENA_PORT}/ config/bot.toml",
        token,
        f"{bot} > /tmp/bot.log 2>&1 & echo $! > /run/bot",
        connected,
        "kill $(cat /run/bot)",
        built,
        site,
        "test -f site/index.html",
    ]
    system.run(
        [
            adapted("apt-get install git make python3-venv curl"),  # "You need ..."
            adapted(clone),
            *background(f'{run} ARGS="--port {ARENA_PORT}"', until_healthy(ARENA_PORT), *play),
            match,
        ],
        LIMIT_S,
    )


def shell_of(step: Step) -> str | None:
    """The command that does what an instruction of the Dockerfile does; None if nothing is run."""
    match step.word:
        case "ARG":
            name, has_default, default = step.rest.partition("=")
            return f'{name}="${{{name}-{default.strip(chr(34))}}}"' if has_default else None
        case "ENV":
            return f"export {step.rest}"
        case "WORKDIR":
            return f"mkdir -p {step.rest} && cd {step.rest}"
        case "COPY" if step.rest.startswith("--from"):
            *_, source, target = step.rest.split()
            owner = re.search(r"--chown=(\S+)", step.rest)
            assert source == target  # both stages are one root here
            return f"chown -R {owner[1]} {target}" if owner else f"test -d {target}"
        case "COPY":
            *sources, target = step.rest.split()
            return f"cp -r {' '.join(f'/srv/bluestone/{each}' for each in sources)} {target}"
        case "RUN":
            return f"( {step.rest} )"
        case "FROM" | "LABEL" | "USER" | "VOLUME" | "EXPOSE" | "STOPSIGNAL" | "HEALTHCHECK" | "CMD":
            return None
        case _:
            pytest.fail(f"an instruction that this test does not know: {step.word}")


def command_of(word: str) -> str:
    """The command of HEALTHCHECK or CMD."""
    [rest] = [step.rest for step in steps() if step.word == word]
    return adapted(shlex.join(json.loads(rest[rest.index("[") :])))


@pytest.mark.parametrize("cluster", ["", "1"])
def test_the_image_is_built_and_starts(system: Debian, cluster: str) -> None:
    run = [shell for step in steps() if (shell := shell_of(step)) is not None]
    as_user = "setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs"
    printed = system.run(
        [
            adapted("apt-get install python3-venv"),
            "ln -s /usr/bin/python3 /usr/local/bin/python",  # as in the base image
            f"export CLUSTER={cluster}",
            *run,
            *background(
                f"{as_user} {command_of('CMD')}",
                f"until {command_of('HEALTHCHECK')} 2>/dev/null; do sleep 1; done",
            ),
        ],
        LIMIT_S,
    )
    assert "ERROR" not in printed
