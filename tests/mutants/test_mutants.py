"""Each mutant still applies to these sources, so `make mutants` has meaningful results."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from tests.mutants.catalogue import MUTANTS
from tests.mutants.sabotage import CannotApply, Check, Mutant, apply

ROOT = Path(__file__).parents[2]
SOURCE = """
class Shop:
    def price(self, thing, *, number=1):
        return number * 2

OPEN = True
"""
CHECK = Check(("pytest", "tests"))
DEARER = """
def mutant(self, thing, *, number=1):
    return original(self, thing, number=number) + 1
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    for package in ("bot", "engine"):
        shutil.copytree(ROOT / package, folder / package, ignore=_all_but_sources)
    return folder


def _all_but_sources(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if Path(folder, name).is_file() and not name.endswith(".py")}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_sabotage_applies(mutant: Mutant, copy: Path) -> None:
    changed = apply(mutant, copy)
    assert f"{mutant.target} = _sabotaged({mutant.target})" in changed.read_text()
    shutil.copy(ROOT / changed.relative_to(copy), changed)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_check_is_a_test_of_these_sources(mutant: Mutant) -> None:
    module, *arguments = mutant.check.arguments
    if module != "pytest":
        return  # a fault of the chaos suite, which refuses unknown names
    path, _, name = arguments[0].partition("::")
    assert f"def {name or 'test_'}" in (ROOT / path).read_text()


def shop(folder: Path) -> Path:
    (folder / "bot").mkdir()
    (folder / "engine").mkdir()
    path = folder / "bot" / "anywhere.py"
    path.write_text(SOURCE)
    return path


def test_a_mutant_replaces_a_function_wherever_it_is(tmp_path: Path) -> None:
    path = shop(tmp_path)
    assert apply(Mutant("dearer", "Shop.price", DEARER, CHECK, ""), tmp_path) == path
    spec = importlib.util.spec_from_file_location("anywhere", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.Shop().price("bread", number=2) == 5
    assert module.OPEN


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("Shop.sell", DEARER),
        ("Market.price", DEARER),
        ("Shop.price", "def mutant(self, thing): pass"),
        ("Shop.price", "async def mutant(self, thing, *, number=1): pass"),
    ],
)
def test_a_mutant_that_no_longer_fits_is_reported(tmp_path: Path, target: str, code: str) -> None:
    shop(tmp_path)
    with pytest.raises(CannotApply):
        apply(Mutant("odd", target, code, CHECK, ""), tmp_path)


def test_the_page_has_the_number_of_mutants() -> None:
    page = (ROOT / "docs" / "faults.md").read_text()
    for mutant in MUTANTS:
        assert f"| {mutant.name} |" in page
        assert mutant.check.name.split("::")[-1].split("/")[-1] in page
