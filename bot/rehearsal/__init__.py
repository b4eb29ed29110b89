"""Stand-ins for Abstract Play and HeXO-Arena, with their faults, and rehearsals on them.

They are made from the platforms' protocols alone, and share no code with the bot that plays there.
"""
