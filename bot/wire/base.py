"""What every message is made of: its version, the limits, and the types of its fields."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.json_values import IS_NUMBER

VERSION: Final = 1
MAX_MESSAGE_BYTES = 16_384

Version = Literal[1]
Seat = Literal[1, 2]
Name = Annotated[str, Field(min_length=2, max_length=24, pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.\-]*$")]
NEW_NAME_PATTERN: Final = r"^[A-Za-z0-9]([ ]?[A-Za-z0-9_.\-])*$"
NewName = Annotated[str, Field(min_length=2, max_length=24, pattern=NEW_NAME_PATTERN)]
"""A name that may still be taken; some that were taken long ago have more blanks."""
Id = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_\-]+$")]
Word = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.\-]+$")]
Turn = Annotated[str, Field(min_length=1, max_length=40)]
Sentence = Annotated[str, Field(max_length=300)]
Ply = Annotated[int, Field(ge=0, le=100_000), IS_NUMBER]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), IS_NUMBER]
Kind = Literal["bot", "person", "guest"]
Level = Annotated[int, Field(ge=1, le=10), IS_NUMBER]
"""How strong a bot says that it plays: 1 is for a first game, 10 its full strength."""


class Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FromClient(Message):
    v: Annotated[Version, IS_NUMBER] = Field(description="version of the protocol")


class FromServer(Message):
    v: Version = VERSION


REFUSAL_CODES: dict[str, str] = {
    "not_json": "the message is not a JSON object",
    "too_long": f"the message is longer than {MAX_MESSAGE_BYTES} bytes",
    "wrong_version": f"`v` is not {VERSION}",
    "unknown_event": "there is no such event",
    "invalid": "a field is missing, unknown or out of range",
    "rate_limited": "too many messages in a short time",
    "bad_token": "the token is not known",
    "bad_guest_key": "the guest key is not known",
    "name_taken": "the name belongs to somebody else",
    "unknown_game": "there is no such game, board, rule set or option",
    "unknown_player": "nobody of that name",
    "unknown_challenge": "no open challenge of that id",
    "unknown_game_id": "no game of that id",
    "not_your_challenge": "the challenge is for others",
    "not_a_player": "the game is between others",
    "not_your_turn": "the other player is to move",
    "stale_ply": "that ply has been played, with another turn, or is not reached yet",
    "illegal_turn": "the turn breaks a rule of the game",
    "game_over": "the game has ended",
    "too_late": "a game can be aborted only until both players have played",
    "unknown_tournament": "no tournament of that id",
    "unknown_number": "the tournament has no game of that number",
    "not_a_host": "only hosts make tournaments, and each runs their own",
    "not_admitted": "the tournament is for others",
    "not_entered": "the player is not in the tournament",
    "registration_closed": "nobody can enter now",
    "not_now": "the tournament is not at a point at which that can be done",
    "tournament_game": "a game of a tournament cannot be aborted",
    "no_draw_offer": "the opponent has not offered a draw",
    "too_soon": "a turn has to be played before a draw is offered again",
    "too_many": "too many challenges, games or connections at once",
    "unavailable": (
        "the server cannot write to its disk at present, and clocks stand; "
        "or it is still compiling that game"
    ),
    "server_error": "the server failed, and has logged why; nothing was changed",
}
"""Codes of `Refusal`, `Problem` and refused connections."""


REPEATABLE_CODES: dict[str, str] = {
    "rate_limited": "after `retry_after_ms`",
    "too_many": "when there is room again; ask ever less often",
    "unavailable": "after `retry_after_ms`",
    "server_error": "after a few seconds, ever less often",
}
"""When the very same request may be sent again; after any other code it would be refused again."""


CHALLENGE_CODES: dict[str, str] = {
    "cancelled": "its creator withdrew it",
    "creator_left": "its creator went away, and it offered a live game or was a guest's",
    "expired": "nobody accepted in time",
}
"""Why the server ended a challenge. Who declines one says why in a word of their own."""
