"""Numbers that the arrays of a network have in common."""

from typing import Final

CHANNELS: Final = 16
PAIRS: Final = CHANNELS // 2
ROWS: Final = 8
"""The number of cells is rounded up to a multiple of this: the convolution handles several cells at
once, on each processor as many as it has registers for."""
