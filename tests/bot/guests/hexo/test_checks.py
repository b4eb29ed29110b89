"""The checks of Six engines and of htttx servers: ours pass, and what others do wrong is named."""

import sys
from pathlib import Path

import pytest

from bot.engines.check.script import check_engine
from bot.engines.check.step import Finding
from bot.engines.spec import EngineSpec
from bot.guests.hexo.htttx_check import SERVER_SCRIPT, check_server
from bot.guests.hexo.six_check import SIX_SCRIPT, introduced
from bot.runtime.children import PYTHON_M
from bot.time_source import SystemTime
from tests.bot.guests.hexo.server.fakes import FakePool, site
from tests.bot.guests.hexo.test_htttx_dialogue import always, hostile, pieces, remote
from tests.bot.guests.hexo.test_six_dialogue import six

OURS = [*PYTHON_M, "engine.ugi", "--engine", "random", "--protocol", "six"]
STEPS = {step.name: step for step in SIX_SCRIPT}
FIRST = [STEPS["hello"], STEPS["isready"]]


async def of_engine(spec: EngineSpec, *names: str) -> dict[str, Finding]:
    steps = [*FIRST, *(STEPS[name] for name in names)] if names else SIX_SCRIPT
    findings = await check_engine(spec, SystemTime(), steps=steps, introduce=introduced)
    return {finding.name: finding for finding in findings}


async def of_server(spec: EngineSpec) -> dict[str, Finding]:
    findings = await check_server(spec, SystemTime())
    assert [finding.name for finding in findings] == [step.name for step in SERVER_SCRIPT]
    return {finding.name: finding for finding in findings}


async def test_our_engine_fails_in_nothing() -> None:
    found = await of_engine(EngineSpec(name="ours", protocol="six", command=OURS))
    assert len(found) == len(SIX_SCRIPT)
    assert {name: each.seen for name, each in found.items() if each.verdict == "fail"} == {}
    assert found["game"].verdict in ("pass", "warn")
    assert found["illegal position"].seen.startswith("error illegal turn 2")


@pytest.mark.parametrize(
    ("mode", "name", "verdict", "seen"),
    [
        ("ok", "opening", "pass", "0:0"),
        ("illegal", "turn", "fail", "is not empty"),
        ("half", "turn", "fail", "second stone"),
        ("words", "turn", "fail", "invalid literal"),
        ("refuses", "turn", "fail", "setups are not known here"),
        ("refuses", "nodes", "skipped", "it does not count nodes"),
        ("ok", "illegal position", "warn", "no `error`"),
        ("ok", "stop", "skipped", "at once"),
    ],
)
async def test_faults_of_an_engine_are_named(mode: str, name: str, verdict: str, seen: str) -> None:
    found = await of_engine(six(mode), name)
    assert (found[name].verdict, seen in found[name].seen) == (verdict, True), found[name]


async def test_without_a_greeting_all_other_steps_are_skipped() -> None:
    silent = Path(sys.executable).parent / "python"
    spec = EngineSpec(name="it", protocol="six", command=[str(silent), "-c", "pass"])
    found = await of_engine(spec)
    assert found["hello"].verdict == "fail"
    assert {each.verdict for name, each in found.items() if name != "hello"} == {"skipped"}


async def test_our_server_fails_in_nothing() -> None:
    async with site(FakePool({1: "-1:0,0:-1", 3: "-2:1,2:-1"})) as server:
        found = await of_server(remote(server.url))
    assert {name: each.seen for name, each in found.items() if each.verdict == "fail"} == {}
    assert found["capabilities"].seen == "stateless, basic_websocket"
    assert found["WebSocket"].verdict == "pass"
    assert "400 unreachable" in found["impossible board"].seen
    assert found["turn"].sent[0].startswith("POST /stateless/v1-alpha/turn ")


async def test_faults_of_a_server_are_named() -> None:
    async with hostile(always(pieces((0, 0), (1, 0)))) as url:
        found = await of_server(remote(url))
    assert found["identity"].seen == "Theirs"
    assert (found["turn"].verdict, found["turn"].seen) == (
        "fail",
        "illegal turn '0:0,1:0': 0:0 is not empty",
    )
    assert found["time_limit"].verdict == "skipped"
    assert found["impossible board"].verdict == "warn"
    assert found["WebSocket"].seen == "it does not offer basic_websocket"


async def test_without_capabilities_all_other_steps_are_skipped() -> None:
    found = await of_server(remote("http://127.0.0.1:1/"))
    assert found["capabilities"].verdict == "fail"
    assert {each.verdict for name, each in found.items() if name != "capabilities"} == {"skipped"}
