"""Which games of the platform we play, and how it names them and their boards: the one table."""

from collections.abc import Sequence
from typing import Final

from bot.platforms.settings import Offered

RULES: Final = "abstractplay"
"""The rule set of every game there."""

_BOARDS: Final = {
    ("bluestone", ()): "pent-6",
    ("bluestone", ("size-8",)): "pent-8",
    ("blooms", ("size-4",)): "hexhex-4",
    ("blooms", ("size-5",)): "hexhex-5",
    ("blooms", ()): "hexhex-6",
    ("blooms", ("size-8",)): "hexhex-8",
    ("blooms", ("size-10",)): "hexhex-10",
}
"""By `metaGame` and `variants`; it calls both games by our own names."""

META_GAMES: Final = ("bluestone", "blooms")
"""Every `metaGame` that has to be asked for."""

OFFERED: Final = Offered(
    boards=tuple((meta, board) for (meta, _), board in _BOARDS.items()),
    rules=RULES,
    clock="correspondence",
    least_base_s=3600,
    is_rated_told=False,
)
"""Its clocks are told in hours."""


def setup_of(meta: str, variants: Sequence[str]) -> tuple[str, str] | None:
    """The game and its board, by our names; None for what we do not play."""
    board = _BOARDS.get((meta, tuple(variants)))
    return None if board is None else (meta, board)
