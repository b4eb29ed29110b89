"""Games and challenges as frozen state machines: the moment is passed in, nothing waits."""
