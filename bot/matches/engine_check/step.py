"""What the script is made of."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.matches.engine_check.talk import Talk


@dataclass(frozen=True)
class Step:
    """`run` returns what is worth telling of a pass, and raises NotPassed or EngineFailure.

    With `fresh` the engine has been started for this step, and nothing was said to it. Without what
    is `essential` no other step makes sense.
    """

    name: str
    expected: str
    run: Callable[[Talk], Awaitable[str | None]]
    fresh: bool = False
    essential: bool = False
