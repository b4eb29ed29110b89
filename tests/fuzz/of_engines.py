"""Lines from engines and to our engine."""

from collections.abc import Callable
from typing import Final

import engine
from bot.engines.protocol import OptionValues, kind_of, parse_bestmove, parse_info, parse_option
from bot.errors import EngineProtocolError
from engine.contract import Choice, Engine, Info, Limits, Signals
from engine.ugi.dialogue import HostDialogue
from tests.fuzz.target import Target, text_of

UGI_WORDS: Final = (
    *("ugi", "isready", "uginewgame", "quit", "stop", "ponderhit", "query result", "infinite"),
    *("setoption name Board value hexhex-4", "setoption name Game value blooms", "option name"),
    *("position startpos moves ", "go movetime 1", "go nodes 1", "ponder", "type spin min max"),
    *("bestmove 5-3", "info nodes 1 winrate 0.5 pv 5-3", "draw", "resign", "var", "default"),
)


def _engine_output(data: bytes) -> None:
    """Lines of an engine, as `LineChannel` passes them on."""
    values = OptionValues("fuzz")
    for raw in data.split(b"\n"):
        line = raw.decode(errors="replace").strip()
        if not line:
            continue
        kind_of(line)
        parse_bestmove(line)
        info = parse_info(line)
        assert info.winrate is None or 0 <= info.winrate <= 1
        option = parse_option(line)
        if option is not None:
            values.declare(option)
    for option in list(values.declared.values()):
        sent = values.lines({option.name: option.default or "1"})
        assert not any("\n" in line for line in sent)


class Fast(Engine):
    """An engine that plays the first legal turn."""

    name = "fuzz"
    author = "tests"

    def set_position(self, position: engine.Position) -> None:
        self._position = position

    def search(self, limits: Limits, on_info: Callable[[Info], None], signals: Signals) -> Choice:
        del limits, on_info, signals
        return Choice(next(self._position.legal_turns()), value=0.5, visits=1)


def _engine_input(data: bytes) -> None:
    """Lines of a host to our engine."""
    said: list[str] = []
    dialogue = HostDialogue(Fast(), said.append)
    try:
        for line in text_of(data).split("\n")[:40]:
            if not dialogue.handle(line):
                break
    finally:
        dialogue.close()
    assert not any("\n" in line or "\r" in line for line in said)


TARGETS: Final = (
    Target("engine-output", _engine_output, (EngineProtocolError,), UGI_WORDS),
    Target("engine-input", _engine_input, (), UGI_WORDS),
)
