"""The notations of HeXO, as the door `bluestone.notations` gives them."""

from typing import Final

from bot.records.notations import Notation

HTTTX1: Final = Notation(
    writes="HeXO's notation htttx 1", write="bot.guests.hexo.conversions:write_htttx1"
)
HTTTX2: Final = Notation(
    writes="HeXO's notation htttx 2", write="bot.guests.hexo.conversions:write_htttx2"
)
HTTTX2_SETUP: Final = Notation(
    writes="the last position as a setup of htttx 2",
    write="bot.guests.hexo.conversions:write_setup",
    is_position=True,
)
HTTTX: Final = Notation(
    reads="HeXO's notation htttx 1 or 2",
    read="bot.guests.hexo.conversions:read_htttx",
    is_usual=True,
)
BKE: Final = Notation(
    reads="an opening of HeXO in BKE",
    read="bot.guests.hexo.conversions:read_opening",
    options="bot.guests.hexo.conversions:BkeOptions",
)
