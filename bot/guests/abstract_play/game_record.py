"""Export to Abstract Play's public game record, version 1-0-0.

The platform rates games from such records. One round is one array with a turn, or null, for each
seat; the winner's result is 1, the loser's 0, and both have 1 in a draw.
Source: https://www.abstractplay.com/schemas/gamerecord/1-0-0.json
"""

from datetime import UTC, datetime
from typing import Final

import orjson
from pydantic import JsonValue

from bot.records.model import GameRecord, RecordedPlayer, known_game
from bot.records.notations import NotWritten

_STANDARD_BOARDS: Final = {"bluestone": "pent-6", "blooms": "hexhex-6"}
_VARIANT_KINDS: Final = {"bluestone": "pent-", "blooms": "hexhex-"}


def write(record: GameRecord, now: datetime, ply: int | None) -> str:
    """Return the record as a line of JSON. Raises NotWritten."""
    del ply
    if (reason := why_not_exported(record)) is not None:
        raise NotWritten(reason)
    return orjson.dumps(abstract_play_record(record, now)).decode() + "\n"


def why_not_exported(record: GameRecord) -> str | None:
    """Return why the schema cannot hold this game, or None if it can."""
    if record.result is None:
        return "it is not finished"
    if record.result.winner is None and not record.result.is_draw:
        return f"it has no result ({record.result.reason.replace('_', ' ')}) and does not count"
    return None


def abstract_play_record(record: GameRecord, generated: datetime) -> dict[str, JsonValue]:
    """Return the game in the schema's form. `generated` is the time of the export.

    Additional properties hold what the schema has no name for: rules, board and reason.
    """
    assert record.result is not None
    known = known_game(record.game)
    header: dict[str, JsonValue] = {
        "game": {
            "name": record.game if known is None else known.title,
            "variants": [*_variants(record)],
        },
        "site": {"name": record.platform, "gameid": record.id},
        "date-start": _timestamp(record.started_at),
        "date-end": _timestamp(record.ended_at or record.started_at),
        "date-generated": _timestamp(generated),
        "unrated": not record.rated,
        **_tournament(record),
        "players": [_player(record, seat) for seat in (1, 2)],
        "board": record.board,
        "rules": record.rules,
        "reason": record.result.reason,
        "time-control": str(record.clock),
    }
    return {"header": header, "moves": _rounds([turn.turn for turn in record.turns])}


def _tournament(record: GameRecord) -> dict[str, JsonValue]:
    names = {"event": record.event, "round": None if record.round is None else str(record.round)}
    return {name: value for name, value in names.items() if value is not None}


def _variants(record: GameRecord) -> list[str]:
    """Return the platform's names of boards, none for the standard one, and all other differences.

    Variants that the platform does not have get our own names, so that readers cannot confuse them.
    """
    return [*_board(record), *(f"{name}-{value}" for name, value in record.options.items())]


def _board(record: GameRecord) -> list[str]:
    if record.board == _STANDARD_BOARDS.get(record.game):
        return []
    kind = _VARIANT_KINDS.get(record.game)
    if kind is not None and record.board.startswith(kind):
        return [f"size-{record.board.removeprefix(kind)}"]
    return [record.board]


def _player(record: GameRecord, seat: int) -> dict[str, JsonValue]:
    assert record.result is not None
    player: RecordedPlayer = record.players[seat - 1]
    fields: dict[str, JsonValue] = {
        "name": player.name,
        "is_ai": player.kind == "bot",
        "result": int(record.result.winner in (seat, None)),
        # The schema requires two different players, and a bot may play against itself.
        "seat": seat,
    }
    if player.user_id is not None:
        fields["userid"] = player.user_id
    if record.scores is not None:
        fields[_score_name(record.game)] = [*record.scores[seat - 1]]
    return fields


def _score_name(game: str) -> str:
    known = known_game(game)
    if known is None:
        return "scores"
    return "group-scores" if known.score == "groups" else known.score


def _rounds(turns: list[str]) -> list[JsonValue]:
    padded: list[str | None] = [*turns, *([None] * (len(turns) % 2))]
    return [[first, second] for first, second in zip(padded[::2], padded[1::2], strict=True)]


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
