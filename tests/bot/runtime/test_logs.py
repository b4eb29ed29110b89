"""Logs: one JSON object a line, and never a secret."""

import errno
import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from bot.runtime.logs import Format, configure_logging, learn_secret


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield io.StringIO()
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers = handlers
    root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_one_object_a_line_with_its_context(stream: io.StringIO) -> None:
    configure_logging(stream=stream)
    structlog.contextvars.bind_contextvars(game="g1", bot="Granite")
    structlog.get_logger().info("turn", ply=3, pv=("a", "b"))
    (line,) = lines(stream)
    assert (line["event"], line["game"], line["bot"], line["ply"]) == ("turn", "g1", "Granite", 3)
    assert "timestamp" in line


@pytest.mark.parametrize("output_format", ["json", "pretty"])
def test_secrets_never_appear(stream: io.StringIO, output_format: Any) -> None:
    configure_logging(output_format=output_format, stream=stream, secrets=["t0p"])
    log = structlog.get_logger()
    log.info("a", token="hidden", auth={"guest_key": "hidden", "Authorization": "hidden"})
    log.info("b", tries=[{"password": "hidden"}], client_secret="hidden", why="t0p was refused")
    logging.getLogger("socketio").warning("sent t0p")
    log.error("c", exc_info=RuntimeError("cannot use t0p"))
    text = stream.getvalue()
    assert "hidden" not in text
    assert "t0p" not in text
    assert text.count("[redacted]") >= 7


def test_libraries_log_from_level_warning_on(stream: io.StringIO) -> None:
    configure_logging("debug", stream=stream)
    logging.getLogger("aiohttp.access").info("GET /")
    logging.getLogger("engineio.client").info("ping")
    logging.getLogger("aiohttp.server").warning("odd")
    assert [line["event"] for line in lines(stream)] == ["odd"]


def test_the_level_holds(stream: io.StringIO) -> None:
    configure_logging("warning", stream=stream)
    structlog.get_logger().info("quiet")
    structlog.get_logger().warning("loud")
    assert [line["event"] for line in lines(stream)] == ["loud"]


class FullDisk(io.StringIO):
    def write(self, _text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.usefixtures("stream")
def test_an_unwritable_log_raises_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(stream=FullDisk())
    structlog.get_logger().error("store_cannot_write")
    logging.getLogger("aiohttp").warning("what a library says")
    assert capsys.readouterr() == ("", "")


def test_a_secret_that_is_learned_later_is_hidden_like_the_first_ones(stream: io.StringIO) -> None:
    configure_logging("info", "json", stream, secrets=["old-token"])
    structlog.get_logger().info("x", why="new-token")
    learn_secret("new-token")
    structlog.get_logger().info("y", why="old-token, then new-token")
    first, second = stream.getvalue().splitlines()
    assert "new-token" in first
    assert "[redacted], then [redacted]" in second


EVIL = "\x1b[2J\x1b]0;evil\x07\nlevel=error\u202e\x9b31m"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("output_format", ["pretty", "json"])
@pytest.mark.parametrize("text", [EVIL, "Gra\x1b]0;nite", "\x9b31m"])
def test_a_text_from_outside_cannot_steer_a_terminal(
    stream: io.StringIO, output_format: Format, text: str
) -> None:
    terminal = Terminal()
    configure_logging(output_format=output_format, stream=terminal)
    structlog.get_logger().info("engine_stderr", line=text, several=[text])
    logging.getLogger("aiohttp").warning(text)
    messages = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())  # without the log's own colours
    assert len(messages.splitlines()) == 2
    structlog.get_logger().error("failed", exc_info=RuntimeError(text))
    found = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert not set(found) & set("\x1b\x07\x9b\u202e")
    assert stream.getvalue() == ""
