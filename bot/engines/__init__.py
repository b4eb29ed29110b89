"""Search engines as processes: start, ask, deadline, kill, restart, fall back."""
