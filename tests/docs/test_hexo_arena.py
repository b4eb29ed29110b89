"""The page about bots on HeXO-Arena names every key, with the default that it has."""

import json
import re
import tomllib

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from bot.daemon.settings import IDENTITIES
from bot.guests.hexo_arena.settings import AcceptsTable, ChallengesTable
from bot.platforms.settings import DEFAULT_TOKEN_VARIABLE
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "hexo-arena.md").read_text(encoding="utf-8")
UNIT = (ROOT / "config" / "bluestone-hexo-arena.service").read_text(encoding="utf-8")
SPECIAL = {"token_env": json.dumps(DEFAULT_TOKEN_VARIABLE), "accepts": "see below"}


def told(heading: str) -> dict[str, str]:
    """The defaults as the table below that heading has them."""
    table = PAGE.partition(f"| key of `{heading}` |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| `(\w+)` \| `?(.+?)`? \|", table, re.MULTILINE))


def default(model: type[BaseModel], key: str) -> str:
    """As a settings file would say it."""
    field = model.model_fields[key]
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    assert value is not PydanticUndefined
    return "none" if value is None else json.dumps(value, default=str)


@pytest.mark.parametrize(
    ("heading", "model"),
    [
        ("[[platforms]]", IDENTITIES["hexo_arena"]),
        ("accepts", AcceptsTable),
        ("[platforms.challenges]", ChallengesTable),
    ],
)
def test_every_key_is_on_the_page_with_its_default(heading: str, model: type[BaseModel]) -> None:
    known = {
        key: default(model, key)
        for key in model.model_fields
        if model is not IDENTITIES["hexo_arena"] or key not in SPECIAL
    }
    special = SPECIAL if model is IDENTITIES["hexo_arena"] else {}
    assert told(heading) == known | special


def test_the_token_is_where_the_unit_puts_it() -> None:
    """`token_file` on the page, what the unit loads, and the name of the unit go together."""
    (example,) = re.findall(r"```toml\n(\[daemon\].*?)```", PAGE, re.DOTALL)
    settings = tomllib.loads(example)
    (credential,) = re.findall(r"^LoadCredential=([\w-]+):", UNIT, re.MULTILINE)
    (state,) = re.findall(r"^StateDirectory=(.+)$", UNIT, re.MULTILINE)
    unit = "bluestone-hexo-arena.service"
    assert settings["platforms"][0]["token_file"] == f"/run/credentials/{unit}/{credential}"
    assert settings["daemon"]["data"] == f"/var/lib/{state}"


def test_the_unit_lets_running_games_end() -> None:
    example = tomllib.loads((ROOT / "config" / "hexo-arena.toml").read_text(encoding="utf-8"))
    (stop_s,) = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)
    assert int(stop_s) > example["daemon"]["drain_s"]
