"""Bad calls to a webhook: a short form with a real process, and the bounds of harm."""

import sys
from dataclasses import replace

import pytest

from bot.bench.summary import Times
from lab.webhooks.bad_calls import GROUPS
from lab.webhooks.webhooks import WebhooksPlan, WebhooksVerdict, measure

OUTCOME = WebhooksVerdict(
    calls=10,
    answers={"forged": {"401": 10}},
    accepted=0,
    wrong=0,
    valid=5,
    failed=0,
    lost=0,
    latency_ms=Times(5, 2.0, 3.0, 3.0, 4.0, 50.0),
    memory_before_mb=100.0,
    memory_after_mb=110.0,
    log_lines=3,
    seconds=1.0,
)


def test_each_bound_counts() -> None:
    assert OUTCOME.fine
    assert replace(OUTCOME, memory_before_mb=None).fine
    for broken in (
        replace(OUTCOME, accepted=1),
        replace(OUTCOME, wrong=1),
        replace(OUTCOME, failed=1),
        replace(OUTCOME, lost=1),
        replace(OUTCOME, memory_after_mb=110.1),
        replace(OUTCOME, latency_ms=Times(5, 2.0, 3.0, 3.0, 4.0, 50.1)),
    ):
        assert not broken.fine


@pytest.mark.e2e
async def test_no_bad_call_is_accepted_and_every_valid_one_is() -> None:
    found = await measure(WebhooksPlan(calls=400, warm_up=50, engines=1), lambda _: None)
    assert (found.accepted, found.wrong, found.failed, found.lost) == (0, 0, 0, 0)
    assert found.calls == 400
    assert found.valid > 1
    assert set(found.answers) == set(GROUPS)
    assert all(found.answers.values()), "each group was tried"
    assert set(found.answers["forged"]) == {"401"}
    assert set(found.answers["oversized"]) == {"413"}
    if sys.platform == "linux":
        assert found.memory_after_mb is not None
