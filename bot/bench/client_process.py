"""`python -m bot.bench.client_process`: the clients of a load test, in a process of their own.

Input and output are lines of JSON. The first line of input is a `Plan`, each one after it is a
request; each is answered by one line. Lines with `notice` come in between: `connected` counts
guests, `game_id` names the game that has begun at the first table; entrants have more of them. The
end of the input ends it.
"""

import asyncio
import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import orjson
import uvloop

from bot.bench.abusers import Dripping, Getting, OneKey, Silent, WrongTokens
from bot.bench.bounded import a_few_at_once
from bot.bench.entrants import Entrants
from bot.bench.frames import Json
from bot.bench.guests import Guest
from bot.bench.honest import Honest
from bot.bench.roles import Audience, Notify, Plan, Players, Role, RoleName
from bot.bench.sources import Sources, open_sources
from bot.errors import BluestoneError, PeerError

LONGEST_LINE: Final = 1 << 26
PROGRESS_STEP: Final = 100
ROLES: Final[Mapping[RoleName, Callable[[Plan, Sources, Notify], Role]]] = {
    "players": Players,
    "spectators": Audience,
    "entrants": Entrants,
    "honest": Honest,
    "one_key": OneKey,
    "silent": Silent,
    "dripping": Dripping,
    "wrong_tokens": WrongTokens,
    "getting": Getting,
}


async def _serve() -> None:
    lines = await _lines()
    plan = Plan.model_validate_json(await lines.readline())
    async with open_sources() as sources:
        role = ROLES[plan.role](plan, sources, lambda notice: _say({"notice": notice}))
        try:
            await _connect(role.guests, plan)
            while line := await lines.readline():
                _say({"answer": await role.answer(orjson.loads(line))})
        finally:
            await asyncio.gather(*(guest.leave() for guest in role.guests))


async def _connect(guests: Sequence[Guest], plan: Plan) -> None:
    def on_progress(count: int) -> None:
        if count % PROGRESS_STEP == 0:
            _say({"notice": {"connected": count}})

    await a_few_at_once(guests, lambda guest: guest.enter(plan.address), on_progress, plan.at_once)
    gc.collect()
    gc.freeze()  # the collector would go through thousands of connections again and again
    _say({"answer": len(guests)})


async def _lines() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def _say(line: Json) -> None:
    options = orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    sys.stdout.buffer.write(orjson.dumps(line, option=options))
    sys.stdout.buffer.flush()


def main() -> int:
    """Its exit code; a failure that is no bug is told in a line."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve())
    except BluestoneError as error:
        code = error.code if isinstance(error, PeerError) else None
        message = error.message if isinstance(error, PeerError) else str(error)
        _say({"failed": {"code": code, "message": message}})
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
