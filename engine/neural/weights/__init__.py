"""The weights that ship with the engine, one file per game and board.

docs/network.md describes how each file was trained.
"""
