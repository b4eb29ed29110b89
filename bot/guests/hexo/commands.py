"""The command of the protocols of HeXO, as the door `bluestone.commands` gives it."""

from typing import Final

from bot.runtime.doors import Command

SERVE_HTTTX: Final = Command(
    "bot.guests.hexo.server.command:serve_htttx",
    "Answer HeXO sites and bridges that ask for turns, by the htttx bot API.",
)
