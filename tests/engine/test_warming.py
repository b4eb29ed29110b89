"""Compiling ahead of time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine import warming
from engine.kernel import cache as kernel_cache
from engine.kernel.mode import Mode
from engine.search.searcher import Searcher
from engine.warming import CompiledPart


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setattr(kernel_cache, "directory", lambda: tmp_path)
    return tmp_path


def test_the_default_game_is_compiled_first() -> None:
    assert warming.all_parts()[:3] == (
        *warming.parts_of("bluestone"),
        CompiledPart("blooms", "rules"),
    )
    assert {part.kind for part in warming.all_parts()[-3:]} == {"playouts"}
    assert [part.game for part in warming.all_parts(first=["stargazers"])[:3]] == [
        *("stargazers", "stargazers"),
        "bluestone",
    ]


@pytest.mark.usefixtures("own_folder")
def test_warming_reports_its_progress_and_is_cached() -> None:
    wanted = warming.parts_of("bluestone")
    assert warming.missing(wanted) == wanted
    labels: list[str] = []
    warming.warm(labels.append, wanted)
    assert labels == ["Bluestone: rules", "Bluestone: search"]
    assert warming.missing(wanted) == ()
    assert warming.missing()[0] == CompiledPart("blooms", "rules")


def test_another_processor_needs_code_of_its_own(own_folder: Path) -> None:
    rules = CompiledPart("bluestone", "rules")
    warming.warm(print, [rules])
    (own_folder / "warm-bluestone-rules").write_text("another processor")
    assert warming.missing([rules]) == (rules,)


def test_one_process_compiles_at_a_time(own_folder: Path) -> None:
    """The second one waits, and finds that nothing is left to do."""
    import fcntl

    code = (
        "from pathlib import Path; from engine import warming;"
        "from engine.kernel import cache as kernel_cache;"
        f"kernel_cache.directory = lambda: Path({str(own_folder)!r});"
        "warming._compile = lambda part: print('compiled', flush=True);"
        "part = warming.CompiledPart('blooms', 'rules');"
        "warming.warm(lambda label: print(label, flush=True), [part])"
    )
    with (own_folder / "compiling.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "Blooms: rules\n"
        (own_folder / "warm-blooms-rules").write_text(warming.processor())
    rest, _ = waiting.communicate(timeout=60)
    assert (rest, waiting.returncode) == ("", 0)


def test_as_a_program_it_compiles_all_that_is_missing(own_folder: Path) -> None:
    folder = kernel_cache.choose_directory({kernel_cache.ENVIRONMENT: str(own_folder)})
    for part in warming.all_parts()[1:]:
        (folder / f"warm-{part.game}-{part.kind}").write_text(warming.processor())
    program = subprocess.run(
        [sys.executable, "-m", "engine.warming"],
        env={**os.environ, kernel_cache.ENVIRONMENT: str(own_folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert program.stdout == "Bluestone: rules\n"
    assert (folder / "warm-bluestone-rules").exists()


def test_apart_the_process_itself_does_not_load_the_compiler(tmp_path: Path) -> None:
    code = """import sys
from engine import warming
if __name__ == "__main__":
    warming.warm(print, [warming.CompiledPart("bluestone", "rules")], apart=True)
    assert not warming.missing([warming.CompiledPart("bluestone", "rules")])
    sys.exit("numba" in sys.modules)
"""
    environment = {**os.environ, kernel_cache.ENVIRONMENT: str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert run.returncode == 0


def test_asking_does_not_load_the_compiler() -> None:
    ask = "import sys; from engine import warming; warming.missing()"
    code = f"{ask}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


ONLY_ELSEWHERE = {"playouts"}
"""Only measurements call it."""
NEVER_CALLED = {"hexo": {"legal_steps", "start", "steps_after"}}
"""An unbounded board has states of its own, so these entry points are not used there."""
UNCOMPILED = """import importlib, pkgutil, sys
import engine
from engine import warming
game = sys.argv[1]
for part in warming.parts_of(game):
    warming._compile(part)
from numba.core.dispatcher import Dispatcher
found = {}
for module in pkgutil.walk_packages(engine.__path__, "engine."):
    package, _, rest = module.name.removeprefix("engine.games.").partition(".")
    of_another_game = module.name.startswith("engine.games.") and rest and package != game
    if not (of_another_game or "training" in module.name or "__main__" in module.name):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Dispatcher) and not value.signatures:
                found[name] = module.name
print(*sorted(found))
"""


@pytest.mark.parametrize("game", [info.name for info in engine.games()])
def test_no_kernel_that_python_calls_is_compiled_during_a_game(game: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", UNCOMPILED, game], check=True, capture_output=True, text=True
    )
    assert set(run.stdout.split()) == ONLY_ELSEWHERE | NEVER_CALLED.get(game, set())


def test_a_part_that_does_not_compile_counts_as_missing(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Searcher) -> None:
        raise ValueError("no such kernel")

    monkeypatch.setattr(Searcher, "warm_up", broken)
    search = CompiledPart("bluestone", "search")
    with pytest.raises(ValueError, match="no such kernel"):
        warming.warm(print, [search])
    assert warming.missing([search]) == (search,)
    assert not list(own_folder.glob("warm-*"))


@pytest.mark.parametrize("mode", [Mode.LIBRARY, Mode.PYTHON])
def test_nothing_is_missing_where_nothing_is_compiled(
    mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.kernel.mode.MODE", mode)
    monkeypatch.setattr(kernel_cache, "directory", lambda: pytest.fail("it made a cache"))
    assert not warming.compiles_here()
    assert warming.missing() == ()
    warming.warm(pytest.fail)
