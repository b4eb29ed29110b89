import pytest

from bot.guests.dask.cluster import own_versions

from .fakes import VERSIONS


def test_equal_versions_have_no_difference() -> None:
    assert VERSIONS.differences(VERSIONS.model_copy()) is None


@pytest.mark.parametrize(
    ("field", "value", "difference"),
    [
        ("bluestone", "0.9", "Bluestone 0.9 there, 1.0 here"),
        ("sources", "def", "other sources of Bluestone 1.0 than here"),
        ("python", "3.12", "Python 3.12 there, 3.11 here"),
        ("distributed", "2026.1.0", "distributed 2026.1.0 there, 2026.8.0 here"),
    ],
)
def test_the_first_difference_of_versions_is_named(field: str, value: str, difference: str) -> None:
    other = VERSIONS.model_copy(update={field: value})
    assert VERSIONS.differences(other) == difference


def test_the_versions_of_a_machine_do_not_change() -> None:
    assert own_versions() == own_versions()
