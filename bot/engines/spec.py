"""The operator's settings that start an engine."""

import os
import shlex
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from bot.runtime.children import PYTHON_M
from bot.runtime.settings import FilePath, NoNul, OneLine, Table

Word = Annotated[NoNul, Field(min_length=1, max_length=200)]
OptionName = Annotated[OneLine, Field(min_length=1, max_length=200)]
OptionValue = Annotated[OneLine, Field(max_length=4096)]
"""An option is a line of the protocol, so a line break in it would be a command of its own."""
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]

_INHERITED = {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER", "VIRTUAL_ENV"}
_INHERITED_PREFIXES = ("LC_", "NUMBA_", "OMP_", "PYTHON", "XDG_", "BLUESTONE_CACHE")


def _option_text(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


def _option_texts(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {name: _option_text(text) for name, text in value.items()}


EngineOptions = Annotated[
    dict[OptionName, OptionValue], Field(max_length=64), BeforeValidator(_option_texts)
]


class SandboxSettings(Table):
    """The box in which an engine runs; `bot.engines.sandbox` builds it."""

    enabled: bool = True
    memory_mb: Annotated[int, Field(ge=16, le=1 << 24)] | None = Field(
        None, description="memory of the engine and all that it starts, in MB"
    )
    tasks: Annotated[int, Field(ge=1, le=1 << 20)] | None = Field(
        None, description="processes and threads of the engine, all together"
    )
    disk_mb: Annotated[int, Field(ge=1, le=1 << 20)] = Field(
        1024, description="largest size of its scratch folder and of each file that it writes"
    )
    network: bool = Field(False, description="whether it may use sockets")
    read: tuple[FilePath, ...] = Field((), description="more files and folders that it may read")
    write: tuple[FilePath, ...] = Field((), description="files and folders that it may also change")
    nice: Annotated[int, Field(ge=0, le=19)] = 0


class EngineSpec(BaseModel):
    """An engine by a `command` line, or a Python class by the name of its entry point.

    A string `command` is split as a shell would split it; no shell runs it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=60)] = "search"
    command: list[Word] | None = Field(None, min_length=1, max_length=100)
    builtin: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\-]{1,60}$")] = "search"
    options: EngineOptions = Field(
        default_factory=dict, description="set at each start, by `setoption`"
    )
    start_timeout_s: Annotated[float, Field(gt=0, le=600)] = 60
    ponder: bool = Field(
        False, description="whether it also thinks on the opponent's time, in live games"
    )
    directory: FilePath | None = None
    env: dict[VariableName, Annotated[NoNul, Field(max_length=4096)]] = Field(
        default_factory=dict,
        max_length=32,
        description="added to the few variables that an engine inherits",
    )
    sandbox: SandboxSettings = SandboxSettings()

    @field_validator("command", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return shlex.split(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_way_to_start(self) -> Self:
        if self.command is not None and "builtin" in self.model_fields_set:
            raise ValueError("give `command` or `builtin`, not both")
        return self

    @model_serializer(mode="wrap")
    def _as_it_is_started(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return settings that can be read again: without `builtin` if there is a `command`.

        `ponder` and `sandbox` are left out at their defaults, so that a tournament from before
        those settings continues with the same settings.
        """
        fields: dict[str, Any] = handler(self)
        if self.command is not None:
            fields.pop("builtin", None)
        if not self.ponder:
            fields.pop("ponder", None)
        if self.sandbox == SandboxSettings():
            fields.pop("sandbox", None)
        return fields

    @property
    def argv(self) -> list[str]:
        if self.command is not None:
            return self.command
        return [*PYTHON_M, "engine.ugi", "--engine", self.builtin]

    def environment(self, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return the engine's environment, without anything that could hold a secret of the bot."""
        kept = {
            name: value
            for name, value in inherited.items()
            if name in _INHERITED or name.startswith(_INHERITED_PREFIXES)
        }
        return kept | self.env
