"""`bluestone arena analyst`: whose evaluations the visitors of an arena see."""

import asyncio
from typing import Annotated, Final

from cyclopts import Parameter

from bot.arena.operator.command_line import Config, Data, place_of
from bot.runtime.doors import Command


def analyst(
    name: Annotated[str, Parameter(name="NAME", help="the bot's name, which has a token")],
    /,
    *,
    dismiss: Annotated[bool, Parameter(help="no longer admit it", negative=())] = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Let a bot's account analyse positions for visitors, as `bluestone analyst` does.

    Visitors trust its evaluations. The command works while the arena runs, as `token` does; a
    dismissal takes effect at the next start of the arena.
    """
    from bot.arena.analysis.analysis_store import admit

    asyncio.run(admit(place_of(data, config), name, dismiss=dismiss))
    print(f"{name} {'may no longer' if dismiss else 'may'} take analysis jobs")


ANALYST: Final = Command(f"{__name__}:analyst")
