"""`bluestone train`, the command of `engine.training`."""
