"""Logging: key=value for people on a terminal, else one JSON object per line, without secrets.

Our own lines go from structlog straight to the stream: a server writes one for each turn, and the
standard library's logging would cost more than all the rest. Libraries log through the standard
library, in the same format.
"""

import logging
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from io import StringIO
from typing import Final, Literal, TextIO, cast

import orjson
import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

from bot.runtime.terminals import shown, shown_lines

SECRET_WORDS: Final = ("token", "secret", "password", "guest_key", "authorization")
REDACTED: Final = "[redacted]"
_PLAIN: Final = (str, int, float, type(None))
_LIBRARIES: Final = ("aiohttp", "asyncio", "socketio", "engineio")

Format = Literal["auto", "pretty", "json"]


def configure_logging(
    level: str = "info",
    output_format: Format = "auto",
    stream: TextIO = sys.stderr,
    secrets: Iterable[str] = (),
) -> None:
    """Set up structlog and the standard library's logging to write to `stream`.

    No text of `secrets` is written, under any key; `learn_secret` adds more. The function
    may be called again, for example to change the level. Lines that cannot be written are lost,
    and raise no error.
    """
    forgiving = cast("TextIO", _Forgiving(stream))
    pretty = output_format == "pretty" or (output_format == "auto" and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="%H:%M:%S" if pretty else "iso", utc=not pretty),
        redact,
    ]
    rendering = _renderers(pretty=pretty, colors=stream.isatty())
    _SECRETS[:] = filter(None, secrets)
    rendering.append(cast("Processor", _scrub))  # it gets a line and returns a line
    structlog.configure(
        processors=[*shared, *rendering],
        logger_factory=structlog.WriteLoggerFactory(forgiving),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(forgiving)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    logging.getLogger().handlers = [handler]
    set_level(level)
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)


def learn_secret(secret: str) -> None:
    """Write that text in no line from now on. Secrets known before stay hidden."""
    if secret and secret not in _SECRETS:
        _SECRETS.append(secret)


def set_level(level: str) -> None:
    logging.getLogger().setLevel(level.upper())


def redact(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Hide the values of all keys that are named like a secret, at any depth (a structlog
    processor).
    """
    return {
        key: value if isinstance(value, _PLAIN) and not names_secret(key) else _redacted(key, value)
        for key, value in event.items()
    }


def _redacted(key: str, value: object) -> object:
    return REDACTED if names_secret(key) else _without_secrets(value)


LONGEST_REMEMBERED: Final = 64
"""In characters; names in messages of strangers may be longer."""


def names_secret(key: str) -> bool:
    """Return whether values of this name must not be logged."""
    return _names_secret(key) if len(key) <= LONGEST_REMEMBERED else _names_secret.__wrapped__(key)


@lru_cache(maxsize=1024)
def _names_secret(key: str) -> bool:
    return any(word in key.lower() for word in SECRET_WORDS)


def _without_secrets(value: object) -> object:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        return {str(key): _redacted(str(key), inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_secrets(inner) for inner in value]
    return value


def _renderers(*, pretty: bool, colors: bool) -> list[Processor]:
    if pretty:
        console = structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=_plain_traceback)
        return [_harmless, console]
    return [
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(serializer=_to_json),
    ]


def _harmless(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Escape control characters, which others may send: names, reasons, output of engines."""
    return {
        key: shown(value) if isinstance(value, str) and key != "exception" else value
        for key, value in event.items()
    }


def _plain_traceback(out: TextIO, exc_info: ExcInfo) -> None:
    """Write a traceback. That of rich, the default, shows local variables: they may be secrets."""
    text = StringIO()
    structlog.dev.plain_traceback(text, exc_info)
    out.write(shown_lines(text.getvalue()))


def _to_json(value: object, **_: object) -> str:
    line = orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    # JSON leaves control characters above 0x7E as they are.
    return line if line.isascii() and line.isprintable() else shown(line)


class _Forgiving:
    """A stream whose errors are ignored: the program continues when the log's disk is full."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


_SECRETS: Final[list[str]] = []
"""Texts that no line may have; one list, as there is one log of the process."""


def _scrub(_: WrappedLogger, __: str, line: str) -> str:
    """The last processor. It removes secrets from messages and tracebacks."""
    for secret in _SECRETS:
        line = line.replace(secret, REDACTED)
    return line
