"""The notation of Abstract Play, as the door `bluestone.notations` gives it."""

from typing import Final

from bot.records.notations import Notation

AP: Final = Notation(
    writes="Abstract Play's records, one per line",
    write="bot.guests.abstract_play.game_record:write",
)
