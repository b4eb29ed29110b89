"""A stand-in for the platform Abstract Play, with its faults, and rehearsals against it.

It is made from the platform's protocol alone, and shares no code with the bot that plays there.
"""
