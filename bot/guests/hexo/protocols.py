"""The protocols of HeXO engines, as the door `bluestone.dialogues` gives them."""

from typing import Final

from bot.engines.dialogues import EngineProtocol

SIX: Final = EngineProtocol(
    usage="six:COMMAND",
    only_game="hexo",
    has_address=False,
    opened="bot.engines.six:opened",
    checked="bot.engines.check.six:checked",
    engine_side="engine.ugi.six:SixDialogue",
)
HTTTX: Final = EngineProtocol(
    usage="htttx:URL",
    only_game="hexo",
    has_address=True,
    opened="bot.engines.htttx:opened",
    checked="bot.engines.check.htttx:checked",
)
