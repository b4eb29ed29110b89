"""A tree search over the generic functions of the kernel, without code for any single game."""
