"""Options of `bluestone match` that are keys of a tournament file: `[sprt]` and `[conduct]`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter

from bot.errors import ConfigurationError


@dataclass(frozen=True)
class Test:
    """How --sprt tests."""

    alpha: Annotated[float | None, Parameter(help="share of wrong H1 with --sprt (0.05)")] = None
    beta: Annotated[float | None, Parameter(help="share of wrong H0 with --sprt (0.05)")] = None
    elo_model: Annotated[
        Literal["logistic", "normalised", "normalized"] | None,
        Parameter(help="the unit of ELO0 and ELO1 in --sprt"),
    ] = None

    def table(self, sprt: str | None) -> dict[str, object] | None:
        """The table `[sprt]`; None without a test. Raises ConfigurationError."""
        if self.elo_model is None:
            model = None
        else:
            model = "logistic" if self.elo_model == "logistic" else "normalised"
        given = {"alpha": self.alpha, "beta": self.beta, "model": model}
        asked = {key: value for key, value in given.items() if value is not None}
        if sprt is None:
            if asked:
                raise ConfigurationError("--alpha, --beta and --elo-model: work only with --sprt")
            return None
        low, _, high = sprt.partition(",")
        try:
            return {"elo0": float(low), "elo1": float(high), **asked}
        except ValueError as error:
            raise ConfigurationError(f"--sprt {sprt!r}: write it as ELO0,ELO1") from error


@dataclass(frozen=True)
class Adjudicating:
    """How the host ends games."""

    margin: Annotated[
        str | None, Parameter(help="how late a turn may come, such as 50ms (100ms)")
    ] = None
    resign: Annotated[
        str | None,
        Parameter(help="CHANCE,TURNS: lost after that many evaluations of at most CHANCE"),
    ] = None
    draw: Annotated[
        str | None,
        Parameter(help="MARGIN,TURNS: drawn after that many within MARGIN of one half"),
    ] = None
    most_turns: Annotated[int | None, Parameter(help="a game is a draw after this many turns")] = (
        None
    )
    restart: Annotated[
        bool, Parameter(negative="", help="start new engine processes for each game")
    ] = False

    def table(self) -> dict[str, object]:
        """The table `[conduct]`. Raises ConfigurationError."""
        table: dict[str, object] = {}
        if self.margin is not None:
            number = self.margin.removesuffix("ms")
            if not (number.isascii() and number.isdecimal() and number != self.margin):
                raise ConfigurationError(f"--margin {self.margin!r}: write it as 50ms")
            table["margin_ms"] = int(number)
        if self.resign is not None:
            chance, turns = _two("--resign", self.resign, "CHANCE,TURNS such as 0.02,4")
            table["resign"] = {"below": chance, "turns": turns}
        if self.draw is not None:
            margin, turns = _two("--draw", self.draw, "MARGIN,TURNS such as 0.02,8")
            table["agree"] = {"margin": margin, "turns": turns}
        if self.most_turns is not None:
            table["most_turns"] = self.most_turns
        if self.restart:
            table["restart"] = True
        return table


def _two(option: str, text: str, form: str) -> tuple[float, int]:
    number, _, turns = text.partition(",")
    try:
        return float(number), int(turns)
    except ValueError as error:
        raise ConfigurationError(f"{option} {text!r}: write it as {form}") from error
