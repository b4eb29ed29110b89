"""A simulated HeXO-Arena with all its faults, and the rehearsal of a bot on it.

It shares no code with the platform: it has its own rules of the game, and its own messages.
"""
