"""The base of every message: the protocol version, the limits, and the types of fields."""

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
"""A name that a new player may choose. Older accounts may have names with more blanks."""
Id = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_\-]+$")]
Word = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.\-]+$")]
Step = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:\-]+$")]
"""A stone of a turn, such as `b4`, `2b4` or `-3:7`."""
Turn = Annotated[str, Field(min_length=1, max_length=40)]
Sentence = Annotated[str, Field(max_length=300)]
Ply = Annotated[int, Field(ge=0, le=100_000), IS_NUMBER]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), IS_NUMBER]
Kind = Literal["bot", "person", "guest"]
Level = Annotated[int, Field(ge=1, le=10), IS_NUMBER]
"""The strength that a bot declares, from 1 (a beginner's first opponent) to 10 (full strength)."""


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
    "bad_passkey": "the passkey, or its answer, is not accepted",
    "copied_passkey": "the passkey's counter did not rise, so another copy of it may be in use",
    "bad_recovery_link": "the recovery link is not known, or another one has replaced it",
    "bad_device_link": "the link for another device is not known, was used before, or is too old",
    "proof_needed": "this needs a passkey or the recovery link of the account",
    "name_needed": "only a player who has chosen a name can do this",
    "unknown_device": "no device of this player has that id",
    "blocked": "the operator has blocked the account or the address",
    "name_taken": "the name belongs to another player",
    "unknown_game": "there is no such game, board, rule set or option",
    "unknown_player": "there is no player of that name",
    "unknown_puzzle": "there is no puzzle with that id, or of that game",
    "not_a_person": "only people may ask for this",
    "unknown_challenge": "there is no open challenge with that id",
    "unknown_game_id": "there is no game with that id",
    "not_rated": "the game cannot be rated: a player without an account, no clock, or an unusual "
    "board or option",
    "not_your_challenge": "the challenge is for other players",
    "creator_away": "the creator of the private challenge is not connected at the moment",
    "not_a_player": "the client is not a player of the game",
    "not_your_turn": "the other player is to move",
    "stale_ply": "that ply has been played with another turn, or is not reached yet",
    "illegal_turn": "the turn breaks a rule of the game",
    "game_over": "the game has ended",
    "too_late": "a game can be aborted only until both players have played",
    "unknown_tournament": "there is no tournament with that id",
    "unknown_number": "the tournament has no game of that number",
    "not_a_host": "only hosts may make tournaments, and a host may change only their own",
    "not_admitted": "the tournament does not admit this player",
    "not_entered": "the player is not in the tournament",
    "registration_closed": "registration is not open",
    "not_now": "the tournament's state does not allow this now",
    "tournament_game": "a game of a tournament cannot be aborted",
    "no_draw_offer": "the opponent has not offered a draw",
    "no_abort_offer": "the opponent has not offered to abort the game",
    "no_takebacks": "no turn of the game can be taken back by this player",
    "no_takeback_asked": "the opponent has not asked to take a turn back",
    "too_soon": "more turns must be played before the same player offers or asks again",
    "not_planned": "conditional turns are for the opponent's turn in a game by correspondence",
    "chat_closed": "texts need the consent of both players, sent with `open`",
    "not_wanted": "the other player accepts no challenges and no chat from this player",
    "too_many": "too many challenges, games, connections or analyses at once",
    "no_analyst": "no analysis engine is connected",
    "in_game": "analysis is not available to a player of such a running game",
    "not_an_analyst": "only accounts that the operator has admitted may take analysis jobs",
    "unavailable": "the server cannot write to disk (clocks are stopped), or compiles the game",
    "server_error": "the server failed and logged the reason; nothing changed",
}
"""Codes of `Refusal`, `Problem` and refused connections."""


REPEATABLE_CODES: dict[str, str] = {
    "rate_limited": "after `retry_after_ms`",
    "blocked": "after `retry_after_ms`, if that is not `null`",
    "not_now": "after `retry_after_ms`, if that is not `null`",
    "too_many": "when there is room again, with backoff",
    "creator_away": "when the creator is connected again",
    "no_analyst": "after a while, with backoff",
    "unavailable": "after `retry_after_ms`",
    "server_error": "after a few seconds, with backoff",
}
"""When the same request may be sent again. After any other code it would be refused again."""


CHALLENGE_CODES: dict[str, str] = {
    "cancelled": "its creator withdrew it",
    "creator_left": "its creator disconnected, and the game was live or the creator was a guest",
    "expired": "no player accepted in time",
    "too_many": "its creator, or their address, is at a limit for games",
}
"""Why the server ended a challenge. A player who declines one sends a code of their own."""
