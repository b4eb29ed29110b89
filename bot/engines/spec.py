"""The operator's settings that start an engine."""

import os
import shlex
from collections.abc import Mapping
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from bot.engines.dialogues import (
    UGI,
    check_protocol,
    protocol_names,
    protocol_of,
    protocols_with_address,
)
from bot.runtime.children import PYTHON_M
from bot.runtime.settings import Address, FilePath, NoNul, OneLine, SettingsTable

Word = Annotated[NoNul, Field(min_length=1, max_length=200)]
OptionName = Annotated[OneLine, Field(min_length=1, max_length=200)]
OptionValue = Annotated[OneLine, Field(max_length=4096)]
"""An option is a line of the protocol, so a line break in it would be a command of its own."""
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]

_INHERITED = {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER", "VIRTUAL_ENV"}
_INHERITED_PREFIXES = (
    *("LC_", "NUMBA_", "OMP_", "PYTHON", "XDG_"),
    *("BLUESTONE_CACHE", "BLUESTONE_KERNELS"),
)


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


class SandboxSettings(SettingsTable):
    """The box in which an engine runs; `bot.engines.sandbox` builds it."""

    enabled: bool = True
    memory_mb: Annotated[int, Field(ge=16, le=1 << 24)] | None = Field(
        None, description="memory of the engine and all that it starts, in MB"
    )
    tasks: Annotated[int, Field(ge=1, le=1 << 20)] | None = Field(
        None, description="processes and threads of the engine, all together"
    )
    cpus: Annotated[int, Field(ge=1, le=1 << 16)] | None = Field(
        None, description="processors of the engine and all that it starts; all if not given"
    )
    disk_mb: Annotated[int, Field(ge=1, le=1 << 20)] = Field(
        1024, description="largest size of its scratch folder and of each file that it writes"
    )
    network: bool = Field(False, description="whether it may use sockets")
    read: tuple[FilePath, ...] = Field((), description="more files and folders that it may read")
    write: tuple[FilePath, ...] = Field((), description="files and folders that it may also change")
    nice: Annotated[int, Field(ge=0, le=19)] = 0


def fields_of(word: str) -> dict[str, Any]:
    """The fields of an `EngineSpec` for `PROTOCOL:COMMAND`, `PROTOCOL:URL` or a command line.

    Raises ValueError if a shell cannot split the command.
    """
    protocol = protocol_of(word)
    if protocol is None:
        return {"command": shlex.split(word)}
    rest = word.removeprefix(f"{protocol}:")
    if protocol in protocols_with_address():
        return {"protocol": protocol, "url": rest}
    return {"protocol": protocol, "command": shlex.split(rest)}


def _known_protocol(name: str) -> str:
    if name != UGI and name not in (known := protocol_names()):
        *first, last = map(repr, known)
        choices = f"{', '.join(first)} or {last}" if first else last
        raise PydanticCustomError("literal_error", "Input should be {known}", {"known": choices})
    check_protocol(name)
    return name


def _http_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise ValueError("an address such as http://127.0.0.1:8799/ is required")
    return url


class EngineSpec(BaseModel):
    """An engine by a `command` line, by the `url` of its server, or a Python class by the name of
    its entry point.

    A string `command` is split as a shell would split it; no shell runs it. It may begin with the
    name of another protocol and a colon.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=60)] = "search"
    protocol: Annotated[str, AfterValidator(_known_protocol)] = Field(
        UGI, description="what the engine speaks: `ugi`, or another protocol that is installed"
    )
    command: list[Word] | None = Field(None, min_length=1, max_length=100)
    url: Annotated[Address, AfterValidator(_http_address)] | None = Field(
        None, description="the address of a server that is the engine, instead of a command"
    )
    token_env: VariableName | None = Field(
        None, description="environment variable with the bearer token of that server"
    )
    builtin: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\-]{1,60}$")] = "search"
    options: EngineOptions = Field(
        default_factory=dict, description="set at each start, by `setoption`"
    )
    start_timeout_s: Annotated[float, Field(gt=0, le=600)] = 60
    turn_nodes: Annotated[int, Field(ge=1, le=10**12)] | None = Field(
        None,
        description="nodes for each turn, for an engine that keeps no time: it gets this limit "
        "instead of the host's, whose clock still counts",
    )
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

    @model_validator(mode="before")
    @classmethod
    def _prefixed(cls, fields: object) -> object:
        """Split a command with its prefix, as `six:./engine --fast`."""
        if not isinstance(fields, Mapping) or not isinstance(fields.get("command"), str):
            return fields
        if protocol_of(fields["command"]) is None:
            return fields
        rest = {name: value for name, value in fields.items() if name != "command"}
        return {**rest, **fields_of(fields["command"])}

    @field_validator("command", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return shlex.split(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_way_to_start(self) -> Self:
        given = {"command": self.command is not None, "url": self.url is not None}
        given["builtin"] = "builtin" in self.model_fields_set
        ways = [name for name, is_given in given.items() if is_given]
        if len(ways) > 1:
            raise ValueError(f"give `{ways[0]}` or `{ways[1]}`, not both")
        servers = protocols_with_address()
        if (self.url is not None) != (self.protocol in servers):
            named = " or ".join(f'"{name}"' for name in servers)
            raise ValueError(
                f"an engine with `protocol = {named}` has a `url`, and no other has one"
            )
        if self.protocol != UGI and self.command is None and self.url is None:
            raise ValueError(f'an engine with `protocol = "{self.protocol}"` needs a `command`')
        if self.ponder and self.protocol != UGI:
            raise ValueError(f"an engine that speaks {self.protocol} cannot ponder")
        if self.token_env is not None and self.url is None:
            raise ValueError("`token_env` needs a `url`")
        return self

    @model_serializer(mode="wrap")
    def _as_it_is_started(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return settings that can be read again: without `builtin` if there is another way.

        Settings that came later are left out at their defaults, so that a tournament from before
        them continues with the same settings.
        """
        fields: dict[str, Any] = handler(self)
        if not self.is_builtin:
            fields.pop("builtin", None)
        for name in ("ponder", "sandbox", "protocol", "url", "token_env", "turn_nodes"):
            field = type(self).model_fields[name]
            if getattr(self, name) == field.get_default():
                fields.pop(name, None)
        return fields

    @property
    def is_builtin(self) -> bool:
        """Whether it is a Python class of an installed package."""
        return self.command is None and self.url is None

    @property
    def argv(self) -> list[str]:
        """The words of its command; of a server its name on a command line."""
        if self.url is not None:
            return [f"{self.protocol}:{self.url}"]
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
