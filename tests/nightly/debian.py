"""A fresh Debian 12 with Debian's own Python, in which documented commands are run as root."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot import __version__
from tests.docs.pages import ROOT
from tests.skipping import skip

SUITE: Final = "bookworm"
PACKAGES: Final = "ca-certificates,procps"
"""What every installation has, and the smallest variant of debootstrap has not."""
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
KEPT: Final = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "https_proxy")
"""Variables by which a machine behind a proxy reaches the package registries."""
SYSTEMCTL: Final = Path(__file__).with_name("systemctl.py")
ENTER: Final = """
set -e
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PIP_PROGRESS_BAR=off PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"
"""


@dataclass(frozen=True)
class Debian:
    """A folder with a system; `/srv/bluestone` in it is a repository with the present sources."""

    folder: Path

    def run(self, lines: Sequence[str], seconds: float) -> str:
        """Run commands in one shell, and return what they print. A failure fails the test.

        Everything that they have started ends with them.
        """
        script = "\n".join(
            ["set -euo pipefail", *(f"echo {shlex.quote('$ ' + line)}\n{line}" for line in lines)]
        )
        kept = [f"{name}={os.environ[name]}" for name in KEPT if name in os.environ]
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", ENTER]
        words += ["enter", str(self.folder), *kept, "bash", "-c", script]
        log = self.folder / "commands.log"
        with log.open("w", encoding="utf-8") as out:
            ended = subprocess.run(
                words, stdout=out, stderr=subprocess.STDOUT, timeout=seconds, check=False
            )
        printed = log.read_text(encoding="utf-8", errors="replace")
        assert ended.returncode == 0, f"exit code {ended.returncode}:\n{printed[-6000:]}"
        return printed

    def write(self, path: str, text: str) -> None:
        """Write a file, such as the settings that the operator writes."""
        file = self.folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def fresh(folder: Path) -> Debian:
    """Install Debian into a folder, which takes a minute or more. Skips where it cannot."""
    if os.geteuid() != 0:
        skip("only root can install a Debian into a folder")
    if shutil.which("debootstrap") is None:
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "debootstrap"]
        if shutil.which("apt-get") is None or _call(command).returncode != 0:
            skip("debootstrap is not installed")
    made = _call(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(folder)])
    assert made.returncode == 0, made.stdout[-2000:]
    shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
    if CERTIFICATES.exists():
        shutil.copy(CERTIFICATES, folder / CERTIFICATES.relative_to("/"))
    shutil.copy(SYSTEMCTL, folder / "usr/local/bin/systemctl")
    (folder / "usr/local/bin/systemctl").chmod(0o755)
    _repository(folder / "srv/bluestone")
    return Debian(folder)


@contextmanager
def copied(system: Debian, folder: Path) -> Iterator[Debian]:
    """A copy of a system, deleted at the end."""
    subprocess.run(["cp", "-a", str(system.folder), str(folder)], check=True)
    try:
        yield Debian(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _repository(place: Path) -> None:
    """Make a repository of the sources as they are now, with the tags that the handbook names."""
    listed = [
        "git",
        "-C",
        str(ROOT),
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    git = ["git", "-C", str(place), "-c", "user.name=test", "-c", "user.email=test@example.org"]
    major, minor, patch = __version__.split(".")
    subprocess.run(["git", "init", "-q", "-b", "main", str(place)], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    for tag in (__version__, f"{major}.{minor}.{int(patch) + 1}"):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", tag], check=True)
        subprocess.run([*git, "tag", f"v{tag}"], check=True)


def _call(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
