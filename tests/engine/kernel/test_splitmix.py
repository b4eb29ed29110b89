"""The numbers of SplitMix64 are those that its authors publish."""

import numpy as np

from engine.kernel.splitmix import STEP, mixed, random_words

FIRST = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
"""The output of the published program for the seed 0."""


def test_the_first_numbers_are_the_published_ones() -> None:
    assert random_words(4).tolist() == FIRST
    assert random_words(0).dtype == np.uint64


def test_a_number_alone_is_that_of_an_array() -> None:
    states = [number * STEP % 2**64 for number in range(1, 5)]
    assert [mixed(state) for state in states] == FIRST
