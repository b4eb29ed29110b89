"""Search engines as processes: start, question, deadline, kill, restart, fallback."""
