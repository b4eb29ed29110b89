"""Steps about the greeting, lines that need no search, and the end of the process."""

import re
from typing import Final

from bot.engines.check.step import Failed, Skipped, Step, Talk, Warned
from bot.engines.protocol import OptionLine, parse_option
from bot.runtime.names import cleaned

USUAL_OPTIONS: Final = ("Game", "Board", "Rules")
KINDS: Final = ("spin", "combo", "check", "string")
IDLE_S: Final = 0.3


async def says_hello(talk: Talk) -> str:
    await talk.greet()
    return f"{len(talk.options)} options"


async def says_who_it_is(talk: Talk) -> str:
    said = dict.fromkeys(("name", "author"), "")
    for line in talk.hello:
        if match := re.match(r"id (name|author) (.*)", line):
            said[match[1]] = said[match[1]] or cleaned(match[2])
    for word, text in said.items():
        if not text:
            raise Failed(f"no `id {word}`")
    return said["name"]


async def describes_its_options(talk: Talk) -> None:
    names = set()
    without_default = []
    for line in talk.hello:
        if line.split()[0] != "option":
            continue
        option = parse_option(line)
        if option is None:
            raise Failed(f"no name in {line[:80]!r}")
        if option.name.lower() in names:
            raise Failed(f"{option.name} twice")
        names.add(option.name.lower())
        _check_option(option)
        if option.default is None:
            without_default.append(option.name)
    if without_default:
        raise Warned(f"no default for {', '.join(without_default)}")


def _check_option(option: OptionLine) -> None:
    if option.kind not in KINDS:
        raise Failed(f"{option.name} has an unknown type: {option.kind!r}")
    if option.kind == "combo" and not option.choices:
        raise Failed(f"{option.name} offers no choices")
    if option.kind == "spin" and (option.low is None or option.high is None):
        raise Failed(f"{option.name} has no bounds")
    if option.default is not None and not option.takes(option.default):
        raise Failed(f"{option.name} does not accept its own default {option.default!r}")


async def has_the_usual_options(talk: Talk) -> None:
    lacking = [name for name in USUAL_OPTIONS if name.lower() not in talk.options]
    if lacking:
        raise Warned(f"no option {', '.join(lacking)}: it plays only its default")


async def says_nothing_else(talk: Talk) -> None:
    known = ("id", "option", "ugiok", "info")
    for line in talk.hello:
        if line.split()[0] not in known:
            raise Warned(f"its greeting has {line[:80]!r}")


async def becomes_ready(talk: Talk) -> str:
    began = talk.now()
    await talk.ready()
    return f"{talk.now() - began:.1f} s"


async def says_hello_again(talk: Talk) -> None:
    talk.say("ugi")
    await talk.until("ugiok")
    await talk.ready()


async def ignores_an_unknown_command(talk: Talk) -> None:
    await _check_ignores(talk, "xyzzy 1 2 3", "bestmove 0-0", "readyok")


async def ignores_blank_lines(talk: Talk) -> None:
    await _check_ignores(talk, "", "   ", "\t")


async def reads_other_line_ends(talk: Talk) -> None:
    talk.say("isready\r")
    _check_only_ready(await talk.until("readyok"))


async def reads_more_blanks(talk: Talk) -> None:
    talk.say("  isready  ")
    _check_only_ready(await talk.until("readyok"))


async def survives_a_long_line(talk: Talk) -> None:
    talk.sent.append("x" * 20 + "... (50,000 letters)")
    talk.say_unseen("x" * 50_000)
    _check_only_ready(await talk.ready())


async def ignores_an_unknown_option(talk: Talk) -> None:
    await _check_ignores(talk, "setoption name No Such Option value 1", "setoption")


async def ignores_an_impossible_value(talk: Talk) -> None:
    spins = [each for each in talk.options.values() if each.kind == "spin"]
    if not spins:
        raise Skipped("it has no option with bounds")
    name = spins[0].name
    await _check_ignores(talk, *(f"setoption name {name} value {each}" for each in ("x", "9" * 16)))


async def ignores_stop_when_idle(talk: Talk) -> None:
    await _check_ignores(talk, "stop", "ponderhit")


async def is_silent_when_idle(talk: Talk) -> None:
    await talk.ready()
    if said := await talk.for_a_while(IDLE_S):
        raise Failed(f"sends {said[0][:80]!r} without a question")


async def _check_ignores(talk: Talk, *lines: str) -> None:
    """Send each line by itself, so that a failure is that of the last line sent."""
    for line in lines:
        _check_only_ready(await talk.ready(line))


def _check_only_ready(lines: list[str]) -> None:
    """Accept `info`, which may say what is wrong with a line.

    Anything else would count as an answer.
    """
    for line in lines[:-1]:
        word = line.split()[0]
        if word == "error":
            raise Warned(f"sends {line[:80]!r}: `error` is only for positions")
        if word != "info":
            raise Failed(f"says {line[:80]!r}")


MANNERS: Final = (
    Step("hello", "`ugiok`", says_hello, essential=True),
    Step("who it is", "`id name` and `id author`", says_who_it_is),
    Step("options", "each with a name, a known type, bounds, and a default that it accepts",
         describes_its_options),
    Step("usual options", "Game, Board and Rules", has_the_usual_options),
    Step("nothing else in the hello", "only `id`, `option`, `info` and `ugiok`", says_nothing_else),
    Step("ready", "`readyok`", becomes_ready, essential=True),
    Step("hello again", "`ugiok`, then `readyok`", says_hello_again),
    Step("unknown command", "at most `info string`", ignores_an_unknown_command),
    Step("blank lines", "nothing", ignores_blank_lines),
    Step("CR LF", "`readyok`", reads_other_line_ends),
    Step("blanks around a command", "`readyok`", reads_more_blanks),
    Step("very long line", "at most `info string`", survives_a_long_line),
    Step("unknown option", "at most `info string`", ignores_an_unknown_option),
    Step("impossible value", "at most `info string`", ignores_an_impossible_value),
    Step("stop when idle", "at most `info string`", ignores_stop_when_idle),
    Step("silence when idle", "nothing", is_silent_when_idle),
)  # fmt: skip


async def ends_at_quit(talk: Talk) -> None:
    await talk.greet()
    await talk.ready()
    talk.say("quit")
    await talk.ended()


async def ends_at_quit_while_it_searches(talk: Talk) -> None:
    await talk.greet()
    await talk.ready()
    talk.say("position startpos", "go infinite", "quit")
    await talk.ended()


async def ends_with_its_input(talk: Talk) -> None:
    await talk.greet()
    await talk.ready()
    talk.end_input()
    await talk.ended()


ENDINGS: Final = (
    Step("quit", "it ends within 1 s", ends_at_quit, fresh=True),
    Step(
        "quit while it searches", "it ends within 1 s", ends_at_quit_while_it_searches, fresh=True
    ),
    Step("end of input", "it ends within 1 s", ends_with_its_input, fresh=True),
)
