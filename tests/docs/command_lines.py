"""The commands that README, the operator's handbook and the Dockerfile tell people to run.

Each of them is either run in a fresh Debian (`tests/nightly`), or in `NOT_RUN` with the reason.
A new command is in neither, so `test_command_lines.py` fails until somebody decides.
"""

import re
from dataclasses import dataclass
from typing import Final

from bot import __version__
from tests.docs.pages import ROOT

README: Final = "README.md"
HANDBOOK: Final = "docs/operating.md"

_FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELLS: Final = ("", "sh", "bash", "console")
_COMMENT: Final = re.compile(r"(^|\s{2,})#.*$", re.MULTILINE)
_JOINED: Final = re.compile(r"\\\n\s*|(?<=&&)\n\s*")

SYSTEMD: Final = "needs a booted systemd; tests/docs/test_units.py examines the units"
GROUPS: Final = "needs control groups of version 2, which a machine may lack"
NOT_RUN: Final[dict[str, str]] = {
    "make test": "this is it",
    "umask 022": "every script of tests/nightly begins with it",
    "export PATH=/opt/bluestone/.venv/bin:$PATH": "every script begins with it",
    'ps -eo rss,args --sort=-rss | grep -E "bluestone|engine.ugi"': "measures a game that runs",
    "systemctl restart systemd-journald": SYSTEMD,
    'journalctl -u bluestone-arena -u bluestone-bot --since yesterday -o cat | grep -E \'"level":"'
    "(error|critical)\"'": SYSTEMD,
    "journalctl -u bluestone-bot -o cat | grep engine_sandbox | tail -1": SYSTEMD,
    "systemd-analyze security --offline=true "
    "/opt/bluestone/config/bluestone-arena.service": SYSTEMD,
    "bluestone doctor --public-url https://play.example.org --only tls --only proxy --only "
    "websocket": "needs a proxy with a certificate; tests/bot/doctor/test_network.py has one",
    "bluestone bench arena --games 200 --seconds 10 --capacity --whole": "takes five minutes",
    "200 games at once: 887 turns/s before the 99th percentile passes 250 ms": "is its output",
    "docker compose -f config/compose.yaml up --build -d": "needs Docker; the steps are run",
    "docker compose -f config/compose.yaml run --rm --no-deps -v "
    "/var/backups/bluestone:/backups arena bluestone backup /backups --data /data --keep 14": (
        "needs Docker; bluestone backup is run outside"
    ),
    "mkdir /sys/fs/cgroup/first && echo 900M > /sys/fs/cgroup/first/memory.max": GROUPS,
    "echo $$ > /sys/fs/cgroup/first/cgroup.procs": GROUPS,
    "BLUESTONE_CACHE_DIR=$(mktemp -d) bluestone up": GROUPS,
    "cat /sys/fs/cgroup/first/memory.peak": GROUPS,
    "rm -r /root/rehearsal": "the root is thrown away",
}
"""Commands that are not run, with the reason."""


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction of the Dockerfile: its word, and the rest in one line."""

    word: str
    rest: str


def commands(page: str) -> list[str]:
    """Return the commands of a page in their order, each in one line, without comments."""
    return commands_in((ROOT / page).read_text(encoding="utf-8"))


def commands_in(text: str) -> list[str]:
    """Return the commands in indented blocks, and in fenced blocks of a shell."""
    text = _FENCE.sub(lambda found: _indented(found[2]) if found[1] in _SHELLS else "", text)
    shown = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    lines = _JOINED.sub(" ", _COMMENT.sub("", "\n".join(shown))).splitlines()
    return [re.sub(r"\s{2,}", " ", line.strip()) for line in lines if line.strip()]


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def section(page: str, heading: str) -> str:
    """Return the text of a section, of the second level."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def ways_to_install() -> dict[str, list[str]]:
    """Return the commands of each way of the handbook's section *Install*."""
    text = section(HANDBOOK, "Install")
    make, hashes, wheel = (
        commands_in(each) for each in re.split(r"^\*\*From", text, flags=re.MULTILINE)[1:]
    )
    before = [line for line in make if not line.endswith("make install")][:2]
    wheel_file = f"bluestone-{__version__}-py3-none-manylinux_2_17_x86_64.whl"
    return {
        "git": make,
        "hashes": [*before, "cd /opt/bluestone", *hashes, make[-1]],
        "wheel": [
            before[0],
            "mkdir -p /opt/bluestone && cd /opt/bluestone",
            f"cp /srv/{wheel_file} /srv/bluestone/requirements-hashed.txt .",
            *wheel,
            make[-1],
        ],
    }


def steps() -> list[Step]:
    """Return the instructions of the Dockerfile."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [Step(*line.split(None, 1)) for line in lines if line]
