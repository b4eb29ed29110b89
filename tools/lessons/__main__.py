"""`python -m tools.lessons` writes the lessons that the page shows."""

import sys

from bot.arena.web.page_bundle import FOLDER
from tools.lessons import making, source


def main() -> None:
    """Write all lessons, or those of the games that are named."""
    for game in sys.argv[1:] or source.GAMES:
        made = making.lesson(source.read(game))
        file = FOLDER / "lessons" / f"{game}.json"
        file.write_text(making.text_of(made), encoding="utf-8")
        print(f"{file}: {len(made['steps'])} steps, {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
