"""Analysis as a capability of the arena."""

from typing import Final

from bot import wire
from bot.arena.analysis.analysis_service import AnalysisService
from bot.arena.analysis.analysis_store import AnalysisStore
from bot.arena.capability import Capability, Core, Part
from bot.arena.http.costs import ORDER, Cost
from bot.arena.metrics import PREFIX
from bot.arena.request_table import Request
from bot.runtime.metrics import Reading


def open_analysis(core: Core) -> Part:
    """Let visitors ask for analyses, and analysts make them."""
    analysis = AnalysisService(
        AnalysisStore(core.database, core.time),
        core.all_games,
        core.finished,
        core.preparation,
        core.announcer,
        core.workers,
        core.time,
    )
    core.lobby.is_hidden = analysis.is_worker

    def subscribe() -> None:
        core.presence.on_left.append(analysis.player_left)
        core.presence.on_renamed.append(analysis.player_renamed)

    figures = Reading(
        f"{PREFIX}analysis",
        "Analysis: connected workers, waiting visitors and games, running searches.",
        lambda: analysis.figures,
        ("of",),
    )
    return Part(
        requests=_requests(analysis),
        readings=[figures],
        subscribe=subscribe,
        close_hall=analysis.close,
    )


def _requests(analysis: AnalysisService) -> list[Request]:
    replayed, legal = Cost(_replayed, is_question=True), Cost(_legal, is_question=True)
    return [
        Request("analysis.position", analysis.show_position, replayed, place="anywhere"),
        Request("analysis.legal", analysis.show_legal, legal, place="anywhere"),
        Request("analysis.start", analysis.start_analysis, Cost(_analysed), may_repeat=True),
        Request("analysis.cancel", analysis.cancel_analysis, ORDER),
        Request("analysis.game", analysis.analyse_game, Cost(2), may_repeat=True),
        Request("analysis.take", analysis.take_job, ORDER),
        Request("analysis.report", analysis.report_job, ORDER),
    ]


def _replayed(message: wire.AskAnyPosition) -> int:
    return 1 + len(message.turns) // 50


def _analysed(message: wire.StartAnalysis) -> int:
    return 4 + len(message.turns) // 50


def _legal(message: wire.AskAnyLegal) -> int:
    return 4 + len(message.turns) // 25


ANALYSIS: Final = Capability("analysis", open_analysis)
