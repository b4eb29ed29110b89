from bot.runtime.bounded import BoundedMemory


def test_the_oldest_value_is_forgotten_first() -> None:
    memory = BoundedMemory[str, int](2)
    for number, key in enumerate("abc"):
        memory.put(key, number)
    assert "a" not in memory
    assert (memory.get("a"), memory.get("b"), memory["c"], len(memory)) == (None, 1, 2, 2)


def test_putting_and_refreshing_make_a_value_the_newest_one_and_getting_does_not() -> None:
    memory = BoundedMemory[str, None](3)
    for key in "abc":
        memory.put(key, None)
    memory.put("a", None)
    memory.refresh("b")
    assert memory.get("c") is None
    memory.put("d", None)
    assert [key for key in "abcd" if key in memory] == ["a", "b", "d"]


def test_the_bound_is_one_of_weights_if_values_have_one() -> None:
    memory = BoundedMemory[str, bytes](10, weight=len)
    memory.put("a", b"123456")
    memory.put("a", b"1234")
    memory.put("b", b"123456")
    assert "a" in memory
    memory.put("c", b"1")
    assert [key for key in "abc" if key in memory] == ["b", "c"]
    memory.put("too large", b"12345678901")
    assert len(memory) == 0


def test_forgotten_values_make_room() -> None:
    memory = BoundedMemory[str, None](1)
    memory.put("a", None)
    memory.forget("a")
    memory.forget("never there")
    memory.put("b", None)
    assert "b" in memory
    memory.clear()
    memory.put("c", None)
    assert (len(memory), "c" in memory) == (1, True)
