"""A tree search over the generic functions of the kernel: it knows no game."""
