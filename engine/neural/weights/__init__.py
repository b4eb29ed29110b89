"""The weights that come with the engine: a file for each game and board; docs/network.md tells how
each was made.
"""
