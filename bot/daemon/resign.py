"""When the bot gives up a game, and when it agrees to a draw."""

from collections.abc import Sequence

from bot.daemon.settings import DrawSettings, ResignSettings


def should_resign(settings: ResignSettings, ply: int, values: Sequence[float | None]) -> bool:
    """`values`: the own chance to win at each own turn so far, the present one last.

    A turn without a value (a fallback's, a forced one) is no reason to give up.
    """
    if not settings.enabled or ply < settings.min_ply or len(values) < settings.turns:
        return False
    return all(v is not None and v < settings.below for v in values[-settings.turns :])


def accepts_draw(settings: DrawSettings, ply: int, values: Sequence[float | None]) -> bool:
    """Goes by the latest value; without one the game is played on."""
    value = values[-1] if values else None
    if not settings.accept or ply < settings.min_ply or value is None:
        return False
    return settings.lowest <= value <= settings.highest
