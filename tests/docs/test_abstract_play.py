"""The page about bots on Abstract Play names every key, with the default that it has."""

import json
import re
import tomllib

from pydantic_core import PydanticUndefined

from bot.daemon.settings import IDENTITIES
from bot.platforms.settings import DEFAULT_TOKEN_VARIABLE
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "abstract-play.md").read_text(encoding="utf-8")
UNIT = (ROOT / "config" / "bluestone-abstract-play.service").read_text(encoding="utf-8")


def told() -> dict[str, str]:
    """The defaults as the table has them."""
    table = PAGE.partition("| key of `[[platforms]]` |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| `(\w+)` \| `?(.+?)`? \|", table, re.MULTILINE))


def default(key: str) -> str:
    """As a settings file would say it."""
    field = IDENTITIES["abstract_play"].model_fields[key]
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    assert value is not PydanticUndefined
    return "none" if value is None else json.dumps(value)


def test_every_key_is_on_the_page_with_its_default() -> None:
    known = {key: default(key) for key in IDENTITIES["abstract_play"].model_fields}
    assert told() == known | {"token_env": json.dumps(DEFAULT_TOKEN_VARIABLE)}


def test_the_secret_is_where_the_unit_puts_it() -> None:
    """`token_file` on the page, what the unit loads, and the name of the unit go together."""
    (example,) = re.findall(r"```toml\n(\[daemon\].*?)```", PAGE, re.DOTALL)
    settings = tomllib.loads(example)
    (credential,) = re.findall(r"^LoadCredential=([\w-]+):", UNIT, re.MULTILINE)
    (state,) = re.findall(r"^StateDirectory=(.+)$", UNIT, re.MULTILINE)
    unit = "bluestone-abstract-play.service"
    assert settings["platforms"][0]["token_file"] == f"/run/credentials/{unit}/{credential}"
    assert settings["daemon"]["data"] == f"/var/lib/{state}"
