"""Arbitrary bytes for every parser of data from outside."""
