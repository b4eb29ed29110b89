"""A check of an engine by a script of steps of the engine protocol, with a verdict on each."""
