"""Deliberate sabotages of copies of the sources, each of which a check of this suite must notice.

`python -m tests.mutants` applies and tries them all; `test_mutants` shows that each still applies.
"""
