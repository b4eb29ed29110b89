"""The command of Abstract Play, as the door `bluestone.commands` gives it."""

from typing import Final

from bot.runtime.doors import Command

REHEARSE: Final = Command(
    "bot.guests.abstract_play.rehearsal.command:rehearse",
    "Play the bot against a local stand-in for Abstract Play.",
)
