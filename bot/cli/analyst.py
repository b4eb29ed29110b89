"""`bluestone analyst`: evaluate positions for the visitors of an arena."""

import asyncio
import os
import random
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.games import EngineName, EngineOptions, chosen_engine
from bot.errors import ConfigurationError

TOKEN_VARIABLE = "BLUESTONE_ANALYST_TOKEN"  # noqa: S105 - a name


def run_analyst(
    *,
    url: Annotated[str, Parameter(help="address of the arena, such as https://play.example.org")],
    token_file: Annotated[
        Path | None,
        Parameter(help=f"file with the account's token; default: the variable {TOKEN_VARIABLE}"),
    ] = None,
    engine: EngineName = "search",
    option: EngineOptions = (),
    title: Annotated[str | None, Parameter(help="the engine's name for visitors")] = None,
    nice: Annotated[
        int,
        Parameter(
            help="how far the engine steps back for other programs of this machine",
            validator=validators.Number(gte=0, lte=19),
        ),
    ] = 10,
) -> int:
    """Take analysis jobs of an arena until interrupted, one at a time.

    The account needs a token (`bluestone arena token NAME`), and the operator's admission
    (`bluestone arena analyst NAME`). Start it several times, also on other machines, to serve more
    visitors. It plays no games.
    """
    from pydantic import SecretStr

    from bot.analyst.searcher import AnalystSearcher
    from bot.analyst.worker import AnalystWorker
    from bot.platforms.arena.link import ArenaOptions
    from bot.runtime.logs import configure_logging
    from bot.runtime.signals import handled
    from bot.time_source import SystemTime

    token = _token(token_file)
    os.environ.pop(TOKEN_VARIABLE, None)  # the engine must not inherit it
    configure_logging(secrets=[token])
    spec = chosen_engine(engine, option)
    box = spec.sandbox.model_copy(update={"nice": nice})
    spec = spec.model_copy(update={"sandbox": box})  # the engine steps back, the worker answers
    name = title or ("Bluestone" if spec.is_builtin and engine == "search" else spec.name)

    async def until_signalled() -> int:
        time = SystemTime()
        options = ArenaOptions(url=url, token=SecretStr(token), engine=name[:60])
        worker = AnalystWorker(options, AnalystSearcher(spec, time), time, random.Random())
        running = asyncio.ensure_future(worker.run())
        stopped = False

        def on_end() -> None:
            nonlocal stopped
            stopped = True
            running.cancel()

        with handled(on_end):
            try:
                await running
            except asyncio.CancelledError:
                if not stopped:
                    raise
        return 0

    return asyncio.run(until_signalled())


def _token(file: Path | None) -> str:
    """Raises ConfigurationError without a token."""
    if file is None:
        if not (token := os.environ.get(TOKEN_VARIABLE, "").strip()):
            raise ConfigurationError(f"give --token-file, or set {TOKEN_VARIABLE}")
        return token
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--token-file {file}: {error}") from error
