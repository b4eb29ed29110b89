"""Remove a capability from the page, as somebody would who does not want it."""

import shutil
from pathlib import Path

from tools.bundle import AREAS, areas_script


def remove_from_page(web: Path, area: str) -> None:
    """Delete a capability's scripts, style sheet and texts from the page in that folder.

    The bundle no longer matches then, so an arena serves the page from its sources, until
    `make bundle` is run.
    """
    shutil.rmtree(web / "js" / area)
    (web / "css" / f"{area}.css").unlink(missing_ok=True)
    for texts in (web / "messages").glob(f"*/{area}.json"):
        texts.unlink()
    (web / "js" / AREAS).write_text(areas_script(web), encoding="utf-8")
