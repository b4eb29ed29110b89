"""Faults of many kinds in the real programs, during games.

`python -m tests.chaos` injects each fault many times and prints the losses; `test_chaos` is a short
form of it.
"""
