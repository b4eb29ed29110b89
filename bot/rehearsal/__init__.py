"""A stand-in of the platform Abstract Play, as nasty as the real one, and rehearsals against it.

Made from the platform's protocol alone: it shares no code with the bot that plays there.
"""
