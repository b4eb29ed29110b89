"""Deliberate bugs in copies of the sources, each of which a check of this suite must notice.

`python -m tests.mutants` applies and tries all of them. `test_mutants` checks that each still
applies.
"""
