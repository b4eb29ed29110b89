"""Measurements as commands: `bluestone bench` and `make lab` declare each one in the same way.

A measurement is a function. Its name is the command's name, its parameters are the plan, and its
docstring is the help. It returns a `MeasurementReport`: text for people, a document for programs,
and whether the measurement passed. `measurement` turns the function into a command and adds
`--json`.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, ParamSpec, Protocol

from cyclopts import Parameter, validators

from bot.runtime.output import Json, error_console, output_file, print_json, print_table

Seconds = Annotated[float, Parameter(validator=validators.Number(gt=0, lte=3600))]
Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=10_000))]
Seed = Annotated[
    int, Parameter(help="seed of the random numbers", validator=validators.Number(gte=0, lte=10**9))
]
Plot = Annotated[Path | None, Parameter(help="also draw the figures into this SVG file")]

MeasureParams = ParamSpec("MeasureParams")


@dataclass(frozen=True)
class FigureTable:
    """Rows under a head; all columns but the first are aligned to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Chart:
    """An SVG picture for `--plot`; `draw` makes it when the report is shown."""

    file: Path | None
    draw: Callable[[], str]


@dataclass(frozen=True)
class MeasurementReport:
    """The findings of a measurement.

    `text` is printed for people, `document` as JSON with `--json`. The exit code is 1 unless the
    measurement `passed`.
    """

    text: Sequence[str | FigureTable]
    document: object
    passed: bool = True
    chart: Chart | None = None


class MeasuredVerdict(Protocol):
    """Figures with bounds: a dataclass whose `fine` is true if no bound is broken."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def fine(self) -> bool: ...


def verdict_report(
    verdict: MeasuredVerdict, text: Sequence[str | FigureTable]
) -> MeasurementReport:
    """Return the report of a measurement with bounds. Its document adds `fine` to the figures."""
    return MeasurementReport(text, {**asdict(verdict), "fine": verdict.fine}, verdict.fine)


def bounds_table(rows: Iterable[tuple[str, object, object]]) -> FigureTable:
    """Return a table of names, measured figures and bounds."""
    return FigureTable(
        ("", "found", "bound"), [(name, f"{is_}", f"{may}") for name, is_, may in rows]
    )


def measurement(measure: Callable[MeasureParams, MeasurementReport]) -> Callable[..., int]:
    """Make a command from a measurement: its plan as options, and `--json`. It returns the exit
    code.
    """

    @functools.wraps(measure)
    def command(*arguments: MeasureParams.args, **options: MeasureParams.kwargs) -> int:
        as_json = bool(options.pop("as_json", False))
        return print_report(measure(*arguments, **options), as_json=as_json)

    plan = inspect.signature(measure, eval_str=True)
    json = inspect.Parameter("as_json", _KEYWORD, default=False, annotation=Json)
    parameters = [*plan.parameters.values(), json]
    # Cyclopts reads a signature, with its annotations, to make the options.
    signature = plan.replace(parameters=parameters, return_annotation=int)
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": int}
    return command


_KEYWORD: Final = inspect.Parameter.KEYWORD_ONLY


def print_report(report: MeasurementReport, *, as_json: bool) -> int:
    """Print a report and draw its chart. Returns the exit code: 1 if it did not pass.

    Raises HostError if the chart cannot be written, after the figures are printed.
    """
    if as_json:
        print_json(report.document)
    else:
        for part in report.text:
            print_table(part.head, part.rows) if isinstance(part, FigureTable) else print(part)
    if report.chart is not None and report.chart.file is not None:
        with output_file(report.chart.file) as target:
            target.write(report.chart.draw())
    return int(not report.passed)


def progress(text: str) -> None:
    """Print a line of progress on stderr."""
    error_console().print(text)


def counted(counts: Mapping[str, int]) -> str:
    """Return counts by name in one line, such as `3 rate_limited, 1 too_many`."""
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def figure(number: float | None) -> str:
    """Format a number, or return `-` if the system does not provide it."""
    return "-" if number is None else f"{number:g}"


def share(part: float | None) -> str:
    """Format a fraction of 1 in per cent, or return `-` if the system does not provide it."""
    return "-" if part is None else f"{part:.0%}"
