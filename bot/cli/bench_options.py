"""What the commands of `bluestone bench` have in common."""

from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.output import error_console

Seconds = Annotated[float, Parameter(validator=validators.Number(gt=0, lte=3600))]
Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=10_000))]
Seed = Annotated[
    int, Parameter(help="other random numbers", validator=validators.Number(gte=0, lte=10**9))
]


def progress(text: str) -> None:
    error_console().print(text)
