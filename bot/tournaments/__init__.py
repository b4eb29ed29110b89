"""Tournaments: pairings, results, standings, ratings and sequential tests.

The code is pure: it has no clock, socket or process. A host (`bot.matches` for engines, the arena
for players who are online) writes each event to disk, applies it to a `Tournament`, and asks the
`Director` which events are due.
"""
