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
