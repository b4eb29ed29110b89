"""Conditional turns as a capability of the arena."""

from typing import Final

import engine
from bot import wire
from bot.arena.answers import Answer
from bot.arena.capability import Capability, Core, Part
from bot.arena.http.costs import QUESTION, Cost
from bot.arena.plans.plan_store import PlanStore
from bot.arena.plans.plans import Plans
from bot.arena.request_table import Caller, Request, of_player


def open_plans(core: Core) -> Part:
    """Let players of games by correspondence plan turns."""
    plans = Plans(PlanStore(core.database), core.games, core.workers, core.clock)

    async def own_plan(caller: Caller, message: wire.AskPlan) -> Answer:
        return await plans.of_player(caller.player, message.game_id)

    return Part(
        requests=[
            Request("game.plan", of_player(plans.plan), PLAN, place="owner", may_repeat=True),
            Request("game.plans", own_plan, QUESTION, place="owner", may_repeat=True),
        ],
        close=plans.close,
    )


def _weight(message: wire.PlanTurns, board: engine.Board) -> int:
    """Each line is replayed, which takes longer on a board without an edge."""
    lines = len(message.lines)
    return 1 + (lines if board.is_bounded else 6 * lines)


PLAN: Final = Cost(1, of_game=_weight)
PLANS: Final = Capability("plans", open_plans)
