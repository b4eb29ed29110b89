"""The protocols of HeXO engines, as the door `bluestone.dialogues` gives them."""

from typing import Final

from bot.engines.dialogues import EngineProtocol

SIX: Final = EngineProtocol(
    usage="six:COMMAND",
    only_game="hexo",
    has_address=False,
    opened="bot.guests.hexo.six_dialogue:opened",
    checked="bot.guests.hexo.six_check:checked",
    engine_side="bot.guests.hexo.six_engine:SixDialogue",
)
HTTTX: Final = EngineProtocol(
    usage="htttx:URL",
    only_game="hexo",
    has_address=True,
    opened="bot.guests.hexo.htttx_dialogue:opened",
    checked="bot.guests.hexo.htttx_check:checked",
)
