"""The messages of the htttx bot API v1-alpha, by which HeXO sites ask bots for turns.

https://github.com/hex-tic-tac-toe/htttx-bot-api. A client reads `Capabilities`, then asks by
`TurnRequest` (stateless), or by packets over a WebSocket (basic_websocket). Both sides may add
fields, so unknown ones are ignored. Everything is bounded, because either side may be hostile.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bot.json_values import IS_NUMBER, TrueOrFalse

VERSION: Final = "v1-alpha"
STATELESS_ROOT: Final = "stateless/v1-alpha"
WEBSOCKET_ROOT: Final = "bws/v1-alpha"
CAPABILITIES: Final = "capabilities.json"
MOST_CELLS: Final = 1_024
MOST_TURNS: Final = 1_024
MOST_OPTIONS: Final = 20
MAX_BODY_BYTES: Final = 128 << 10
"""More than `MOST_CELLS` cells and `MOST_TURNS` turns need."""

Side = Literal["x", "o"]
Whole = Annotated[int, Field(ge=-(10**9), le=10**9), IS_NUMBER]
RequestId = Annotated[int, Field(ge=0, le=2**53), IS_NUMBER]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False), IS_NUMBER]
Text = Annotated[str, Field(max_length=1_000)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    def json_fields(self) -> dict[str, Any]:
        """The fields as JSON values, without those that are not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Coordinates(_Part):
    """A cell: +q is right, +r is up and right."""

    q: Whole
    r: Whole


class OccupiedCell(Coordinates):
    p: Side


Cells = Annotated[tuple[OccupiedCell, ...], Field(max_length=MOST_CELLS)]


class Evaluation(_Part):
    """Of the position after a turn; positive numbers are good for x."""

    heuristic: Annotated[float, Field(allow_inf_nan=False), IS_NUMBER] | None = None
    win_in: Whole | None = None


class MoveOption(_Part):
    pieces: tuple[Coordinates, Coordinates]
    evaluation: Evaluation | None = None


Considerations = Annotated[tuple[MoveOption, ...], Field(max_length=MOST_OPTIONS)]


# ---- capabilities.json -----------------------------------------------------------------------


class Meta(_Part):
    name: Text | None = None
    description: Text | None = None
    authors: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    version: Text | None = None
    tags: Annotated[tuple[Text, ...], Field(max_length=40)] = ()


class StatelessVersion(_Part):
    api_root: Text = STATELESS_ROOT
    move_time_limit: TrueOrFalse = False


class WebSocketVersion(_Part):
    api_root: Text = WEBSOCKET_ROOT
    move_time_limit: TrueOrFalse = False
    free_setup: TrueOrFalse = False
    move_skips: TrueOrFalse = False
    dual_sided: TrueOrFalse = False
    resettable_state: TrueOrFalse = False
    interruptible: TrueOrFalse = False
    request_id: TrueOrFalse = False


class StatelessVersions(_Part):
    v1_alpha: StatelessVersion | None = Field(None, alias=VERSION)


class WebSocketVersions(_Part):
    v1_alpha: WebSocketVersion | None = Field(None, alias=VERSION)


class Stateless(_Part):
    versions: StatelessVersions = StatelessVersions()


class BasicWebSocket(_Part):
    versions: WebSocketVersions = WebSocketVersions()


class Capabilities(_Part):
    meta: Meta | None = None
    stateless: Stateless | None = None
    basic_websocket: BasicWebSocket | None = None

    @property
    def turns(self) -> StatelessVersion | None:
        """The stateless API, if the bot has it in our version."""
        return None if self.stateless is None else self.stateless.versions.v1_alpha

    @property
    def games(self) -> WebSocketVersion | None:
        """The WebSocket API, if the bot has it in our version."""
        return None if self.basic_websocket is None else self.basic_websocket.versions.v1_alpha


# ---- stateless -------------------------------------------------------------------------------


class Board(_Part):
    to_move: Side
    cells: Cells


class TurnRequest(_Part):
    """`POST .../turn`. The cells have no order."""

    board: Board
    time_limit: Seconds | None = None
    request_id: RequestId | None = None


class TurnAnswer(_Part):
    move: MoveOption
    considerations: Considerations = ()
    request_id: RequestId | None = None


class ErrorAnswer(_Part):
    error: Text
    code: Text


# ---- basic_websocket ---------------------------------------------------------------------------


class SetupBoard(_Part):
    cells: Cells


class Setup(_Part):
    type: Literal["setup"] = "setup"
    board: SetupBoard


class PlayedMove(_Part):
    side: Side
    pieces: tuple[Coordinates, Coordinates]


class MoveRequest(_Part):
    """Asks for a turn. `previous` are the turns since the last request, or since the setup."""

    type: Literal["move_request"] = "move_request"
    side: Side
    previous: Annotated[tuple[PlayedMove, ...], Field(max_length=MOST_TURNS)]
    move_time_limit: Seconds | None = None
    request_id: RequestId | None = None


class Interrupt(_Part):
    type: Literal["interrupt"] = "interrupt"
    request_id: RequestId | None = None


class Heartbeat(_Part):
    type: Literal["heartbeat"] = "heartbeat"
    waiting: TrueOrFalse


class Config(_Part):
    """Parameters of a bot. Those that it does not know are ignored."""

    type: Literal["config"] = "config"


class MoveResponse(_Part):
    type: Literal["move_response"] = "move_response"
    move: MoveOption
    considerations: Considerations = ()
    request_id: RequestId | None = None


ClientPacket = Annotated[
    Setup | MoveRequest | Interrupt | Heartbeat | Config, Field(discriminator="type")
]
CLIENT_PACKET: Final[TypeAdapter[Any]] = TypeAdapter(ClientPacket)
