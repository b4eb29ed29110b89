"""What is shared by all settings files; the rest is tested with the files themselves."""

import pytest
from pydantic import BaseModel

from bot.runtime.settings import changed_keys, did_you_mean, spell


class Inner(BaseModel):
    level: int = 1
    names: list[str] = []


class Outer(BaseModel):
    inner: Inner = Inner()
    many: list[Inner] = []
    by_name: dict[str, Inner] = {}
    flag: bool = False


@pytest.mark.parametrize(
    ("old", "new", "keys"),
    [
        (Outer(), Outer(), []),
        (Outer(), Outer(inner=Inner(level=2), flag=True), ["inner.level", "flag"]),
        (Outer(inner=Inner(names=["a"])), Outer(inner=Inner(names=["b"])), ["inner.names"]),
        (
            Outer(many=[Inner()]),
            Outer(many=[Inner(level=2), Inner()]),
            ["many[0].level", "many[1].level", "many[1].names"],
        ),
        (Outer(), Outer(by_name={"a b": Inner()}), ['by_name."a b".level', 'by_name."a b".names']),
    ],
)
def test_changed_keys(old: Outer, new: Outer, keys: list[str]) -> None:
    assert changed_keys(old, new) == keys


def test_places_are_written_as_in_the_file() -> None:
    assert spell(("platforms", 0, "policy")) == "platforms[0].policy: "
    assert spell(("engines", "a\nb")) == 'engines."a\\nb": '
    assert spell(()) == ""


def test_the_nearest_word_is_named() -> None:
    assert did_you_mean("polcy", ["policy", "draws"]) == "; did you mean 'policy'?"
    assert did_you_mean("xyz", ["policy", "draws"]) == ""
