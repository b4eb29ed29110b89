"""The package works where nothing of this checkout is, as its README says."""

import json
import os
import re
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.ahead import PATIENCE_S, built
from tests.skipping import skip
from tools import ROOT
from tools.npm.package import (
    GAMES_OF_ENTRY,
    NAME,
    README,
    SCRIPTS,
    SOURCES,
    known_setups,
    manifest,
    scripts,
    write_package,
)

PAGE: Final = ROOT / "docs" / "engine-in-other-programs.md"
EXAMPLE: Final = re.compile(r"```js\n(.*?)```\n+```text\n(.*?)```", re.DOTALL)
DENO: Final = Path(sysconfig.get_path("scripts")) / "deno"
RUNTIMES: Final = {
    "node": ["node"],
    "deno": [str(DENO), "run", "--allow-read", "--no-remote", "--no-prompt"],
}
TYPES: Final = "tests/tools/npm/types.ts"
SECONDS: Final = 60

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]


def examples() -> list[tuple[str, str]]:
    """The programs in the README and on the page of the documentation, each with its output."""
    texts = [file.read_text(encoding="utf-8") for file in (SOURCES / README, PAGE)]
    return [example for text in texts for example in EXAMPLE.findall(text)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a program that has installed the package."""
    folder = tmp_path_factory.mktemp("program")
    page = tmp_path_factory.mktemp("page")
    (page / "engine").symlink_to(built("bluestone"))
    write_package(folder / "node_modules" / NAME, page)
    needs = {"dependencies": {NAME: manifest()["version"]}, "type": "module"}
    (folder / "package.json").write_text(json.dumps(needs))
    return folder


def run(command: Sequence[str], folder: Path) -> str:
    environment = {"DENO_NO_UPDATE_CHECK": "1", "DENO_DIR": str(ROOT / ".deno_cache")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def starts(runtime: str) -> bool:
    program = RUNTIMES[runtime][0]
    try:
        return subprocess.run([program, "--version"], check=False, timeout=SECONDS).returncode == 0
    except OSError:
        return False


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("number", range(4))
def test_the_documented_examples_print_what_is_written(
    number: int, runtime: str, program: Path
) -> None:
    if not starts(runtime):
        skip(f"there is no {runtime} here that starts")
    text, expected = examples()[number]
    file = program / f"example_{number}.js"
    file.write_text(text, encoding="utf-8")
    said = run([*RUNTIMES[runtime], file.name], program)
    if "milliseconds" in text:  # how far a search comes depends on the machine
        assert re.fullmatch(r"\d-\d+(,\d-\d+)? [1-9]\d* 0\.\d\d\n", said)
        assert re.fullmatch(r"\d-\d+(,\d-\d+)? [1-9]\d* 0\.\d\d\n", expected)
    else:
        assert said == expected


def test_the_declarations_for_typescript_are_those_of_the_code() -> None:
    if not starts("deno"):
        skip("there is no deno here that starts")
    run([str(DENO), "check", "--quiet", "--no-remote", "--no-npm", TYPES], ROOT)


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ('{game: "chess", board: "8x8"}', 'there is no game "chess"; there is bluestone'),
        (
            '{game: "bluestone", board: "pent-5"}',
            'bluestone has no board "pent-5"; it has pent-6, ',
        ),
        (
            '{game: "bluestone", board: "pent-4", rules: "x"}',
            'bluestone has no rule set "x"; it has official, abstractplay',
        ),
        (
            '{game: "bluestone", board: "pent-4", options: {captures: 1}}',
            'bluestone has no option "captures"; it has none',
        ),
    ],
)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_what_the_package_does_not_have_is_refused_with_what_it_has(
    setup: str, message: str, runtime: str, program: Path
) -> None:
    if not starts(runtime):
        skip(f"there is no {runtime} here that starts")
    file = program / "refused.js"
    file.write_text(
        f'import {{ loadGame }} from "{NAME}";\n'
        f"await loadGame({setup}).catch((error) => console.log(error.name, error.message));\n",
        encoding="utf-8",
    )
    assert run([*RUNTIMES[runtime], file.name], program).startswith(f"RangeError {message}")


@pytest.mark.parametrize("value", ["five", 0, 1.5, 1001])
def test_a_value_that_an_option_does_not_take_is_refused(
    value: object, tmp_path: Path, program: Path
) -> None:
    if not starts("node"):
        skip("there is no node here that starts")
    entry = program / "node_modules" / NAME
    known = json.dumps(known_setups(["blooms"]))
    text = (SOURCES / "index.js").read_text(encoding="utf-8").replace(SCRIPTS, f"{entry}/js/")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "index.js").write_text(text.replace(GAMES_OF_ENTRY, f"const GAMES = {known};"))
    setup = {"game": "blooms", "board": "hexhex-5", "options": {"captures": value}}
    (tmp_path / "refused.js").write_text(
        'import { loadGame } from "./index.js";\n'
        f"const setup = {json.dumps(setup)};\n"
        "await loadGame(setup).catch((error) => console.log(error.message));\n"
    )
    said = run(["node", "refused.js"], tmp_path)
    assert said.startswith("captures of blooms takes a whole number from 1 to 1000, not ")


def test_the_package_has_no_script_that_only_a_page_needs() -> None:
    names = scripts()
    assert "engine/rules.js" in names
    shared = [name for name in names if not name.startswith("engine/")]
    assert shared == ["shared/star_bounds.js", "shared/steps.js"]


def test_without_an_engine_the_message_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"run python -m tools\.ahead --page"):
        write_package(tmp_path / "package", tmp_path)


def test_the_readme_lists_the_games_that_the_package_has(program: Path) -> None:
    readme = (program / "node_modules" / NAME / README).read_text(encoding="utf-8")
    assert "| bluestone | pent-6, pent-8, " in readme
    assert "| hexo |" not in readme
