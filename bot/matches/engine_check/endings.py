"""Steps about how an engine ends; each has one of its own."""

from typing import Final

from bot.matches.engine_check.step import Step
from bot.matches.engine_check.talk import Talk


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
