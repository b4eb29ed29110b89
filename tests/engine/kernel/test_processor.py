"""Which libraries a machine can run."""

from engine.kernel.processor import LEVELS, levels

ALL = LEVELS["x86-64-v4"]


def test_the_fastest_comes_first() -> None:
    assert levels(ALL, "x86_64", "linux") == ("x86-64-v4", "x86-64-v3", "x86-64-v2")


def test_a_level_needs_all_its_features() -> None:
    assert levels(ALL - {"avx512vl"}, "x86_64", "linux") == ("x86-64-v3", "x86-64-v2")
    assert levels(ALL - {"bmi2"}, "x86_64", "linux") == ("x86-64-v2",)
    assert levels(ALL - {"popcnt"}, "x86_64", "linux") == ()


def test_arm_has_one() -> None:
    assert levels(frozenset(), "aarch64", "linux") == ("aarch64",)


def test_other_systems_have_none() -> None:
    assert levels(ALL, "x86_64", "darwin") == ()
    assert levels(ALL, "riscv64", "linux") == ()
