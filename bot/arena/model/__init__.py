"""Games, challenges and tournaments as state machines: callers pass the time, nothing waits."""
