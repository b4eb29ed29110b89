"""Build the wheels and the source archive, and run them outside the checkout.

`python -m tools.dist` (or `make dist`) compiles the engine ahead of time, which takes minutes, and
writes all into build/dist: the wheels of `tools.wheels`, the archive, and the package for programs
in JavaScript (`tools.npm`). With `--check` (or `make dist-check`) each Python from 3.11 on that
this machine has installs the wheel of this machine into a fresh environment. In a folder outside
the checkout it then plays a game in the terminal and a match, starts an arena, fetches its page and
the engine for browsers, and lets two bots play a game there; nothing may be compiled. The newest
Python does the same with the wheel without libraries and Numba. The wheel that is built from the
source archive must equal that wheel byte for byte, and some tests must pass from the archive.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from hatchling.builders.sdist import SdistBuilder

from bot.arena.web.engine_files import engine_files, games_in
from bot.arena.web.page_bundle import FOLDER
from engine.catalogue import games
from tools import ROOT
from tools.npm.package import NAME, write_package
from tools.wheels import LIBRARIES, LibraryError, build_platform_wheel, build_wheel

DIST: Final = ROOT / "build" / "dist"
MINORS: Final = range(11, 15)
STEP_S: Final = 400
"""A generous limit for one step, which may compile the engine on a busy machine."""
TESTS_OF_ARCHIVE: Final = ("tests/bot/wire", "tests/bot/records", "tests/docs/test_links.py")
BOTS: Final = """
[daemon]
data = "bots"
[time]
max_turn_s = 0.1
[engines.random]
builtin = "random"
[[platforms]]
name = "one"
url = "{url}"
token_env = "TOKEN_ONE"
engine = "random"
seek = {{ opponent = "Two", games = 1, clock = "60+1", board = "pent-4" }}
[[platforms]]
name = "two"
url = "{url}"
token_env = "TOKEN_TWO"
engine = "random"
"""


WASM: Final = b"\0asm"
"""What a WebAssembly module begins with."""


class FailedError(Exception):
    """A step of the check failed; the message has its output."""


def version() -> str:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def build_archive(source: Path, folder: Path) -> Path:
    return Path(next(SdistBuilder(str(source)).build(directory=str(folder))))


def build_libraries(folder: Path, machines: Sequence[str]) -> None:
    """Compile the engine for kinds of machines, and for browsers into the page's folder.

    Raises LibraryError if nothing can link it.
    """
    from tools.ahead.build import PAGE_ENGINE, build
    from tools.ahead.targets import WEB, NoLinkerError, linker

    names = [WEB.name, *(name for machine in machines for name in LIBRARIES[machine])]
    try:
        linker()  # asked first, because compiling takes minutes
    except NoLinkerError as error:
        raise LibraryError(str(error)) from error
    shutil.rmtree(PAGE_ENGINE, ignore_errors=True)
    build(folder, [game.name for game in games()], names, web=PAGE_ENGINE)


def check_page() -> None:
    """Raise LibraryError unless the page's folder has the engine of these sources for browsers."""
    there = games_in(engine_files(FOLDER))
    if missing := [game.name for game in games() if game.name not in there]:
        lacks = ", ".join(missing)
        raise LibraryError(f"the page has no engine for {lacks}: run python -m tools.ahead --page")


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a source archive; return its top folder."""
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    [top] = folder.iterdir()
    return top


def pythons() -> Mapping[str, Path]:
    """Find the Pythons of this machine, on PATH and among those of pyenv, by version (`3.12`)."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found: dict[str, Path] = {}
    for minor in MINORS:
        name = f"python3.{minor}"
        on_path = shutil.which(name)
        of_pyenv = pyenv.glob(f"3.{minor}.*/bin/{name}")
        for each in [*([Path(on_path)] if on_path else []), *of_pyenv]:
            # A shim of pyenv exists also if the version that it stands for is not selected.
            if subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode == 0:
                found[f"3.{minor}"] = each
    return found


@dataclass(frozen=True)
class Installed:
    """Bluestone in an environment of its own; programs run in `folder`, outside the checkout."""

    folder: Path
    environment: Mapping[str, str]

    @property
    def command(self) -> str:
        return str(self.folder / "venv" / "bin" / "bluestone")

    def run(self, *arguments: str, stdin: str = "") -> str:
        """Run `bluestone` with these arguments; return its output. Raises FailedError."""
        return output([self.command, *arguments], self.folder, self.environment, stdin)

    @contextmanager
    def running(self, *arguments: str, says: str, **more: str) -> Iterator[str]:
        """Run `bluestone` beside the caller; yields its first line of output that has `says`."""
        log = self.folder / f"{arguments[0]}.log"
        with log.open("ab") as file:
            process = subprocess.Popen(
                [self.command, *arguments],
                cwd=self.folder,
                env={**self.environment, **more},
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        try:
            assert process.stdout is not None
            line = next((line for line in process.stdout if says in line), None)
            if line is None:
                raise FailedError(f"{arguments[0]} ended early:\n{log.read_text()[-2000:]}")
            yield line.strip()
        finally:
            process.terminate()
            process.communicate(timeout=STEP_S)


def output(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str = ""
) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=STEP_S,
        check=False,
    )
    if done.returncode != 0:
        tail = (done.stdout + done.stderr)[-2000:]
        raise FailedError(f"{' '.join(command)} ended with {done.returncode}:\n{tail}")
    return done.stdout


def install(python: Path, package: Path, folder: Path, extra: str = "") -> Installed:
    """Make a fresh environment in `folder` and install the package there, with an extra."""
    inherited = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    environment = {
        **inherited,
        "BLUESTONE_CACHE_DIR": str(folder / "kernels"),
        "COLUMNS": "120",
    }
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    its_python = str(folder / "venv" / "bin" / "python")
    constraints = ("-c", str(ROOT / "constraints.txt"))
    if uv is not None:
        output([uv, "venv", "--quiet", "--python", str(python), "venv"], folder, environment)
        into = [uv, "pip", "install", "--quiet", "--python", its_python]
    else:
        output([str(python), "-m", "venv", "venv"], folder, environment)
        into = [its_python, "-m", "pip", "install", "--quiet"]
    output([*into, *constraints, f"{package}{extra}"], folder, environment)
    return Installed(folder, environment)


def check(python: Path, package: Path, extra: str = "") -> None:
    """Install the package for this Python and play. Raises FailedError.

    With the extra `[compile]` its kernels are compiled, without it nothing is.
    """
    with tempfile.TemporaryDirectory(prefix="bluestone-dist-") as folder:
        installed = install(python, package, Path(folder), extra)
        expect(version(), installed.run("--version"))
        how = "the next start compiles them" if extra else "compiled ahead of time"
        expect(how, installed.run("doctor", "--only", "kernels"))
        played = installed.run(
            "play",
            "--board",
            "pent-4",
            "--engine",
            "random",
            "--time",
            "0.1",
            stdin="0-0\nresign\n",
        )
        expect("You resigned", played)
        table = installed.run(
            "match", "search", "random", "--board", "pent-4", "--games", "2", "--nodes", "10"
        )
        expect("games", table)
        play_on_arena(installed)
        if not extra and (made := list((installed.folder / "kernels").rglob("*"))):
            raise FailedError(f"something was compiled: {made}")


def play_on_arena(installed: Installed) -> None:
    """Start an arena, fetch its page, and let two bots play a game. Raises FailedError."""
    tokens = {
        f"TOKEN_{name.upper()}": installed.run("arena", "token", name, "--data", "arena").split()[
            -1
        ]
        for name in ("One", "Two")
    }
    with installed.running("arena", "--port", "0", "--data", "arena", says="http://") as line:
        url = next(word for word in line.split() if word.startswith("http://")).rstrip("/")
        with urllib.request.urlopen(url, timeout=STEP_S) as page:
            expect("Bluestone", page.read().decode())
        with urllib.request.urlopen(f"{url}/engine/bluestone.wasm", timeout=STEP_S) as module:
            if not module.read().startswith(WASM):
                raise FailedError("the page has no engine for browsers")
        (installed.folder / "bots.toml").write_text(BOTS.format(url=url), encoding="utf-8")
        bots = installed.command, "bot", "--config", "bots.toml"
        environment = {**installed.environment, **tokens}
        with subprocess.Popen(
            bots, cwd=installed.folder, env=environment, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            ended = any("seek_finished" in line for line in process.stderr)
            process.terminate()
            process.communicate(timeout=STEP_S)
    if not ended:
        raise FailedError("the bots ended before their game did")
    expect("1 ", installed.run("records", "verify", "--data", "arena"))


def expect(text: str, found: str) -> None:
    if text not in found:
        raise FailedError(f"{text!r} is missing in:\n{found[-2000:]}")


def check_archive(archive: Path, wheel: Path) -> None:
    """Compare the archive's wheel with `wheel`, and run tests from it. Raises FailedError."""
    with tempfile.TemporaryDirectory(prefix="bluestone-dist-") as name:
        folder = Path(name)
        source = unpack(archive, folder / "source")
        if build_wheel(source, folder / "wheel").read_bytes() != wheel.read_bytes():
            raise FailedError("the wheel of the source archive differs")
        tests = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS_OF_ARCHIVE)
        output(tests, source, os.environ)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="install and run the packages")
    parser.add_argument("--python", action="append", type=Path, help="check with this Python alone")
    parser.add_argument(
        "--machine", action="append", choices=LIBRARIES, help="build the wheel of this kind alone"
    )
    parser.add_argument(
        "--libraries", type=Path, metavar="DIR", help="what tools.ahead built; else it is built"
    )
    options = parser.parse_args()
    try:
        wheels, archive = build(options.machine or tuple(LIBRARIES), options.libraries)
    except LibraryError as error:
        print(f"tools.dist: {error}", file=sys.stderr)
        return 1
    print(write_package(DIST / NAME).relative_to(ROOT))
    own = wheels.get(platform.machine())
    for path in (*wheels.values(), archive):
        words = ", for this machine" if path == own else ""
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes{words}")
    if not options.check:
        return 0
    chosen = {str(path): path for path in options.python or ()} or pythons()
    failed = run(steps(wheels, archive, chosen))
    for minor in MINORS:
        if not options.python and f"3.{minor}" not in chosen:
            print(f"-     Python 3.{minor} is not on this machine")
    return failed


PURE: Final = "any"
"""What `build` calls the wheel without libraries."""


def build(machines: Sequence[str], libraries: Path | None) -> tuple[Mapping[str, Path], Path]:
    """Build all into build/dist; return the wheels by kind of machine, and the source archive.

    Args:
        machines: The kinds of machines.
        libraries: A folder with their libraries; None to compile them, and the page's engine.

    Raises LibraryError.
    """
    shutil.rmtree(DIST, ignore_errors=True)
    if libraries is None:
        libraries = ROOT / "build" / "libraries"
        build_libraries(libraries, machines)
    check_page()
    print("build the wheels, the source archive and the package for JavaScript", flush=True)
    wheels = {each: build_platform_wheel(ROOT, libraries, each, DIST) for each in machines}
    return {**wheels, PURE: build_wheel(ROOT, DIST)}, build_archive(ROOT, DIST)


def steps(
    wheels: Mapping[str, Path], archive: Path, chosen: Mapping[str, Path]
) -> Mapping[str, Callable[[], None]]:
    """Return what is checked, by name."""
    pure = wheels[PURE]
    own = wheels.get(platform.machine())
    found: dict[str, Callable[[], None]] = {"source archive": partial(check_archive, archive, pure)}
    for name, python in chosen.items():
        if own is not None:
            found[f"Python {name}"] = partial(check, python, own)
    for name, python in [*chosen.items()][-1:]:
        found[f"Python {name}, compiling"] = partial(check, python, pure, "[compile]")
    return found


def run(steps: Mapping[str, Callable[[], None]]) -> int:
    """Run the steps and report each; return 1 if one failed."""
    failed = 0
    for name, step in steps.items():
        try:
            step()
        except (FailedError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAIL  {name}: {error}", flush=True)
        else:
            print(f"ok    {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
