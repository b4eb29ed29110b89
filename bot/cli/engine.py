"""`bluestone engine`: speak the engine protocol on stdin and stdout."""

from typing import Annotated, Literal

from cyclopts import Parameter


def run_engine(
    *,
    engine: Annotated[str, Parameter(help="the engine: an entry point of bluestone.engines")] = (
        "search"
    ),
    protocol: Annotated[
        Literal["ugi", "six"], Parameter(help="ugi, or six, a protocol of HeXO engines")
    ] = "ugi",
) -> int:
    """Speak the engine protocol on stdin and stdout until `quit` or the end of the input."""
    from engine.ugi import __main__ as ugi

    return ugi.main(["--engine", engine, "--protocol", protocol])
