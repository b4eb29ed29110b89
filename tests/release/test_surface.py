"""No promised name disappears, and every new one is added to the promise on purpose."""

import re

import pytest
from cyclopts import App
from pydantic import BaseModel

from tests.release.surface import commands, lost, schema_places, settings_keys, stored, surface
from tools import ROOT

TODAY = surface()


@pytest.mark.parametrize("part", TODAY)
def test_nothing_that_is_promised_is_missing(part: str) -> None:
    missing = sorted(set(stored()[part]) - set(TODAY[part]))
    assert missing == [], "promised by docs/compatibility.md, and no longer there"


@pytest.mark.parametrize("part", TODAY)
def test_everything_new_is_in_the_snapshot(part: str) -> None:
    new = sorted(set(TODAY[part]) - set(stored()[part]))
    assert new == [], "new: run `python -m tests.release.surface` and commit surface.json"


def test_a_renamed_option_a_removed_key_and_a_changed_field_are_noticed() -> None:
    app = App(name="bluestone")

    @app.command
    def records(*, file: str) -> None: ...

    assert set(commands(app["records"], "bluestone records")) == {
        "bluestone records",
        "bluestone records --file",
    }

    class Inner(BaseModel):
        port: int = 1

    class Outer(BaseModel):
        inner: dict[str, Inner]

    assert set(settings_keys(Outer)) == {"inner", "inner.port"}
    assert "/$defs/Inner/optional/port" in set(schema_places(Outer.model_json_schema()))
    assert '/$defs/Inner/properties/port/type = "integer"' in set(
        schema_places(Outer.model_json_schema())
    )


def test_the_snapshot_is_not_written_without_a_promised_name() -> None:
    without = {**TODAY, "page": [name for name in TODAY["page"] if name != "/embed/position"]}
    assert "page: /embed/position" in lost(without)
    assert "metrics: bluestone_arena_turns_total counter" in lost({**TODAY, "metrics": []})


def test_the_page_has_every_exit_code() -> None:
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    table = page.partition("\n### Exit codes\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE)
    explained = {code for row in rows for code in row.split(", ")}
    assert explained == {"0", *(name.split()[0] for name in TODAY["exit codes"])}
