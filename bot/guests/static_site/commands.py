"""The command of static sites, as the door `bluestone.commands` gives it."""

from typing import Final

from bot.runtime.doors import Command

STATIC: Final = Command(
    "bot.guests.static_site.static:static",
    "Write a folder with games, lessons and puzzles for any web server.",
)
