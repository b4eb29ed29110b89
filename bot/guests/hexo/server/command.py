"""`bluestone serve-htttx`: answer HeXO sites and bridges that ask for turns."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.games import EngineName, EngineOptions, NoSandbox, chosen_engine

Seconds = Annotated[float, Parameter(validator=validators.Number(gte=0.1, lte=3600))]
Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=1000))]


def serve_htttx(
    *,
    host: Annotated[str, Parameter(help="the address to listen on")] = "127.0.0.1",
    port: Annotated[
        int, Parameter(validator=validators.Number(gte=0, lte=65_535), help="0 for any free port")
    ] = 8799,
    engine: EngineName = "search",
    option: EngineOptions = (),
    no_sandbox: NoSandbox = False,
    name: Annotated[str, Parameter(help="the name of the bot, as clients see it")] = "Bluestone",
    longest: Annotated[Seconds, Parameter(help="longest time for a turn, in seconds")] = 60,
    usual: Annotated[
        Seconds, Parameter(help="time for a turn if the client names none, in seconds")
    ] = 2,
    processes: Annotated[Count, Parameter(help="turns searched at the same time")] = 1,
    waiting: Annotated[Count, Parameter(help="more turns that wait; others get 503")] = 8,
    games: Annotated[Count, Parameter(help="WebSocket games open at the same time")] = 16,
    admitted: Annotated[
        Path | None,
        Parameter(
            name="--token-file", help="file of bearer tokens, one in each line; clients need one"
        ),
    ] = None,
    allow_origin: Annotated[
        tuple[str, ...],
        Parameter(negative="", help="web pages that may ask, such as https://site.example, or *"),
    ] = (),
    is_open: Annotated[
        bool,
        Parameter(
            name="--open", negative="", help="let other machines ask without a token as well"
        ),
    ] = False,
) -> int:
    """Serve an engine to HeXO sites and bridges, by the htttx bot API v1-alpha.

    Only programs on this machine can ask, unless --host and --token-file say otherwise.
    """
    from bot.engines.sandbox import protect
    from bot.guests.hexo.server.run import run_server
    from bot.guests.hexo.server.settings import HtttxSettings, check_exposure, read_tokens

    tokens = () if admitted is None else read_tokens(admitted)
    check_exposure(host, tokens, is_open=is_open)
    if admitted is not None:
        protect(admitted)
    settings = HtttxSettings(
        name=name,
        host=host,
        port=port,
        longest_s=longest,
        usual_s=usual,
        at_once=processes,
        waiting=waiting,
        games=games,
        origins=allow_origin,
        tokens=tokens,
    )
    return run_server(chosen_engine(engine, option, no_sandbox=no_sandbox), settings)
