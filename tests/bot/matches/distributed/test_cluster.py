import pytest

from bot.matches.distributed.cluster import own_versions

from .fakes import VERSIONS


def test_the_same_fits() -> None:
    assert VERSIONS.differences(VERSIONS.model_copy()) is None


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("bluestone", "0.9", "Bluestone 0.9, and here is 1.0"),
        ("sources", "def", "other sources of Bluestone 1.0 than there are here"),
        ("python", "3.12", "Python 3.12, and here is 3.11"),
        ("distributed", "2026.1.0", "distributed 2026.1.0, and here is 2026.8.0"),
    ],
)
def test_what_is_otherwise_is_told(field: str, value: str, told: str) -> None:
    other = VERSIONS.model_copy(update={field: value})
    assert VERSIONS.differences(other) == told


def test_a_machine_asked_twice_says_the_same() -> None:
    assert own_versions() == own_versions()
