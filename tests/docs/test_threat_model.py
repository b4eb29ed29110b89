"""The threat model names tests that exist, and commands keep to what it says of secrets."""

import re

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "threat-model.md").read_text()
NAMED = re.findall(r"^\| .* \| `(test_\w+)` \|$", PAGE, re.MULTILINE)
SECRET_OPTION = re.compile(
    r"^ +\w*(token|secret|password|key)(?!_id|_file)\w*: Annotated", re.MULTILINE
)


def test_each_attack_names_a_test_that_exists() -> None:
    sources = sorted((ROOT / "tests").rglob("test_*.py"))
    known = {name for file in sources for name in re.findall(r"def (test_\w+)\(", file.read_text())}
    assert [name for name in NAMED if name not in known] == []


def test_each_line_of_a_table_of_attacks_names_a_test() -> None:
    tables = PAGE.split("| attack | what stops it | test |\n| --- | --- | --- |\n")[1:]
    lines = [line for table in tables for line in table.partition("\n\n")[0].splitlines()]
    assert len(lines) == len(NAMED) > 90


def test_no_command_takes_a_secret_as_an_argument() -> None:
    commands = sorted((ROOT / "bot" / "cli").glob("*.py"))
    found = [each.name for each in commands if SECRET_OPTION.search(each.read_text())]
    assert found == []
