"""How turns are written, in every game alike."""

from typing import Final

PASS_TEXT: Final = "pass"  # noqa: S105
"""How a pass is written, in every game that has one."""
