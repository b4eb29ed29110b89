"""A simulated Abstract Play with all its faults, and the rehearsal of a bot on it.

It is made from the platform's protocol alone, and shares no code with the platform.
"""
