"""The command of HeXO-Arena, as the door `bluestone.commands` gives it."""

from typing import Final

from bot.runtime.doors import Command

REHEARSE: Final = Command(
    "bot.guests.hexo_arena.rehearsal.command:rehearse",
    "Play the bot against a local stand-in for HeXO-Arena.",
)
