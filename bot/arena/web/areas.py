"""The capabilities of the page: each is a folder of `js/` with a declaration, `area.json`."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

DECLARATION: Final = "area.json"


class MenuEntry(BaseModel):
    """An entry of the site's menu; the lowest place comes first."""

    model_config = ConfigDict(extra="forbid", strict=True)

    place: int
    address: str


class Area(BaseModel):
    """What the server must know of a capability of the page.

    `addresses` has the names of its pages by their addresses; `{id}`, `{name}` and `{word}` stand
    for a part of the address. Without `needs_server` the browser has all that the pages need.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    addresses: dict[str, str] = {}
    menu: MenuEntry | None = None
    needs_server: bool = True
    name: str = ""

    @property
    def style(self) -> str:
        """The path of its style sheet, which it may not have."""
        return f"css/{self.name}.css"


def areas_of(folder: Path) -> list[Area]:
    """The capabilities of the page in that folder, by name."""
    return [
        Area.model_validate_json(file.read_bytes()).model_copy(update={"name": file.parent.name})
        for file in sorted(folder.glob(f"js/*/{DECLARATION}"))
    ]
