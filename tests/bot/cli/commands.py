"""Running commands in this process, as a shell would."""

from dataclasses import dataclass

import pytest

from bot.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


class Bluestone:
    """Call it with a command's words."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> Outcome:
        code = main([str(word) for word in words])
        captured = self._capsys.readouterr()
        return Outcome(code, captured.out, captured.err)
