"""Faults of many kinds under the real programs, with games running all the time.

`python -m tests.chaos` strikes each fault many times and prints what survived; `test_chaos` is a
short form of it.
"""
