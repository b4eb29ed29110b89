"""What a tournament is and what it decides: who plays whom, what counts, who leads.

Pure: no clock, no socket, no process. Whoever hosts one (`bot.matches` here or on many machines,
the arena online) writes down events, applies them to a `Tournament`, and asks what is due.
"""
